/**
 * What a time slice shows of one order of a partition, gathered from several runs into one run in memory, so
 * that a question about a time that is asked about again and again costs what it costs of the present.
 *
 *  1. Every block that is read of the runs of a slice is counted. A slice whose runs were read through
 *     `READ_TIMES` is worth gathering.
 *     Its other orders are gathered with it, so that a plan finds all of them alike.
 *  2. Gathering goes on in steps, each at the end of a question about the past and in proportion to what that one
 *     read itself, in its read transaction.
 *  3. The gathered rows are packed into blocks as those of any run, and take the place of the slice's runs for
 *     whoever opens a source from then on. They are as the runs have them, ends that came later included.
 *  4. Where a quad may hold through several rows at once, the first of them is taken: its end is known, whatever a
 *     delta closes later. Who asks for times reads the stored runs of such a slice.
 *
 * A gathered run lives as long as the answer about its slice is kept (`context.ts`), and as anyone reads it: a source
 * pins it, and it is freed between questions only.
 */

import { SvcError } from '../../../base/errors.js';
import type { ThreadMemory } from '../../../kernels/memory.js';
import type { ReadTransaction } from '../../lmdb/file.js';
import type { BlockReader } from '../../runs/block-reader.js';
import { decodeDirectory } from '../../runs/directory.js';
import type { PartitionRecord, RunRecord } from '../../runs/manifest.js';
import { RunWriter } from '../../runs/writer.js';
import { COLUMNS, type Order, type TimeSlice } from '../../seam/scan.js';
import { BlockFiller } from '../../sources/block-filler.js';
import { DistinctQuads, mergeAll } from '../../sources/merge-source.js';
import type { RowSource } from '../../sources/row-source.js';
import type { RunScan } from '../../sources/run-read.js';
import { RunSource } from '../../sources/run-source.js';
import { planScan } from '../../sources/scan-plan.js';
import type { RunUse, VisibleRun } from '../../sources/visible-run.js';

/** Gathering costs about as much as reading everything so often. */
export const READ_TIMES = 4;
/** Share of the rows of its runs that a slice surely shows, for a guess at the memory. */
const LEFT_SHARE = 0.125;
const ALL_COLUMNS = COLUMNS.map((_, i) => i);

/** What all slices of a thread share. */
export interface SliceRoom {
  readonly memory: ThreadMemory;
  readonly blocks: BlockReader;
  /** Slices are gathered when their runs were read through so often; 0 = at once. */
  readonly readTimes: number;
  /** Slices that are worth gathering, in turn. */
  readonly due: Set<SliceRuns>;
}

/** What slices of several orders have in common, and a name for it. */
export interface SliceSubject {
  readonly name: string;
  readonly partition: PartitionRecord;
  readonly time: TimeSlice;
}

/** What is gathered of a slice: its rows, of each quad one row, or nothing since it shows what was changed. */
export type Gathers = 'rows' | 'quads' | 'nothing';

/** Stored runs have ids from 0 on. */
export const isGathered = ({ id }: RunRecord): boolean => id < 0;

/** A damaged block, or no memory: the stored runs are as good, and who reads them meets the damage. */
function isForReaders(error: unknown): boolean {
  return error instanceof SvcError && (error.code === 'store_corrupt' || error.code === 'query_complexity');
}

/** The runs of an order of a partition that hold rows of a slice, and what was gathered of them. */
export class SliceRuns implements RunUse {
  readonly subject: SliceSubject;
  readonly order: Order;
  readonly #room: SliceRoom;
  readonly #stored: readonly VisibleRun[];
  readonly #blocks: number;
  /** False when gathering would save nothing, or may not be. */
  #gathers: boolean;
  readonly #kind: Gathers;
  #gathered: readonly VisibleRun[] | null = null;
  #gathering: Gathering | null = null;
  #blocksRead = 0;
  #pins = 0;

  constructor(room: SliceRoom, subject: SliceSubject, order: Order, stored: readonly VisibleRun[], gathers: Gathers) {
    this.#kind = gathers;
    this.subject = subject;
    this.order = order;
    this.#room = room;
    this.#stored = stored.map((run) => ({ ...run, use: this }));
    this.#blocks = stored.reduce((sum, { directory }) => sum + directory.blocks, 0);
    const costs = stored.length > 1 || stored.some(({ slice }) => slice.tests.length > 0);
    // A share of what the runs take will be left.
    const bytes = LEFT_SHARE * stored.reduce((sum, { run }) => sum + run.bytes, 0);
    this.#gathers = gathers !== 'nothing' && costs && room.blocks.hasRoom(bytes);
  }

  /** The runs to be read. `timed`: columns of time are wanted, of every row of a quad. */
  runs(timed: boolean): readonly VisibleRun[] {
    return this.#gathered === null || (timed && this.#kind === 'quads') ? this.#stored : this.#gathered;
  }

