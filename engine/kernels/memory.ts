/**
 * Memory of a thread: a bump pointer over one WebAssembly memory, with free lists by size class for small
 * ranges and free ranges that are split and joined for large ones. Addresses are multiples of 64 and are
 * followed by 64 readable bytes, so that kernels may load whole words at the end of a range. Small
 * classes are powers of two and three halves of them; from 1 MiB on sizes are rounded up to 64 KiB.
 *
 * An arena is an allocator that borrows from another one: large ranges as they are asked for, small ones by the slab.
 * It gives back all at once what it borrowed.
 *
 * The last word of a range, behind those bytes, tells whether it is handed out, and how large it is. So a range that is
 * given back twice or with another size, and a kernel that wrote far past its end, are found when it is given back.
 */

import { invariant, SvcError } from '../base/errors.js';
import type { KernelExports } from './exports.js';
import { FreeRanges } from './free-ranges.js';
import { createMemory, ensureMemory, instantiate, MEMORY_FLOOR } from './instance.js';

export const PADDING_BYTES = 64;
const ALIGNMENT = 64;
const LARGE_BYTES = 1 << 20;
/** What an arena borrows for small ranges; with its padding it is the least of large ones. */
const SLAB_BYTES = LARGE_BYTES - PADDING_BYTES;
/** What the last word of a range says, mixed with the size of the range. */
const HANDED_OUT = 0x5a17c0de;
const GIVEN_BACK = 0x0f4ee000;

/** Rounds a request up to its class, so that freed ranges fit later requests. */
function classOf(bytes: number): number {
  const need = bytes + PADDING_BYTES;
  if (need >= LARGE_BYTES) return Math.ceil(need / 65536) * 65536;
  // The least power of two that holds it, or three quarters of that where they do.
  const power = Math.max(128, 1 << (32 - Math.clz32(need - 1)));
  const between = (power >>> 2) * 3;
  return power >= 512 && between >= need ? between : power;
}

/** Where the last word of a range is among the words of the memory. */
function markOf(address: number, size: number): number {
  return (address + size) / 4 - 1;
}

/** The place of a small class among the lists of free ranges. */
function placeOf(size: number): number {
  return 2 * (31 - Math.clz32(size)) + ((size & (size - 1)) === 0 ? 0 : 1);
}

export class ThreadMemory {
  readonly memory: WebAssembly.Memory;
  readonly kernels: KernelExports;
  #top = MEMORY_FLOOR;
  /** Free ranges of small classes, by the logarithm of their size and whether they are three halves of it. */
  readonly #free: number[][] = Array.from({ length: 2 * 32 }, () => []);
  readonly #large = new FreeRanges();
  #live = 0;
  #peak = 0;
  #end: number;
  /** Of an arena: whom it borrows from, and the sizes of what it borrowed, by their addresses. */
  readonly #lender: ThreadMemory | null;
  readonly #borrowed = new Map<number, number>();
  #released = false;
  #arenas = 0;
  #lent = 0;
  // Kept, since asking the memory for its buffer is a call out of JavaScript.
  #buffer: ArrayBufferLike;
  #bytes: Uint8Array;
  #words: Uint32Array;
  /** What views have had as their buffer: the memory gives another one each time that it has grown. */
  readonly #buffers = new Set<ArrayBufferLike>();

  /**
   * Over a memory of its own, or over `[from, to)` of a memory that another thread manages, or over what it borrows
   * from a lender of its thread: two allocators never share a range.
   */
  constructor(
    memory: WebAssembly.Memory = createMemory(),
    range?: { readonly from: number; readonly to: number },
    module?: WebAssembly.Module,
    lender: ThreadMemory | null = null,
    kernels?: KernelExports,
  ) {
    this.memory = memory;
    this.#lender = lender;
    this.kernels = lender?.kernels ?? kernels ?? instantiate(memory, module);
    this.#end = range ? range.to : 2 ** 32 - 65536;
    if (range) this.#top = Math.ceil(range.from / ALIGNMENT) * ALIGNMENT;
    this.#buffer = memory.buffer;
    this.#bytes = new Uint8Array(this.#buffer);
    this.#words = new Uint32Array(this.#buffer);
  }

  /** An allocator that borrows from this one, until it is released. */
  arena(): ThreadMemory {
    this.#arenas++;
    return new ThreadMemory(this.memory, { from: 0, to: 0 }, undefined, this);
  }

  /** An allocator of the same thread over a range of the memory that another thread has handed out. */
  within(range: { readonly from: number; readonly to: number }): ThreadMemory {
    return new ThreadMemory(this.memory, range, undefined, null, this.kernels);
  }

  /** Arenas that are not released. */
  get arenas(): number {
    return this.#arenas;
  }

  /** Bytes that are handed out now, but to arenas. */
  get liveBytes(): number {
    return this.#live;
  }

  /** The most that were handed out since the memory was made, or since `resetPeak`. */
  get peakBytes(): number {
    return this.#peak;
  }

  resetPeak(): void {
    this.#peak = this.#live;
  }

  /** Bytes that arenas have borrowed. */
  get lentBytes(): number {
    return this.#lent;
  }

