/**
 * A record for each group, in kernel memory: kernels add whole batches to them, and the exact slow ways
 * read and write single fields. New records are zeros.
 */

import { threadMemory } from '../../kernels/thread-memory.js';

export class GroupRecords {
  address = 0;
  /** All records; take them anew after `resize`. */
  bytes: Uint8Array = new Uint8Array(0);
  words: Uint32Array = new Uint32Array(0);
  doubles: Float64Array = new Float64Array(0);

  /** Whole doubles. */
  constructor(private readonly recordBytes: number) {}

  resize(groups: number): void {
    const memory = threadMemory();
    const { bytes: held, address } = this;
    const length = groups * this.recordBytes;
    this.address = memory.allocate(length);
    this.bytes = memory.bytesAt(this.address, length);
    this.bytes.set(held);
    this.bytes.fill(0, held.length);
    this.words = memory.wordsAt(this.address, length / 4);
    this.doubles = memory.doublesAt(this.address, length / 8);
    if (held.length > 0) memory.free(address, held.length);
  }

  release(): void {
    if (this.bytes.length > 0) threadMemory().free(this.address, this.bytes.length);
    this.bytes = new Uint8Array(0);
    this.words = new Uint32Array(0);
    this.doubles = new Float64Array(0);
  }
}
