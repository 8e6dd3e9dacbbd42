/**
 * Pairs the rows of a batch with the rows of a table that share their keys and that comparisons leave: those that the
 * sorted values of the partners tell (`range-index.ts`), or all of a key, where there is no room to sort, or no key comes twice.
 * The condition itself is still to be tested on them, unless they are sure to meet it.
 */

import { BATCH_ROWS } from '../../../storage/seam/scan.js';
import type { QueryBatch } from '../../runtime/batch.js';
import type { Work } from '../../runtime/operator.js';
import type { QueryTerms } from '../../terms/terms.js';
import type { BuildTable } from '../tables/build-table.js';
import { PairCursor, type PairSource } from '../tables/pair-cursor.js';
import { rowPairs } from '../tables/row-pairs.js';
import { Candidates, NO_CANDIDATE, PARTNERS, RangeIndex, type RangePredicates } from './range-index.js';

export class ComparedPairs implements PairSource {
  private readonly cursor: PairCursor;
  private index: RangeIndex | null = null;
  private isReady = false;
  /** All pairs of the batch meet the condition. */
  sure = false;
  private readonly candidates = new Candidates();
  /** Rows of the batch that have candidates. */
  private readonly open = new Uint16Array(BATCH_ROWS);

  constructor(
    private readonly table: BuildTable,
    private readonly range: RangePredicates,
    private readonly probe: readonly string[],
    private readonly build: readonly string[],
    private readonly terms: QueryTerms,
  ) {
    this.cursor = new PairCursor(table.groups, table.probeKeys);
  }

  /** Sorts the partners, the first time, once the table is whole. */
  *prepare(): Work {
    if (this.isReady) return;
    this.isReady = true;
    this.index = yield* sortedPartners(this.table, this.range, this.probe, this.build, this.terms);
  }

  /** Lists pairs in `rowPairs`, up to `limit` at a time, in the sequence of the batch; gives how many. */
  *pairsOf(batch: QueryBatch, limit: number): Generator<number, void, undefined> {
    const { cursor, index } = this;
    cursor.begin(batch);
    this.sure = false;
    if (index === null) yield* cursor.rest(limit);
    else {
      index.begin(batch);
      yield* this.list(index, this.findOpen(index, batch.rows), limit);
    }
  }

  private findOpen(index: RangeIndex, rows: number): number {
    const { cursor, open, candidates } = this;
    let count = 0;
    this.sure = true;
    for (let row = 0; row < rows; row++) {
      const group = cursor.groupAt(row);
      if (group < 0) continue;
      const found = index.find(row, group, candidates);
      if (found === NO_CANDIDATE) continue;
      this.sure &&= found === PARTNERS && candidates.other[row] === candidates.end[row];
      open[count++] = row;
    }
    return count;
  }

  private *list(index: RangeIndex, count: number, limit: number): Generator<number, void, undefined> {
    const { open } = this;
    const { from, to, other, end } = this.candidates;
    const { first, second } = rowPairs();
    let pairs = 0;
    for (let at = 0; at < count; at++) {
      const row = open[at] as number;
      for (const [start, until] of [
        [from[row], to[row]],
        [other[row], end[row]],
      ] as readonly (readonly [number, number])[]) {
        for (let place = start; place < until; place++) {
          if (pairs === limit) {
            yield pairs;
            pairs = 0;
          }
          first[pairs] = row;
          second[pairs++] = index.rows[place] as number;
        }
      }
    }
    if (pairs > 0) yield pairs;
  }

  release(): void {
    this.cursor.release();
  }
}

/** An index of the partners by what they are compared by; null where memory has no room for that, or it would tell nothing. */
export function* sortedPartners(
  table: BuildTable,
  range: RangePredicates,
  probe: readonly string[],
  build: readonly string[],
  terms: QueryTerms,
): Work<RangeIndex | null> {
  const { groups, store } = table;
  // Keys that never come twice leave one partner at most.
  if (groups.unique || !table.tryTake(RangeIndex.bytesFor(store.rows))) return null;
  const bounds = range.bounds.map(({ variable }) => probe.indexOf(variable));
  const index = new RangeIndex(range, bounds, terms);
  yield* index.build(store, build.indexOf(range.value), groups);
  table.give(RangeIndex.bytesOfMaking(store.rows));
  return index;
}
