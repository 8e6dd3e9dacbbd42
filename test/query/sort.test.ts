/** ORDER BY against a plain stable sort of the terms: kinds of keys, ties, limits; and the sort of numbers below it. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { SortKey } from '../../engine/query/algebra/algebra.js';
import { BUCKET_BYTES_PER_ROW, BUCKET_ROWS_MIN } from '../../engine/query/execute/sort/bucket-sort.js';
import { sortRows } from '../../engine/query/execute/sort/row-sort.js';
import { SortOperator } from '../../engine/query/execute/sort/sort.js';
import { MemoryBudget } from '../../engine/query/runtime/memory.js';
import { finish } from '../../engine/query/runtime/operator.js';
import { type Term, terms, XSD } from '../../engine/rdf/terms.js';
import { doubleText, orderTerms, shortQuotientText } from '../../engine/rdf/values/index.js';
import { RowsInput, rowsOf, termsOver } from './operator-support.js';

const BUDGET_BYTES = 2 ** 28;

function pseudoRandom(seed: number): () => number {
  let state = seed;
  return () => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return state / 2 ** 32;
  };
}

test('rows by their numbers, stable, few and many', () => {
  for (const rows of [0, 1, 2, 8, 9, 17, 192, 193, 2048, 2049, 70_000, 200_000]) {
    for (const values of [1, 3, 1000, 2 ** 31]) {
      const next = pseudoRandom(rows + values);
      const numbers = Float64Array.from({ length: rows }, () => {
        const value = Math.floor(next() * values) - Math.floor(values / 2);
        if (value === -1) return Number.NEGATIVE_INFINITY;
        return value === 1 ? Number.POSITIVE_INFINITY : value / 8;
      });
      const order = finish(sortRows(numbers, rows));
      // In buckets where there is memory for them, of rows in the sequence that is given.
      const held = { bytes: 0, peak: 0 };
      const memory = {
        fits: () => true,
        take: (bytes: number) => {
          held.bytes += bytes;
          held.peak = Math.max(held.peak, held.bytes);
        },
        give: (bytes: number) => {
          held.bytes -= bytes;
        },
      };
      assert.deepEqual(finish(sortRows(numbers, rows, null, memory)), order);
      const backwards = Uint32Array.from(numbers.keys()).reverse();
      const stable = finish(sortRows(numbers, rows, backwards.slice()));
      assert.deepEqual(finish(sortRows(numbers, rows, backwards, memory)), stable);
      assert.deepEqual(held, { bytes: 0, peak: rows < BUCKET_ROWS_MIN ? 0 : rows * BUCKET_BYTES_PER_ROW });
      const expected = Array.from(numbers.keys()).sort((a, b) => {
        const [x, y] = [numbers[a] as number, numbers[b] as number];
        return x < y ? -1 : x > y ? 1 : a - b;
      });
      assert.deepEqual(order, Uint32Array.from(expected), `${rows} rows of ${values} values`);
    }
  }
});

const typed = (lexical: string, type: string) => terms.literal(lexical, terms.namedNode(`${XSD}${type}`));
const day = (at: number) => new Date(Date.UTC(2000, 0, 1 + at)).toISOString();

/** By name: the term of a number below 2^32; null = unbound. */
const KINDS: Readonly<Record<string, (value: number) => Term | null>> = {
  few: (value) => typed(String(value % 3), 'integer'),
  integers: (value) => (value % 50 === 0 ? null : typed(String(value - 2 ** 31), 'integer')),
  decimals: (value) => typed((value / 100).toFixed(2), 'decimal'),
  'decimals and doubles': (value) =>
    value % 2 === 0 ? typed(`${value % 100}.5`, 'double') : typed(`${value % 100}.50`, 'decimal'),
  'decimals of many digits': (value) =>
    typed(value % 300 === 7 ? '0.5' : shortQuotientText(value % 300, 1, 7), 'decimal'),
  'decimals that differ in their last digits': (value) =>
    value % 9 === 0 ? null : typed(`0.${value % 2 === 0 ? '' : '1'}00000000000000000000${value % 4}`, 'decimal'),
  'decimals of few and of many digits': (value) =>
    typed(['0.1', '0.10', '0.10000000000000000001', '0.09999999999999999999', '7'][value % 5] as string, 'decimal'),
  doubles: (value) => typed(doubleText(value % 50 === 1 ? Number.POSITIVE_INFINITY : (value % 500) / 7), 'double'),
  'doubles of both zeros': (value) =>
    typed(doubleText([0, -0, 1 / 3, -1e300, Number.NaN][value % 5] as number), 'double'),
  'doubles and decimals of many digits': (value) =>
    value % 2 === 0
      ? typed(doubleText((value % 90) / 9), 'double')
      : typed(shortQuotientText(value % 90, 0, 9), 'decimal'),
  dates: (value) => typed(day(value % 1000).slice(0, 10) + ['', 'Z', '+01:00'][value % 3], 'date'),
  'dates and times': (value) =>
    value % 7 === 0
      ? null
      : value % 2 === 0
        ? typed(day(value % 99).slice(0, 10), 'date')
        : typed(day(value % 99).slice(0, 19) + ['', 'Z', '-05:00'][value % 3], 'dateTime'),
  texts: (value) => terms.literal(`text ${value % 1000}`),
  'texts of all planes': (value) =>
    value % 3 === 0
      ? terms.namedNode(`http://example.org/${String.fromCodePoint(0xe000 + (value % 0x20000))}`)
      : terms.literal(String.fromCodePoint(0xff00 + (value % 0x300)) + (value % 2)),
  'numbers first, then texts': (value) =>
    value % 1000 === 0 ? terms.literal('text') : typed(String(value % 100), 'integer'),
  mixed: (value) =>
    [
      null,
      typed(String(value % 9), 'integer'),
      terms.namedNode(`http://example.org/${value % 5}`),
      terms.literal(`t${value % 7}`),
      typed(day(value % 5), 'dateTime'),
      typed('2020-01-01', 'date'),
      typed('x', 'integer'),
    ][value % 7] as Term | null,
};

