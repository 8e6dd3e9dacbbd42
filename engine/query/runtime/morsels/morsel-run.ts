/**
 * A program over all rows of a packed scan, a morsel after the other (morsel-driven parallelism; Leis and others 2014):
 *
 *  1. This thread fetches blocks, and publishes a few of them as a morsel, as long as there is a free slot for its groups.
 *  2. It takes morsels itself, beside its helpers, and gives what came of them in the order of the scan. It waits for no helper to
 *     begin; at the end, only a moment for those at work: then it does the morsel itself.
 *  3. Morsels are cut by the blocks alone. So what comes out is the same with any number of threads.
 */

import { kernelModule } from '../../../kernels/instance.js';
import type { ThreadMemory } from '../../../kernels/memory.js';
import { threadMemory } from '../../../kernels/thread-memory.js';
import type { PackedPart, PackedScan } from '../../../storage/seam/packed-scan.js';
import { BATCH_ROWS } from '../../../storage/seam/scan.js';
import type { MemoryCounter } from '../memory.js';
import { PENDING, type Work } from '../operator.js';
import { MORSEL, MorselControl, QUERY_THREADS_MAX, SLOTS_MAX } from './control.js';
import { freeHelpers, memoryIdOf } from './helpers.js';
import { MorselWorker, workerBytes } from './morsel-worker.js';
import { MORSEL_PARTS_MAX, type MorselProgram, PART_WORDS, partAt, slotBytes } from './program.js';

/** A scan is cut into so many morsels at least, where its blocks suffice. */
const MORSELS_MIN = 64;
const MORSEL_PARTS_MIN = 4;
/** So many morsels later, helpers are asked for again where some were missing. */
const CALL_TURNS = 32;
const MORSEL_ROWS_MAX = MORSEL_PARTS_MAX * BATCH_ROWS;
/** So long a helper is waited for that has taken a morsel. */
const WAIT_MS = 2;
/** So long the end of a query waits for helpers, which stop within a block, before what they may touch is given back later. */
const STOP_MS = 1;
const DEFERRED_MS = 10;

/** How many threads may work on a query, and from which size of a scan on. */
export interface MorselLimits {
  readonly threads: number;
  /** Scans of fewer rows are read as their batches come. */
  readonly rowsMin: number;
  /** Those of fewer take less than five milliseconds: helpers would hardly begin. */
  readonly helpedRowsMin: number;
  /** One of so many is worth starting helpers for it alone. */
  readonly startRowsMin: number;
}

export function morselLimits(threads: number): MorselLimits {
  return {
    threads,
    rowsMin: 4 * MORSEL_ROWS_MAX,
    helpedRowsMin: 8 * MORSEL_ROWS_MAX,
    startRowsMin: 64 * MORSEL_ROWS_MAX,
  };
}

interface Morsel {
  readonly slot: number;
  readonly parts: readonly PackedPart[];
}

/** What came of a morsel: valid until the next one is asked for. */
export interface MorselResult {
  /** Address of the slot. */
  readonly at: number;
  readonly parts: readonly PackedPart[];
  /** False: its rows are to be taken one by one. */
  readonly isGrouped: boolean;
}

/** What can't be given back yet, since a helper may touch it. */
const deferred = new Set<() => boolean>();
let timer: NodeJS.Timeout | undefined;

/** How many runs wait for helpers to stop before their memory is given back. */
export function morselRunsEnding(): number {
  return deferred.size;
}

function giveBackDeferred(): void {
  for (const giveBack of deferred) if (giveBack()) deferred.delete(giveBack);
  if (deferred.size > 0) timer = timer?.refresh() ?? setTimeout(giveBackDeferred, DEFERRED_MS).unref();
}

/** Slots for so many threads: each has one at work, one that waits, and a few more are behind the first. */
function slotsFor(threads: number): number {
  return Math.min(SLOTS_MAX, 2 * threads + 4);
}

