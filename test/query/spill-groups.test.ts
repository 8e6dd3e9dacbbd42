/** GROUP BY whose groups, or whose DISTINCT values, do not fit into memory. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Aggregate, AggregateFunction } from '../../engine/query/algebra/algebra.js';
import { AggregateOperator } from '../../engine/query/execute/group/aggregate.js';
import { MemoryBudget } from '../../engine/query/runtime/memory.js';
import { PENDING } from '../../engine/query/runtime/operator.js';
import { terms, XSD } from '../../engine/rdf/terms.js';
import { RowsInput, termRowsOf, termsOver } from './operator-support.js';

const MEBIBYTE = 2 ** 20;
const LARGE = 512 * MEBIBYTE;

const aggregate = (name: AggregateFunction, of: string | null, distinct = false): Aggregate => ({
  variable: `${name}_${of ?? 'rows'}${distinct ? '_distinct' : ''}`,
  function: name,
  distinct,
  expression: of === null ? null : { kind: 'variable', name: of },
  separator: ',',
});

const PLAIN = [aggregate('count', null), aggregate('sum', 'v'), aggregate('min', 'v'), aggregate('max', 'v')];
const DISTINCT = [
  aggregate('count', 'v', true),
  aggregate('sum', 'v', true),
  aggregate('avg', 'v', true),
  aggregate('count', null, true),
];
const TEXTS = [aggregate('group_concat', 'v', true), aggregate('sample', 'v')];

interface Case {
  readonly name: string;
  readonly rows: number;
  readonly key: (row: number) => number;
  readonly value: (row: number) => number;
  readonly keys: readonly string[];
  readonly aggregates: readonly Aggregate[];
  readonly sorted?: boolean;
}

const mix = (value: number) => (Math.imul(value ^ (value >>> 15), 0x9e3779b1) ^ 0x5bd1e995) >>> 0;

const CASES: readonly Case[] = [
  {
    name: 'many groups',
    rows: 120_000,
    key: (row) => mix(row) % 50_000,
    value: (row) => row,
    keys: ['k'],
    aggregates: PLAIN,
  },
  {
    name: 'as many groups as rows',
    rows: 200_000,
    key: mix,
    value: (row) => row,
    keys: ['k'],
    aggregates: [aggregate('count', null)],
  },
  {
    name: 'DISTINCT values in one group',
    rows: 150_000,
    key: () => 0,
    value: (row) => mix(row) % 60_000,
    keys: [],
    aggregates: DISTINCT,
  },
  {
    name: 'DISTINCT values in many groups',
    rows: 90_000,
    key: (row) => mix(row) % 9000,
    value: (row) => mix(row + 1) % 7,
    keys: ['k'],
    aggregates: DISTINCT,
  },
  {
    name: 'texts',
    rows: 20_000,
    key: (row) => mix(row) % 9000,
    value: (row) => mix(row + 1) % 50,
    keys: ['k'],
    aggregates: TEXTS,
  },
];

function run(limitBytes: number, { rows, key, value, keys, aggregates, sorted = false }: Case) {
  const budget = new MemoryBudget(limitBytes);
  // The store behind the terms counts nothing against the budget under test.
  const dictionary = termsOver(new MemoryBudget(LARGE));
  const zero = dictionary.encode(terms.literal('0', terms.namedNode(`${XSD}integer`)));
  const input = new RowsInput(['k', 'v'], rows, (row, column) => zero + BigInt(column === 0 ? key(row) : value(row)));
  const operator = new AggregateOperator(input, { keys, aggregates, sorted }, dictionary, budget);
  const found = termRowsOf(operator, dictionary);
  assert.equal(budget.usedBytes, 0);
  assert.equal(budget.spill.isOpen, false);
  assert.ok(budget.peakBytes <= limitBytes);
  return { rows: found, spilledBytes: budget.spill.writtenBytes };
}

for (const each of CASES) {
  test(`GROUP BY by way of the disk: ${each.name}`, () => {
    const free = run(LARGE, each);
    const tight = run(MEBIBYTE, each);
    assert.equal(free.spilledBytes, 0);
    assert.ok(tight.spilledBytes > 0, 'nothing was spilled');
    assert.deepEqual(tight.rows.sort(), free.rows.sort());
  });
}

test('groups of a sorted input stream, need no disk and keep their order', () => {
  const sorted: Case = {
    name: 'sorted',
    rows: 300_000,
    key: (row) => Math.floor(row / 3),
    value: (row) => row,
    keys: ['k'],
    aggregates: PLAIN,
    sorted: true,
  };
  const free = run(LARGE, sorted);
  const tight = run(MEBIBYTE, sorted);
  assert.equal(tight.spilledBytes, 0);
  assert.equal(free.rows.length, 100_000);
  assert.deepEqual(tight.rows, free.rows);
  assert.equal(free.rows[99_999], '99999 3 899994 299997 299999');
});

test('leaving in the middle gives everything back', () => {
  for (const stopAt of [3, 40, 60, 80, 120, 200]) {
    const budget = new MemoryBudget(MEBIBYTE);
    const dictionary = termsOver(new MemoryBudget(LARGE));
    const input = new RowsInput(
      ['k', 'v'],
      150_000,
      (row, column) => (0x20n << 56n) + BigInt(column === 0 ? mix(row) : row),
    );
    const spec = { keys: ['k'], aggregates: [aggregate('count', 'v', true)], sorted: false };
    const operator = new AggregateOperator(input, spec, dictionary, budget);
    for (let step = 0; step < stopAt; step++) assert.ok(operator.next() === PENDING || budget.spill.writtenBytes > 0);
    operator.close();
    operator.close();
    assert.equal(budget.usedBytes, 0);
    assert.equal(budget.spill.isOpen, false);
  }
});
