/** Hash joins whose build side does not fit into memory: the same rows, in the order of the probe side. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Expression } from '../../engine/query/algebra/expression.js';
import { HashJoinOperator } from '../../engine/query/execute/join/hash-join.js';
import { HashLeftJoinOperator } from '../../engine/query/execute/join/hash-left-join.js';
import { HashSemiJoinOperator } from '../../engine/query/execute/join/hash-semi-join.js';
import type { HashJoinKeys } from '../../engine/query/execute/tables/build-table.js';
import { type JoinRun, WHOLE_JOIN } from '../../engine/query/execute/tables/join-run.js';
import { MemoryBudget } from '../../engine/query/runtime/memory.js';
import { type Operator, PENDING } from '../../engine/query/runtime/operator.js';
import { RowsInput, rowsOf, termsOver } from './operator-support.js';

const MEBIBYTE = 2 ** 20;
const LARGE = 1024 * MEBIBYTE;

/** The id of a number that stands for some term. */
const id = (value: number) => (0x20n << 56n) + BigInt(value);
const mix = (value: number) => (Math.imul(value ^ (value >>> 15), 0x9e3779b1) ^ 0x5bd1e995) >>> 0;

/** How the keys of the rows of the two sides are spread. */
interface Shape {
  readonly name: string;
  readonly keys: HashJoinKeys;
  readonly probe: RowsInput;
  readonly build: RowsInput;
  readonly limitBytes: number;
}

const ON_K: HashJoinKeys = { certain: ['k'], loose: [] };

function shapes(): Shape[] {
  const probe = (rows: number, keys: number) =>
    new RowsInput(['k', 'a'], rows, (row, column) => (column === 0 ? id(mix(row) % keys) : id(row)));
  const build = (rows: number, key: (row: number) => number) =>
    new RowsInput(['k', 'b'], rows, (row, column) => (column === 0 ? id(key(row)) : id(row)));
  const unbound = (input: RowsInput) =>
    new RowsInput(input.variables, input.size, (row, column) =>
      column === 0 && row % 7 === 0 ? 0n : input.idAt(row, column),
    );
  return [
    {
      name: 'many keys',
      keys: ON_K,
      probe: probe(10_000, 60_000),
      build: build(40_000, (row) => mix(row) % 40_000),
      limitBytes: MEBIBYTE,
    },
    {
      name: 'parts that are split again',
      keys: ON_K,
      probe: probe(10_000, 280_000),
      build: build(280_000, (row) => mix(row) % 280_000),
      limitBytes: MEBIBYTE,
    },
    {
      name: 'one key that most rows have',
      keys: ON_K,
      probe: probe(10, 40),
      build: build(40_000, (row) => (row % 10 === 0 ? row % 40 : 3)),
      limitBytes: MEBIBYTE,
    },
    {
      name: 'no key',
      keys: { certain: [], loose: [] },
      probe: new RowsInput(['a'], 2, (row) => id(row)),
      build: new RowsInput(['b'], 70_000, (row) => id(row)),
      limitBytes: MEBIBYTE,
    },
    {
      name: 'keys that may be unbound',
      keys: { certain: [], loose: ['k'] },
      probe: unbound(probe(12, 20)),
      build: unbound(build(40_000, (row) => mix(row) % 40_000)),
      limitBytes: MEBIBYTE,
    },
  ];
}

/** The ids are no terms of a store, so that the condition may look at ids alone. */
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

type Make = (probe: Operator, build: Operator, keys: HashJoinKeys, budget: MemoryBudget, run?: JoinRun) => Operator;

const JOINS: readonly (readonly [string, Make])[] = [
  ['join', (probe, build, keys, budget, run) => new HashJoinOperator(probe, build, keys, budget, run)],
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
  ['semi-join', (probe, build, keys, budget, run) => new HashSemiJoinOperator(probe, build, keys, false, budget, run)],
  ['anti-join', (probe, build, keys, budget, run) => new HashSemiJoinOperator(probe, build, keys, true, budget, run)],
];

function run(make: Make, shape: Shape, limitBytes: number, ordered: boolean): { rows: string[]; spilled: number } {
  const budget = new MemoryBudget(limitBytes);
  const join = make(shape.probe.again(), shape.build.again(), shape.keys, budget, { ...WHOLE_JOIN, ordered });
  const rows = rowsOf(join);
  assert.equal(budget.usedBytes, 0);
  assert.equal(budget.spill.isOpen, false);
  assert.ok(budget.peakBytes <= limitBytes);
  return { rows, spilled: budget.spill.writtenBytes };
}

/** The rows of one probe row may come in any sequence. */
function probePart(shape: Shape, rows: readonly string[]): string[] {
  const columns = shape.probe.variables.length;
  return rows.map((row) => row.split(' ').slice(0, columns).join(' '));
}

const SHAPES = shapes();

for (const [name, make] of JOINS) {
  test(`${name} by way of the disk`, () => {
    for (const shape of SHAPES) {
      const free = run(make, shape, LARGE, true);
      assert.equal(free.spilled, 0);
      // A left join gives rows without a partner at the end of their batch, and so promises no order; nor does one whose keys
      // may be unbound.
      const noOrder = name.startsWith('left') || shape.keys.loose.length > 0;
      for (const ordered of noOrder ? [false] : [true, false]) {
        const tight = run(make, shape, shape.limitBytes, ordered);
        const what = `${shape.name}${ordered ? ', in order' : ''}`;
        assert.ok(tight.spilled > 0, `${what}: nothing was spilled`);
        assert.equal(tight.rows.length, free.rows.length, what);
        if (ordered) assert.deepEqual(probePart(shape, tight.rows), probePart(shape, free.rows), what);
        assert.deepEqual([...tight.rows].sort(), [...free.rows].sort(), what);
      }
    }
  });
}

test('a join that is left in the middle gives everything back, at any point', () => {
  const [shape] = SHAPES as [Shape];
  const steps = (limit: number): number => {
    const budget = new MemoryBudget(shape.limitBytes);
    const join = new HashJoinOperator(shape.probe.again(), shape.build.again(), shape.keys, budget);
    let count = 0;
    for (; count < limit; count++) {
      const step = join.next();
      if (step === null) break;
      assert.ok(step === PENDING || step.rows > 0);
    }
    join.close();
    assert.equal(budget.usedBytes, 0, `after ${count} steps`);
    assert.equal(budget.spill.isOpen, false, `after ${count} steps`);
    return count;
  };
  const all = steps(Number.POSITIVE_INFINITY);
  for (let at = 1; at < all; at += Math.ceil(all / 25)) steps(at);
});