export class MorselRun {
  /** Threads that had part. */
  threads = 1;
  private readonly memory: ThreadMemory = threadMemory();
  private readonly control = new MorselControl();
  private readonly worker: MorselWorker;
  private readonly partsMax: number;
  private readonly slots: number[] = [];
  private readonly free: number[] = [];
  private lost: Morsel[] = [];
  private readonly ranges: { readonly address: number; readonly bytes: number }[] = [];
  /** Where dead rows of blocks are. */
  private readonly deadRows = new Map<PackedPart, { readonly address: number; readonly bytes: number }>();
  private readonly outstanding: Morsel[] = [];
  private spare = -1;
  private hasMore = true;
  private isClosed = false;
  private readonly heldBytes: number;

  /** Memory that a run is counted with, whatever the number of threads. */
  static bytesFor(program: MorselProgram): number {
    return QUERY_THREADS_MAX * workerBytes(program) + slotsFor(QUERY_THREADS_MAX) * slotBytes(program);
  }

  constructor(
    private readonly scan: PackedScan,
    private readonly program: MorselProgram,
    private readonly limits: MorselLimits,
    private readonly counter: MemoryCounter,
  ) {
    this.heldBytes = MorselRun.bytesFor(program);
    counter.take(this.heldBytes);
    giveBackDeferred();
    this.worker = new MorselWorker(this.memory, program);
    const blocks = scan.rows / BATCH_ROWS;
    this.partsMax = Math.max(MORSEL_PARTS_MIN, Math.min(MORSEL_PARTS_MAX, Math.floor(blocks / MORSELS_MIN)));
  }

  *results(): Work<void, MorselResult> {
    const { threads, helpedRowsMin } = this.limits;
    const helped = this.scan.rows >= helpedRowsMin ? Math.min(threads, QUERY_THREADS_MAX) : 1;
    for (let slot = 0; slot < (helped > 1 ? slotsFor(helped) : 1); slot++) this.addSlot();
    for (let turn = 0; this.hasMore || this.outstanding.length > 0; turn++) {
      this.publish();
      // Others may have become free since.
      if (this.threads < helped && turn % CALL_TURNS === 0) this.callHelpers(helped - this.threads);
      const isIdle = !this.work();
      yield* this.finished(isIdle);
      yield PENDING;
    }
  }

  /** Morsels that are finished and not given yet: by helpers, but for one. */
  get finishedAhead(): number {
    return this.outstanding.filter(({ slot }) => this.control.stateOf(slot) !== MORSEL.pending).length;
  }

  private addSlot(): void {
    const slot = this.slots.length;
    this.slots.push(this.allocate(slotBytes(this.program)));
    this.free.push(slot);
  }

  private allocate(bytes: number): number {
    const address = this.memory.allocate(bytes);
    this.ranges.push({ address, bytes });
    return address;
  }

  private publish(): void {
    if (this.lost.length > 0) this.findLost();
    while (this.hasMore && this.free.length > 0) {
      const parts = this.fetch();
      if (parts.length === 0) return;
      const slot = this.free.pop() as number;
      this.describe(this.slots[slot] as number, parts);
      this.outstanding.push({ slot, parts });
      this.control.publish(slot);
    }
  }

  /** Slots and blocks of morsels that were done again are free once their helper has come to its end after all. */
  private findLost(): void {
    const lost = this.lost;
    this.lost = [];
    for (const morsel of lost) {
      if (this.control.stateOf(morsel.slot) === MORSEL.pending) this.lost.push(morsel);
      else this.giveBackAll(morsel);
    }
  }

  private giveBackAll({ slot, parts }: Morsel): void {
    for (const part of parts) this.giveBack(part);
    this.free.push(slot);
  }

  private fetch(): PackedPart[] {
    const parts: PackedPart[] = [];
    while (parts.length < this.partsMax) {
      const part = this.scan.next();
      if (part === null) {
        this.hasMore = false;
        this.control.complete();
        break;
      }
      parts.push(part);
      if (part.dead.length > 0) this.placeDead(part);
    }
    return parts;
  }

  private placeDead(part: PackedPart): void {
    const bytes = 2 * part.dead.length;
    const address = this.memory.allocate(bytes);
    new Uint16Array(this.memory.memory.buffer, address, part.dead.length).set(part.dead);
    this.deadRows.set(part, { address, bytes });
  }

