/**
 * A range join index over the rows of a table: the rows of each key in the order of a value, so that a comparison of the
 * value with something that a probe row has finds its candidates by binary search.
 *
 *  1. Rows are sorted by the numbers of their values (`key-normaliser.ts`), and put in their groups kind after kind; those
 *     whose values are NONE are left out.
 *  2. The bounds of a probe row leave a stretch of one kind, and the values of the group that are UNTOLD.
 *  3. The condition itself is tested on what is left (`CandidatePairs`); of exact numbers, which compare as their values
 *     do, nothing has to be tested where the bounds are all of the condition.
 */

import { BATCH_ROWS, type IdColumn } from '../../../storage/seam/scan.js';
import type { QueryBatch } from '../../runtime/batch.js';
import { inSlices, PENDING, type Work } from '../../runtime/operator.js';
import type { QueryTerms } from '../../terms/terms.js';
import { SORT_BYTES_PER_ROW, sortRows } from '../sort/row-sort.js';
import type { RowGroups } from '../tables/row-groups.js';
import { DATE_TIME, doubtOf, EXACT, KINDS, NONE, NormalisedKeys, STRING, UNTOLD } from './key-normaliser.js';

export type BoundOperator = '=' | '<' | '<=' | '>' | '>=';

/** `value operator bound`, for each of the bounds. */
export interface RangePredicates {
  /** A variable of the partners. */
  readonly value: string;
  /** Variables of the rows that ask. */
  readonly bounds: readonly { readonly operator: BoundOperator; readonly variable: string }[];
  /** The bounds are all that a partner has to meet. */
  readonly whole: boolean;
}

/** By probe row: its candidates, as places in `rows`: `[from, to)`, and `[other, end)` of what is UNTOLD. */
export class Candidates {
  readonly from = new Uint32Array(BATCH_ROWS);
  readonly to = new Uint32Array(BATCH_ROWS);
  readonly other = new Uint32Array(BATCH_ROWS);
  readonly end = new Uint32Array(BATCH_ROWS);

  set(row: number, from: number, to: number, other = 0, end = 0): void {
    this.from[row] = from;
    this.to[row] = to;
    this.other[row] = other;
    this.end[row] = end;
  }
}

/** What is found: nothing, rows that have to be tested, or rows of which those told are all partners. */
export const NO_CANDIDATE = 0;
export const TESTED = 1;
export const PARTNERS = 2;

/** Number and kind of a value, and its row, as they stay; the group of a row and what the sort takes, while they are made. */
const BYTES_PER_ROW = 8 + 1 + 4;
const MAKING_BYTES_PER_ROW = 4 + 8 + 1 + SORT_BYTES_PER_ROW;
const BYTES_PER_GROUP = 8;
/** Kinds whose values have an order that their numbers tell. */
const FIRST_UNORDERED = STRING;
/** Kinds whose exact numbers say all: of times the zones may, too. */
const FIRST_UNSURE = DATE_TIME;
/** Bounds of two kinds: what is told is not compared with both. */
const MIXED = KINDS;

export class RangeIndex {
  /** Rows of the table, group after group. */
  rows = new Uint32Array(0);
  /** Of the values at these places. */
  private numbers = new Float64Array(0);
  private kinds = new Uint8Array(0);
  private starts = new Uint32Array(0);
  private doubt = EXACT;
  private readonly bounds: readonly NormalisedKeys[];

  constructor(
    private readonly spec: RangePredicates,
    private readonly boundColumns: readonly number[],
    private readonly terms: QueryTerms,
  ) {
    this.bounds = boundColumns.map(() => new NormalisedKeys(terms, BATCH_ROWS, true));
  }

  /** What it takes at most. */
  static bytesFor(rows: number): number {
    return rows * (BYTES_PER_ROW + MAKING_BYTES_PER_ROW + BYTES_PER_GROUP);
  }

  /** What of this is free again once it is made. */
  static bytesOfMaking(rows: number): number {
    return rows * MAKING_BYTES_PER_ROW;
  }

  *build({ rows, columns }: QueryBatch, valueColumn: number, groups: RowGroups): Work {
    const keys = new NormalisedKeys(this.terms, rows);
    yield* inSlices(rows, BATCH_ROWS, (from, to) => keys.read(columns[valueColumn] as IdColumn, from, to));
    this.doubt = keys.doubt;
    const order = yield* sortRows(keys.numbers, rows);
    yield PENDING;
    this.place(keys.kinds, keys.numbers, order, groups);
  }

