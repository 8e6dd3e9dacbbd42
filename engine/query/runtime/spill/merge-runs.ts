/**
 * Merges sorted runs on disk into one sequence of rows, a slice at a time. Rows that tie come in the
 * order of their runs. More runs than one merge takes are merged in groups of neighbours first.
 */

import { BatchBuffer, copyId, type QueryBatch } from '../batch.js';
import { compareIds } from '../ids.js';
import type { MemoryAccount } from '../memory.js';
import { PENDING, type Work } from '../operator.js';
import { SpilledReader, SpilledRows } from './spilled-rows.js';

/** What the runs of one merge may hold together, in blocks of the file. */
const MERGE_BLOCKS = 64;
const FAN_IN_MIN = 4;
/** Each run holds a block and a small batch. */
const HEAD_ROWS = 128;
/** Rows that a slice merges: comparisons decide, and with terms they are slow. */
const ROWS_PER_SLICE = 1024;

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

/** The rows of the runs in one order; gives up the runs, whole or not. */
export function* mergeRuns(
  runs: readonly SpilledRows[],
  width: number,
  order: RunOrder,
  account: MemoryAccount,
): Work<void, QueryBatch> {
  const { blockBytes } = account.spill;
  const headBytes = blockBytes + HEAD_ROWS * (8 * width + order.bytesPerRow);
  const fanIn = Math.max(FAN_IN_MIN, Math.floor((MERGE_BLOCKS * blockBytes) / headBytes));
  const buffer = new BatchBuffer(width, ROWS_PER_SLICE);
  const held = new Set(runs);
  try {
    let waiting = runs;
    while (waiting.length > fanIn) {
      const merged: SpilledRows[] = [];
      for (let from = 0; from < waiting.length; from += fanIn) {
        const group = waiting.slice(from, from + fanIn);
        const target = new SpilledRows(account.spill, width, account);
        held.add(target);
        for (const batch of mergeGroup(group, order, buffer)) {
          target.appendBatch(batch);
          yield PENDING;
        }
        target.seal();
        merged.push(target);
        for (const run of group) {
          run.release();
          held.delete(run);
        }
      }
      waiting = merged;
    }
    yield* mergeGroup(waiting, order, buffer);
  } finally {
    for (const run of held) run.release();
  }
}

function* mergeGroup(
  runs: readonly SpilledRows[],
  order: RunOrder,
  buffer: BatchBuffer,
): Generator<QueryBatch, void, undefined> {
  /** A binary heap, the least head first. */
  const heads: RunHead[] = [];
  try {
    for (const [number, run] of runs.entries()) {
      const head = new RunHead(run, number);
      heads.push(head);
      if (head.advance()) order.load?.(head);
      else (heads.pop() as RunHead).close();
    }
    for (let at = (heads.length >> 1) - 1; at >= 0; at--) sink(heads, at, order);
    while (heads.length > 0) {
      mergeInto(buffer, heads, order);
      yield buffer;
    }
  } finally {
    for (const head of heads) head.close();
  }
}

function mergeInto(buffer: BatchBuffer, heads: RunHead[], order: RunOrder): void {
  buffer.clear();
  while (heads.length > 0 && !buffer.full) {
    const least = heads[0] as RunHead;
    const { columns } = least.batch as QueryBatch;
    for (let column = 0; column < buffer.width; column++) {
      copyId(columns[column] as Uint32Array, least.row, buffer.columns[column] as Uint32Array, buffer.rows);
    }
    buffer.rows++;
    if (least.advance()) order.load?.(least);
    if (least.batch === null) {
      least.close();
      const last = heads.pop() as RunHead;
      if (heads.length > 0) heads[0] = last;
    }
    sink(heads, 0, order);
  }
}

function sink(heads: RunHead[], from: number, order: RunOrder): void {
  for (let at = from; ; ) {
    let least = at;
    for (let child = 2 * at + 1; child <= 2 * at + 2 && child < heads.length; child++) {
      if (isBefore(heads[child] as RunHead, heads[least] as RunHead, order)) least = child;
    }
    if (least === at) return;
    const moved = heads[at] as RunHead;
    heads[at] = heads[least] as RunHead;
    heads[least] = moved;
    at = least;
  }
}

function isBefore(a: RunHead, b: RunHead, order: RunOrder): boolean {
  const compared = order.compare(a, b);
  return compared === 0 ? a.number < b.number : compared < 0;
}
