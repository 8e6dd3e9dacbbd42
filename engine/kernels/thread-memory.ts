/**
 * The kernel memory that the operators of all queries of a thread share, made when the first of them wants
 * it. Columns that lie elsewhere are copied into a scratch range of it for the time of one call of a kernel
 * (`KernelInput`): a few microseconds for a full batch. What lies in this memory already stays where it is.
 */

import { ThreadMemory } from './memory.js';

let made: ThreadMemory | undefined;

export function threadMemory(): ThreadMemory {
  made ??= new ThreadMemory();
  return made;
}

/** One argument of a kernel: a scratch range, which is taken when something first has to be copied into it. */
export class KernelInput {
  #words: Uint32Array | null = null;

  constructor(private readonly wordsMax: number) {}

  /** Where the first `count` words of an array are for the next call of a kernel. */
  addressOf(array: Uint32Array | Int32Array, count: number): number {
    const memory = threadMemory();
    if (array.buffer === memory.memory.buffer) return array.byteOffset;
    this.#words ??= memory.wordsAt(memory.allocate(4 * this.wordsMax), this.wordsMax);
    this.#words.set(array.length === count ? array : array.subarray(0, count));
    return this.#words.byteOffset;
  }
}
