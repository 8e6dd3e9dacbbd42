/** The rows that count for a question: a bit for each of them, and, where they are asked for, for the places where their codes stand. */

import type { ThreadMemory } from '../../../kernels/memory.js';
import type { CodeSegment } from './plane-part.js';
import { bytesOfBits } from './rows-by-entity.js';

export class PassingRows {
  readonly bits: number;
  count = 0;
  readonly #bitBytes: number;
  /** By the first row of a segment. */
  readonly #places = new Map<number, { readonly address: number; readonly bytes: number }>();

  constructor(
    private readonly memory: ThreadMemory,
    rows: number,
  ) {
    this.#bitBytes = bytesOfBits(rows);
    this.bits = memory.allocate(this.#bitBytes);
  }

  /** With those of places. */
  get bytes(): number {
    return 2 * this.#bitBytes;
  }

  /** Bits of the places of a segment that count; 0 = places of its rows are not kept. */
  placeBits(segment: CodeSegment): number {
    const known = this.#places.get(segment.from);
    if (known !== undefined) return known.address;
    const places = segment.places();
    if (places === 0) return 0;
    const { memory } = this;
    const bytes = bytesOfBits(segment.rows);
    const address = memory.allocate(bytes);
    memory.bytes.fill(0, address, address + bytes);
    memory.kernels.markPlaces(this.bits, segment.from, segment.from + segment.rows, places, address);
    this.#places.set(segment.from, { address, bytes });
    return address;
  }

  free(): void {
    for (const { address, bytes } of this.#places.values()) this.memory.free(address, bytes);
    this.#places.clear();
    this.memory.free(this.bits, this.#bitBytes);
  }
}
