/**
 * The kernel memory that the operators of all queries of a thread share, made when the first of them wants
 * it. Columns that lie elsewhere are copied into a scratch range of it for the time of one call of a kernel
 * (`KernelInput`): a few microseconds for a full batch. What lies in this memory already stays where it is.
 */

import { ThreadMemory } from './memory.js';

let made: ThreadMemory | undefined;
/** What views of the memory have as their buffer: the memory gives another one each time that it has grown. */
const buffers = new Set<ArrayBufferLike>();
let newestBuffer: ArrayBufferLike | undefined;

export function threadMemory(): ThreadMemory {
  made ??= new ThreadMemory();
  return made;
}

/** A view of words of the memory, which is known to be one from then on. */
export function threadWords(address: number, count: number): Uint32Array {
  const words = threadMemory().wordsAt(address, count);
  if (words.buffer !== newestBuffer) {
    newestBuffer = words.buffer;
    buffers.add(newestBuffer);
  }
  return words;
}

export function isThreadView(array: Uint32Array | Int32Array): boolean {
  const { buffer } = array;
  return buffer === newestBuffer || buffers.has(buffer);
}

/** So few words are copied one by one, and the buffer of their array, which V8 has to make first, is not asked for. */
const SHORT_WORDS = 16;

/** One argument of a kernel: a scratch range, which is taken when something first has to be copied into it. */
export class KernelInput {
  #words: Uint32Array | null = null;

  constructor(readonly wordsMax: number) {}

  /** Where the first `count` words of an array are for the next call of a kernel. */
  addressOf(array: Uint32Array | Int32Array, count: number): number {
    if (count > SHORT_WORDS && isThreadView(array)) return array.byteOffset;
    this.#words ??= threadWords(threadMemory().allocate(4 * this.wordsMax), this.wordsMax);
    const words = this.#words;
    if (count > SHORT_WORDS) words.set(array.length === count ? array : array.subarray(0, count));
    else for (let word = 0; word < count; word++) words[word] = array[word] as number;
    return words.byteOffset;
  }
}
