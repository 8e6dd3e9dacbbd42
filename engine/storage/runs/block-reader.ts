/**
 * Brings run blocks into kernel memory, checked, and keeps the recent ones there up to a bound. Blocks
 * never change under their number, so a copy stays good as long as its run lives.
 *
 * An address is valid until the next `load`; whoever needs two blocks at once pins nothing but asks
 * for a reader with room for both (the bound is at least that).
 */

import { SvcError } from '../../base/errors.js';
import type { ThreadMemory } from '../../kernels/memory.js';
import type { LmdbFile, ReadTransaction } from '../lmdb/file.js';

interface Held {
  readonly address: number;
  readonly bytes: number;
}

export class BlockReader {
  readonly #file: LmdbFile;
  readonly #memory: ThreadMemory;
  readonly #bytesMax: number;
  readonly #held = new Map<number, Held>();
  #bytes = 0;
  /** Blocks fetched from the file so far. */
  fetched = 0;

  constructor(file: LmdbFile, memory: ThreadMemory, bytesMax: number) {
    this.#file = file;
    this.#memory = memory;
    this.#bytesMax = bytesMax;
  }

  load(number: number, transaction: ReadTransaction | undefined): number {
    const held = this.#held.get(number);
    if (held !== undefined) return held.address;
    const value = this.#file.read('rows', number, transaction);
    if (value === undefined) throw new SvcError('store_corrupt', `row block ${number} is missing`);
    const bytes = value.length;
    const address = this.#memory.allocate(bytes);
    this.#memory.bytesAt(address, bytes).set(value.subarray(0, bytes));
    const fault = this.#memory.kernels.checkBlock(address, bytes);
    if (fault !== 0) {
      this.#memory.free(address, bytes);
      throw new SvcError('store_corrupt', `row block ${number} ${fault === 1 ? 'fails its checksum' : 'is malformed'}`);
    }
    this.fetched++;
    this.#held.set(number, { address, bytes });
    this.#bytes += bytes;
    this.#evict(number);
    return address;
  }

  /** First in, first out, but never the block just loaded. */
  #evict(keep: number): void {
    for (const [number, held] of this.#held) {
      if (this.#bytes <= this.#bytesMax) return;
      if (number === keep) continue;
      this.#held.delete(number);
      this.#bytes -= held.bytes;
      this.#memory.free(held.address, held.bytes);
    }
  }

  /** Forgets all blocks. */
  clear(): void {
    for (const held of this.#held.values()) this.#memory.free(held.address, held.bytes);
    this.#held.clear();
    this.#bytes = 0;
  }
}
