/**
 * An epoch of a bulk load: the terms and rows that are held in memory together. When one of its
 * bounds is reached it is closed (`loader.ts`): terms get their ids and go to the dictionary,
 * rows become sorted runs, and the next epoch starts empty, with the terms so far looked up in the file like
 * those of any store that is not empty. So a load of any size stays within its memory.
 *
 * The areas are taken at their full size at once: memory that is not touched costs nothing, and
 * nothing has to move. Only the table of fingerprints grows, since its slots are touched at random.
 */

import { SvcError } from '../../base/errors.js';
import type { ThreadMemory } from '../../kernels/memory.js';
import type { LoadBounds } from '../seam/engine.js';

export const ROW_BYTES = 16;
export const CHUNK_ROWS = 65536;
const CHUNK_BYTES = CHUNK_ROWS * ROW_BYTES;
const STATE_BYTES = 64;
const SLOT_BYTES = 24;
const LOG_SLOTS_FIRST = 14;
const LOG_SLOTS_MAX = 26;

export interface EpochLimits {
  readonly rowsMax: number;
  readonly termsMax: number;
  readonly termBytesMax: number;
  /** What rows, terms and texts may take together at the close. */
  readonly bytesMax: number;
}

/** Bytes of kernel memory per row and term at the close of an epoch, for the limits below. */
const BYTES_PER_ROW = 56;
const BYTES_PER_TERM = 170;
const SMALLEST_BYTES = 16 * 1024 * 1024;
/** Kernel memory has addresses for 4 GiB; what stands beside an epoch needs some, and texts are taken beforehand. */
const LARGEST_BYTES = 2.25 * 1024 * 1024 * 1024;
/** What one kind may take of an epoch. Which one fills it depends on the data: together they have one budget. */
const ROWS_SHARE = 0.8;
const TERMS_SHARE = 0.6;
const TEXT_SHARE = 0.5;

/** Limits that keep an epoch within `memoryBytes`, or less for an input known to be small. */
export function epochLimits(memoryBytes: number, inputBytes: number | null, statementBytes: number): EpochLimits {
  // No statement is shorter than 4 bytes; text formats rarely get below 16 a row.
  const bytesMax = Math.min(LARGEST_BYTES, Math.max(SMALLEST_BYTES, memoryBytes));
  const rowsBudget = Math.floor((bytesMax * ROWS_SHARE) / BYTES_PER_ROW);
  const termsBudget = Math.floor((bytesMax * TERMS_SHARE) / BYTES_PER_TERM);
  const textBudget = Math.floor(bytesMax * TEXT_SHARE);
  if (inputBytes === null) return { rowsMax: rowsBudget, termsMax: termsBudget, termBytesMax: textBudget, bytesMax };
  const rows = Math.max(1024, Math.ceil(inputBytes / 4) + 1024);
  return {
    rowsMax: Math.min(rowsBudget, rows),
    termsMax: Math.min(termsBudget, 4 * rows),
    termBytesMax: Math.max(Math.min(textBudget, 32 * inputBytes + 1048576), Math.min(2 * statementBytes, textBudget)),
    bytesMax,
  };
}

/** The same limits, or the smaller ones that are asked for. */
export function boundedLimits(limits: EpochLimits, bounds: LoadBounds | undefined): EpochLimits {
  return {
    ...limits,
    rowsMax: Math.min(limits.rowsMax, bounds?.epochRowsMax ?? limits.rowsMax),
    termsMax: Math.min(limits.termsMax, bounds?.epochTermsMax ?? limits.termsMax),
  };
}

export class Epoch {
  readonly limits: EpochLimits;
  readonly state: number;
  readonly arena: number;
  readonly offsets: number;
  readonly hashes: number;
  /** Addresses of full chunks of rows, and of the one being filled. */
  readonly chunks: number[] = [];
  rows = 0;
  readonly #memory: ThreadMemory;
  #slots: number;
  #logSlots: number;

