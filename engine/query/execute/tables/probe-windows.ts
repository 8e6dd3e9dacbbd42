/**
 * The rows that are joined with a large table, as they are looked up in it. A table far beyond the cache that is asked for
 * keys as they come has to be fetched from memory for nearly every key. So rows are collected in windows, their keys are split
 * as those of the table were (`keys/split-keys.ts`), and found one part of the table after the other; then the rows go on in the
 * order in which they came, with their groups known.
 *
 *  - The first rows are looked up as they come, and the windows begin small: who wants a few rows does not wait for many.
 *  - A window is collected in memory that the budget has room for. Without room rows are looked up as they come.
 */

import { threadMemory, threadWords } from '../../../kernels/thread-memory.js';
import { BATCH_ROWS, type IdColumn } from '../../../storage/seam/scan.js';
import { type QueryBatch, sliceBatch } from '../../runtime/batch.js';
import { KernelColumns } from '../../runtime/kernel-columns.js';
import { SplitKeys } from '../../runtime/keys/split-keys.js';
import { type Operator, PENDING, type Work } from '../../runtime/operator.js';
import type { BuildTable } from './build-table.js';

/** How many times the rows before each window has. */
const WINDOW_GROWTH = 4;
/** A part of the table is fetched once a window: more rows share the fetching, and take more memory. */
const WINDOW_ROWS_MAX = 1 << 22;
const ROWS_PER_SLICE = 65_536;
const BYTES_PER_ID = 8;
const BYTES_PER_WORD = 4;
const NO_NUMBERS: Int32Array = new Int32Array(0);

/** All rows of an operator, ready to be looked up in a table. */
export function* probeBatches(table: BuildTable, probe: Operator): Work<void, QueryBatch> {
  if (table.groups.partBits === 0 || table.loose.length > 0) return yield* probe.batches();
  const { probesMin } = table.run.parts;
  for (let given = 0; given < probesMin; ) {
    const step = probe.next();
    if (step === null) return;
    if (step !== PENDING) given += step.rows;
    yield step;
  }
  const window = new ProbeWindow(table, probe);
  try {
    for (
      let rows = WINDOW_GROWTH * probesMin;
      window.reserve(rows);
      rows = Math.min(WINDOW_GROWTH * rows, WINDOW_ROWS_MAX)
    ) {
      const isLast = yield* window.collect();
      yield* window.find();
      yield* window.give();
      if (isLast) return;
    }
  } finally {
    window.release();
  }
  yield* probe.batches();
}

class ProbeWindow {
  private readonly columns: KernelColumns;
  private readonly split: SplitKeys;
  private groups: Int32Array = NO_NUMBERS;
  private rows = 0;

  constructor(
    private readonly table: BuildTable,
    private readonly probe: Operator,
  ) {
    this.columns = new KernelColumns(probe.variables.length);
    this.split = new SplitKeys(table.probeKeys.length, table.groups.partBits, table.memory);
  }

  /** Room for so many rows, or as many as there is memory for; false where these are too few. */
  reserve(wanted: number): boolean {
    const { columns, split, table } = this;
    if (wanted + BATCH_ROWS <= columns.capacity) return true;
    for (let rows = wanted; rows >= table.run.parts.probesMin && rows + BATCH_ROWS > columns.capacity; rows /= 2) {
      const capacity = rows + BATCH_ROWS;
      const held = this.bytesFor(columns.capacity) + SplitKeys.bytesFor(columns.capacity, table.probeKeys.length);
      const bytes = this.bytesFor(capacity) + SplitKeys.bytesFor(capacity, table.probeKeys.length);
      if (!table.memory.fits(bytes - held)) continue;
      this.release();
      table.memory.take(this.bytesFor(capacity));
      columns.resize(capacity, 0);
      split.reserve(capacity);
      const { buffer, byteOffset } = threadWords(threadMemory().allocate(BYTES_PER_WORD * capacity), capacity);
      this.groups = new Int32Array(buffer, byteOffset, capacity);
      return true;
    }
    return columns.capacity > 0;
  }

  /** Columns and groups. */
  private bytesFor(rows: number): number {
    return rows * (this.columns.width * BYTES_PER_ID + BYTES_PER_WORD);
  }

  /** Fills the window; true when there are no more rows. */
  *collect(): Work<boolean> {
    const { columns, probe } = this;
    this.rows = 0;
    while (this.rows + BATCH_ROWS <= columns.capacity) {
      const step = probe.next();
      if (step === null) return true;
      if (step !== PENDING) this.append(step);
      yield PENDING;
    }
    return false;
  }

  private append(batch: QueryBatch): void {
    for (let column = 0; column < this.columns.width; column++) {
      const source = batch.columns[column] as IdColumn;
      const used = source.length === 2 * batch.rows ? source : source.subarray(0, 2 * batch.rows);
      (this.columns.columns[column] as IdColumn).set(used, 2 * this.rows);
    }
    this.rows += batch.rows;
  }

  /** Finds the groups of the rows. */
  *find(): Work {
    const { columns, rows, split, table } = this;
    yield* split.split(columns.columns, table.probeKeys, rows, ROWS_PER_SLICE);
    yield* table.groups.find(split, rows, ROWS_PER_SLICE, this.groups);
    table.rowsFoundByPart += rows;
  }

  *give(): Work<void, QueryBatch> {
    const { columns, groups, rows, table } = this;
    for (let from = 0; from < rows; from += BATCH_ROWS) {
      const to = Math.min(rows, from + BATCH_ROWS);
      table.groups.foresee(groups.subarray(from, to));
      yield sliceBatch({ rows, columns: columns.columns }, from, to - from);
    }
  }

  release(): void {
    const { columns, groups, split, table } = this;
    if (columns.capacity === 0) return;
    table.memory.give(this.bytesFor(columns.capacity));
    columns.release();
    split.release();
    threadMemory().free(groups.byteOffset, BYTES_PER_WORD * groups.length);
    this.groups = NO_NUMBERS;
  }
}
