/**
 * Pairs the rows of a batch with what may be their partners, in rounds: first a few pairs of each row, then more of those
 * that have not met one. A row that many would do for is tested with the first of them.
 */

import { BATCH_ROWS } from '../../../storage/seam/scan.js';
import type { PairCursor } from '../tables/pair-cursor.js';
import type { RowGroups } from '../tables/row-groups.js';
import { rowPairs } from '../tables/row-pairs.js';
import { Candidates, PARTNERS, type RangeIndex, TESTED } from './range-index.js';

const FIRST_PAIRS = 2;
const MORE_PAIRS = 4;

export class CandidatePairs {
  /** Pairs that have been handed out. */
  pairs = 0;
  /** Rows that have met no partner yet, `count` of them, and by row the candidates of each. */
  private readonly open = new Uint16Array(BATCH_ROWS);
  private count = 0;
  private readonly candidates = new Candidates();
  /** Of the round at hand: the place in `open`, how many rows before it stay open, and which candidates are tried. */
  private at = 0;
  private kept = 0;
  private tried = 0;
  private quota = 0;
  /** Candidates of the row at `at` that have been listed in the round. */
  private listed = 0;

  constructor(
    private readonly groups: RowGroups,
    /** Null = all rows of a key are candidates. */
    private readonly index: RangeIndex | null,
  ) {}

  /** Begins a batch; marks the rows in `matched` that surely have a partner. */
  begin(cursor: PairCursor, rows: number, matched: Uint8Array): void {
    const { index, groups, open, candidates } = this;
    this.count = 0;
    this.beginRound(0, FIRST_PAIRS);
    for (let row = 0; row < rows; row++) {
      const group = cursor.groupAt(row);
      if (group < 0 || matched[row] === 1) continue;
      let found = TESTED;
      if (index === null) candidates.set(row, 0, groups.rowsIn(group));
      else found = index.find(row, group, candidates);
      if (found === PARTNERS) matched[row] = 1;
      else if (found === TESTED) open[this.count++] = row;
    }
  }

  private beginRound(tried: number, quota: number): void {
    this.tried = tried;
    this.quota = quota;
    this.at = 0;
    this.kept = 0;
    this.listed = 0;
  }

  /** Lists up to `limit` pairs in `rowPairs` and gives how many; 0 at the end. `matched` says of rows that they need no more. */
  fill(cursor: PairCursor, limit: number, matched: Uint8Array): number {
    const { open, groups, tried, index } = this;
    const { from, to, other, end } = this.candidates;
    const { first, second } = rowPairs();
    let pairs = 0;
    for (; this.at < this.count; this.at++) {
      const row = open[this.at] as number;
      if (matched[row] === 1) continue;
      const start = from[row] as number;
      const sorted = (to[row] as number) - start;
      const all = sorted + (end[row] as number) - (other[row] as number);
      const until = Math.min(all, tried + this.quota);
      const group = cursor.groupAt(row);
      for (let next = tried + this.listed; next < until; next++) {
        if (pairs === limit) {
          this.listed = next - tried;
          return this.given(pairs);
        }
        const place = next < sorted ? start + next : (other[row] as number) + next - sorted;
        first[pairs] = row;
        second[pairs++] = index === null ? groups.rowAt(group, place) : (index.rows[place] as number);
      }
      this.listed = 0;
      if (until < all) open[this.kept++] = row;
    }
    this.count = this.kept;
    this.beginRound(tried + this.quota, MORE_PAIRS * this.quota);
    return pairs > 0 || this.count === 0 ? this.given(pairs) : this.fill(cursor, limit, matched);
  }

  private given(pairs: number): number {
    this.pairs += pairs;
    return pairs;
  }
}
