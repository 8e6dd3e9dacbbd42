/** Groups of one scan by several threads: the same bytes with any number of them, whatever becomes of helpers. */

import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { threadMemoryFigures } from '../../engine/kernels/thread-memory.js';
import type { Aggregate, AggregateFunction } from '../../engine/query/algebra/algebra.js';
import { AggregateOperator } from '../../engine/query/execute/group/aggregate.js';
import { openMorselGroups } from '../../engine/query/execute/group/morsel-groups.js';
import { ScanOperator, type ScanSpec } from '../../engine/query/execute/scan/scan.js';
import { MemoryBudget } from '../../engine/query/runtime/memory.js';
import { endHelpers, helpersRunning } from '../../engine/query/runtime/morsels/helpers.js';
import {
  type MorselLimits,
  MorselRun,
  morselLimits,
  morselRunsEnding,
} from '../../engine/query/runtime/morsels/morsel-run.js';
import { PENDING } from '../../engine/query/runtime/operator.js';
import { QueryTerms } from '../../engine/query/terms/terms.js';
import { ROOT_ID, type TermId } from '../../engine/storage/ids/layout.js';
import { openLmdbEngine } from '../../engine/storage/lmdb-store/open.js';
import type { StorageEngine } from '../../engine/storage/seam/engine.js';
import { CURRENT, type PositionTest, type StorageSnapshot } from '../../engine/storage/seam/scan.js';
import { load, node, quad, typed } from '../storage/scan-support.js';
import { StoreFolder } from '../storage/support/store-folder.js';
import { termRowsOf } from './operator-support.js';

const SUBJECTS = 60_000;
const THREADS = [1, 2, 4, 8];
const LARGE = 512 * 2 ** 20;
const mix = (value: number) => (Math.imul(value ^ (value >>> 15), 0x9e3779b1) ^ 0x5bd1e995) >>> 0;

/** What a morsel is for, from the first row on; 0 threads = as batches come. */
const limits = (threads: number): MorselLimits => ({
  threads,
  rowsMin: threads === 0 ? Number.POSITIVE_INFINITY : 0,
  helpedRowsMin: 0,
  startRowsMin: 0,
});

function document(): string {
  const lines = ['@prefix : <http://example.org/> .'];
  for (let at = 0; at < SUBJECTS; at++) {
    const drawn = mix(at);
    lines.push(
      `:s${at} :integer ${(drawn % 2001) - 1000} ; :exact ${drawn % 1000}.${drawn % 97} ; :double ${(drawn % 4093) / 8}e0 ; ` +
        `:kind :k${drawn % 900} ; :text "t${drawn % 500}" ; :odd ${drawn % 9973 === 5 ? '"none"' : drawn % 77} .`,
    );
  }
  return lines.join('\n');
}

const folder = new StoreFolder();
let engine: StorageEngine;
let snapshot: StorageSnapshot;

before(async () => {
  engine = await openLmdbEngine(folder.fresh());
  await load(engine, document());
  await engine.fold({});
  // Dead rows of every block, in the runs.
  const dead = Array.from({ length: 300 }, (_, at) => mix(at) % SUBJECTS).map((at) =>
    quad(node(`s${at}`), node('kind'), node(`k${mix(at) % 900}`)),
  );
  const stage = engine.stage({});
  stage.retract(dead);
  await stage.commit().durable;
  await engine.fold({});
  snapshot = engine.snapshot();
});

after(async () => {
  snapshot.close();
  await engine.close();
  assert.equal(helpersRunning(), 0, 'no helper outlives the last store');
});

const aggregate = (name: AggregateFunction, of: string | null, distinct = false): Aggregate => ({
  variable: `${name}_${of ?? 'rows'}`,
  function: name,
  distinct,
  expression: of === null ? null : { kind: 'variable', name: of },
  separator: ' ',
});

const idOf = (name: string): TermId => snapshot.encode(node(name)) as TermId;
const integerId = (value: number): TermId => snapshot.encode(typed(`${value}`, 'integer')) as TermId;

interface Case {
  readonly predicate: string | null;
  readonly keys: readonly string[];
  readonly aggregates: readonly Aggregate[];
  readonly object?: (() => PositionTest) | undefined;
  readonly subject?: (() => PositionTest) | undefined;
  readonly order?: 'POSG' | 'SPOG' | undefined;
  readonly sorted?: boolean | undefined;
  /** A sum of doubles: rounded otherwise than row by row. */
  readonly rounded?: boolean | undefined;
}

const NUMBERS = ['count', 'sum', 'avg', 'min', 'max', 'sample'] as const;
const ofObjects = NUMBERS.map((name) => aggregate(name, 'o'));

