/**
 * The groups of a GROUP BY and what their aggregates have gathered. A key table numbers the groups, a
 * batch of rows at a time; each aggregate then goes through its values and the numbers of their groups.
 *
 * The table takes no more groups than memory allows. Then it is full: it goes on with the rows of groups
 * that it has and says which rows it did not take.
 */

import { keptInMemory } from '../../../kernels/thread-memory.js';
import { BATCH_ROWS, type IdColumn } from '../../../storage/seam/scan.js';
import type { Accumulator } from '../../aggregates/accumulator.js';
import { createAccumulator } from '../../aggregates/index.js';
import type { Aggregate } from '../../algebra/algebra.js';
import type { BatchContext } from '../../expressions/batch-context.js';
import { BatchBuffer, type QueryBatch } from '../../runtime/batch.js';
import { HashKeys } from '../../runtime/keys/hash-keys.js';
import { type KeyTable, kernelNumbers, RunKeys } from '../../runtime/keys/key-table.js';
import type { MemoryAccount } from '../../runtime/memory.js';
import { columnsOf, type Work } from '../../runtime/operator.js';

/** Of a sorted input: groups that are given before more are read, so that they stream. */
const SORTED_GROUPS_MAX = 65_536;

export interface AggregateSpec {
  readonly keys: readonly string[];
  readonly aggregates: readonly Aggregate[];
  /** The rows of one group come one after the other. */
  readonly sorted: boolean;
}

/** Group numbers of the rows of a batch, while their aggregates take them in. */
const groupNumbers = keptInMemory(kernelNumbers);
/** Without keys all rows are of group 0. */
const oneGroup = new Int32Array(BATCH_ROWS);
/** Rows of a batch that were taken, where some were not. */
const keptRows = new Uint32Array(BATCH_ROWS);

export class GroupTable {
  /** True when rows of other groups are not taken any more. */
  full = false;
  private readonly accumulators: readonly Accumulator[];
  private readonly keyColumns: readonly number[];
  private readonly keys: KeyTable | null;
  private readonly kept: BatchBuffer;
  private room = 0;
  private given = 0;

  constructor(
    private readonly spec: AggregateSpec,
    private readonly context: BatchContext,
    private readonly account: MemoryAccount,
  ) {
    const { keys, aggregates, sorted } = spec;
    const grouped = keys.length > 0;
    this.accumulators = aggregates.map((aggregate) => createAccumulator(aggregate, context, account, grouped));
    this.keyColumns = columnsOf(context.variables, keys);
    this.keys = !grouped ? null : sorted ? new RunKeys(keys.length, account) : new HashKeys(keys.length, account);
    this.kept = new BatchBuffer(context.variables.length);
  }

  /** Without keys there is one group, also over no rows at all. */
  private get count(): number {
    return this.keys === null ? 1 : this.keys.count;
  }

  /** Groups that are still to be given. */
  get left(): number {
    return this.count - this.given;
  }

  /** Takes in the rows of a batch, and gives the number of those it did not take: they are in `left`. */
  add(batch: QueryBatch, left: Uint32Array): number {
    const { keys } = this;
    if (keys === null) {
      this.takeIn(batch, oneGroup);
      return 0;
    }
    this.makeRoom(keys, batch.rows);
    const groupOfRow = groupNumbers();
    const columns = this.keyColumns.map((column) => batch.columns[column] as IdColumn);
    if (!this.full) {
      keys.assign(columns, batch.rows, groupOfRow);
      this.takeIn(batch, groupOfRow);
      return 0;
    }
    keys.find(columns, batch.rows, groupOfRow);
    const leftRows = this.compact(batch, left);
    if (leftRows === 0) this.takeIn(batch, groupOfRow);
    else if (this.kept.rows > 0) this.takeIn(this.kept, groupOfRow);
    return leftRows;
  }

  private takeIn(batch: QueryBatch, groups: Int32Array): void {
    this.context.begin(batch);
    for (const accumulator of this.accumulators) {
      accumulator.reserve(this.count);
      accumulator.add(batch, groups);
    }
  }

  /** Takes in what was gathered of the groups of a morsel; false when there is no room for new groups. */
  merge(keys: readonly IdColumn[], count: number, recordsAt: (aggregate: number) => number): boolean {
    let groups: Int32Array = oneGroup;
    if (this.keys !== null) {
      this.makeRoom(this.keys, count);
      if (this.full) return false;
      groups = groupNumbers();
      this.keys.assign(keys, count, groups);
    }
    this.accumulators.forEach((accumulator, at) => {
      accumulator.reserve(this.count);
      accumulator.merge(recordsAt(at), count, groups);
    });
    return true;
  }

  private makeRoom(keys: KeyTable, rows: number): void {
    if (this.full || keys.count + rows <= this.room) return;
    const groups = keys.count + rows;
    let bytes = keys.bytesToHold(groups);
    for (const accumulator of this.accumulators) bytes += accumulator.bytesToReserve(groups);
    const enough = this.spec.sorted && keys.count >= SORTED_GROUPS_MAX;
    // Groups that are here may still grow: what they hold is a quarter of what they may come to.
    if (this.accumulators.some((accumulator) => accumulator.grows)) bytes += 3 * this.account.heldBytes;
    if (keys.count === 0 || (!enough && this.account.fits(bytes))) this.room = groups;
    else this.full = true;
  }

  /** Lists the rows without a group in `left`, and brings the others together; gives the number of the former. */
  private compact(batch: QueryBatch, left: Uint32Array): number {
    const groupOfRow = groupNumbers();
    let count = 0;
    let leftRows = 0;
    for (let row = 0; row < batch.rows; row++) {
      const group = groupOfRow[row] as number;
      if (group < 0) left[leftRows++] = row;
      else {
        groupOfRow[count] = group;
        keptRows[count++] = row;
      }
    }
    if (leftRows === 0) return 0;
    this.kept.reserve(count);
    this.kept.gather(batch, keptRows, count);
    return leftRows;
  }

  /** After the last row: the aggregates take in what they had put aside. */
  *finish(): Work {
    for (const accumulator of this.accumulators) {
      accumulator.reserve(this.count);
      yield* accumulator.finish();
    }
  }

  /** Writes the next groups with their results; false when there are no more. */
  give(buffer: BatchBuffer): boolean {
    const rows = Math.min(buffer.capacity, this.left);
    const keys = this.keyColumns.length;
    for (let key = 0; key < keys; key++) {
      const column = this.keys?.columns[key] as IdColumn;
      (buffer.columns[key] as IdColumn).set(column.subarray(2 * this.given, 2 * (this.given + rows)));
    }
    for (let at = 0; at < this.accumulators.length; at++) {
      const accumulator = this.accumulators[at] as Accumulator;
      const column = buffer.columns[keys + at] as IdColumn;
      accumulator.write(column, this.given, rows);
    }
    this.given += rows;
    buffer.rows = rows;
    return rows > 0;
  }

  release(): void {
    this.keys?.release();
    for (const accumulator of this.accumulators) accumulator.release();
  }
}
