/**
 * Pairs of rows before they are rows: the numbers of a row on either side, in two arrays that all joins
 * of a thread share, since they are filled and read within one step. The columns of the output are then
 * gathered one at a time.
 */

import { BATCH_ROWS, type IdColumn } from '../../storage/scan.js';
import type { QueryBatch } from './batch.js';
import { isUnboundAt, sameId } from './ids.js';
import type { KeyTable } from './key-table.js';

/** A pair without a row on the second side. */
export const NO_ROW = -1;

/** `first[i]` goes with `second[i]`. */
export const pairs = { first: new Int32Array(BATCH_ROWS), second: new Int32Array(BATCH_ROWS) };

/** Goes through the pairs that a batch of probe rows makes with the rows of a key table. */
export class PairCursor {
  /** Group of each probe row; grows with the batches. */
  private groups: Int32Array = new Int32Array(0);
  private rows = 0;
  private row = 0;
  /** Partners of the row at hand that have been paired. */
  private partner = 0;

  constructor(
    private readonly table: KeyTable,
    /** Rows without partners are paired with NO_ROW. */
    private readonly outer: boolean,
  ) {}

  get atEnd(): boolean {
    return this.row >= this.rows;
  }

  begin(batch: QueryBatch, keys: readonly number[]): void {
    if (this.groups.length < batch.rows) this.groups = new Int32Array(batch.rows);
    this.table.probe(batch.columns, keys, batch.rows, this.groups);
    this.rows = batch.rows;
    this.row = 0;
    this.partner = 0;
  }

  /** The group of a row of the batch; negative = it has no partner. */
  groupAt(row: number): number {
    return this.groups[row] as number;
  }

  /** Writes for each row of the batch whether it has a partner: 1 or 0. */
  markMatched(into: Uint8Array): void {
    const { groups, rows } = this;
    for (let row = 0; row < rows; row++) into[row] = (groups[row] as number) < 0 ? 0 : 1;
  }

  /** Goes past all pairs and says how many there are, where their rows do not matter. */
  countRest(): number {
    const { groups, rows, table } = this;
    let count = -this.partner;
    for (let { row } = this; row < rows; row++) {
      const group = groups[row] as number;
      if (group >= 0) count += table.rowsIn(group);
    }
    this.row = rows;
    this.partner = 0;
    return count;
  }

  /** Writes up to `limit` further pairs and returns how many. */
  fill(limit: number): number {
    if (this.table.unique) return this.outer ? this.fillOuterUnique(limit) : this.fillUnique(limit);
    return this.fillMany(limit);
  }

  private fillUnique(limit: number): number {
    const { groups, rows } = this;
    const { first, second } = pairs;
    let count = 0;
    let { row } = this;
    for (; row < rows && count < limit; row++) {
      const group = groups[row] as number;
      if (group < 0) continue;
      first[count] = row;
      second[count++] = group;
    }
    this.row = row;
    return count;
  }

  private fillOuterUnique(limit: number): number {
    const { groups } = this;
    const { first, second } = pairs;
    const count = Math.min(limit, this.rows - this.row);
    for (let pair = 0; pair < count; pair++) {
      first[pair] = this.row + pair;
      second[pair] = groups[this.row + pair] as number;
    }
    this.row += count;
    return count;
  }

  private fillMany(limit: number): number {
    const { groups, rows, outer } = this;
    const { starts, rowsOf } = this.table;
    const { first, second } = pairs;
    const listed = starts.length > 0;
    let count = 0;
    let { row, partner } = this;
    for (; row < rows && count < limit; row++) {
      const group = groups[row] as number;
      if (group < 0) {
        if (!outer) continue;
        first[count] = row;
        second[count++] = NO_ROW;
        continue;
      }
      const start = listed ? (starts[group] as number) : 0;
      const all = this.table.rowsIn(group);
      const taken = Math.min(all - partner, limit - count);
      for (let at = start + partner; at < start + partner + taken; at++) {
        first[count] = row;
        second[count++] = listed ? (rowsOf[at] as number) : at;
      }
      partner += taken;
      if (partner < all) break;
      partner = 0;
    }
    this.row = row;
    this.partner = partner;
    return count;
  }
}

/** Keeps the pairs whose ids in the two columns are the same. */
export function keepSame(first: IdColumn, second: IdColumn, count: number): number {
  let kept = 0;
  for (let pair = 0; pair < count; pair++) {
    const row = pairs.first[pair] as number;
    const other = pairs.second[pair] as number;
    if (first[2 * row] !== second[2 * other] || first[2 * row + 1] !== second[2 * other + 1]) continue;
    pairs.first[kept] = row;
    pairs.second[kept++] = other;
  }
  return kept;
}

/** Keeps the pairs that are compatible in the two columns: an unbound value agrees with anything. */
export function keepCompatible(first: IdColumn, second: IdColumn, count: number): number {
  let kept = 0;
  for (let pair = 0; pair < count; pair++) {
    const row = pairs.first[pair] as number;
    const other = pairs.second[pair] as number;
    if (!sameId(first, row, second, other) && !isUnboundAt(first, row) && !isUnboundAt(second, other)) continue;
    pairs.first[kept] = row;
    pairs.second[kept++] = other;
  }
  return kept;
}

export function gatherRows(from: IdColumn, rows: Int32Array, count: number, to: IdColumn): void {
  for (let pair = 0; pair < count; pair++) {
    const row = 2 * (rows[pair] as number);
    to[2 * pair] = from[row] as number;
    to[2 * pair + 1] = from[row + 1] as number;
  }
}

/** The same where NO_ROW gives an unbound value. */
export function gatherRowsOrUnbound(from: IdColumn, rows: Int32Array, count: number, to: IdColumn): void {
  for (let pair = 0; pair < count; pair++) {
    const row = rows[pair] as number;
    to[2 * pair] = row < 0 ? 0 : (from[2 * row] as number);
    to[2 * pair + 1] = row < 0 ? 0 : (from[2 * row + 1] as number);
  }
}

/** Fills unbound values of a gathered column from the other side of the pairs. */
export function completeUnbound(to: IdColumn, from: IdColumn, rows: Int32Array, count: number): void {
  for (let pair = 0; pair < count; pair++) {
    if (to[2 * pair] !== 0 || to[2 * pair + 1] !== 0) continue;
    const row = rows[pair] as number;
    if (row < 0) continue;
    to[2 * pair] = from[2 * row] as number;
    to[2 * pair + 1] = from[2 * row + 1] as number;
  }
}
