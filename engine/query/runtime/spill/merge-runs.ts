/**
 * Merges sorted runs on disk into one sequence of rows, a slice at a time. Rows that tie come in the
 * order of their runs. More runs than one merge takes are merged in groups of neighbours first.
 */

import { BatchBuffer, copyId, type QueryBatch } from '../batch.js';
import { compareIds } from '../ids.js';
import type { MemoryAccount } from '../memory.js';
import { PENDING, type Step } from '../operator.js';
import { SpilledReader, SpilledRows } from './spilled-rows.js';

/** What the runs of one merge may hold together, in blocks of the file. */
const MERGE_BLOCKS = 64;
const FAN_IN_MIN = 4;
/** Each run holds a block and a small batch. */
const HEAD_ROWS = 128;
/** Rows that one call merges: comparisons decide, and with terms they are slow. */
const ROWS_PER_CALL = 1024;

/** The row that a run is at. */
export class RunHead {
  batch: QueryBatch | null = null;
  row = 0;
  private readonly reader: SpilledReader;

  constructor(
    run: SpilledRows,
    readonly number: number,
  ) {
    this.reader = new SpilledReader(run, { consume: true, batchRows: HEAD_ROWS });
  }

  /** True when it now stands on the first row of a batch. */
  advance(): boolean {
    this.row++;
    if (this.batch !== null && this.row < this.batch.rows) return false;
    this.batch = this.reader.next();
    this.row = 0;
    return this.batch !== null;
  }

  close(): void {
    this.reader.close();
  }
}

export interface RunOrder {
  /** What the order holds for a row of a head's batch. */
  readonly bytesPerRow: number;
  /** A head has another batch, whose keys can be prepared. */
  load?(head: RunHead): void;
  compare(a: RunHead, b: RunHead): number;
}

/** By the ids of one column, such as a row's place in the input. */
export function orderByColumn(column: number): RunOrder {
  return {
    bytesPerRow: 0,
    compare: (a, b) =>
      compareIds(
        (a.batch as QueryBatch).columns[column] as Uint32Array,
        a.row,
        (b.batch as QueryBatch).columns[column] as Uint32Array,
        b.row,
      ),
  };
}

export class MergeRuns {
  private waiting: SpilledRows[];
  private merged: SpilledRows[] = [];
  private group: SpilledRows[] = [];
  /** A binary heap, the least head first; null between groups. */
  private heads: RunHead[] | null = null;
  /** Where the group at hand is written; null = it is the last one and goes out. */
  private target: SpilledRows | null = null;
  private readonly buffer: BatchBuffer;
  private readonly fanIn: number;

  constructor(
    runs: readonly SpilledRows[],
    private readonly width: number,
    private readonly order: RunOrder,
    private readonly account: MemoryAccount,
  ) {
    this.waiting = [...runs];
    this.buffer = new BatchBuffer(width, ROWS_PER_CALL);
    const { blockBytes } = account.spill;
    const headBytes = blockBytes + HEAD_ROWS * (8 * width + order.bytesPerRow);
    this.fanIn = Math.max(FAN_IN_MIN, Math.floor((MERGE_BLOCKS * blockBytes) / headBytes));
  }

  next(): Step {
    if (this.heads === null) {
      this.beginGroup();
      return PENDING;
    }
    const { buffer } = this;
    this.mergeInto(this.heads);
    if (this.target === null) return buffer.rows > 0 ? buffer : null;
    this.target.appendBatch(buffer);
    if (buffer.rows === 0) this.endGroup(this.target);
    return PENDING;
  }

  private beginGroup(): void {
    const last = this.merged.length === 0 && this.waiting.length <= this.fanIn;
    this.group = this.waiting.splice(0, this.fanIn);
    this.target = last ? null : new SpilledRows(this.account.spill, this.width, this.account);
    this.heads = [];
    for (const [number, run] of this.group.entries()) {
      const head = new RunHead(run, number);
      if (!head.advance()) {
        head.close();
        continue;
      }
      this.order.load?.(head);
      this.heads.push(head);
    }
    for (let at = (this.heads.length >> 1) - 1; at >= 0; at--) this.sink(this.heads, at);
  }

  private endGroup(target: SpilledRows): void {
    target.seal();
    for (const run of this.group) run.release();
    this.group = [];
    this.merged.push(target);
    this.target = null;
    this.heads = null;
    if (this.waiting.length > 0) return;
    this.waiting = this.merged;
    this.merged = [];
  }

  private mergeInto(heads: RunHead[]): void {
    const { buffer } = this;
    buffer.clear();
    while (heads.length > 0 && !buffer.full) {
      const least = heads[0] as RunHead;
      const { columns } = least.batch as QueryBatch;
      for (let column = 0; column < this.width; column++) {
        copyId(columns[column] as Uint32Array, least.row, buffer.columns[column] as Uint32Array, buffer.rows);
      }
      buffer.rows++;
      if (least.advance()) this.order.load?.(least);
      if (least.batch === null) {
        least.close();
        const last = heads.pop() as RunHead;
        if (heads.length > 0) heads[0] = last;
      }
      this.sink(heads, 0);
    }
  }

  private sink(heads: RunHead[], from: number): void {
    for (let at = from; ; ) {
      let least = at;
      for (let child = 2 * at + 1; child <= 2 * at + 2 && child < heads.length; child++) {
        if (this.before(heads[child] as RunHead, heads[least] as RunHead)) least = child;
      }
      if (least === at) return;
      const moved = heads[at] as RunHead;
      heads[at] = heads[least] as RunHead;
      heads[least] = moved;
      at = least;
    }
  }

  private before(a: RunHead, b: RunHead): boolean {
    const order = this.order.compare(a, b);
    return order === 0 ? a.number < b.number : order < 0;
  }

  close(): void {
    for (const head of this.heads ?? []) head.close();
    this.heads = [];
    for (const run of [...this.waiting, ...this.merged, ...this.group]) run.release();
    this.target?.release();
    this.target = null;
    this.waiting = [];
    this.merged = [];
    this.group = [];
  }
}