  noteBlock(): void {
    this.#blocksRead++;
    if (this.#blocksRead === this.#room.readTimes * this.#blocks) this.makeDue();
  }

  /** Has the slice gathered, unless it is or can't be. */
  makeDue(): void {
    if (this.#gathers && this.#gathered === null) this.#room.due.add(this);
  }

  get isGathered(): boolean {
    return this.#gathered !== null;
  }

  pin(): void {
    this.#pins++;
  }

  unpin(): void {
    this.#pins--;
  }

  /** Frees what was gathered; false while it is read. */
  release(): boolean {
    if (this.#pins > 0) return false;
    for (const { run } of this.#gathered ?? []) this.#room.blocks.forget(run.firstBlock, run.blocks);
    this.#gathered = null;
    return true;
  }

  /** True when the slice is to be gathered before it is read. */
  get gathersAtOnce(): boolean {
    return this.#gathers && this.#room.readTimes === 0;
  }

  /** Gathers up to so many batches of rows. */
  gather(batches: number, transaction: ReadTransaction): void {
    try {
      this.#gathering ??= new Gathering(this.#room, this.order, this.#stored, transaction, this.#kind === 'quads');
      const gathered = this.#gathering.step(batches, transaction);
      if (gathered !== null) this.#take(gathered);
      else if (!this.#room.blocks.hasRoom(0)) this.drop();
    } catch (error) {
      this.drop();
      if (!isForReaders(error)) throw error;
    }
  }

  #take(gathered: readonly VisibleRun[]): void {
    this.#gathering = null;
    this.#room.due.delete(this);
    this.#gathered = gathered.map((run) => ({ ...run, use: this }));
  }

  /** Gathers nothing any more: nobody will ask for the slice again, or it can't be. */
  drop(): void {
    this.#gathers = false;
    this.#room.due.delete(this);
    this.#gathering?.close();
    this.#gathering = null;
  }
}

/** Rows on their way from the runs of a slice into one. */
class Gathering {
  readonly #room: SliceRoom;
  readonly #order: Order;
  readonly #stored: readonly VisibleRun[];
  readonly #scan: RunScan & { transaction: ReadTransaction };
  readonly #source: RowSource;
  readonly #writer: RunWriter;
  readonly #filler: BlockFiller;
  readonly #firstBlock: number;
  #written = 0;

  constructor(
    room: SliceRoom,
    order: Order,
    stored: readonly VisibleRun[],
    transaction: ReadTransaction,
    distinct: boolean,
  ) {
    const { memory, blocks } = room;
    this.#room = room;
    this.#order = order;
    this.#stored = stored;
    this.#scan = { memory, blocks, counters: { blocksRead: 0, rowsScanned: 0, termsDecoded: 0 }, transaction };
    const plan = planScan(order, {});
    const sources = stored.map(({ run, directory, dead, slice: { tests } }) => {
      const read = { run, directory, dead, plan, tests, openAfter: null, wanted: ALL_COLUMNS };
      return new RunSource(this.#scan, read);
    });
    const weights = stored.map(({ run }) => run.rows);
    const merged = mergeAll(memory, sources, order, ALL_COLUMNS, weights);
    this.#source = distinct ? new DistinctQuads(memory, merged) : merged;
    this.#firstBlock = blocks.reserve(weights.reduce((sum, rows) => sum + rows, 0));
    this.#writer = new RunWriter(memory, (number, bytes) => this.#put(number, bytes), order, this.#firstBlock);
    this.#filler = new BlockFiller(memory, (columns, rows) => this.#writer.append(columns, rows));
  }

  /** The gathered run when it is complete; null when there is more to do. */
  step(batches: number, transaction: ReadTransaction): readonly VisibleRun[] | null {
    this.#scan.transaction = transaction;
    for (let i = 0; i < batches; i++) {
      const batch = this.#source.next();
      if (batch === null) return this.#finish();
      this.#filler.add(batch);
    }
    return null;
  }

  close(): void {
    this.#source.close();
    this.#filler.release();
    this.#writer.release();
    this.#room.blocks.forget(this.#firstBlock, this.#written);
  }

  #put(number: number, bytes: Uint8Array): void {
    this.#room.blocks.keep(number, bytes);
    this.#written++;
  }

  #finish(): readonly VisibleRun[] {
    this.#filler.flush();
    this.#source.close();
    this.#filler.release();
    const written = this.#writer.finish();
    if (written.blocks === 0) return [];
    const run: RunRecord = { ...written, id: -this.#firstBlock, kind: 'current', directory: 0 };
    const values = written.directory.map((value) => Buffer.from(value));
    const directory = decodeDirectory(values, written.blocks, `the run that was gathered in ${this.#order}`);
    // Rows may have been closed after the transaction of the slice.
    const openAfter = this.#stored.find(({ slice }) => slice.openAfter !== null)?.slice.openAfter ?? null;
    return [{ run, directory, dead: null, slice: { tests: [], openAfter } }];
  }
}
