/** The sort orders: which columns make the key, most significant first. */

import { COLUMNS, type Order, type TermColumn } from '../seam/scan.js';

export const ORDERS: readonly Order[] = ['SPOG', 'POSG', 'OSPG', 'GSPO'];

/** Orders of a partition of one graph, and of the one that small graphs share. */
export const OWN_ORDERS: readonly Order[] = ['SPOG', 'POSG', 'OSPG'];
export const SHARED_ORDERS: readonly Order[] = ['SPOG', 'POSG', 'OSPG', 'GSPO'];

export const ORDER_COLUMNS: Readonly<Record<Order, readonly TermColumn[]>> = {
  SPOG: ['s', 'p', 'o', 'g'],
  POSG: ['p', 'o', 's', 'g'],
  OSPG: ['o', 's', 'p', 'g'],
  GSPO: ['g', 's', 'p', 'o'],
};

/** Column numbers 0..3 of an order's key. */
export function keyColumns(order: Order): number[] {
  return ORDER_COLUMNS[order].map((column) => COLUMNS.indexOf(column));
}

const PACKED_KEYS = Object.fromEntries(ORDERS.map((order) => [order, packColumns([...keyColumns(order), 4])]));

/** Numbers of columns by which kernels compare rows, a byte each. */
export function packColumns(numbers: readonly number[]): bigint {
  return numbers.reduce((packed, column, i) => packed | (BigInt(column) << BigInt(8 * i)), 0n);
}

/** Numbers of the key columns and of txFrom, which completes a row's identity, a byte each. */
export function packedKey(order: Order): bigint {
  return PACKED_KEYS[order] as bigint;
}
/** Columns that `packedKey` lists. */
export const PACKED_KEY_DEPTH = 5;

/** Reads the values of `columns` of one row into `key`, as halves. */
export function readKey(
  words: Uint32Array,
  addresses: readonly number[],
  columns: readonly number[],
  row: number,
  key: Uint32Array,
): void {
  for (let d = 0; d < columns.length; d++) {
    const at = ((addresses[columns[d] as number] as number) >>> 2) + 2 * row;
    key[2 * d] = words[at] as number;
    key[2 * d + 1] = words[at + 1] as number;
  }
}
