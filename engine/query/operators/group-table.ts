/**
 * The groups of a GROUP BY and what their aggregates have gathered. The keys live in a row store; a row
 * that has the key of the row before it needs no look-up, and when the input comes sorted by the keys no
 * row does, since every change of key begins a new group.
 *
 * The table takes no more groups than memory allows. Then it is full: it goes on with the rows of groups
 * that it has and says which rows it did not take.
 */

import { BATCH_ROWS, type IdColumn } from '../../storage/scan.js';
import type { Accumulator } from '../aggregates/accumulator.js';
import { createAccumulator } from '../aggregates/index.js';
import type { Aggregate } from '../algebra/algebra.js';
import type { BatchContext } from '../expressions/batch-context.js';
import { BatchBuffer, copyId, gather, newColumn, type QueryBatch } from './batch.js';
import { sameId } from './ids.js';
import type { MemoryAccount } from './memory.js';
import { columnsOf } from './operator.js';
import { RowIndex } from './row-index.js';
import { RowStore } from './row-store.js';

/** Of a sorted input: groups that are given before more are read, so that they stream. */
const SORTED_GROUPS_MAX = 65_536;

export interface AggregateSpec {
  readonly keys: readonly string[];
  readonly aggregates: readonly Aggregate[];
  /** The rows of one group come one after the other. */
  readonly sorted: boolean;
}

export class GroupTable {
  /** True when rows of other groups are not taken any more. */
  full = false;
  private readonly accumulators: readonly Accumulator[];
  private readonly keyColumns: readonly number[];
  private readonly groups: RowStore;
  private readonly index: RowIndex | null;
  private readonly groupOfRow: IdColumn = newColumn(BATCH_ROWS);
  private readonly kept = new Uint32Array(BATCH_ROWS);
  private readonly keptRows: BatchBuffer;
  private count = 0;
  private room = 0;
  private drained = 0;
  private given = 0;

  constructor(
    private readonly spec: AggregateSpec,
    private readonly context: BatchContext,
    private readonly account: MemoryAccount,
  ) {
    const { keys, aggregates, sorted } = spec;
    this.accumulators = aggregates.map((aggregate) => createAccumulator(aggregate, context, account));
    this.keyColumns = columnsOf(context.variables, keys);
    this.groups = new RowStore(keys.length, account);
    const all = keys.map((_, column) => column);
    this.index = sorted || keys.length === 0 ? null : new RowIndex(this.groups, all, account);
    this.keptRows = new BatchBuffer(context.variables.length);
    // Without keys there is one group, also over no rows at all.
    if (keys.length === 0) this.count = 1;
  }

  /** Takes in the rows of a batch, and gives the number of those it did not take: they are in `left`. */
  add(batch: QueryBatch, left: Uint32Array): number {
    const leftRows = this.keyColumns.length === 0 ? 0 : this.assignGroups(batch, left);
    const taken = leftRows === 0 ? batch : this.compact(batch, batch.rows - leftRows);
    if (taken.rows === 0) return leftRows;
    this.context.begin(taken);
    for (const accumulator of this.accumulators) {
      accumulator.reserve(this.count);
      accumulator.add(taken, this.groupOfRow);
    }
    return leftRows;
  }

  private assignGroups(batch: QueryBatch, left: Uint32Array): number {
    this.makeRoom(batch.rows);
    // The last group of the batch before may go on in this one only if the input is sorted.
    let group = this.spec.sorted ? this.groups.rows - 1 : -1;
    let kept = 0;
    let leftRows = 0;
    for (let row = 0; row < batch.rows; row++) {
      if (group < 0 || !this.hasKey(batch, row, group)) group = this.groupOf(batch, row);
      if (group < 0) left[leftRows++] = row;
      else {
        this.groupOfRow[2 * kept] = group;
        this.kept[kept++] = row;
      }
    }
    this.count = this.groups.rows;
    return leftRows;
  }

  private makeRoom(rows: number): void {
    if (this.full || this.groups.rows + rows <= this.room) return;
    const groups = this.groups.rows + rows;
    let bytes = this.groups.bytesToAppend(rows) + (this.index?.bytesToHold(groups) ?? 0);
    for (const accumulator of this.accumulators) bytes += accumulator.bytesToReserve(groups);
    const enough = this.spec.sorted && this.groups.rows >= SORTED_GROUPS_MAX;
    // Groups that are here may still grow: what they hold is a quarter of what they may come to.
    if (this.accumulators.some((accumulator) => accumulator.grows)) bytes += 3 * this.account.heldBytes;
    if (this.groups.rows === 0 || (!enough && this.account.fits(bytes))) this.room = groups;
    else this.full = true;
  }

  private hasKey(batch: QueryBatch, row: number, group: number): boolean {
    for (let key = 0; key < this.keyColumns.length; key++) {
      const column = batch.columns[this.keyColumns[key] as number] as IdColumn;
      if (!sameId(column, row, this.groups.columns[key] as IdColumn, group)) return false;
    }
    return true;
  }

  /** -1 when the group is new and there is no room for it. */
  private groupOf(batch: QueryBatch, row: number): number {
    const { columns } = batch;
    if (this.full) return this.index === null ? -1 : this.index.find(columns, this.keyColumns, row);
    if (this.index !== null) return this.index.findOrAppend(columns, this.keyColumns, this.keyColumns, row);
    this.groups.appendRow(columns, this.keyColumns, row);
    return this.groups.rows - 1;
  }

  private compact(batch: QueryBatch, rows: number): QueryBatch {
    this.keptRows.reserve(rows);
    for (let column = 0; column < this.keptRows.columns.length; column++) {
      gather(batch.columns[column] as IdColumn, this.kept, rows, this.keptRows.columns[column] as IdColumn);
    }
    this.keptRows.rows = rows;
    return this.keptRows;
  }

  /** After the last row: true when the aggregates have taken in what they had put aside. */
  finish(): boolean {
    const accumulator = this.accumulators[this.drained];
    if (accumulator === undefined) return true;
    accumulator.reserve(this.count);
    if (accumulator.finish()) this.drained++;
    return false;
  }

  /** Writes the next groups with their results; false when there are no more. */
  give(buffer: BatchBuffer): boolean {
    buffer.clear();
    const keys = this.keyColumns.length;
    for (; this.given < this.count && !buffer.full; this.given++) {
      for (let key = 0; key < keys; key++) {
        copyId(this.groups.columns[key] as IdColumn, this.given, buffer.columns[key] as IdColumn, buffer.rows);
      }
      for (let at = 0; at < this.accumulators.length; at++) {
        (this.accumulators[at] as Accumulator).write(buffer.columns[keys + at] as IdColumn, buffer.rows, this.given);
      }
      buffer.rows++;
    }
    return buffer.rows > 0;
  }

  release(): void {
    this.index?.release();
    this.groups.release();
    for (const accumulator of this.accumulators) accumulator.release();
  }
}
