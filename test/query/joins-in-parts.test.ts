/** Hash joins whose table is made and asked part by part: the same rows in the same sequence as at once, and counted work. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Expression } from '../../engine/query/algebra/expression.js';
import { HashJoinOperator } from '../../engine/query/execute/join/hash-join.js';
import { HashLeftJoinOperator } from '../../engine/query/execute/join/hash-left-join.js';
import { HashSemiJoinOperator } from '../../engine/query/execute/join/hash-semi-join.js';
import type { HashJoinKeys } from '../../engine/query/execute/tables/build-table.js';
import { type JoinRun, type PartsBounds, WHOLE_JOIN } from '../../engine/query/execute/tables/join-run.js';
import type { TableJoinOperator } from '../../engine/query/execute/tables/table-join.js';
import { MemoryBudget } from '../../engine/query/runtime/memory.js';
import { type Operator, PENDING } from '../../engine/query/runtime/operator.js';
import { RowsInput, rowsOf, termsOver } from './operator-support.js';

const MEBIBYTE = 2 ** 20;
const AT_ONCE: PartsBounds = { keysMin: Number.POSITIVE_INFINITY, probesMin: 0 };
const IN_PARTS: PartsBounds = { keysMin: 1000, probesMin: 700 };
const PARTS = 256;

/** Ids far apart, so that they are found by hash. */
const id = (value: number) => (0x20n << 56n) + ((BigInt(value) * 0x9e3779b97fn) & 0xffffffffffffn);
const mix = (value: number) => (Math.imul(value ^ (value >>> 15), 0x9e3779b1) ^ 0x5bd1e995) >>> 0;

interface Shape {
  readonly name: string;
  readonly keys: HashJoinKeys;
  readonly probe: RowsInput;
  readonly build: RowsInput;
  /** Otherwise rows are compared one by one with those that share what is always bound. */
  readonly asked: boolean;
}

function side(name: string, rows: number, keysOf: readonly ((row: number) => number)[]): RowsInput {
  const keys = ['k', 'l'].slice(0, keysOf.length);
  return new RowsInput([...keys, name], rows, (row, column) => {
    const key = keysOf[column];
    const value = key === undefined ? row + 1 : key(row);
    return value === 0 ? 0n : id(value);
  });
}

const ON_K: HashJoinKeys = { certain: ['k'], loose: [] };
const ON_BOTH: HashJoinKeys = { certain: ['k', 'l'], loose: [] };
const other = (row: number) => 1 + (mix(row) % 50_000);

function shape(name: string, keys: HashJoinKeys, probe: RowsInput, build: RowsInput): Shape {
  return { name, keys, probe, build, asked: keys.loose.length === 0 };
}

const SHAPES: readonly Shape[] = [
  shape(
    'keys that come once',
    ON_K,
    side('a', 30_000, [other]),
    side('b', 20_000, [(row) => 1 + ((row * 7) % 20_000)]),
  ),
  shape(
    'keys that come often',
    ON_K,
    side('a', 9000, [other]),
    side('b', 20_000, [(row) => 1 + (mix(row) % 4000) * 3]),
  ),
  shape(
    'one key that most rows have',
    ON_K,
    side('a', 6000, [(row) => (row % 400 === 0 ? 3 : 10 + row)]),
    side('b', 5000, [(row) => (row % 10 === 0 ? row : 3)]),
  ),
  shape(
    'two keys',
    ON_BOTH,
    side('a', 20_000, [(row) => 1 + (mix(row) % 300), (row) => 1 + (row % 40)]),
    side('b', 20_000, [(row) => 1 + (mix(row) % 300), (row) => 1 + (row % 50)]),
  ),
  shape('keys that are never found', ON_K, side('a', 30_000, [(row) => 100_000 + row]), side('b', 5000, [other])),
  shape(
    'a key that may be unbound beside one that is not',
    { certain: ['k'], loose: ['l'] },
    side('a', 3000, [other, (row) => row % 3]),
    side('b', 20_000, [other, (row) => row % 4]),
  ),
  shape('few rows that ask', ON_K, side('a', 300, [other]), side('b', 20_000, [other])),
];

const DIFFERENT: Expression = {
  kind: 'call',
  operator: '!',
  args: [
    {
      kind: 'call',
      operator: 'sameterm',
      args: [
        { kind: 'variable', name: 'a' },
        { kind: 'variable', name: 'b' },
      ],
    },
  ],
};

type Make = (
  probe: Operator,
  build: Operator,
  keys: HashJoinKeys,
  budget: MemoryBudget,
  run: JoinRun,
) => TableJoinOperator;

