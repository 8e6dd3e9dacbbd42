/** The benchmarks from end to end, on the smallest data: everything is measured, for us and the peer. */
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { CHECKOUT } from '../../bench/harness/machine.js';
import { ENCODE_CASES, OPERATOR_CASES } from '../../bench/operators/cases.js';
import { RANKINGS } from '../../engine/search/context/choices.js';

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

test('freeze: each step of a graph is measured, queries over it, and a store with some frozen graphs', () => {
  const json = join(folder, 'freeze.json');
  const { status, stderr } = bench(
    ...['freeze', '--sizes', '20k', '--sets', 'watdiv', '--runs', '1', '--packs', '3', '--json', json],
  );
  assert.equal(status, 0, stderr);
  const { results } = JSON.parse(readFileSync(json, 'utf8')) as {
    results: Record<'cases' | 'many', { errors: string[]; median: Record<string, number> }[]>;
  };
  const [one, many] = [results.cases[0], [results.many].flat()[0]];
  assert.deepEqual([one?.errors, many?.errors], [[], []]);
  for (const name of ['freeze.cpu', 'freeze.written.wall', 'thaw.compared.wall', 'packBytes', 'join.frozen']) {
    assert.ok((one?.median[name] as number) > 0, name);
  }
  for (const name of ['open.after', 'list', 'firstUse', 'root2.after'])
    assert.ok((many?.median[name] as number) > 0, name);
});

test('share: each step between two stores is measured', () => {
  const json = join(folder, 'share.json');
  const { status, stderr, stdout } = bench(
    ...['share', '--sizes', '20k', '--sets', 'watdiv', '--runs', '1', '--json', json],
  );
  assert.equal(status, 0, stderr);
  const { results } = JSON.parse(readFileSync(json, 'utf8')) as {
    results: { errors: string[]; median: Record<string, number> }[];
  };
  assert.deepEqual(results[0]?.errors, []);
  for (const step of ['share', 'unchanged', 'import', 'promote', 'status', 'merge']) {
    assert.ok((results[0]?.median[`${step}.cpu`] as number) > 0, step);
    assert.match(stdout, new RegExp(`\\| ${step} `));
  }
});

test('unified: whole searches are measured by each ranking and of the past, and what commits pay', () => {
  const json = join(folder, 'unified.json');
  const { status, stderr } = bench('unified', '--rows', '1k', '--json', json);
  assert.equal(status, 0, stderr);
  const { results } = JSON.parse(readFileSync(json, 'utf8')) as {
    results: { figures: { questions: { question: string; p50Ms: number; entities: number }[]; commitMs: object } }[];
  };
  const { questions, commitMs } = results[0]?.figures ?? { questions: [], commitMs: {} };
  for (const ranking of RANKINGS.slice(1)) {
    assert.ok(
      questions.some(({ question }) => question === `unified_search, ${ranking}`),
      ranking,
    );
  }
  for (const { question, p50Ms, entities } of questions) assert.ok(p50Ms > 0 && entities >= 1, question);
  assert.ok(questions.some(({ question }) => question.includes('past transaction')));
  for (const ms of Object.values(commitMs)) assert.ok((ms as number) > 0);
});

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

test('commit: every figure is there, at every size of the store', () => {
  const { results, stdout } = measured('commit', '--rows', '0,20k', '--commits', '10');
  assert.deepEqual(
    results.map(({ rows, errors }) => [rows, errors]),
    [
      ['0', []],
      ['20k', []],
    ],
  );
  for (const { median } of results as { median: Record<string, number> }[]) {
    for (const [name, figure] of Object.entries(median)) assert.ok(Number.isFinite(figure) && figure >= 0, name);
    assert.ok((median.one20 as number) > 0 && (median.sync as number) > 0);
  }
  assert.match(stdout, /Durable commits[\s\S]*Commits with folds and merges/);
});

test('commit growth: the file at every tenth, with readers and without', () => {
  const json = join(folder, 'growth.json');
  const { status, stderr } = bench('commit', 'growth', '--commits', '10', '--json', json);
  assert.equal(status, 0, stderr);
  const { results } = JSON.parse(readFileSync(json, 'utf8')) as {
    results: { readers: number; answer: { points: { commits: number; fileBytes: number; dataBytes: number }[] } }[];
  };
  assert.equal(results.length, 2);
  for (const { answer, readers } of results) {
    assert.deepEqual(
      answer.points.map(({ commits }) => commits),
      [0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10],
    );
    for (const { fileBytes, dataBytes } of answer.points) assert.ok(fileBytes > dataBytes && dataBytes > 0);
    assert.ok(readers === 0 || answer.points.every((point) => 'readers' in point));
  }
});

test('time: every question has an answer that was checked, at every slice', () => {
  const { results } = measured('time', '--rows', '1k', '--history', '50', '--made', 'snapshots,backfill');
  const cases = results as { made: string; delta: boolean; errors: string[]; runs: { measured: { ms: number }[] }[] }[];
  assert.deepEqual(
    cases.map(({ made, delta, errors }) => [made, delta, errors]),
    ['snapshots', 'backfill'].flatMap((made) => [
      [made, false, []],
      [made, true, []],
    ]),
  );
  for (const { runs } of cases) {
    assert.equal(runs[0]?.measured.length, 40);
    for (const { ms } of runs[0]?.measured ?? []) assert.ok(ms > 0);
  }
});

test('bitemporal: every question has an answer that was checked', () => {
  const { stdout } = measured('bitemporal', '--rows', '1k');
  const rows = stdout.split('\n').filter((line) => /^\| [TKR] /.test(line));
  assert.equal(rows.length, 25, stdout);
});

test('what it does not know is refused with usage', () => {
  assert.equal(bench('nothing').status, 2);
  const wrong = bench('load', '--sets', 'x');
  assert.equal(wrong.status, 2);
  assert.match(wrong.stderr, /there is no data set "x"/);
});

test('the files that cases of operators name are there', () => {
  const missing = [...OPERATOR_CASES, ...ENCODE_CASES].filter(({ file }) => !existsSync(join(CHECKOUT, file)));
  assert.deepEqual(missing, []);
});
