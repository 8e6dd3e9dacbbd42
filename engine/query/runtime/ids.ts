/**
 * 64-bit ids as two halves, low first, in the loops of the operators. The order is that of unsigned
 * 64-bit numbers, which is the order of every scan.
 */

import { idOfHalves } from '../../storage/ids/halves.js';
import type { TermId } from '../../storage/ids/layout.js';
import type { IdColumn } from '../../storage/seam/scan.js';

export function idAt(column: IdColumn, row: number): TermId {
  return idOfHalves(column[2 * row] as number, column[2 * row + 1] as number);
}

export function tagAt(column: IdColumn, row: number): number {
  return (column[2 * row + 1] as number) >>> 24;
}

export function isUnboundAt(column: IdColumn, row: number): boolean {
  return column[2 * row + 1] === 0 && column[2 * row] === 0;
}

export function sameId(a: IdColumn, rowA: number, b: IdColumn, rowB: number): boolean {
  return a[2 * rowA] === b[2 * rowB] && a[2 * rowA + 1] === b[2 * rowB + 1];
}

/** Negative, zero or positive, as unsigned 64-bit numbers. */
export function compareIds(a: IdColumn, rowA: number, b: IdColumn, rowB: number): number {
  const highA = a[2 * rowA + 1] as number;
  const highB = b[2 * rowB + 1] as number;
  if (highA !== highB) return highA < highB ? -1 : 1;
  const lowA = a[2 * rowA] as number;
  const lowB = b[2 * rowB] as number;
  return lowA === lowB ? 0 : lowA < lowB ? -1 : 1;
}

/** One round of a multiplicative hash over both halves (the finaliser of MurmurHash3). */
export function mixHalves(seed: number, low: number, high: number): number {
  let hash = Math.imul(seed ^ low, 0xcc9e2d51) ^ Math.imul(high, 0x1b873593);
  hash = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b);
  hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2ae35);
  return hash ^ (hash >>> 16);
}

/** Hash of the given columns of a row, 32 bits, signed. */
export function hashRow(columns: readonly IdColumn[], keys: readonly number[], row: number): number {
  let hash = 0x9747b28c | 0;
  for (let key = 0; key < keys.length; key++) {
    const column = columns[keys[key] as number] as IdColumn;
    hash = mixHalves(hash, column[2 * row] as number, column[2 * row + 1] as number);
  }
  return hash;
}
