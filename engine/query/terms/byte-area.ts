/**
 * A growing area of kernel memory: what has been written stays where it is by offset, also when the area moves.
 * There is always a little room behind what was asked for, so that kernels may store whole words.
 */

import { threadMemory } from '../../kernels/thread-memory.js';

export class ByteArea {
  address = 0;
  capacity = 0;

  /** Room for so many bytes, the first `used` of which stay. Returns where the area is now. */
  reserve(bytes: number, used = 0): number {
    if (bytes <= this.capacity) return this.address;
    const memory = threadMemory();
    const capacity = Math.max(bytes, 2 * this.capacity);
    const address = memory.allocate(capacity);
    memory.bytes.copyWithin(address, this.address, this.address + used);
    this.release();
    this.address = address;
    this.capacity = capacity;
    return address;
  }

  release(): void {
    if (this.capacity > 0) threadMemory().free(this.address, this.capacity);
    this.forget();
  }

  /** The memory is gone, and the area with it. */
  forget(): void {
    this.address = 0;
    this.capacity = 0;
  }
}
