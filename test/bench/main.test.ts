/** The benchmarks from end to end, on the smallest data: everything is measured, for us and the peer. */
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { fileURLToPath } from 'node:url';

const folder = mkdtempSync(join(tmpdir(), 'svc-bench-main-'));
after(() => rmSync(folder, { recursive: true, force: true }));
const program = fileURLToPath(new URL('../../bench/main.js', import.meta.url));

function bench(...args: string[]): { status: number | null; stdout: string; stderr: string } {
  const env = { ...process.env, SVC_BENCH_DATA: folder };
  return spawnSync(process.execPath, [program, ...args], { env, encoding: 'utf8' });
}

function measured(name: string, ...more: string[]): { results: Record<string, unknown>[]; stdout: string } {
  const json = join(folder, `${name}.json`);
  const { status, stdout, stderr } = bench(
    name,
    '--sizes',
    '20k',
    '--sets',
    'watdiv',
    '--runs',
    '1',
    '--json',
    json,
    ...more,
  );
  assert.equal(status, 0, stderr);
  const { results } = JSON.parse(readFileSync(json, 'utf8')) as { results: Record<string, unknown>[] };
  assert.deepEqual(
    readdirSync(folder).filter((file) => file.startsWith('run-')),
    [],
    'nothing is left behind',
  );
  return { results, stdout };
}

test('load: ours with one and two threads and the peer hold the same triples', () => {
  const { results, stdout } = measured('load');
  const large = results.filter(({ data }) => (data as { size: string }).size === '20k');
  assert.deepEqual(
    large.map(({ who, threads, error }) => [who, threads, error]),
    [
      ['svc', 1, null],
      ['svc', 2, null],
      ['oxigraph', 1, null],
    ],
  );
  const figures = large.map(({ median }) => median as Record<string, number>);
  for (const { quads, wallMs, peakBytes } of figures) {
    assert.equal(quads, figures[0]?.quads);
    assert.ok((wallMs as number) > 0 && (peakBytes as number) > 1e6);
  }
  assert.match(stdout, /Bytes per quad by part/);
  assert.doesNotMatch(stdout, /differs|NaN|undefined/);
});

test('storage: every line of the table has a figure of ours', () => {
  const { results, stdout } = measured('storage');
  assert.deepEqual(results[0]?.errors, []);
  const lines = stdout.split('\n').filter((line) => line.startsWith('| ') && !line.startsWith('| what'));
  assert.ok(lines.length > 20, stdout);
  for (const line of lines) assert.match(line, /\| +[\d.,]+ \| +([\d.,]+|-) \| +([\d.,]+x|-) \|$/);
});

test('what it does not know is refused with usage', () => {
  assert.equal(bench('nothing').status, 2);
  const wrong = bench('load', '--sets', 'x');
  assert.equal(wrong.status, 2);
  assert.match(wrong.stderr, /there is no data set "x"/);
});
