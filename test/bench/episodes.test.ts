/** The benchmark of episodes, from end to end on the smallest stores. */
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { parseEpisodesOptions } from '../../bench/episodes/options.js';
import { bodyAt, dependencyOf, episodeAt, STATEMENTS } from '../../bench/episodes/payloads.js';
import { openStore } from '../../interfaces/library/index.js';

const folder = mkdtempSync(join(tmpdir(), 'svc-bench-episodes-'));
after(() => rmSync(folder, { recursive: true, force: true }));
const program = fileURLToPath(new URL('../../bench/main.js', import.meta.url));

function bench(...args: string[]): { stdout: string; results: { cases: Case[]; errors: string[] } } {
  const env = { ...process.env, SVC_BENCH_DATA: folder };
  const json = join(folder, 'answer.json');
  const run = spawnSync(process.execPath, [program, 'episodes', ...args, '--json', json], { env, encoding: 'utf8' });
  assert.equal(run.status, 0, run.stderr);
  return { stdout: run.stdout, ...(JSON.parse(readFileSync(json, 'utf8')) as { results: never }) };
}

interface Case {
  readonly part: string;
  readonly size: string;
  readonly figures: Record<string, unknown>;
}

function numbersIn(figures: object): unknown[] {
  return Object.values(figures).flatMap((one: unknown) =>
    typeof one === 'object' && one !== null ? numbersIn(one) : [one],
  );
}

test('an episode is 20 statements, always the same ones', async () => {
  const store = await openStore(':memory:');
  for (const at of [0, 1, 2, 500]) {
    const { outcome, count, danglingNodes } = await store.writeEpisode(episodeAt(at));
    assert.deepEqual([outcome, count, danglingNodes], ['created', STATEMENTS, []]);
    assert.ok(dependencyOf(at) < Math.max(1, at));
  }
  assert.equal((await store.writeEpisode(episodeAt(500))).outcome, 'unchanged');
  assert.equal((JSON.parse(bodyAt(500)) as { group_id: string }).group_id, episodeAt(500).groupId);
  await store.close();
});

test('every case has figures: writes through both faces, joins, a large episode, shapes', () => {
  const { results, stdout } = bench(
    ...['--sizes', '0', '--seconds', '1', '--writers', '4', '--nodes', '1k', '--facts', '20k'],
    ...['--parts', 'writes,large,shapes'],
  );
  assert.deepEqual(results.errors, []);
  assert.deepEqual(
    results.cases.map(({ part, size }) => [part, size]),
    [
      ['library', '0'],
      ['http', '0'],
      ['large', '1k'],
      ['shapes', '20k'],
    ],
  );
  for (const { part, figures } of results.cases) {
    for (const figure of numbersIn(figures)) assert.ok(typeof figure === 'number' && figure >= 0, part);
  }
  const lines = stdout.split('\n').filter((line) => /^\| (library|http) /.test(line));
  assert.equal(lines.length, 4, stdout);
  assert.doesNotMatch(stdout, /NaN|undefined/);
  const kept = readdirSync(folder).filter((name) => name.endsWith('.svc'));
  assert.deepEqual(kept, ['episodes-1000.svc'], 'the store is kept, and nothing else is left behind');
});

test('joins give the rows that the episodes have', () => {
  const { results } = bench('--sizes', '1k', '--seconds', '1', '--parts', 'joins', '--joined', '1k');
  assert.deepEqual(results.errors, []);
  assert.deepEqual(
    results.cases.map(({ part, size, figures }) => [part, size, (figures.all as { rows: number }).rows]),
    [['joins', '1k', 999]],
  );
});

test('options are checked by name', () => {
  assert.deepEqual(parseEpisodesOptions([]).sizes, ['0', '100k', '1M']);
  assert.throws(() => parseEpisodesOptions(['--sizes', 'many']), /"many" is no size/);
  assert.throws(() => parseEpisodesOptions(['--parts', 'writes,x']), /there is no part "x"; there are writes, joins/);
  assert.throws(() => parseEpisodesOptions(['--writers', '0']), /--writers is "0"; expected a whole number from 1/);
});
