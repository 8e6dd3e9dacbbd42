/**
 * Runs the tests that the build has put under dist/test.
 *   node tools/test.mjs [--out dist] [part of a path ...]
 *
 * Loading the modules of the engine costs a process more than most files of tests do, so files of the same folder run in
 * one process, some at a time, one after the other. What is long has a process to itself and starts first, so that no
 * core waits for it at the end; so has what changes or measures the process.
 */
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { availableParallelism, tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const args = process.argv.slice(2);
const at = args.indexOf('--out');
const out = at >= 0 ? args.splice(at, 2)[1] : 'dist';

/** Folders whose files share processes: they test modules, and neither commands nor servers. */
const TOGETHER = ['base', 'graphs', 'kernels', 'query', 'rdf', 'reason', 'search', 'service', 'storage', 'validate'];
/** Files of those folders that set flags, an environment or clocks of the process, or measure it. */
const APART = [
  'query/kernel-memory-share',
  'query/kernel-memory',
  'query/morsels',
  'query/work',
  'service/dropped-answers',
  'service/queries-under-load',
];
/** More than some ten seconds of the processor each: these start first, the longest of them at the head. */
const LONG = [
  'http/errors/table',
  'bench/main',
  'mcp/over-lines',
  'http/slow-clients',
  'http/afternoon',
  'query/slices',
  'conformance/sparql-memory',
  'conformance/sparql-store',
  'storage/schemaorg',
  'lake/schemaorg',
  'query/differential-changes',
  'query/differential',
  'storage/loader-scale',
  'bench/episodes',
  'storage/kills',
  'storage/power-cut',
  'cli/json-shapes',
  'ui/workbench',
  'ui/page',
  'mcp/over-http',
  'storage/damage-history',
  'storage/crash',
  'rdf/real-data',
  'query/examples',
  'query/text-filters',
  'service/threads',
  'clients/dataframes',
  'clients/typescript',
  'package/package',
];
/** Files of one process: enough to share what is loaded, few enough for the last processes to end together. */
const FILES_MAX = 8;

const nameOf = (path) => path.replace(/\.test\.js$/, '');
const isAlone = (path) =>
  !TOGETHER.includes(path.split('/', 1)[0]) || APART.includes(nameOf(path)) || LONG.includes(nameOf(path));

const paths = readdirSync(join(root, out, 'test'), { recursive: true })
  .map(String)
  .filter((name) => name.endsWith('.test.js'))
  .filter((name) => args.length === 0 || args.some((part) => name.includes(part)))
  .sort();
if (paths.length === 0) {
  console.error('no test file matches');
  process.exit(1);
}

const addressOf = (path) => pathToFileURL(join(root, out, 'test', path)).href;
const isThere = (name) => paths.includes(`${name}.test.js`);
const long = LONG.filter(isThere).map((name) => [`${name}.test.js`]);
const together = TOGETHER.flatMap((folder) => {
  const shared = paths.filter((path) => path.startsWith(`${folder}/`) && !isAlone(path));
  const count = Math.ceil(shared.length / FILES_MAX);
  return Array.from({ length: count }, (_, turn) => shared.filter((_path, place) => place % count === turn));
});
const alone = paths.filter((path) => isAlone(path) && !LONG.includes(nameOf(path))).map((path) => [path]);

// Node sorts the files that it is given, so each process has a file whose name begins with its number.
const made = mkdtempSync(join(tmpdir(), 'svc-tests-'));
const files = [...long, ...together, ...alone].map((tests, at) => {
  const file = join(made, `${String(at).padStart(4, '0')}.test.mjs`);
  writeFileSync(file, tests.map((path) => `import ${JSON.stringify(addressOf(path))};\n`).join(''));
  return file;
});
// Node leaves one core to itself; here its own process hardly needs one.
const atOnce = Math.max(2, availableParallelism());
const result = spawnSync(
  process.execPath,
  [
    '--enable-source-maps',
    '--import',
    new URL('bundled-threads.mjs', import.meta.url).href,
    '--test',
    `--test-concurrency=${atOnce}`,
    // What hangs is told apart from what is slow: no file takes a third of it.
    '--test-timeout=900000',
    ...files,
  ],
  {
    cwd: root,
    stdio: 'inherit',
  },
);
rmSync(made, { recursive: true, force: true });
process.exit(result.status ?? 1);
