/**
 * Tells new rows from rows that came before, in memory as long as that lasts.
 *
 *  1. A hash set answers at once: `offer` says true for a row that is surely new.
 *  2. When the set can't grow, it stays as it is. Rows that it does not hold go to disk, split by their
 *     hash, each with its place in the input.
 *  3. At the end each part is told apart in the same way, by a set of its own, and split again if it
 *     must be. The new rows of a part come in the order of the input, and so are runs on disk, which
 *     `drain` merges: what is new comes out in the order in which it was offered first.
 */

import { BATCH_ROWS, type IdColumn } from '../../../storage/scan.js';
import { newColumn, type QueryBatch } from '../batch.js';
import type { MemoryAccount } from '../memory.js';
import { PENDING, type Step } from '../operator.js';
import { RowIndex } from '../row-index.js';
import { RowStore } from '../row-store.js';
import { MergeRuns, orderByColumn } from './merge-runs.js';
import { LEVELS_MAX, Partitions, PartitionsDeposit } from './partitions.js';
import { SpilledReader, SpilledRows } from './spilled-rows.js';

/** The set asks for room for so many rows at a time. */
const ROOM_ROWS = 1024;
const TWO_TO_32 = 2 ** 32;

interface Part {
  readonly rows: SpilledRows;
  readonly level: number;
}

export class DistinctRows {
  private readonly keys: readonly number[];
  private seen: RowStore;
  private index: RowIndex;
  /** Rows up to which there surely is room. */
  private room = 0;
  private readonly deposit: PartitionsDeposit;
  private partitions: Partitions | null = null;
  private level = 0;
  private batch: readonly IdColumn[] = [];
  private readonly places = newColumn(BATCH_ROWS);
  private offered = 0;
  private readonly parts: Part[] = [];
  private readonly runs: SpilledRows[] = [];
  private reader: SpilledReader | null = null;
  private part: Part | null = null;
  private run: SpilledRows | null = null;
  private merge: MergeRuns | null = null;

  constructor(
    private readonly width: number,
    private readonly account: MemoryAccount,
  ) {
    this.keys = Array.from({ length: width }, (_, column) => column);
    this.deposit = new PartitionsDeposit(account.spill, account);
    this.seen = new RowStore(width, account);
    this.index = new RowIndex(this.seen, this.keys, account);
  }

  /** The rows that are offered next are those of these columns. */
  beginBatch(columns: readonly IdColumn[], rows: number): void {
    this.batch = columns;
    if (this.partitions === null && this.room < this.seen.rows + rows) this.makeRoom(rows);
    if (this.partitions === null) return;
    for (let row = 0; row < rows; row++) {
      this.places[2 * row] = (this.offered + row) >>> 0;
      this.places[2 * row + 1] = Math.floor((this.offered + row) / TWO_TO_32);
    }
    this.offered += rows;
    this.batch = [...columns, this.places];
  }

  /** True when the row is surely new; false when it is not, or when `drain` will tell. */
  offer(row: number): boolean {
    const { seen, partitions } = this;
    if (partitions === null) {
      const known = seen.rows;
      this.index.findOrAppend(this.batch, this.keys, this.keys, row);
      return seen.rows > known;
    }
    if (this.index.find(this.batch, this.keys, row) < 0) partitions.appendRow(this.batch, row);
    return false;
  }

  /** After the last offer: the rows that `offer` could not decide and that are new. */
  drain(): Step {
    if (this.merge !== null) return this.withoutPlaces(this.merge.next());
    if (this.partitions !== null) this.closeLevel(this.partitions);
    else if (this.reader !== null) this.readSome(this.reader);
    else if (this.parts.length > 0) this.beginPart();
    else if (this.runs.length === 0) return null;
    else this.merge = new MergeRuns(this.runs, this.width + 1, orderByColumn(this.width), this.account);
    return PENDING;
  }

  private withoutPlaces(step: Step): Step {
    if (step === null || step === PENDING) return step;
    return { rows: step.rows, columns: step.columns.slice(0, this.width) };
  }

  private makeRoom(rows: number): void {
    const wanted = this.seen.rows + Math.max(rows, ROOM_ROWS);
    const bytes = this.seen.bytesToAppend(wanted - this.seen.rows) + this.index.bytesToHold(wanted);
    if (this.level === LEVELS_MAX || this.account.fits(bytes)) {
      this.room = wanted;
      return;
    }
    this.deposit.release();
    this.partitions = new Partitions(this.account.spill, this.width + 1, this.keys, this.level, this.account);
  }

  /** The parts of a level wait to be read; the set has done its work. */
  private closeLevel(partitions: Partitions): void {
    partitions.seal();
    for (const rows of partitions.parts) if (rows.rows > 0) this.parts.push({ rows, level: this.level + 1 });
    this.partitions = null;
    this.clearSet();
  }

  private clearSet(): void {
    this.deposit.release();
    this.index.release();
    this.seen.release();
    this.room = 0;
  }

  private beginPart(): void {
    this.part = this.parts.pop() as Part;
    this.level = this.part.level;
    this.clearSet();
    this.deposit.lay();
    this.index = new RowIndex(this.seen, this.keys, this.account);
    this.reader = new SpilledReader(this.part.rows, { consume: true });
    this.run = new SpilledRows(this.account.spill, this.width + 1, this.account);
  }

  private readSome(reader: SpilledReader): void {
    const batch = reader.next();
    if (batch === null) {
      this.endPart();
      return;
    }
    this.beginPartBatch(batch);
    for (let row = 0; row < batch.rows; row++) {
      if (this.offer(row)) (this.run as SpilledRows).appendRow(batch.columns, row);
    }
  }

  private beginPartBatch(batch: QueryBatch): void {
    this.batch = batch.columns;
    if (this.partitions === null && this.room < this.seen.rows + batch.rows) this.makeRoom(batch.rows);
  }

  private endPart(): void {
    this.reader?.close();
    this.reader = null;
    this.part?.rows.release();
    this.part = null;
    const run = this.run as SpilledRows;
    this.run = null;
    run.seal();
    if (run.rows > 0) this.runs.push(run);
    // A part that had to be split leaves its partitions for the next call.
    if (this.partitions === null) this.clearSet();
  }

  close(): void {
    this.merge?.close();
    this.reader?.close();
    this.partitions?.release();
    this.run?.release();
    this.part?.rows.release();
    for (const { rows } of this.parts.splice(0)) rows.release();
    for (const rows of this.runs.splice(0)) rows.release();
    this.clearSet();
  }
}
