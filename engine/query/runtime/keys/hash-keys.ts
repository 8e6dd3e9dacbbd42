/**
 * Keys found by hash: open addressing with linear probing, in kernel memory. A table of one column keeps the
 * id beside the number in its slots, so that a look-up touches one place; of several columns, the hash.
 *
 * A large table is cut into segments by the top bits of the hash. Each grows by itself, and not all at the
 * same fill, so that no single key moves more than a small part of the table. Who has all keys beforehand has the table cut
 * from the start (`cut`), and gives the keys segment by segment: then each segment is in the cache while it is worked on.
 */

import { invariant } from '../../../base/errors.js';
import { threadMemory, threadWords } from '../../../kernels/thread-memory.js';
import type { MemoryCounter } from '../memory.js';
import { KeyBits } from './key-bits.js';
import { KeyTable } from './key-table.js';

const FIRST_SLOTS = 32;
/** As long as there is one segment, so that a table of a batch of keys has grown but a few times. */
const GROWTH = 4;
/** Beyond this the table is cut: to move so many slots takes a millisecond. */
const SPLIT_SLOTS = 1 << 17;
const SEGMENTS = 64;
/** Of a table that was cut from the start: segments are small then, and may all grow at the same fill. */
const HELD_OF_CUT = 5 / 8;
/** A segment: address of the slots, slots - 1, keys held, and how many make it grow. */
const SEGMENT_WORDS = 4;
/** Id, number + 1. */
const BYTES_OF_ONE = 12;
/** Hash, number + 1. */
const BYTES_OF_MANY = 8;
/** The kernel's word for "the columns have to grow". */
const NO_SEGMENT = 0xffffffff;

export class HashKeys extends KeyTable {
  private segments: Uint32Array | null = null;
  private slotCount = 0;
  /** Segments of a table that is cut from the start; 0 = it is cut when it has become large. */
  private cutInto = 0;
  /** Keys come segment by segment. */
  inParts = false;
  private readonly slotBytes: number;
  private readonly bits: KeyBits | null;

  /** With `complete`, all keys are there before the first is asked for, and `KeyBits.bytesFor` them is at hand. */
  constructor(width: number, memory: MemoryCounter, keepsKeys = true, complete = false) {
    super(width, memory, keepsKeys);
    this.bits = complete ? new KeyBits(memory) : null;
    this.slotBytes = width === 1 ? BYTES_OF_ONE : BYTES_OF_MANY;
  }

  protected tryAssign(head: Uint32Array, columnsAt: number, row: number, to: number, numbersAt: number): number {
    return threadMemory().kernels.assignIds(head.byteOffset, columnsAt, row, to, numbersAt);
  }

  /** Of an empty table: cuts it into `2 ** bits` segments. */
  cut(bits: number): void {
    invariant(this.head === null && bits > 0, 'a table is cut before it has keys');
    this.cutInto = 2 ** bits;
  }

  findRows(columnsAt: number, from: number, to: number, numbersAt: number): void {
    const { bits } = this;
    const table = (this.head as Uint32Array).byteOffset;
    const [filter, shift] = bits === null ? [0, 0] : [bits.address, bits.shift];
    const found = threadMemory().kernels.findIds(
      table,
      columnsAt,
      from,
      to,
      numbersAt,
      filter,
      shift,
      this.inParts ? 1 : 0,
    );
    if (bits?.count(to - from, found, this.count)) bits.make(table, this.count);
  }

  override bytesToHold(keys: number): number {
    return super.bytesToHold(keys) + (this.slotsFor(keys) - this.slotCount) * this.slotBytes;
  }

  override release(): void {
    this.bits?.release();
    const { segments } = this;
    if (segments !== null) {
      for (let at = 0; at < segments.length; at += SEGMENT_WORDS) this.freeSlots(segments, at);
      threadMemory().free(segments.byteOffset, 4 * segments.length);
    }
    this.segments = null;
    this.memory.give(this.slotCount * this.slotBytes);
    this.slotCount = 0;
    this.cutInto = 0;
    super.release();
  }

