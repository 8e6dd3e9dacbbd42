/**
 * The rows of a table with a value each, those of a key in the order of their values, so that a comparison of the value
 * with something that a row has finds its partners by binary search.
 *
 *  1. Rows are sorted by the numbers of their values (`partner-values.ts`), and put in their groups kind after kind; those
 *     whose values are NONE are left out.
 *  2. The bounds of a row leave a stretch of one kind, and the values of the group that are UNTOLD.
 *  3. Whoever asks tests the condition itself on what is left; of exact numbers, which compare as their values do, nothing
 *     has to be tested where the bounds are all of the condition.
 */

import { BATCH_ROWS, type IdColumn } from '../../../storage/seam/scan.js';
import type { QueryBatch } from '../../runtime/batch.js';
import type { Work } from '../../runtime/operator.js';
import type { QueryTerms } from '../../terms/terms.js';
import { SORT_BYTES_PER_ROW, sortRows } from '../sort/row-sort.js';
import type { RowGroups } from '../tables/row-groups.js';
import { DATE_TIME, doubtOf, EXACT, KINDS, NONE, PartnerValues, STRING, UNTOLD } from './key-normaliser.js';

export type BoundOperator = '=' | '<' | '<=' | '>' | '>=';

/** `value operator bound`, for each of the bounds. */
export interface PartnerRangeSpec {
  /** A variable of the partners. */
  readonly value: string;
  /** Variables of the rows that ask. */
  readonly bounds: readonly { readonly operator: BoundOperator; readonly variable: string }[];
  /** The bounds are all that a partner has to meet. */
  readonly whole: boolean;
}

/** Number and kind of a value, and its row, as they stay; the group of a row and what the sort takes, while they are made. */
const BYTES_PER_ROW = 8 + 1 + 4;
const MAKING_BYTES_PER_ROW = 4 + 8 + 1 + SORT_BYTES_PER_ROW;
const BYTES_PER_GROUP = 8;
/** Kinds whose values have an order that their numbers tell. */
const FIRST_UNORDERED = STRING;
/** Kinds whose exact numbers say all: of times the zones may, too. */
const FIRST_UNSURE = DATE_TIME;

export class PartnerRanges {
  /** Rows of the table, group after group. */
  rows = new Uint32Array(0);
  /** Of the row at hand, as places in `rows`: `[from, to)`, and `[other, end)` of what is UNTOLD. */
  from = 0;
  to = 0;
  other = 0;
  end = 0;
  /** True when all rows at `[from, to)` are partners. */
  sure = false;
  private numbers = new Float64Array(0);
  private kinds = new Uint8Array(0);
  private starts = new Uint32Array(0);
  private phase: 'read' | 'sort' | 'done' = 'read';
  private done = 0;
  private unsorted: PartnerValues;
  private sort: Work<Uint32Array> | null = null;
  private doubt = EXACT;
  private readonly bounds: readonly PartnerValues[];

  constructor(
    private readonly groups: RowGroups,
    private readonly store: QueryBatch,
    private readonly valueColumn: number,
    private readonly spec: PartnerRangeSpec,
    private readonly boundColumns: readonly number[],
    private readonly terms: QueryTerms,
  ) {
    const { rows } = store;
    this.unsorted = new PartnerValues(terms, new Uint8Array(rows), new Float64Array(rows));
    this.bounds = boundColumns.map(
      () =>
        new PartnerValues(terms, new Uint8Array(BATCH_ROWS), new Float64Array(BATCH_ROWS), new Uint8Array(BATCH_ROWS)),
    );
  }

  /** What it takes at most. */
  static bytesFor(rows: number): number {
    return rows * (BYTES_PER_ROW + MAKING_BYTES_PER_ROW + BYTES_PER_GROUP);
  }

  /** What of this is free again once it is made. */
  static bytesOfMaking(rows: number): number {
    return rows * MAKING_BYTES_PER_ROW;
  }

  /** Does a slice of the work; true when all is done. */
  work(): boolean {
    switch (this.phase) {
      case 'read':
        this.readSome();
        break;
      case 'sort':
        this.sortSome(this.sort as Work<Uint32Array>);
        break;
      case 'done':
        break;
    }
    return this.phase === 'done';
  }

  private readSome(): void {
    const { rows } = this.store;
    const to = Math.min(rows, this.done + BATCH_ROWS);
    this.unsorted.read(this.store.columns[this.valueColumn] as IdColumn, this.done, to);
    this.done = to;
    if (to < rows) return;
    this.doubt = this.unsorted.doubt;
    this.sort = sortRows(this.unsorted.numbers, rows);
    this.phase = 'sort';
  }

  private sortSome(sort: Work<Uint32Array>): void {
    const { done, value } = sort.next();
    if (done) this.place(value);
  }

