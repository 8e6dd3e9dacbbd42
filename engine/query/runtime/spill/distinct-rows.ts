/**
 * Tells new rows from rows that came before, in memory as long as that lasts.
 *
 *  1. A hash set answers at once: `select` lists the rows that are surely new.
 *  2. When the set can't grow, it stays as it is. Rows that it does not hold go to disk, split by their
 *     hash, each with its place in the input.
 *  3. At the end each part is told apart in the same way, by a set of its own, and split again if it
 *     must be. The new rows of a part come in the order of the input, and so are runs on disk, which
 *     `drain` merges: what is new comes out in the order in which it first came.
 */

import { BATCH_ROWS, type IdColumn } from '../../../storage/seam/scan.js';
import { newColumn, type QueryBatch } from '../batch.js';
import { HashKeys } from '../keys/hash-keys.js';
import type { MemoryAccount } from '../memory.js';
import { PENDING, type Work } from '../operator.js';
import { mergeRuns, orderByColumn } from './merge-runs.js';
import { LEVELS_MAX, Partitions, PartitionsDeposit } from './partitions.js';
import { SpilledReader, SpilledRows } from './spilled-rows.js';

/** The set asks for room for so many rows at a time. */
const ROOM_ROWS = 1024;
const TWO_TO_32 = 2 ** 32;
/** Numbers of the rows in the set, while they are looked up. */
const numbers = new Int32Array(BATCH_ROWS);
/** Rows of a part that are new. */
const newRows = new Uint32Array(BATCH_ROWS);

interface Part {
  readonly rows: SpilledRows;
  readonly level: number;
}

export class DistinctRows {
  private readonly keys: readonly number[];
  private readonly seen: HashKeys;
  /** Rows up to which there surely is room. */
  private room = 0;
  private readonly deposit: PartitionsDeposit;
  private partitions: Partitions | null = null;
  private level = 0;
  private places: IdColumn = newColumn(0);
  private read = 0;
  private readonly parts: Part[] = [];
  private readonly runs: SpilledRows[] = [];

  constructor(
    private readonly width: number,
    private readonly account: MemoryAccount,
  ) {
    this.keys = Array.from({ length: width }, (_, column) => column);
    this.deposit = new PartitionsDeposit(account.spill, account);
    this.seen = new HashKeys(width, account);
  }

  /** Lists the rows that are surely new in `into`, ascending; gives their number. `drain` tells of the others. */
  select(columns: readonly IdColumn[], rows: number, into: Uint32Array): number {
    if (this.partitions === null && this.room < this.seen.count + rows) this.makeRoom(rows);
    if (this.partitions !== null) {
      this.putAside(this.partitions, [...columns, this.placesOf(rows)], rows);
      return 0;
    }
    return this.selectNew(columns, rows, into);
  }

  private selectNew(columns: readonly IdColumn[], rows: number, into: Uint32Array): number {
    let next = this.seen.count;
    let count = 0;
    this.seen.assign(columns, rows, numbers);
    for (let row = 0; row < rows; row++) {
      if (numbers[row] !== next) continue;
      into[count++] = row;
      next++;
    }
    return count;
  }

  /** The places of the next rows in the input. */
  private placesOf(rows: number): IdColumn {
    if (this.places.length < 2 * rows) this.places = newColumn(BATCH_ROWS);
    for (let row = 0; row < rows; row++) {
      this.places[2 * row] = (this.read + row) >>> 0;
      this.places[2 * row + 1] = Math.floor((this.read + row) / TWO_TO_32);
    }
    this.read += rows;
    return this.places;
  }

  /** Rows that the set does not hold; `columns` ends with their places. */
  private putAside(partitions: Partitions, columns: readonly IdColumn[], rows: number): void {
    this.seen.find(columns.slice(0, this.width), rows, numbers);
    for (let row = 0; row < rows; row++) if ((numbers[row] as number) < 0) partitions.appendRow(columns, row);
  }

  /** After the last batch: the rows that `select` could not decide and that are new. */
  *drain(): Work<void, QueryBatch> {
    if (this.partitions !== null) this.closeLevel(this.partitions);
    for (let part = this.parts.pop(); part !== undefined; part = this.parts.pop()) yield* this.readPart(part);
    if (this.runs.length === 0) return;
    const { width } = this;
    for (const step of mergeRuns(this.runs.splice(0), width + 1, orderByColumn(width), this.account)) {
      yield step === PENDING ? PENDING : { rows: step.rows, columns: step.columns.slice(0, width) };
    }
  }

  private makeRoom(rows: number): void {
    const wanted = this.seen.count + Math.max(rows, ROOM_ROWS);
    if (this.level === LEVELS_MAX || this.account.fits(this.seen.bytesToHold(wanted))) {
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
    this.seen.release();
    this.room = 0;
  }

  /** Its new rows become a run. */
  private *readPart(part: Part): Work {
    this.level = part.level;
    this.clearSet();
    this.deposit.lay();
    const reader = new SpilledReader(part.rows, { consume: true });
    const run = new SpilledRows(this.account.spill, this.width + 1, this.account);
    this.runs.push(run);
    try {
      for (const batch of reader.batches()) {
        this.readBatch(batch, run);
        yield PENDING;
      }
    } finally {
      reader.close();
      part.rows.release();
    }
    run.seal();
    if (run.rows === 0) this.runs.pop();
    if (this.partitions === null) this.clearSet();
    else this.closeLevel(this.partitions);
  }

  private readBatch({ columns, rows }: QueryBatch, run: SpilledRows): void {
    if (this.partitions === null && this.room < this.seen.count + rows) this.makeRoom(rows);
    if (this.partitions !== null) {
      this.putAside(this.partitions, columns, rows);
      return;
    }
    const count = this.selectNew(columns.slice(0, this.width), rows, newRows);
    for (let at = 0; at < count; at++) run.appendRow(columns, newRows[at] as number);
  }

  close(): void {
    this.partitions?.release();
    for (const { rows } of this.parts.splice(0)) rows.release();
    for (const rows of this.runs.splice(0)) rows.release();
    this.clearSet();
  }
}