  /** Puts the sorted rows into their groups, kind by kind. */
  private place(kinds: Uint8Array, numbers: Float64Array, order: Uint32Array, groups: RowGroups): void {
    const groupOf = new Uint32Array(order.length);
    for (let group = 0; group < groups.groups; group++) {
      for (let at = groups.rowsIn(group) - 1; at >= 0; at--) groupOf[groups.rowAt(group, at)] = group;
    }
    const starts = new Uint32Array(Math.max(1, groups.groups) + 1);
    const rowsOfKind = new Uint32Array(KINDS);
    for (let row = 0; row < order.length; row++) {
      const kind = kinds[row] as number;
      increment(rowsOfKind, kind);
      if (kind !== NONE) increment(starts, (groupOf[row] as number) + 1);
    }
    for (let group = 1; group < starts.length; group++) increment(starts, group, starts[group - 1]);
    const placed = starts.at(-1) as number;
    this.rows = new Uint32Array(placed);
    this.numbers = new Float64Array(placed);
    this.kinds = new Uint8Array(placed);
    this.starts = starts;
    const next = starts.slice();
    for (let kind = NONE + 1; kind < KINDS; kind++) {
      if (rowsOfKind[kind] === 0) continue;
      for (let at = 0; at < order.length; at++) {
        const row = order[at] as number;
        if (kinds[row] !== kind) continue;
        const group = groupOf[row] as number;
        const to = next[group] as number;
        increment(next, group);
        this.rows[to] = row;
        this.numbers[to] = numbers[row] as number;
        this.kinds[to] = kind;
      }
    }
  }

  /** Reads the bounds of a batch. */
  begin(batch: QueryBatch): void {
    this.bounds.forEach((bound, at) => {
      bound.read(batch.columns[this.boundColumns[at] as number] as IdColumn, 0, batch.rows);
    });
  }

  /** Finds what a row of the batch may be met by, in its group. */
  find(row: number, group: number, found: Candidates): number {
    const start = this.starts[group] as number;
    const end = this.starts[group + 1] as number;
    if (start === end) return NO_CANDIDATE;
    let kind = UNTOLD;
    for (let at = 0; at < this.bounds.length; at++) {
      const own = (this.bounds[at] as NormalisedKeys).kinds[row] as number;
      if (own === NONE) return NO_CANDIDATE;
      if (own !== UNTOLD && own !== kind) kind = kind === UNTOLD ? own : MIXED;
    }
    if (kind === UNTOLD) {
      found.set(row, start, end);
      return TESTED;
    }
    const { kinds } = this;
    const last = kinds[end - 1] as number;
    const other = last === UNTOLD ? this.placeOf(start, end, UNTOLD, Number.NEGATIVE_INFINITY, false) : end;
    found.set(row, start, start, other, end);
    let sure = false;
    if (kind === last && kinds[start] === kind) sure = this.narrow(row, kind, start, end, found);
    else if (kind !== MIXED) {
      const from = this.placeOf(start, other, kind, Number.NEGATIVE_INFINITY, false);
      sure = this.narrow(row, kind, from, this.placeOf(from, other, kind, Number.POSITIVE_INFINITY, true), found);
    }
    if (sure) return PARTNERS;
    return (found.from[row] as number) < (found.to[row] as number) || other < end ? TESTED : NO_CANDIDATE;
  }

  /**
   * Leaves of the values of one kind at `[first, end)` those that the bounds of the row allow; true when there are some,
   * and all are partners.
   */
  private narrow(row: number, kind: number, first: number, end: number, found: Candidates): boolean {
    const { bounds, spec } = this;
    let from = first;
    let to = end;
    let sure = spec.whole && kind < FIRST_UNSURE;
    for (let at = 0; at < bounds.length; at++) {
      const bound = bounds[at] as NormalisedKeys;
      if (bound.kinds[row] === UNTOLD) {
        sure = false;
        continue;
      }
      const { operator } = spec.bounds[at] as RangePredicates['bounds'][number];
      if (operator !== '=' && kind >= FIRST_UNORDERED) {
        if (kind > STRING) to = from;
        continue;
      }
      const number = bound.numbers[row] as number;
      const doubt = Math.max(this.doubt, bound.doubts[row] as number);
      const around = doubtOf(number, doubt);
      const open = doubt === EXACT;
      sure &&= open;
      if (operator !== '<' && operator !== '<=')
        from = this.placeOf(from, to, kind, number - around, open && operator === '>');
      if (operator !== '>' && operator !== '>=')
        to = this.placeOf(from, to, kind, number + around, !(open && operator === '<'));
    }
    found.from[row] = from;
    found.to[row] = to;
    return sure && from < to;
  }

  /** The first place in `[from, to)` that is not before the value, or, when asked, behind it. */
  private placeOf(from: number, to: number, kind: number, number: number, behind: boolean): number {
    const { kinds, numbers } = this;
    while (from < to) {
      const middle = (from + to) >>> 1;
      const own = kinds[middle] as number;
      const other = numbers[middle] as number;
      const isBefore = own < kind || (own === kind && (other < number || (behind && other === number)));
      if (isBefore) from = middle + 1;
      else to = middle;
    }
    return from;
  }
}

function increment(counts: Uint32Array, at: number, by = 1): void {
  counts[at] = (counts[at] as number) + by;
}