  /** Bytes that the memory has grown to; never shrinks. */
  get grownBytes(): number {
    return this.memory.buffer.byteLength;
  }

  allocate(bytes: number): number {
    const size = classOf(bytes);
    const address = this.#handOut(size, bytes);
    this.#live += size;
    if (this.#live > this.#peak) this.#peak = this.#live;
    return address;
  }

  #handOut(size: number, bytes: number): number {
    if (this.#lender !== null && size >= LARGE_BYTES) return this.#borrow(this.#lender, size, bytes);
    const address = this.#take(size, bytes);
    this.#words[markOf(address, size)] = (HANDED_OUT ^ size) >>> 0;
    return address;
  }

  #take(size: number, bytes: number): number {
    if (size >= LARGE_BYTES) {
      const range = this.#large.take(size);
      if (range >= 0) return range;
    } else {
      const reused = (this.#free[placeOf(size)] as number[]).pop();
      if (reused !== undefined) return reused;
    }
    if (this.#lender !== null && this.#top + size > this.#end) {
      this.#top = this.#borrow(this.#lender, LARGE_BYTES, SLAB_BYTES);
      this.#end = this.#top + SLAB_BYTES;
    }
    const address = this.#top;
    if (address + size > this.#end || !this.#reach(address + size)) {
      throw new SvcError('query_complexity', `out of kernel memory: ${bytes} bytes more than the 4 GiB of a thread`, {
        hint: 'lower the memory budget of the query or load, so that it spills earlier',
      });
    }
    this.#top = address + Math.ceil(size / ALIGNMENT) * ALIGNMENT;
    return address;
  }

  #borrow(lender: ThreadMemory, size: number, bytes: number): number {
    invariant(!this.#released, 'an arena that was released is not used any more');
    const address = lender.#handOut(size, bytes);
    lender.#lent += size;
    this.#borrowed.set(address, size);
    if (address + size > this.#bytes.length) this.#view();
    return address;
  }

  #giveBack(lender: ThreadMemory, address: number, size: number): void {
    lender.#takeBack(address, size);
    lender.#lent -= size;
    this.#borrowed.delete(address);
  }

  /** Of an arena: gives back all that it has borrowed. Nobody uses anything of it any more, but it may yet be freed. */
  release(): void {
    const lender = this.#lender;
    if (lender === null || this.#released) return;
    this.#released = true;
    lender.#arenas--;
    for (const [address, size] of this.#borrowed) this.#giveBack(lender, address, size);
  }

  free(address: number, bytes: number): void {
    if (this.#released) return;
    const size = classOf(bytes);
    this.#takeBack(address, size);
    this.#live -= size;
  }

  #takeBack(address: number, size: number): void {
    if (this.#lender !== null && size >= LARGE_BYTES) {
      this.#giveBack(this.#lender, address, size);
      return;
    }
    const mark = markOf(address, size);
    invariant(
      this.#words[mark] === (HANDED_OUT ^ size) >>> 0,
      'a range of memory is given back once, whole, as it was handed out',
    );
    this.#words[mark] = GIVEN_BACK;
    if (size >= LARGE_BYTES) this.#large.give(address, size);
    else (this.#free[placeOf(size)] as number[]).push(address);
  }

  /** Makes growth by another thread visible to views made from here on. */
  refresh(): void {
    this.memory.grow(0);
    this.#view();
  }

  /** True for a view of this memory, those of arenas among them. */
  holds({ buffer }: Uint32Array | Int32Array): boolean {
    return buffer === this.#buffer || this.#buffers.has(buffer);
  }

  /** All of the memory as bytes; take it anew after an allocation. */
  get bytes(): Uint8Array {
    return this.#bytes;
  }

  /** All of the memory as words; index = address / 4. */
  get words(): Uint32Array {
    return this.#words;
  }

  /** A view of `[address, address + bytes)`. */
  bytesAt(address: number, bytes: number): Uint8Array {
    return new Uint8Array(this.#upTo(address + bytes), address, bytes);
  }

  wordsAt(address: number, count: number): Uint32Array {
    return new Uint32Array(this.#upTo(address + 4 * count), address, count);
  }

  doublesAt(address: number, count: number): Float64Array {
    return new Float64Array(this.#upTo(address + 8 * count), address, count);
  }

  bigsAt(address: number, count: number): BigUint64Array {
    return new BigUint64Array(this.#upTo(address + 8 * count), address, count);
  }

  /** False when the memory can't grow that far. */
  #reach(end: number): boolean {
    if (end <= this.#bytes.length) return true;
    if (!ensureMemory(this.memory, end)) return false;
    this.#view();
    return true;
  }

  /** The buffer, which another allocator over the same memory may have made longer. */
  #upTo(end: number): ArrayBufferLike {
    if (end > this.#bytes.length) this.#view();
    return this.#buffer;
  }

  #view(): void {
    this.#buffers.add(this.#buffer);
    this.#buffer = this.memory.buffer;
    this.#bytes = new Uint8Array(this.#buffer);
    this.#words = new Uint32Array(this.#buffer);
  }
}