  protected override open(): Uint32Array {
    const head = super.open();
    const count = Math.max(1, this.cutInto);
    this.setSegments(count);
    for (let at = 0; at < count; at++) this.growSegment(at, FIRST_SLOTS);
    return head;
  }

  protected override grow(full: number): void {
    if (full === NO_SEGMENT) this.growKeys();
    else if (this.cutInto > 0) this.growSegment(full, Math.max(2 * this.slotsOf(full), this.slotsOf(0)));
    else if (this.slotCount < SPLIT_SLOTS) this.growSegment(full, GROWTH * this.slotCount);
    else if (this.slotCount === SPLIT_SLOTS) this.split();
    else this.growSegment(full, 2 * this.slotsOf(full));
  }

  private slotsOf(segment: number): number {
    return ((this.segments as Uint32Array)[SEGMENT_WORDS * segment + 1] as number) + 1;
  }

  private setSegments(count: number): Uint32Array {
    const head = this.head as Uint32Array;
    const words = SEGMENT_WORDS * count;
    const segments = threadWords(threadMemory().allocate(4 * words), words);
    segments.fill(0);
    head[3] = count - 1;
    head[4] = segments.byteOffset;
    this.segments = segments;
    return segments;
  }

  /** Gives a segment empty slots. */
  private setSlots(segments: Uint32Array, at: number, slots: number): void {
    const memory = threadMemory();
    const bytes = slots * this.slotBytes;
    const address = memory.allocate(bytes);
    memory.kernels.zero(address, bytes);
    segments[at] = address;
    segments[at + 1] = slots - 1;
    if (this.cutInto > 0) segments[at + 3] = slots * HELD_OF_CUT;
    else segments[at + 3] = segments.length === SEGMENT_WORDS ? slots / 2 : heldMaxOf(slots, at / SEGMENT_WORDS);
  }

  private freeSlots(segments: Uint32Array, at: number): void {
    if (segments[at] === 0) return;
    threadMemory().free(segments[at] as number, ((segments[at + 1] as number) + 1) * this.slotBytes);
  }

  private growSegment(segment: number, slots: number): void {
    const segments = this.segments as Uint32Array;
    const at = SEGMENT_WORDS * segment;
    const address = segments[at] as number;
    const before = address === 0 ? 0 : this.slotsOf(segment);
    this.memory.take((slots - before) * this.slotBytes);
    this.slotCount += slots - before;
    this.setSlots(segments, at, slots);
    if (before === 0) return;
    threadMemory().kernels.moveIds((this.head as Uint32Array).byteOffset, address, before, 0);
    threadMemory().free(address, before * this.slotBytes);
  }

  /** Cuts the one segment into many, with twice as many slots in all. */
  private split(): void {
    const one = this.segments as Uint32Array;
    const before = this.slotCount;
    this.memory.take(before * this.slotBytes);
    this.slotCount = 2 * before;
    const segments = this.setSegments(SEGMENTS);
    for (let at = 0; at < segments.length; at += SEGMENT_WORDS) {
      this.setSlots(segments, at, this.slotCount / SEGMENTS);
    }
    threadMemory().kernels.moveIds((this.head as Uint32Array).byteOffset, one[0] as number, before, 1);
    this.freeSlots(one, 0);
    threadMemory().free(one.byteOffset, 4 * one.length);
  }

  /** Slots that surely hold so many keys: beyond the split, those of segments that have grown already. */
  private slotsFor(keys: number): number {
    let slots = FIRST_SLOTS;
    while (2 * keys > slots && slots < SPLIT_SLOTS) slots *= GROWTH;
    if (2 * keys > slots) {
      slots *= 2;
      while (8 * keys > 3 * slots) slots *= 2;
    }
    return Math.max(slots, this.slotCount);
  }
}

/** At three quarters full at the latest, the first segments at half of that, so that they grow one after the other. */
function heldMaxOf(slots: number, segment: number): number {
  return Math.floor((3 * slots * (SEGMENTS + segment)) / (8 * SEGMENTS));
}
