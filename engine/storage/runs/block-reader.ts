/**
 * Brings run blocks into kernel memory, checked, and keeps the recent ones there up to a bound. Blocks
 * never change under their number, so a copy stays good as long as its run lives.
 *
 * An address is valid until the next `load`, or as long as the block is pinned: pinned blocks stay even beyond the bound.
 */

import { SvcError } from '../../base/errors.js';
import type { ThreadMemory } from '../../kernels/memory.js';
import type { LmdbFile, ReadTransaction } from '../lmdb/file.js';
import { BATCH_ROWS } from '../seam/scan.js';

/** Blocks that are in no file are numbered from here on. */
const KEPT_FIRST = 2 ** 48;
/** The part of the bound that they may take. */
const KEPT_SHARE = 0.5;

interface Held {
  readonly address: number;
  readonly bytes: number;
}

export class BlockReader {
  readonly #file: LmdbFile;
  readonly #memory: ThreadMemory;
  readonly #bytesMax: number;
  readonly #held = new Map<number, Held>();
  /** How often blocks of the file are pinned. */
  readonly #pins = new Map<number, number>();
  #bytes = 0;
  /** Blocks that were made here, by number. */
  readonly #kept = new Map<number, Held>();
  #keptBytes = 0;
  #nextKept = KEPT_FIRST;
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
    const kept = this.#kept.get(number);
    if (kept !== undefined) return kept.address;
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

  /** The same, and the block stays until it is unpinned as often; one that is kept, as long as that. */
  pin(number: number, transaction: ReadTransaction | undefined): number {
    const address = this.load(number, transaction);
    this.#pins.set(number, (this.#pins.get(number) ?? 0) + 1);
    return address;
  }

  unpin(number: number): void {
    const pins = (this.#pins.get(number) ?? 0) - 1;
    if (pins > 0) this.#pins.set(number, pins);
    else this.#pins.delete(number);
  }

  /** True when blocks of so many bytes may be kept beside those that are. */
  hasRoom(bytes: number): boolean {
    return this.#keptBytes + bytes <= this.#bytesMax * KEPT_SHARE;
  }

  /** Numbers that no block of the file has, for up to so many rows; returns the first. */
  reserve(rows: number): number {
    const first = this.#nextKept;
    this.#nextKept += Math.ceil(rows / BATCH_ROWS);
    return first;
  }

  /** Keeps a block that is in no file under a reserved number, until `forget`. */
  keep(number: number, block: Uint8Array): void {
    const bytes = block.length;
    const address = this.#memory.allocate(bytes);
    this.#memory.bytesAt(address, bytes).set(block);
    this.#kept.set(number, { address, bytes });
    this.#keptBytes += bytes;
    this.#bytes += bytes;
    this.#evict(number);
  }

  forget(first: number, blocks: number): void {
    for (let number = first; number < first + blocks; number++) {
      const { address, bytes } = this.#kept.get(number) as Held;
      this.#kept.delete(number);
      this.#keptBytes -= bytes;
      this.#bytes -= bytes;
      this.#memory.free(address, bytes);
    }
  }

  /** First in, first out, but never the block just loaded, nor one that is pinned. */
  #evict(keep: number): void {
    for (const [number, held] of this.#held) {
      if (this.#bytes <= this.#bytesMax) return;
      if (number === keep || this.#pins.has(number)) continue;
      this.#held.delete(number);
      this.#bytes -= held.bytes;
      this.#memory.free(held.address, held.bytes);
    }
  }

  /** Forgets all blocks of the file. */
  clear(): void {
    for (const held of this.#held.values()) this.#memory.free(held.address, held.bytes);
    this.#held.clear();
    this.#bytes = this.#keptBytes;
  }
}
