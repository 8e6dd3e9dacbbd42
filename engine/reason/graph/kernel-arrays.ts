/**
 * Arrays that kernels work on, in the memory of the thread until they are released. They count towards the bound of the
 * question that they are for. What they hold at first is anything.
 */

import { threadMemory, useThreadMemory } from '../../kernels/thread-memory.js';
import type { MemoryBound } from './memory-bound.js';

/** An array, and where kernels find it. */
export interface KernelArray<Values> {
  readonly at: number;
  readonly values: Values;
}

export class KernelArrays {
  // First of all: nobody gives up the memory while it is in use.
  readonly #leave = useThreadMemory();
  readonly #memory = threadMemory();
  readonly #areas: { readonly at: number; readonly bytes: number }[] = [];
  readonly kernels = this.#memory.kernels;
  #held = 0;

  constructor(private readonly bound: MemoryBound) {}

  /** This and the next two throw `query_complexity` when there is no room left within the bound. */
  words(count: number): KernelArray<Uint32Array> {
    const at = this.#allocate(4 * count);
    return { at, values: this.#memory.wordsAt(at, count) };
  }

  doubles(count: number): KernelArray<Float64Array> {
    const at = this.#allocate(8 * count);
    return { at, values: this.#memory.doublesAt(at, count) };
  }

  copyOf(words: Uint32Array): KernelArray<Uint32Array> {
    const copy = this.words(words.length);
    copy.values.set(words);
    return copy;
  }

  release(): void {
    for (const { at, bytes } of this.#areas) this.#memory.free(at, bytes);
    this.#areas.length = 0;
    this.bound.release(this.#held);
    this.#held = 0;
    this.#leave();
  }

  #allocate(bytes: number): number {
    this.bound.hold(bytes);
    this.#held += bytes;
    const at = this.#memory.allocate(bytes);
    this.#areas.push({ at, bytes });
    return at;
  }
}