const JOINS: readonly (readonly [string, Make])[] = [
  ['join', (probe, build, keys, budget, run) => new HashJoinOperator(probe, build, keys, budget, run)],
  ['join of counts', (probe, build, keys, budget, run) => new HashJoinOperator(probe, build, keys, budget, run, [])],
  [
    'left join',
    (probe, build, keys, budget, run) =>
      new HashLeftJoinOperator(probe, build, keys, null, termsOver(budget), budget, run),
  ],
  [
    'left join with a condition',
    (probe, build, keys, budget, run) =>
      new HashLeftJoinOperator(probe, build, keys, DIFFERENT, termsOver(budget), budget, run),
  ],
  ['EXISTS', (probe, build, keys, budget, run) => new HashSemiJoinOperator(probe, build, keys, false, budget, run)],
  ['MINUS', (probe, build, keys, budget, run) => new HashSemiJoinOperator(probe, build, keys, true, budget, run)],
];

function open(make: Make, { probe, build, keys }: Shape, parts: PartsBounds, budget: MemoryBudget): TableJoinOperator {
  return make(probe.again(), build.again(), keys, budget, { ...WHOLE_JOIN, parts });
}

for (const [name, make] of JOINS) {
  test(`${name} in parts: the rows of a join at once, in their sequence`, () => {
    for (const one of SHAPES) {
      const budget = new MemoryBudget(256 * MEBIBYTE);
      const atOnce = open(make, one, AT_ONCE, budget);
      const rows = rowsOf(atOnce);
      assert.deepEqual(atOnce.partsWork, { parts: 0, rowsFound: 0 });
      const inParts = open(make, one, IN_PARTS, budget);
      // Where a condition decides, rows without partners come behind the others of their batch, and batches differ.
      const inSequence = name !== 'left join with a condition';
      const made = rowsOf(inParts);
      assert.deepEqual(inSequence ? made : made.sort(), inSequence ? rows : rows.sort(), one.name);
      const { parts, rowsFound } = inParts.partsWork;
      assert.equal(budget.usedBytes, 0);
      assert.equal(parts, 0, 'a table that is given up has no parts');
      // All but those of the first batches, which come up to the bound and beyond it by a batch.
      const most = one.asked ? Math.max(0, one.probe.size - IN_PARTS.probesMin) : 0;
      assert.ok(rowsFound <= most && rowsFound >= most - 4096, `${one.name}: ${rowsFound} of ${most}`);
    }
  });
}

test('the table is made in as many parts as its rows are many, and not for few', () => {
  const [{ keys, probe, build }] = SHAPES as [Shape];
  const partsFor = (keysMin: number): number => {
    const join = new HashJoinOperator(probe.again(), build.again(), keys, new MemoryBudget(64 * MEBIBYTE), {
      ...WHOLE_JOIN,
      parts: { keysMin, probesMin: 700 },
    });
    while (join.next() === PENDING);
    const { parts } = join.partsWork;
    join.close();
    return parts;
  };
  assert.equal(partsFor(build.size), PARTS);
  assert.equal(partsFor(build.size + 1), 0);
});

test('where memory is short of parts the table is made at once, and rows are looked up as they come; nothing is spilled', () => {
  const [one] = SHAPES as [Shape];
  const free = new MemoryBudget(256 * MEBIBYTE);
  const rows = rowsOf(open(JOINS[0]?.[1] as Make, one, AT_ONCE, free));
  const most = free.peakBytes;
  // Beside what the operators of a query are sure of, some of it is room for parts.
  for (const [factor, windows] of [
    [1.4, false],
    [4, true],
  ] as const) {
    const budget = new MemoryBudget(factor * most);
    const join = open(JOINS[0]?.[1] as Make, one, IN_PARTS, budget);
    assert.deepEqual(rowsOf(join), rows);
    assert.ok(budget.peakBytes <= factor * most);
    assert.equal(budget.spill.writtenBytes, 0);
    assert.equal(join.partsWork.rowsFound > 0, windows, `${factor} times the memory`);
  }
});

test('a join in parts that is left in the middle gives everything back, at any point', () => {
  const [one] = SHAPES as [Shape];
  const steps = (limit: number): number => {
    const budget = new MemoryBudget(256 * MEBIBYTE);
    const join = open(JOINS[0]?.[1] as Make, one, IN_PARTS, budget);
    let count = 0;
    for (; count < limit && join.next() !== null; count++);
    join.close();
    assert.equal(budget.usedBytes, 0, `after ${count} steps`);
    return count;
  };
  const all = steps(Number.POSITIVE_INFINITY);
  for (let at = 1; at < all; at += Math.ceil(all / 25)) steps(at);
});
