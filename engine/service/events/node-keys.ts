/**
 * Ids of IRIs and blank nodes as numbers: the term number, doubled, odd for IRIs. Such a number is exact, keys a Map
 * without a BigInt or a text, and gives the id back.
 */

import { TAG } from '../../storage/ids/layout.js';
import type { IdColumn } from '../../storage/seam/scan.js';

const TWO_32 = 2 ** 32;
const IRI_HIGH = TAG.iri << 24;
const BLANK_HIGH = TAG.blank << 24;

/** Whether the id with this upper half is that of an IRI or a blank node. */
export function isNodeHigh(high: number): boolean {
  const tag = high >>> 24;
  return tag === TAG.iri || tag === TAG.blank;
}

export function nodeKey(low: number, high: number): number {
  return 2 * ((high & 0xffff) * TWO_32 + low) + (high >>> 24 === TAG.iri ? 1 : 0);
}

export function nodeKeyAt(column: IdColumn, row: number): number {
  return nodeKey(column[2 * row] as number, column[2 * row + 1] as number);
}

/** Writes the id of a key into a column. */
export function putNode(column: IdColumn, row: number, key: number): void {
  const isIri = key % 2 === 1;
  const number = Math.floor(key / 2);
  column[2 * row] = number % TWO_32;
  column[2 * row + 1] = (Math.floor(number / TWO_32) | (isIri ? IRI_HIGH : BLANK_HIGH)) >>> 0;
}

export function columnOf(keys: readonly number[]): IdColumn {
  const column = new Uint32Array(2 * keys.length);
  for (const [row, key] of keys.entries()) putNode(column, row, key);
  return column;
}

/** Keys in the order of their ids. */
export function byId(a: number, b: number): number {
  const [isIri, otherIsIri] = [a % 2, b % 2];
  // Blank nodes come before IRIs.
  return isIri !== otherIsIri ? isIri - otherIsIri : a - b;
}
