/**
 * Bits that tell most keys which a hash table does not have without a look at its slots (a Bloom filter of one
 * function; Bloom 1970). A key that is missing costs a look-up more than one that is there: it goes on to the next
 * empty slot. So tables get bits once most of the keys that they are asked for have been missing.
 */

import { threadMemory } from '../../../kernels/thread-memory.js';
import type { MemoryCounter } from '../memory.js';

/** Bits for each key, at least; up to twice as many. */
const BITS_PER_KEY = 8;
const BITS_MIN = 1024;
/** Smaller tables are asked too little, or are found quickly. */
const ASKED_MIN = 8192;
/** The bits are made of all slots: that has to be worth it. */
const KEYS_PER_ASKED = 8;

export class KeyBits {
  /** Where the bits are; 0 = there are none. */
  address = 0;
  /** A hash of 32 bits, shifted by so many, is the number of its bit. */
  shift = 0;
  private asked = 0;
  private found = 0;
  private bytes = 0;

  constructor(private readonly memory: MemoryCounter) {}

  /** The most bytes for a table of so many keys. */
  static bytesFor(keys: number): number {
    return Math.max(BITS_MIN, 2 * BITS_PER_KEY * keys) / 8;
  }

  /** Counts what a table of `keys` keys was asked for; true when bits are due. */
  count(asked: number, found: number, keys: number): boolean {
    this.asked += asked;
    this.found += found;
    return (
      this.address === 0 && this.asked >= Math.max(ASKED_MIN, keys / KEYS_PER_ASKED) && 2 * this.found < this.asked
    );
  }

  /** Sets the bits of the keys of a table; they are of use as long as it gets no more keys. */
  make(table: number, keys: number): void {
    const log = Math.ceil(Math.log2(Math.max(BITS_MIN, BITS_PER_KEY * keys)));
    const bytes = 2 ** log / 8;
    this.memory.take(bytes);
    this.bytes = bytes;
    const { kernels } = threadMemory();
    this.address = threadMemory().allocate(bytes);
    this.shift = 32 - log;
    kernels.zero(this.address, bytes);
    kernels.filterIds(table, this.address, this.shift);
  }

  release(): void {
    if (this.address === 0) return;
    threadMemory().free(this.address, this.bytes);
    this.memory.give(this.bytes);
    this.address = 0;
    this.asked = 0;
    this.found = 0;
  }
}