const CASES: Readonly<Record<string, Case>> = {
  'one group of integers': { predicate: 'integer', keys: [], aggregates: [aggregate('count', null), ...ofObjects] },
  'one group of decimals': { predicate: 'exact', keys: [], aggregates: ofObjects },
  'one group of doubles': { predicate: 'double', keys: [], aggregates: ofObjects, rounded: true },
  'texts, which kernels do not compare': { predicate: 'text', keys: [], aggregates: [aggregate('min', 'o')] },
  'a text among numbers': { predicate: 'odd', keys: [], aggregates: ofObjects },
  'groups that lie side by side': {
    predicate: 'kind',
    keys: ['o'],
    aggregates: [aggregate('count', null), aggregate('sample', 's')],
    sorted: true,
  },
  'groups by hash': {
    predicate: 'integer',
    keys: ['o'],
    aggregates: [aggregate('count', 's'), aggregate('sum', 'o')],
    order: 'SPOG',
  },
  'groups of all predicates': { predicate: null, keys: ['p'], aggregates: [aggregate('count', null)] },
  'two keys': { predicate: null, keys: ['p', 'o'], aggregates: [aggregate('count', null)], order: 'POSG' },
  'a group for each subject': { predicate: 'integer', keys: ['s'], aggregates: ofObjects },
  'a range of values': {
    predicate: 'integer',
    keys: [],
    aggregates: ofObjects,
    object: () => ({ kind: 'ranges', ranges: [{ from: integerId(-400), to: integerId(20) }] }),
  },
  'ranges that are tested': {
    predicate: 'integer',
    keys: ['o'],
    aggregates: [aggregate('count', null)],
    order: 'SPOG',
    object: () => ({
      kind: 'ranges',
      ranges: [
        { from: integerId(-900), to: integerId(-800) },
        { from: integerId(7), to: integerId(300) },
      ],
    }),
  },
  'subjects that are tested': {
    predicate: 'double',
    keys: [],
    aggregates: [aggregate('sum', 'o'), aggregate('count', null)],
    subject: () => ({ kind: 'ranges', ranges: [{ from: idOf('s100'), to: idOf('s100') + 20_000n }] }),
    rounded: true,
  },
  'nothing that passes': {
    predicate: 'integer',
    keys: [],
    aggregates: ofObjects,
    order: 'SPOG',
    object: () => ({ kind: 'ranges', ranges: [{ from: integerId(5000), to: integerId(6000) }] }),
  },
};

function specOf({ predicate, object, subject, order = 'POSG' }: Case): ScanSpec {
  const pattern = {
    ...(predicate === null ? {} : { p: { kind: 'id' as const, id: idOf(predicate) } }),
    ...(object === undefined ? {} : { o: object() }),
    ...(subject === undefined ? {} : { s: subject() }),
  };
  const outputs = (['s', 'p', 'o'] as const).map((position) => ({ variable: position as string, position }));
  return { request: { graphs: { kind: 'one', graph: ROOT_ID }, pattern, order, time: CURRENT }, outputs, equal: [] };
}

function open(it: Case, threads: number, budget = new MemoryBudget(LARGE)) {
  const terms = new QueryTerms(snapshot, new MemoryBudget(LARGE));
  const scan = new ScanOperator(snapshot, specOf(it));
  const { keys, aggregates, sorted = false } = it;
  const operator = new AggregateOperator(scan, { keys, aggregates, sorted }, terms, budget, limits(threads));
  return { operator, scan, terms, budget };
}

function run(it: Case, threads: number) {
  const { operator, scan, terms, budget } = open(it, threads);
  const rows = termRowsOf(operator, terms);
  assert.equal(budget.usedBytes, 0);
  const { blocksRead, rows: rowsRead, complete } = scan.statistics;
  return { rows, work: { blocksRead, rowsRead, complete }, threads: operator.statistics.threads };
}

/** Numbers that differ by what rounding makes of them. */
function near(some: readonly string[], others: readonly string[]): boolean {
  const numbers = (rows: readonly string[]) => rows.join(' ').split(' ').map(Number);
  const wanted = numbers(others);
  return numbers(some).every((number, at) => Math.abs(number - (wanted[at] as number)) <= 1e-12 * Math.abs(number));
}

for (const [name, it] of Object.entries(CASES)) {
  test(`the same with any number of threads: ${name}`, () => {
    const serial = run(it, 0);
    const alone = run(it, 1);
    assert.equal(serial.threads, undefined);
    assert.equal(alone.threads, 1);
    if (it.rounded !== true) assert.deepEqual(alone.rows, serial.rows);
    else assert.ok(near(alone.rows, serial.rows));
    assert.deepEqual(alone.work, serial.work);
    for (const threads of THREADS) {
      const many = run(it, threads);
      assert.deepEqual(many.rows, alone.rows);
      assert.deepEqual(many.work, alone.work);
      assert.ok((many.threads as number) <= threads);
    }
  });
}

