/**
 * Runs the tests that the build has put under dist/test.
 *   node tools/test.mjs [--out dist] [part of a path ...]
 */
import { spawnSync } from 'node:child_process';
import { readdirSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const args = process.argv.slice(2);
const at = args.indexOf('--out');
const out = at >= 0 ? args.splice(at, 2)[1] : 'dist';

const files = readdirSync(join(root, out, 'test'), { recursive: true })
  .map(String)
  .filter((name) => name.endsWith('.test.js'))
  .filter((name) => args.length === 0 || args.some((part) => name.includes(part)))
  .sort()
  .map((name) => join(out, 'test', name));
if (files.length === 0) {
  console.error('no test file matches');
  process.exit(1);
}
// Node leaves one core to itself; here its own process hardly needs one.
const atOnce = Math.max(2, availableParallelism());
const result = spawnSync(
  process.execPath,
  ['--enable-source-maps', '--test', `--test-concurrency=${atOnce}`, ...files],
  {
    cwd: root,
    stdio: 'inherit',
  },
);
process.exit(result.status ?? 1);
