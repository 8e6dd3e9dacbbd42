/** All tables by one command: each has its part of the page, and what is done is known after a stop. */
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { busyCores, CHECKOUT } from '../../bench/harness/machine.js';
import { DOCUMENT, replaceSection } from '../../bench/harness/report.js';
import { tableRuns } from '../../bench/tables/list.js';
import { TablesState } from '../../bench/tables/state.js';

const folder = mkdtempSync(join(tmpdir(), 'svc-bench-tables-'));
const program = fileURLToPath(new URL('../../bench/main.js', import.meta.url));
const kept = process.env.SVC_BENCH_DATA;
before(() => {
  process.env.SVC_BENCH_DATA = folder;
});
after(() => {
  if (kept === undefined) delete process.env.SVC_BENCH_DATA;
  else process.env.SVC_BENCH_DATA = kept;
  rmSync(folder, { recursive: true, force: true });
});

function tables(...args: readonly string[]): { status: number | null; stdout: string; stderr: string } {
  return spawnSync(process.execPath, [program, 'tables', ...args], { env: process.env, encoding: 'utf8' });
}

test('every table has its part of the page, and every part of the page a table that takes it', () => {
  const page = readFileSync(join(CHECKOUT, DOCUMENT), 'utf8');
  const runs = tableRuns('x');
  for (const { section } of runs) replaceSection(page, section, '');
  const taken = new Set([...runs.map(({ section }) => section), 'sparql-analytics']);
  const marks = [...page.matchAll(/<!-- ([\w-]+):begin -->/g)].map(([, name]) => name as string);
  assert.deepEqual(
    marks.filter((name) => !taken.has(name)),
    [],
  );
  assert.equal(new Set(runs.map(({ name }) => name)).size, runs.length);
});

test('what is done is known to the next run of the same code, and to no other', () => {
  const done = { date: '2026-01-01T00:00:00.000Z', seconds: 7, busyBefore: 0.1 };
  new TablesState('aaa').set('kernels', done);
  assert.deepEqual(new TablesState('aaa').of('kernels'), done);
  assert.equal(new TablesState('aaa').of('load'), undefined);
  assert.equal(new TablesState('bbb').of('kernels'), undefined);
});

test('--list says what is left and measures nothing; unknown tables and options are refused', {
  skip: checkout(),
}, () => {
  const { status, stdout, stderr } = tables('--list', '--uncommitted', '--only', 'kernels,load');
  assert.equal(status, 0, stderr);
  assert.match(stdout, /^load +left +npm run bench -- load\nkernels +left +npm run bench -- kernels\n$/);
  const unknown = tables('--only', 'nothing');
  assert.equal(unknown.status, 2);
  assert.match(unknown.stderr, /there is no table "nothing"; there are sparql, /);
  assert.match(tables('--wait', 'x').stderr, /--wait is "x"; expected a whole number/);
});

test('cores in use are told between none and all', () => {
  const busy = busyCores();
  assert.ok(busy >= 0 && busy <= 1024, String(busy));
});

function checkout(): string | false {
  const git = spawnSync('git', ['rev-parse', 'HEAD'], { cwd: CHECKOUT, stdio: 'ignore' });
  return git.status === 0 ? false : 'this is no checkout of git';
}