interface Case {
  readonly kinds: readonly string[];
  readonly rows: number;
  readonly limit: number | null;
}

const CASES: readonly Case[] = [
  ...Object.keys(KINDS).flatMap((kind) =>
    [null, 7].map((limit) => ({ kinds: [kind, 'few', 'texts'], rows: 11_000, limit })),
  ),
  ...[0, 1, 2, 3, 100].flatMap((rows) => [null, 1, 50].map((limit) => ({ kinds: ['mixed', 'few'], rows, limit }))),
  { kinds: ['few', 'few', 'few', 'texts'], rows: 5000, limit: null },
  { kinds: ['few'], rows: 5000, limit: 3000 },
  { kinds: ['integers', 'texts'], rows: 30_000, limit: 4000 },
];

function assertSorted({ kinds, rows, limit }: Case, seed: number): void {
  const budget = new MemoryBudget(BUDGET_BYTES);
  const dictionary = termsOver(budget);
  const next = pseudoRandom(seed);
  const table = Array.from({ length: rows }, (_, row) => [
    ...kinds.map((kind) => KINDS[kind]?.(Math.floor(next() * 2 ** 32)) ?? null),
    typed(String(row), 'integer'),
  ]);
  const idOf = (term: Term | null) => (term === null ? 0n : dictionary.encode(term));
  const names = [...kinds.map((_, key) => `k${key}`), 'row'];
  const input = new RowsInput(names, rows, (row, column) => idOf(table[row]?.[column] as Term | null));
  const keys: SortKey[] = kinds.map((_, key) => ({
    expression: { kind: 'variable', name: `k${key}` },
    descending: (seed + key) % 2 === 1,
  }));
  const expected = [...table.keys()].sort((a, b) => {
    for (const [key, { descending }] of keys.entries()) {
      const order = orderTerms(table[a]?.[key], table[b]?.[key]);
      if (order !== 0) return descending ? -order : order;
    }
    return a - b;
  });
  const wanted = rowsOf(new RowsInput(['row'], rows, [columnOf(expected)]));
  const given = rowsOf(new SortOperator(input, keys, limit, dictionary, budget));
  assert.deepEqual(
    given.map((row) => row.split(' ').at(-1)),
    wanted.slice(0, limit ?? rows),
  );
  assert.ok(input.closed);
}

test('a key is decoded only where the keys before it tie, and only for rows within the limit', () => {
  const rows = 5000;
  const decodedFor = (limit: number | null, first: (row: number) => number): number => {
    const budget = new MemoryBudget(BUDGET_BYTES);
    const dictionary = termsOver(budget);
    let decoded = 0;
    const { decode } = dictionary;
    dictionary.decode = (ids, count) => {
      decoded += count;
      return decode.call(dictionary, ids, count);
    };
    const idOf = (row: number, column: number) =>
      dictionary.encode(column === 0 ? typed(String(first(row)), 'integer') : terms.literal(`text ${row}`));
    const keys = ['n', 'text'].map((name): SortKey => ({ expression: { kind: 'variable', name }, descending: true }));
    rowsOf(new SortOperator(new RowsInput(['n', 'text'], rows, idOf), keys, limit, dictionary, budget));
    return decoded;
  };
  const shuffled = (row: number) => (row * 7919) % rows;
  assert.equal(
    decodedFor(null, (row) => shuffled(row)),
    0,
  );
  assert.equal(
    decodedFor(null, (row) => Math.floor(shuffled(row) / 2)),
    rows,
  );
  assert.equal(
    decodedFor(20, (row) => shuffled(row)),
    0,
  );
  // Twenty of pairs that tie, once in the cut on the way and once at the end.
  assert.ok(decodedFor(20, (row) => Math.floor(shuffled(row) / 2)) <= 44);
});

/** Row numbers as the ids of integers. */
function columnOf(rows: readonly number[]): Uint32Array {
  const dictionary = termsOver(new MemoryBudget(BUDGET_BYTES));
  const column = new Uint32Array(2 * rows.length);
  rows.forEach((row, at) => {
    const id = dictionary.encode(typed(String(row), 'integer'));
    column[2 * at] = Number(id & 0xffffffffn);
    column[2 * at + 1] = Number(id >> 32n);
  });
  return column;
}

for (const { kinds, rows, limit } of CASES) {
  test(`ORDER BY ${kinds.join(', ')}: ${rows} rows, ${limit === null ? 'all' : `the first ${limit}`}`, () => {
    assertSorted({ kinds, rows, limit }, 2);
    assertSorted({ kinds, rows, limit }, 3);
  });
}
