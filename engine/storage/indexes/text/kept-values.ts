/**
 * What a thread keeps in memory of what it has read, no more bytes than it may: two generations, of which the older one goes
 * when the newer one is full. What is asked for again moves to the newer one.
 */

interface Kept {
  readonly value: unknown;
  readonly bytes: number;
}

/** Of an entry, besides what it holds. */
const ENTRY_BYTES = 100;

export class KeptValues {
  readonly #bytesMax: number;
  #newer = new Map<string, Kept>();
  #older = new Map<string, Kept>();
  #bytes = 0;

  /** `bytesMax`: of both generations. */
  constructor(bytesMax: number) {
    this.#bytesMax = bytesMax;
  }

  /** The value of a name, which must always be made alike; `bytes`: of memory that it takes. */
  kept<Value>(name: string, make: () => Value, bytes: (made: Value) => number): Value {
    const newer = this.#newer.get(name);
    if (newer !== undefined) return newer.value as Value;
    let entry = this.#older.get(name);
    if (entry === undefined) {
      const value = make();
      entry = { value, bytes: ENTRY_BYTES + bytes(value) };
    }
    this.#bytes += entry.bytes;
    if (2 * this.#bytes > this.#bytesMax) {
      this.#older = this.#newer;
      this.#newer = new Map();
      this.#bytes = entry.bytes;
    }
    this.#newer.set(name, entry);
    return entry.value as Value;
  }
}
