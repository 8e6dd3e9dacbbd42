/** Goes through the pairs that a batch of probe rows makes with the rows of a table; they are listed in `rowPairs`. */

import { invariant } from '../../../base/errors.js';
import { threadMemory } from '../../../kernels/thread-memory.js';
import { BATCH_ROWS } from '../../../storage/seam/scan.js';
import type { QueryBatch } from '../../runtime/batch.js';
import { KernelNumbers } from '../../runtime/kernel-columns.js';
import { NO_GROUP, type RowGroups } from './row-groups.js';
import { rowPairs } from './row-pairs.js';

/** Where a join finds the pairs of rows that agree in their keys. */
export interface PairSource {
  /** Lists pairs, up to `limit` at a time; gives how many, which may be none before the end. */
  pairsOf(batch: QueryBatch, limit: number): Generator<number, void, undefined>;
  release(): void;
}

export class PairCursor implements PairSource {
  /** Group of each probe row. */
  private readonly groups = new KernelNumbers(BATCH_ROWS);
  private readonly pairs = rowPairs();
  private rows = 0;
  private row = 0;
  /** Partners of the row at hand that have been paired. */
  private partner = 0;

  constructor(
    private readonly table: RowGroups,
    private readonly keys: readonly number[],
    /** Rows without partners are paired with NO_ROW. */
    private readonly outer = false,
  ) {}

  *pairsOf(batch: QueryBatch, limit: number): Generator<number, void, undefined> {
    this.begin(batch);
    yield* this.rest(limit);
  }

  /** Pairs of the batch that has been begun. */
  *rest(limit: number): Generator<number, void, undefined> {
    while (this.row < this.rows) yield this.fill(limit);
  }

  begin(batch: QueryBatch, keys: readonly number[] = this.keys): void {
    this.groups.reserve(batch.rows);
    this.table.probe(batch.columns, keys, batch.rows, this.groups.words);
    this.rows = batch.rows;
    this.row = 0;
    this.partner = 0;
  }

  /** The rows with a mark have no partners. */
  leaveOut(marks: Uint8Array, mark: number): void {
    const { words } = this.groups;
    for (let row = 0; row < this.rows; row++) if (marks[row] === mark) words[row] = NO_GROUP;
  }

  /** The group of a row of the batch; negative = it has no partner. */
  groupAt(row: number): number {
    return this.groups.words[row] as number;
  }

  /** Lists the rows of the batch that have a partner, or those that have none, as first rows of the pairs. */
  listMatched(matched: boolean): number {
    const { groups, pairs, rows } = this;
    const { kernels } = threadMemory();
    return kernels.listNumbered(groups.words.byteOffset, rows, matched ? 1 : 0, pairs.first.byteOffset);
  }

  /** Writes for each row of the batch whether it has a partner: 1 or 0. */
  markMatched(into: Uint8Array): void {
    const { words } = this.groups;
    for (let row = 0; row < this.rows; row++) into[row] = (words[row] as number) < 0 ? 0 : 1;
  }

  /** How many pairs the batch has, where their rows do not matter. */
  count(): number {
    const { groups, rows, table } = this;
    return threadMemory().kernels.countPairs(groups.words.byteOffset, 0, rows, this.startsAt, table.rowsOfOne);
  }

  private get startsAt(): number {
    const { starts } = this.table;
    return starts.length === 0 ? 0 : starts.byteOffset;
  }

  private fill(limit: number): number {
    const { groups, pairs, table } = this;
    const { first, second, cursor } = pairs;
    const { startsAt } = this;
    cursor[0] = this.row;
    cursor[1] = this.partner;
    const count = threadMemory().kernels.pairNumbers(
      groups.words.byteOffset,
      this.rows,
      cursor.byteOffset,
      startsAt,
      startsAt === 0 ? 0 : table.rowsOf.byteOffset,
      table.rowsOfOne,
      this.outer ? 1 : 0,
      limit,
      first.byteOffset,
      second.byteOffset,
    );
    this.row = cursor[0] as number;
    this.partner = cursor[1] as number;
    invariant(count <= limit && this.row <= this.rows, 'pairs are of rows that the batch has, as many as fit');
    return count;
  }

  release(): void {
    this.groups.release();
  }
}
