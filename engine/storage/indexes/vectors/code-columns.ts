/** Codes of some rows as columns in kernel memory. */

import type { ThreadMemory } from '../../../kernels/memory.js';

/** Addresses; `numbers` are whatever is told of each row. */
export interface CodeColumns {
  readonly rows: number;
  readonly stride: number;
  readonly scales: number;
  readonly residuals: number;
  readonly numbers: number;
  readonly codes: number;
}

export function allocateColumns(memory: ThreadMemory, rows: number, stride: number): CodeColumns {
  return {
    rows,
    stride,
    scales: memory.allocate(4 * rows),
    residuals: memory.allocate(4 * rows),
    numbers: memory.allocate(4 * rows),
    codes: memory.allocate(stride * rows),
  };
}

export function freeColumns(memory: ThreadMemory, columns: CodeColumns): void {
  const { rows, stride, scales, residuals, numbers, codes } = columns;
  for (const address of [scales, residuals, numbers]) memory.free(address, 4 * rows);
  memory.free(codes, stride * rows);
}

/** Those from one row on. */
export function rowsFrom({ rows, stride, scales, residuals, numbers, codes }: CodeColumns, row: number): CodeColumns {
  return {
    rows: rows - row,
    stride,
    scales: scales + 4 * row,
    residuals: residuals + 4 * row,
    numbers: numbers + 4 * row,
    codes: codes + stride * row,
  };
}

/** Copies rows that stand at `[first, first + count)` of an order; without one, those rows. */
export function copyRows(
  memory: ThreadMemory,
  from: CodeColumns,
  to: CodeColumns,
  { order, first, count }: { readonly order: Uint32Array | null; readonly first: number; readonly count: number },
): void {
  const { words, bytes } = memory;
  const { stride } = from;
  for (let at = 0; at < count; at++) {
    const row = order === null ? first + at : (order[first + at] as number);
    words[to.scales / 4 + at] = words[from.scales / 4 + row] as number;
    words[to.residuals / 4 + at] = words[from.residuals / 4 + row] as number;
    words[to.numbers / 4 + at] = words[from.numbers / 4 + row] as number;
    const code = from.codes + stride * row;
    bytes.copyWithin(to.codes + stride * at, code, code + stride);
  }
}

/** The places of some values, by value and then as they stand, and where each value ends. */
export function orderOf(
  values: Uint32Array,
  count: number,
): { readonly order: Uint32Array; readonly ends: Uint32Array } {
  const ends = new Uint32Array(count);
  for (const value of values) ends[value] = (ends[value] as number) + 1;
  for (let value = 1; value < count; value++) ends[value] = (ends[value] as number) + (ends[value - 1] as number);
  const next = ends.slice();
  const order = new Uint32Array(values.length);
  for (let at = values.length - 1; at >= 0; at--) {
    const value = values[at] as number;
    const place = (next[value] as number) - 1;
    next[value] = place;
    order[place] = at;
  }
  return { order, ends };
}