  constructor(memory: ThreadMemory, limits: EpochLimits, seed: readonly [bigint, bigint], termsExpected: number) {
    this.#memory = memory;
    this.limits = limits;
    this.state = memory.allocate(STATE_BYTES);
    this.arena = memory.allocate(limits.termBytesMax);
    this.offsets = memory.allocate(4 * (limits.termsMax + 1));
    this.hashes = memory.allocate(8 * limits.termsMax);
    this.#logSlots = Math.max(LOG_SLOTS_FIRST, Math.ceil(Math.log2(Math.max(1, termsExpected) / 0.6)));
    this.#slots = memory.allocate(SLOT_BYTES * 2 ** this.#logSlots);
    memory.kernels.zero(this.#slots, SLOT_BYTES * 2 ** this.#logSlots);
    const words = memory.wordsAt(this.state, STATE_BYTES / 4);
    words.fill(0);
    words[0] = this.#slots;
    words[2] = this.#logSlots;
    words[4] = limits.termsMax;
    words[5] = this.arena;
    words[6] = this.arena + limits.termBytesMax;
    words[7] = this.arena;
    words[8] = this.offsets;
    words[9] = this.hashes;
    memory.bigsAt(this.state + 40, 2).set([seed[0], seed[1]]);
    memory.wordsAt(this.offsets, 1)[0] = 0;
  }

  get terms(): number {
    return this.#memory.words[(this.state >>> 2) + 3] as number;
  }

  get termBytes(): number {
    return (this.#memory.words[(this.state >>> 2) + 7] as number) - this.arena;
  }

  /** True when rows, terms and texts have used up what they have together. */
  get isFull(): boolean {
    return this.rows * BYTES_PER_ROW + this.terms * BYTES_PER_TERM + this.termBytes >= this.limits.bytesMax;
  }

  /** Room left in the chunk that is being filled; makes a new one when there is none. 0 = the epoch is full. */
  room(): number {
    if (this.rows >= this.limits.rowsMax) return 0;
    const used = this.rows % CHUNK_ROWS;
    if (used === 0 && this.chunks.length === this.rows / CHUNK_ROWS) {
      this.chunks.push(this.#memory.allocate(CHUNK_BYTES));
    }
    return Math.min(CHUNK_ROWS - used, this.limits.rowsMax - this.rows);
  }

  /**
   * Adds quads from term records and their fingerprints; `defaultGraph` is the provisional number of
   * the graph of records without one. Returns how many of the `quads` went in; fewer means full.
   */
  add(records: number, hashes: number, quads: number, defaultGraph: number): number {
    let done = 0;
    while (done < quads) {
      const room = this.room();
      if (room === 0) return done;
      const chunk = this.chunks[this.chunks.length - 1] as number;
      const count = Math.min(room, quads - done);
      const added =
        this.#memory.kernels.probeRecords(
          this.state,
          records + done * 64,
          hashes + done * 64,
          count * 4,
          defaultGraph,
          chunk + (this.rows % CHUNK_ROWS) * ROW_BYTES,
        ) >>> 2;
      this.rows += added;
      done += added;
      if (added < count && !this.#grow()) return done;
    }
    return done;
  }

  /** Provisional number of one term given as a record (16 bytes) with its fingerprint, or -1 when full. */
  addTerm(record: number, hash: number, scratch: number): number {
    // A quad of four equal records; its row is not kept.
    const memory = this.#memory;
    const bytes = memory.bytes;
    for (let i = 0; i < 4; i++) {
      bytes.copyWithin(scratch + 16 * i, record, record + 16);
      bytes.copyWithin(scratch + 64 + 16 * i, hash, hash + 16);
    }
    for (;;) {
      const done = memory.kernels.probeRecords(this.state, scratch, scratch + 64, 4, 0, scratch + 128);
      if (done === 4) return memory.words[(scratch + 128) >>> 2] as number;
      if (!this.#grow()) return -1;
    }
  }

  /** Doubles the table when it was the bound; false when text, terms or table are at their limit. */
  #grow(): boolean {
    const words = this.#memory.words;
    const at = this.state >>> 2;
    const terms = words[at + 3] as number;
    const slots = 2 ** this.#logSlots;
    if (terms + 64 <= Math.floor((slots * 5) / 8)) return false;
    if (this.#logSlots >= LOG_SLOTS_MAX) return false;
    const log = this.#logSlots + 1;
    const memory = this.#memory;
    const newSlots = memory.allocate(SLOT_BYTES * 2 ** log);
    memory.kernels.zero(newSlots, SLOT_BYTES * 2 ** log);
    memory.kernels.regrowTable(this.state, newSlots, log);
    memory.free(this.#slots, SLOT_BYTES * slots);
    this.#slots = newSlots;
    this.#logSlots = log;
    return true;
  }

  /** Drops the table of fingerprints, which the close does not need, to make room for its arrays. */
  releaseTable(): void {
    if (this.#slots === 0) return;
    this.#memory.free(this.#slots, SLOT_BYTES * 2 ** this.#logSlots);
    this.#slots = 0;
  }

  releaseRows(): void {
    for (const chunk of this.chunks) this.#memory.free(chunk, CHUNK_BYTES);
    this.chunks.length = 0;
  }

  release(): void {
    this.releaseTable();
    this.releaseRows();
    this.#memory.free(this.state, STATE_BYTES);
    this.#memory.free(this.arena, this.limits.termBytesMax);
    this.#memory.free(this.offsets, 4 * (this.limits.termsMax + 1));
    this.#memory.free(this.hashes, 8 * this.limits.termsMax);
  }
}

/** A statement that does not fit an epoch of its own. */
export function tooLarge(bytes: number): SvcError {
  return new SvcError('limit_exceeded', `one statement needs more than the memory of a load (${bytes} bytes)`, {
    hint: 'raise memoryBytesMax of the load',
  });
}
