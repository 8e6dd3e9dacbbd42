/**
 * Pairs the rows of a batch with what may be their partners, in rounds: first a few pairs of each row, then more of those
 * that have not met one. A row that many would do for is tested with the first of them.
 */

import type { PairCursor } from '../tables/pair-cursor.js';
import type { RowGroups } from '../tables/row-groups.js';
import { rowPairs } from '../tables/row-pairs.js';
import type { PartnerRanges } from './range-index.js';

const FIRST_PAIRS = 2;
const MORE_PAIRS = 4;

export class PartnerRounds {
  /** Pairs that have been handed out. */
  pairs = 0;
  /** Rows that have met no partner yet. */
  private open = new Uint32Array(0);
  /** By place in `open`: the next candidate, the end of the stretch, and the stretch after it. */
  private at = new Uint32Array(0);
  private to = new Uint32Array(0);
  private other = new Uint32Array(0);
  private end = new Uint32Array(0);
  private count = 0;
  private next = 0;
  private quota = FIRST_PAIRS;

  constructor(
    private readonly groups: RowGroups,
    private readonly ranges: PartnerRanges | null,
  ) {}

  /** Marks rows that surely have a partner. */
  begin(cursor: PairCursor, rows: number, matched: Uint8Array): void {
    this.reserve(rows);
    this.count = 0;
    this.next = 0;
    this.quota = FIRST_PAIRS;
    const { ranges, groups } = this;
    for (let row = 0; row < rows; row++) {
      const group = cursor.groupAt(row);
      if (group < 0) continue;
      if (ranges === null) this.add(row, 0, groups.rowsIn(group), 0, 0);
      else if (!ranges.find(row, group)) continue;
      else if (ranges.sure) matched[row] = 1;
      else this.add(row, ranges.from, ranges.to, ranges.other, ranges.end);
    }
  }

  private add(row: number, from: number, to: number, other: number, end: number): void {
    const place = this.count++;
    this.open[place] = row;
    this.at[place] = from;
    this.to[place] = to;
    this.other[place] = other;
    this.end[place] = end;
  }

  /** No row is left that could meet a partner. */
  get atEnd(): boolean {
    return this.count === 0;
  }

  /** Writes up to `limit` further pairs and returns how many; `matched` says of rows that they need no more. */
  fill(cursor: PairCursor, limit: number, matched: Uint8Array): number {
    if (this.next === this.count) this.beginRound(matched);
    const { first, second } = rowPairs();
    const { at, to, other, end, open, ranges } = this;
    let pairs = 0;
    for (; this.next < this.count && pairs < limit; this.next++) {
      const place = this.next;
      const row = open[place] as number;
      const group = ranges === null ? cursor.groupAt(row) : 0;
      let left = Math.min(this.quota, limit - pairs);
      for (; left > 0; left--) {
        if (at[place] === to[place]) {
          if (other[place] === end[place]) break;
          at[place] = other[place] as number;
          to[place] = end[place] as number;
          other[place] = end[place] as number;
        }
        const candidate = at[place] as number;
        at[place] = candidate + 1;
        first[pairs] = row;
        second[pairs++] = ranges === null ? this.groups.rowAt(group, candidate) : (ranges.rows[candidate] as number);
      }
    }
    this.pairs += pairs;
    return pairs;
  }

  /** Once the pairs of a call have been tried: leaves out the rows that are done with. */
  private beginRound(matched: Uint8Array): void {
    const { open, at, to, other, end, count } = this;
    this.count = 0;
    for (let place = 0; place < count; place++) {
      const row = open[place] as number;
      if (matched[row] === 1 || (at[place] === to[place] && other[place] === end[place])) continue;
      this.add(row, at[place] as number, to[place] as number, other[place] as number, end[place] as number);
    }
    this.next = 0;
    this.quota *= MORE_PAIRS;
  }

  private reserve(rows: number): void {
    if (rows <= this.open.length) return;
    [this.open, this.at, this.to, this.other, this.end] = Array.from({ length: 5 }, () => new Uint32Array(rows)) as [
      Uint32Array<ArrayBuffer>,
      Uint32Array<ArrayBuffer>,
      Uint32Array<ArrayBuffer>,
      Uint32Array<ArrayBuffer>,
      Uint32Array<ArrayBuffer>,
    ];
  }
}
