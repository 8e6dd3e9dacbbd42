/** Key tables against a map of texts: numbers in the order of first appearance, by hash and by runs. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { HashKeys } from '../../engine/query/runtime/keys/hash-keys.js';
import { KeyBits } from '../../engine/query/runtime/keys/key-bits.js';
import { type KeyTable, RunKeys } from '../../engine/query/runtime/keys/key-table.js';
import { MemoryBudget } from '../../engine/query/runtime/memory.js';
import { BATCH_ROWS, type IdColumn } from '../../engine/storage/seam/scan.js';

const BUDGET_BYTES = 2 ** 28;

/** A repeatable sequence of numbers below 2^32. */
function sequence(seed: number): () => number {
  let state = seed;
  return () => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return state;
  };
}

/** Ids with few or many values, some unbound, some above 2^63. */
function columnsOf(width: number, rows: number, values: number, seed: number): IdColumn[] {
  const next = sequence(seed);
  return Array.from({ length: width }, () => {
    const column = new Uint32Array(2 * rows);
    for (let row = 0; row < rows; row++) {
      const value = Math.floor((next() / 2 ** 32) * values);
      if (value === 0) continue;
      column[2 * row] = Math.imul(value, 0x10001) >>> 0;
      column[2 * row + 1] = value % 3 === 0 ? 0xe0000000 + value : 0x20000000;
    }
    return column;
  });
}

function textOf(columns: readonly IdColumn[], row: number): string {
  return columns.map((column) => `${column[2 * row + 1]}:${column[2 * row]}`).join(' ');
}

function slicesOf(columns: readonly IdColumn[], from: number, rows: number): IdColumn[] {
  return columns.map((column) => column.subarray(2 * from, 2 * (from + rows)));
}

/** Numbers all rows in batches of changing size; compares with the oracle. */
function assertNumbers(table: KeyTable, columns: readonly IdColumn[], rows: number, oracle: Map<string, number>): void {
  const numbers = new Int32Array(BATCH_ROWS);
  for (let from = 0, size = 1; from < rows; from += size, size = Math.min(BATCH_ROWS, rows - from, 3 * size)) {
    table.assign(slicesOf(columns, from, size), size, numbers);
    for (let row = 0; row < size; row++) {
      const text = textOf(columns, from + row);
      const known = oracle.get(text);
      if (known === undefined) oracle.set(text, oracle.size);
      assert.equal(numbers[row], known ?? oracle.size - 1);
    }
  }
  assert.equal(table.count, oracle.size);
}

function assertKeys(table: KeyTable, oracle: Map<string, number>): void {
  for (const [text, number] of oracle) assert.equal(textOf(table.columns, number), text);
}

for (const width of [0, 1, 2, 3]) {
  for (const values of [1, 7, 500, 100_000]) {
    test(`hashed keys of ${width} columns, ${values} values`, () => {
      const budget = new MemoryBudget(BUDGET_BYTES);
      const table = new HashKeys(width, budget);
      const oracle = new Map<string, number>();
      const rows = 60_000;
      const columns = columnsOf(width, rows, values, 7 * width + values);
      assert.equal(table.count, 0);
      assertNumbers(table, columns, rows, oracle);
      assertKeys(table, oracle);
      assertFound(table, width, values, oracle);
      table.release();
      assert.equal(budget.usedBytes, 0);
      // Used again it begins anew.
      assertNumbers(table, columns, 1000, new Map());
      table.release();
      assert.equal(budget.usedBytes, 0);
    });
  }
}

function assertFound(table: KeyTable, width: number, values: number, oracle: Map<string, number>): void {
  const others = columnsOf(width, BATCH_ROWS, 2 * values, 99);
  const numbers = new Int32Array(BATCH_ROWS);
  table.find(others, BATCH_ROWS, numbers);
  for (let row = 0; row < BATCH_ROWS; row++) assert.equal(numbers[row], oracle.get(textOf(others, row)) ?? -1);
  assert.equal(table.count, oracle.size, 'looking up adds nothing');
}

test('hashed keys grow past the size at which the table is cut, within what they say they take', () => {
  const budget = new MemoryBudget(BUDGET_BYTES);
  const rows = 400_000;
  for (const width of [1, 2]) {
    const table = new HashKeys(width, budget);
    const said = table.bytesToHold(rows);
    const column = new Uint32Array(2 * rows);
    for (let row = 0; row < rows; row++) {
      column[2 * row] = row;
      column[2 * row + 1] = 0x20000000;
    }
    const columns = Array.from({ length: width }, () => column);
    assertNumbers(table, columns, rows, new Map());
    assert.ok(budget.usedBytes <= said, `${budget.usedBytes} of ${said} bytes`);
    const numbers = new Int32Array(BATCH_ROWS);
    table.assign(slicesOf(columns, rows - 10, 10), 10, numbers);
    assert.deepEqual([...numbers.subarray(0, 2)], [rows - 10, rows - 9]);
    table.release();
    assert.equal(budget.usedBytes, 0);
  }
});

test('a complete table that is mostly asked for keys it does not have tells them by bits', () => {
  for (const width of [1, 2]) {
    const budget = new MemoryBudget(BUDGET_BYTES);
    const table = new HashKeys(width, budget, true, true);
    const rows = 10_000;
    const oracle = new Map<string, number>();
    assertNumbers(table, columnsOf(width, rows, 5000, 3), rows, oracle);
    const without = budget.usedBytes;
    // Those that are there need no bits.
    const numbers = new Int32Array(BATCH_ROWS);
    for (let from = 0; from + BATCH_ROWS <= oracle.size; from += BATCH_ROWS) {
      table.find(slicesOf(table.columns, from, BATCH_ROWS), BATCH_ROWS, numbers);
      assert.deepEqual(
        [...numbers],
        Array.from({ length: BATCH_ROWS }, (_, row) => from + row),
      );
    }
    assert.equal(budget.usedBytes, without);
    for (let round = 0; round < 10; round++) assertFound(table, width, 500_000, oracle);
    const bytes = budget.usedBytes - without;
    assert.ok(bytes > 0 && bytes <= KeyBits.bytesFor(oracle.size), `${bytes} bytes`);
    for (let round = 0; round < 3; round++) assertFound(table, width, 5000, oracle);
    table.release();
    assert.equal(budget.usedBytes, 0);
  }
});

test('keys by runs: equal keys side by side are one, across batches too', () => {
  for (const width of [1, 2]) {
    const budget = new MemoryBudget(BUDGET_BYTES);
    const table = new RunKeys(width, budget);
    const rows = 10_000;
    const columns = Array.from({ length: width }, (_, at) => {
      const column = new Uint32Array(2 * rows);
      // The first key is unbound throughout.
      for (let row = 0; row < rows; row++) column[2 * row] = Math.floor(row / (at === 0 ? 700 : 100));
      return column;
    });
    const oracle = new Map<string, number>();
    assertNumbers(table, columns, rows, oracle);
    assertKeys(table, oracle);
    const numbers = new Int32Array(4);
    const last = rows - 1;
    const mixed = columns.map((column) => Uint32Array.of(...column.subarray(2 * last), ...column.subarray(0, 2), 1, 1));
    table.find(mixed, 3, numbers);
    assert.deepEqual([...numbers.subarray(0, 3)], [oracle.size - 1, -1, -1]);
    table.release();
    assert.equal(budget.usedBytes, 0);
  }
});
