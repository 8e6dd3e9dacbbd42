/**
 * What is remembered of blocks of the hash index that had to leave the memory: a Bloom filter of their tags, an eighth of
 * the block. A write asks every run of the index for each new term, and none of them knows it: a filter says so for eleven
 * of twelve blocks, without the block being read, copied and checked again. Blocks never change, and their keys are never
 * used again.
 */

import type { ThreadMemory } from '../../kernels/memory.js';

/** Bits of a filter. A block has up to some 1,480 entries of two bits each: 8 % of the tags that it has not seem to be there. */
const BITS = 8192;
/** 16 MiB of filters: those of an index of 23 million terms. */
const SUMMARIES_MAX = 16_384;
/** The factor of Fibonacci hashing; the upper bits of the product are those that mix. */
const MIXING = 0x9e3779b1;
const MIXED_SHIFT = 32 - Math.log2(BITS);
const PAIR_BYTES = 8;
const ENTRIES_AT = 1;
/** A tag is the 20 bits behind the number of the block in the product of a hash and the number of blocks. */
const TAG_LOWEST = 2 ** 12;
const TAGS = 2 ** 20;

export class HashSummaries {
  /** By key of the block, oldest first. */
  readonly #filters = new Map<number, Uint32Array>();

  /** Remembers a block of the index, which is in kernel memory. */
  keep(key: number, memory: ThreadMemory, address: number): void {
    if (this.#filters.has(key)) return;
    const room = PAIR_BYTES * (memory.words[(address >>> 2) + ENTRIES_AT] as number) + PAIR_BYTES;
    const pairs = memory.allocate(room);
    const entries = memory.kernels.listHashBlock(address, pairs);
    const filter = new Uint32Array(BITS / 32);
    const { words } = memory;
    for (let i = 0; i < entries; i++) {
      const tag = words[(pairs >>> 2) + 2 * i] as number;
      set(filter, tag % BITS);
      set(filter, Math.imul(tag, MIXING) >>> MIXED_SHIFT);
    }
    memory.free(pairs, room);
    this.#filters.set(key, filter);
    if (this.#filters.size > SUMMARIES_MAX) this.#filters.delete(this.#filters.keys().next().value as number);
  }

  /** True when a block surely has no entry for a hash, in an index of so many blocks. */
  lacks(key: number, hash: bigint, blocks: number): boolean {
    const filter = this.#filters.get(key);
    if (filter === undefined) return false;
    const tag = Math.floor((Number(hash >> 32n) * blocks) / TAG_LOWEST) % TAGS;
    return !(has(filter, tag % BITS) && has(filter, Math.imul(tag, MIXING) >>> MIXED_SHIFT));
  }
}

function set(filter: Uint32Array, bit: number): void {
  const word = bit >>> 5;
  filter[word] = (filter[word] as number) | (1 << (bit & 31));
}

function has(filter: Uint32Array, bit: number): boolean {
  return (((filter[bit >>> 5] as number) >>> (bit & 31)) & 1) === 1;
}
