/**
 * Which runs show what of a time slice, kept for the newest manifest: questions come in crowds. Slices that are read
 * again and again are materialised (`materialised-slice.ts`), step by step, by maintenance; nothing is made while
 * somebody reads.
 */

import type { ThreadMemory } from '../../../kernels/memory.js';
import type { ReadTransaction } from '../../lmdb/file.js';
import type { BlockReader } from '../../runs/block-reader.js';
import type { PartitionRecord } from '../../runs/manifest.js';
import type { Order, TimeSlice } from '../../seam/scan.js';
import type { VisibleRun } from '../../sources/visible-run.js';
import { type Gathers, type SliceRoom, SliceRuns, type SliceSubject } from './materialised-slice.js';

/** Answers that are kept. */
const SLICES_MAX = 256;

/** A question: which runs show what of a slice in one order of a partition. */
export interface SliceQuestion {
  /** Of the manifest that lists the partition. */
  readonly version: number;
  readonly partition: PartitionRecord;
  readonly order: Order;
  readonly time: TimeSlice;
  readonly gathers: Gathers;
  /** Columns of time are wanted. */
  readonly timed: boolean;
}

export class SliceCache {
  readonly #room: SliceRoom;
  readonly #slices = new Map<string, SliceRuns>();
  /** Names of the subjects of which an order was materialised. */
  readonly #materialised = new Set<string>();
  /** No longer asked for; to be freed when nobody reads them. */
  readonly #dropped = new Set<SliceRuns>();
  #version = -1;
  readonly #current = new WeakMap<PartitionRecord, Partial<Record<Order, readonly VisibleRun[]>>>();

  /** `readTimes`: of the runs of a slice before it is materialised; 0 = at once. `materialisations`: so far. */
  constructor(
    memory: ThreadMemory,
    blocks: BlockReader,
    readTimes: number,
    public materialisations = 0,
  ) {
    this.#room = { memory, blocks, due: new Set(), readTimes };
  }

  /** What `find` finds for a question, or the run that its rows were gathered into. */
  runs(
    question: SliceQuestion,
    transaction: ReadTransaction,
    find: () => readonly VisibleRun[],
  ): readonly VisibleRun[] {
    const { version, partition, order, time, gathers, timed } = question;
    if (this.#version !== version || this.#slices.size >= SLICES_MAX) this.#begin(version);
    if (time.kind === 'current') return this.#currentRuns(partition, order, find);
    const name = `${partition.graph} ${nameOf(time)}`;
    const key = `${order} ${name}`;
    let slice = this.#slices.get(key);
    if (slice === undefined) {
      slice = new SliceRuns(this.#room, { name, partition, time }, order, find(), gathers);
      if (this.#materialised.has(name)) slice.makeDue();
      if (slice.gathersAtOnce) slice.gather(Number.POSITIVE_INFINITY, transaction);
      this.#slices.set(key, slice);
    }
    return slice.runs(timed);
  }

  /** The runs of current rows, which nearly every question is about. A partition's record is that of one manifest. */
  #currentRuns(partition: PartitionRecord, order: Order, find: () => readonly VisibleRun[]): readonly VisibleRun[] {
    let orders = this.#current.get(partition);
    if (orders === undefined) {
      orders = {};
      this.#current.set(partition, orders);
    }
    orders[order] ??= find();
    return orders[order];
  }

  #begin(version: number): void {
    for (const slice of this.#slices.values()) {
      slice.drop();
      this.#dropped.add(slice);
    }
    this.#slices.clear();
    this.#materialised.clear();
    this.#version = version;
  }

  /** True when there is nothing for `step` to do. */
  get isIdle(): boolean {
    return this.#dropped.size === 0 && this.#room.due.size === 0;
  }

  /**
   * A step of maintenance: frees slices that are not asked for any more, and goes on gathering one that is worth it, if
   * there is one of the manifest, by so many batches at most. Returns what is complete now.
   */
  step(version: number, transaction: ReadTransaction, batches: number): SliceSubject | null {
    for (const slice of this.#dropped) if (slice.release()) this.#dropped.delete(slice);
    if (this.#version !== version) return null;
    for (const slice of this.#room.due) {
      slice.gather(batches, transaction);
      if (!slice.isGathered) return null;
      const { subject } = slice;
      this.materialisations++;
      this.#materialised.add(subject.name);
      for (const other of this.#slices.values()) if (other.subject.name === subject.name) other.makeDue();
      return subject;
    }
    return null;
  }
}

function nameOf(time: TimeSlice): string {
  const tx = 'tx' in time ? time.tx : '';
  const validAt = 'validAt' in time ? time.validAt : '';
  const changed =
    time.kind === 'all' ? [time.openedBy, time.closedBy, time.openedSince, time.closedSince].map(String).join(' ') : '';
  return `${time.kind} ${tx} ${validAt} ${changed}`;
}
