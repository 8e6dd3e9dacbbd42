/**
 * What a thread keeps in memory of what it has read, no more bytes than it may. What is small has room of its own, so that a few
 * long lists don't push out the many things by which they are found.
 */

/** Two generations, of which the older one goes when the newer one is full. What is asked for again moves to the newer one. */
class Generations {
  readonly #bytesMax: number;
  #newer = new Map<string, Kept>();
  #older = new Map<string, Kept>();
  #bytes = 0;

  /** `bytesMax`: of both. */
  constructor(bytesMax: number) {
    this.#bytesMax = bytesMax;
  }

  get(name: string): Kept | undefined {
    const newer = this.#newer.get(name);
    if (newer !== undefined) return newer;
    const older = this.#older.get(name);
    if (older !== undefined) this.put(name, older);
    return older;
  }

  put(name: string, entry: Kept): void {
    this.#bytes += entry.bytes;
    if (2 * this.#bytes > this.#bytesMax) {
      this.#older = this.#newer;
      this.#newer = new Map();
      this.#bytes = entry.bytes;
    }
    this.#newer.set(name, entry);
  }
}

interface Kept {
  readonly value: unknown;
  readonly bytes: number;
}

/** Of an entry, besides what it holds. */
const ENTRY_BYTES = 100;
const SMALL_BYTES = 8192;
/** Of the memory, for what is small. */
const SMALL_SHARE = 3 / 8;

export class KeptValues {
  readonly #small: Generations;
  readonly #large: Generations;

  /** `bytesMax`: of all that is kept. */
  constructor(bytesMax: number) {
    this.#small = new Generations(SMALL_SHARE * bytesMax);
    this.#large = new Generations((1 - SMALL_SHARE) * bytesMax);
  }

  /** The value of a name, which must always be made alike; `bytes`: of memory that it takes. */
  kept<Value>(name: string, make: () => Value, bytes: (made: Value) => number): Value {
    const known = this.#small.get(name) ?? this.#large.get(name);
    if (known !== undefined) return known.value as Value;
    const value = make();
    const entry = { value, bytes: ENTRY_BYTES + bytes(value) };
    (entry.bytes <= SMALL_BYTES ? this.#small : this.#large).put(name, entry);
    return value;
  }
}