  private describe(at: number, parts: readonly PackedPart[]): void {
    const { words } = this.memory;
    words[at / 4] = parts.length;
    parts.forEach((part, number) => {
      const place = partAt(at, number) / 4;
      const { address, rows, from, to, open, dead } = part;
      const deadAt = this.deadRows.get(part)?.address ?? 0;
      words.set([address, rows, from, to, open, deadAt, dead.length, 0].slice(0, PART_WORDS), place);
    });
  }

  private callHelpers(wanted: number): void {
    const { memory, program, slots } = this;
    const helpers = freeHelpers(wanted, this.limits.threads - 1, this.scan.rows >= this.limits.startRowsMin);
    for (const helper of helpers) {
      const number = this.threads++ - 1;
      const bytes = workerBytes(program);
      const from = this.allocate(bytes);
      helper.call(this.control, {
        number,
        memoryId: memoryIdOf(memory.memory),
        memory: memory.memory,
        module: kernelModule(),
        range: { from, to: from + bytes },
        program,
        words: this.control.words,
        slots,
      });
    }
  }

  /** Does a morsel; false when there is none to take. */
  private work(): boolean {
    const slot = this.control.take();
    if (slot < 0) return false;
    const isGrouped = this.worker.run(this.slots[slot] as number, () => false);
    this.control.finish(slot, isGrouped ? MORSEL.done : MORSEL.rows);
    return true;
  }

  /** What has come of the first morsels. */
  private *finished(isIdle: boolean): Work<void, MorselResult> {
    const { control, outstanding } = this;
    for (let first = outstanding[0]; first !== undefined; first = outstanding[0]) {
      const { slot, parts } = first;
      if (isIdle) control.awaitFinished(slot, WAIT_MS);
      const state = control.stateOf(slot);
      if (state === MORSEL.pending && !isIdle) return;
      outstanding.shift();
      const isDone = state === MORSEL.done || state === MORSEL.rows;
      const at = isDone ? (this.slots[slot] as number) : this.spareSlot();
      yield { at, parts, isGrouped: isDone ? state === MORSEL.done : this.workAgain(at, parts) };
      // A helper may still read the blocks of a morsel that it did not finish in time, and write into its slot. There are more slots than helpers.
      if (isDone) this.giveBackAll(first);
      else this.lost.push(first);
      if (isIdle) return;
    }
  }

  private spareSlot(): number {
    if (this.spare < 0) this.spare = this.allocate(slotBytes(this.program));
    return this.spare;
  }

  /** A helper that has taken the morsel did not come to its end. */
  private workAgain(at: number, parts: readonly PackedPart[]): boolean {
    this.describe(at, parts);
    return this.worker.run(at, () => false);
  }

  /** Who reads `rest` gives back each part. */
  giveBack(part: PackedPart): void {
    const dead = this.deadRows.get(part);
    // A helper that was given up may yet read it.
    if (dead !== undefined) this.ranges.push(dead);
    this.deadRows.delete(part);
    this.scan.giveBack(part);
  }

  /** Decodes the rows of a part; how many there are, in columns at `addresses`. */
  decode(part: PackedPart): number {
    const dead = this.deadRows.get(part)?.address ?? 0;
    return this.worker.reader.read({ ...part, deadAt: dead, dead: part.dead.length });
  }

  /** Where the columns are that were decoded last. */
  get addresses(): readonly number[] {
    return this.worker.reader.addresses;
  }

  /** The parts that no morsel has had, for who goes on row by row. Those of morsels under way come first. */
  *rest(): Generator<PackedPart> {
    this.control.stop();
    for (const { parts } of this.outstanding.splice(0)) yield* parts;
    while (this.hasMore) yield* this.fetch();
  }

  close(): void {
    if (this.isClosed) return;
    this.isClosed = true;
    this.control.stop();
    this.counter.give(this.heldBytes);
    const release = (): boolean => {
      if (this.control.isWorked) return false;
      this.worker.release();
      for (const { address, bytes } of [...this.ranges, ...this.deadRows.values()]) this.memory.free(address, bytes);
      return true;
    };
    if (this.control.awaitIdle(this.threads > 1 ? STOP_MS : 0)) release();
    else {
      deferred.add(release);
      giveBackDeferred();
    }
  }
}