  /** Puts the sorted rows into their groups, kind by kind. */
  private place(order: Uint32Array): void {
    const { store, groups, unsorted } = this;
    const keyed = groups.groups > 0;
    const count = keyed ? groups.groups : 1;
    const groupOf = new Uint32Array(store.rows);
    if (keyed) {
      for (let group = 0; group < count; group++)
        for (let at = groups.rowsIn(group) - 1; at >= 0; at--) groupOf[groups.rowAt(group, at)] = group;
    }
    const starts = new Uint32Array(count + 1);
    const rowsOfKind = new Uint32Array(KINDS);
    for (let row = 0; row < store.rows; row++) {
      const kind = unsorted.kinds[row] as number;
      rowsOfKind[kind] = (rowsOfKind[kind] as number) + 1;
      if (kind !== NONE) starts[(groupOf[row] as number) + 1] = (starts[(groupOf[row] as number) + 1] as number) + 1;
    }
    for (let group = 0; group < count; group++)
      starts[group + 1] = (starts[group + 1] as number) + (starts[group] as number);
    const placed = starts[count] as number;
    this.rows = new Uint32Array(placed);
    this.numbers = new Float64Array(placed);
    this.kinds = new Uint8Array(placed);
    const next = starts.slice();
    for (let kind = NONE + 1; kind < KINDS; kind++) {
      if (rowsOfKind[kind] === 0) continue;
      for (let at = 0; at < order.length; at++) {
        const row = order[at] as number;
        if (unsorted.kinds[row] !== kind) continue;
        const group = groupOf[row] as number;
        const to = next[group] as number;
        next[group] = to + 1;
        this.rows[to] = row;
        this.numbers[to] = unsorted.numbers[row] as number;
        this.kinds[to] = kind;
      }
    }
    this.starts = starts;
    this.sort = null;
    this.unsorted = new PartnerValues(this.terms, new Uint8Array(0), new Float64Array(0));
    this.phase = 'done';
  }

  /** Reads the bounds of a batch. */
  begin(batch: QueryBatch): void {
    this.bounds.forEach((bound, at) => {
      bound.read(batch.columns[this.boundColumns[at] as number] as IdColumn, 0, batch.rows);
    });
  }

  /** Finds what a row of the batch may be met by, in its group; false = nothing. */
  find(row: number, group: number): boolean {
    const start = this.starts[group] as number;
    const end = this.starts[group + 1] as number;
    this.end = end;
    this.other = end;
    this.to = start;
    this.from = start;
    this.sure = false;
    if (start === end) return false;
    let kind = UNTOLD;
    for (const { kinds } of this.bounds) {
      const own = kinds[row] as number;
      if (own === NONE) return false;
      if (own === UNTOLD || own === kind) continue;
      // Of two kinds: what is told is not compared with both.
      kind = kind === UNTOLD ? own : NONE;
      if (kind === NONE) break;
    }
    if (kind === UNTOLD) {
      this.to = end;
      return true;
    }
    const { kinds } = this;
    const last = kinds[end - 1] as number;
    if (last === UNTOLD) this.other = this.placeOf(start, end, UNTOLD, Number.NEGATIVE_INFINITY, false);
    if (kind === last && kinds[start] === kind) this.narrow(row, kind, start, end);
    else if (kind !== NONE) {
      const from = this.placeOf(start, this.other, kind, Number.NEGATIVE_INFINITY, false);
      this.narrow(row, kind, from, this.placeOf(from, this.other, kind, Number.POSITIVE_INFINITY, true));
    }
    return this.from < this.to || this.other < end;
  }

  /** Leaves of the values of one kind at `[first, end)` those that the bounds of the row allow. */
  private narrow(row: number, kind: number, first: number, end: number): void {
    const { bounds } = this;
    let from = first;
    let to = end;
    let sure = this.spec.whole && kind < FIRST_UNSURE;
    for (let at = 0; at < bounds.length; at++) {
      const { kinds, numbers, doubts } = bounds[at] as PartnerValues;
      if (kinds[row] === UNTOLD) {
        sure = false;
        continue;
      }
      const { operator } = this.spec.bounds[at] as PartnerRangeSpec['bounds'][number];
      if (operator !== '=' && kind >= FIRST_UNORDERED) {
        if (kind !== STRING) to = from;
        continue;
      }
      const number = numbers[row] as number;
      const doubt = Math.max(this.doubt, (doubts as Uint8Array)[row] as number);
      const around = doubtOf(number, doubt);
      const open = doubt === EXACT;
      sure &&= open;
      if (operator !== '<' && operator !== '<=')
        from = this.placeOf(from, to, kind, number - around, open && operator === '>');
      if (operator !== '>' && operator !== '>=')
        to = this.placeOf(from, to, kind, number + around, !(open && operator === '<'));
    }
    this.from = from;
    this.to = to;
    this.sure = sure && from < to;
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