test('helpers do morsels beside the query, which does not wait for them to begin', async () => {
  await settled();
  const scan = new ScanOperator(snapshot, specOf(CASES['one group of integers'] as Case));
  const packed = scan.packed();
  assert.ok(packed !== null);
  const { scan: blocks, columns } = packed;
  const program = {
    tests: blocks.tests,
    columns,
    keys: [],
    sorted: false,
    aggregates: [{ kind: 'sum', column: 2 }],
  } as const;
  const morsels = new MorselRun(blocks, program, limits(3), new MemoryBudget(LARGE));
  const results = morsels.results();
  let given = 0;
  for (let step = results.next(); step.done !== true; step = results.next()) {
    if (step.value !== PENDING) given += step.value.isGrouped ? 1 : 0;
    if (given === 1) await until(() => morsels.finishedAhead > 1);
  }
  assert.ok(given > 2);
  morsels.close();
  blocks.close();
  scan.close();
});

test('helpers that end in the middle change nothing', () => {
  const it = CASES['groups by hash'] as Case;
  const wanted = run(it, 1).rows;
  for (let steps = 1; steps < 8; steps++) {
    const { operator, terms } = open(it, 4);
    for (let step = 0; step < steps; step++) assert.equal(operator.next(), PENDING);
    endHelpers();
    assert.deepEqual(termRowsOf(operator, terms), wanted);
  }
});

test('what is left in the middle is given back once helpers have stopped', async () => {
  const it = CASES['one group of decimals'] as Case;
  run(it, 4);
  await settled();
  const before = threadMemoryFigures();
  for (let steps = 1; steps < 6; steps++) {
    const { operator, budget } = open(it, 4);
    for (let step = 0; step < steps; step++) operator.next();
    operator.close();
    assert.equal(budget.usedBytes, 0);
  }
  await settled();
  assert.equal(threadMemoryFigures().liveBytes, before.liveBytes);
});

async function until(holds: () => boolean): Promise<void> {
  for (let turn = 0; turn < 2000 && !holds(); turn++) await new Promise((resolve) => setTimeout(resolve, 10));
  assert.ok(holds());
}

/** Memory that helpers may touch is given back when they have stopped: soon. */
async function settled(): Promise<void> {
  await until(() => morselRunsEnding() === 0);
}

test('rows come one by one where groups find no room', () => {
  const it = CASES['groups of all predicates'] as Case;
  const budget = new MemoryBudget(LARGE);
  const scan = new ScanOperator(snapshot, specOf(it));
  const spec = { keys: it.keys, aggregates: it.aggregates, sorted: false };
  const account = budget.openAccount();
  const morsels = openMorselGroups(scan, spec, limits(2), budget, account);
  assert.ok(morsels !== null);
  let rows = 0;
  const full = { merge: () => false } as never;
  for (const step of morsels.batches(() => full, scan.statistics)) if (step !== PENDING) rows += step.rows;
  morsels.close();
  scan.close();
  account.close();
  assert.equal(rows, scan.statistics.rows);
  assert.equal(rows, snapshot.count({ graphs: { kind: 'one', graph: ROOT_ID }, pattern: {}, time: CURRENT }));
});

test('what is no large scan is read as before', () => {
  const one = CASES['one group of integers'] as Case;
  const small = open(one, 4, new MemoryBudget(2 ** 20));
  assert.ok(termRowsOf(small.operator, small.terms).length === 1);
  assert.equal(small.operator.statistics.threads, undefined, 'morsels are a small part of the memory of a query');
  const distinct = run({ ...one, aggregates: [aggregate('sum', 'o', true)] }, 4);
  assert.equal(distinct.threads, undefined);
  assert.ok(morselLimits(4).rowsMin > SUBJECTS);
});

test('a delta over the runs is read as before', async () => {
  const it = CASES['one group of integers'] as Case;
  const [wanted] = run(it, 0).rows;
  const stage = engine.stage({});
  stage.assert([quad(node('s1'), node('integer'), typed('123456', 'integer'))]);
  await stage.commit().durable;
  const held = snapshot;
  snapshot = engine.snapshot();
  try {
    const { rows, threads } = run(it, 4);
    assert.equal(threads, undefined);
    assert.notEqual(rows[0], wanted);
  } finally {
    snapshot.close();
    snapshot = held;
  }
  assert.deepEqual(run(it, 4).rows, [wanted]);
});
