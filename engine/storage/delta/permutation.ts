/**
 * Row numbers of a row set, sorted by the key of an order, in kernel memory. It never changes: a row
 * set that grows makes a new one. Cursors pin the one that they read; it is freed when it is
 * replaced and nobody reads it any more.
 */

import type { ThreadMemory } from '../../kernels/memory.js';

export class Permutation {
  readonly address: number;
  readonly count: number;
  readonly #memory: ThreadMemory;
  #pins = 1;

  constructor(memory: ThreadMemory, count: number) {
    this.#memory = memory;
    this.count = count;
    this.address = memory.allocate(4 * Math.max(1, count));
  }

  pin(): this {
    this.#pins++;
    return this;
  }

  unpin(): void {
    if (--this.#pins === 0) this.#memory.free(this.address, 4 * Math.max(1, this.count));
  }
}
