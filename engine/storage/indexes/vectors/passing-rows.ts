/**
 * The rows that count for a question: a bit for each of them, and, where they are asked for, for the places where their codes
 * stand, and how many each list has.
 */

import type { ThreadMemory } from '../../../kernels/memory.js';
import type { CodeSegment } from './plane-part.js';
import { bytesOfBits } from './rows-by-entity.js';

export class PassingRows {
  readonly bits: number;
  count = 0;
  readonly #bitBytes: number;
  /** By the first row of a segment. */
  readonly #places = new Map<number, { readonly address: number; readonly bytes: number }>();

  readonly #counts = new Map<number, Uint32Array>();

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

  /** How many rows of each list of a segment count; null = places of its rows are not kept. */
  listCounts(segment: CodeSegment): Uint32Array | null {
    const known = this.#counts.get(segment.from);
    if (known !== undefined) return known;
    const bits = this.placeBits(segment);
    if (bits === 0) return null;
    const counts = new Uint32Array(segment.listEnds.length);
    const bytes = this.memory.bytesAt(bits, bytesOfBits(segment.rows));
    let from = 0;
    for (const [list, to] of segment.listEnds.entries()) {
      counts[list] = bitsAmong(bytes, from, to);
      from = to;
    }
    this.#counts.set(segment.from, counts);
    return counts;
  }

  free(): void {
    for (const { address, bytes } of this.#places.values()) this.memory.free(address, bytes);
    this.#places.clear();
    this.memory.free(this.bits, this.#bitBytes);
  }
}

/** Of each byte. */
const BITS = Uint8Array.from({ length: 256 }, (_, byte) => byte.toString(2).replaceAll('0', '').length);

/** How many of the bits `[from, to)` are set. */
function bitsAmong(bytes: Uint8Array, from: number, to: number): number {
  if (to <= from) return 0;
  const [first, last] = [from >>> 3, (to - 1) >>> 3];
  let count = 0;
  for (let at = first; at <= last; at++) {
    let byte = bytes[at] as number;
    if (at === first) byte &= 0xff << (from & 7);
    if (at === last) byte &= 0xff >>> (7 - ((to - 1) & 7));
    count += BITS[byte & 0xff] as number;
  }
  return count;
}
