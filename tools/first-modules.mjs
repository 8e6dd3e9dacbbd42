/**
 * Which modules a process loads, found by running it: those of the version, of the library, of help, of a store that is opened, of a first query, and of one by the command. Each
 * group becomes one file of the bundle, since every file of its own costs a process a third of a millisecond and more.
 */
import { spawn } from 'node:child_process';
import { mkdtempSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';

/** A loader hook that writes the address of every module to standard error. */
const HOOK = `import { writeSync } from 'node:fs';
export function load(url, context, next) {
  writeSync(2, 'module ' + url + '\\n');
  return next(url, context);
}`;
const asData = (text) => `data:text/javascript,${encodeURIComponent(text)}`;
const REGISTER = asData(`import { register } from 'node:module'; register(${JSON.stringify(asData(HOOK))});`);

/** Groups of paths, in the order in which they are loaded: no module of a group needs one of a later group. */
export async function firstModules(built) {
  const main = join(built, 'interfaces/cli/main.js');
  const library = pathToFileURL(join(built, 'interfaces/library/index.js')).href;
  const folder = mkdtempSync(join(tmpdir(), 'svc-build-'));
  const file = join(folder, 'store.db');
  const program = (work, options = '') => [
    '--input-type=module',
    '--eval',
    `const { openStore } = await import(${JSON.stringify(library)});
const store = await openStore(${JSON.stringify(file)}${options});
${work}
await store.close();`,
  ];
  // It makes the store that the others open.
  const open = await modulesOf(program(''));
  const [version, base, list, help, query, command] = await Promise.all([
    modulesOf([main, '--version']),
    modulesOf(['--input-type=module', '--eval', `await import(${JSON.stringify(library)})`]),
    modulesOf([main, 'help']),
    modulesOf([main, 'help', 'read']),
    modulesOf(
      program(
        "await store.query('SELECT * { ?s ?p ?o FILTER (?o > 1) } ORDER BY ?o LIMIT 5');",
        ', { readOnly: true }',
      ),
    ),
    modulesOf([main, '--db', file, 'query', 'SELECT * { ?s ?p ?o }']),
  ]);
  rmSync(folder, { recursive: true });
  const seen = new Set();
  const groups = {};
  for (const [name, modules] of [
    ['version', version],
    ['base', base],
    ['help', [...list, ...help]],
    ['store', open],
    ['query', query],
    ['command', command],
  ]) {
    // What starts a process stays a file of its own: it may wait for what it loads, which may need its group.
    groups[name] = new Set(
      modules.filter((path) => !seen.has(path) && path !== main && path !== fileURLToPath(library)),
    );
    for (const path of modules) seen.add(path);
  }
  return groups;
}

async function modulesOf(words) {
  const child = spawn(process.execPath, ['--import', REGISTER, ...words], { stdio: ['ignore', 'ignore', 'pipe'] });
  let told = '';
  child.stderr.setEncoding('utf8').on('data', (text) => {
    told += text;
  });
  const status = await new Promise((resolve, reject) => child.once('error', reject).once('close', resolve));
  if (status !== 0) throw new Error(`a process that tells its modules ended with ${status}: ${told.slice(-2000)}`);
  const urls = told.matchAll(/^module (file:.*)$/gm);
  return Array.from(urls, ([, url]) => realpathSync(fileURLToPath(new URL(url).href)));
}
