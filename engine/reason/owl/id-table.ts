/** Ids as dense numbers, in the order in which they first come: an open-addressing table over the halves of ids. */

/** Most writes that are followed name a few dozen terms. */
const TABLE_MIN = 64;
const EMPTY = -1;

export class IdTable {
  #lows = new Uint32Array(TABLE_MIN);
  #highs = new Uint32Array(TABLE_MIN);
  #count = 0;
  #table = new Int32Array(2 * TABLE_MIN).fill(EMPTY);

  get count(): number {
    return this.#count;
  }

  low(at: number): number {
    return this.#lows[at] as number;
  }

  high(at: number): number {
    return this.#highs[at] as number;
  }

  /** -1 for an id that has no number. */
  find(low: number, high: number): number {
    const table = this.#table;
    const mask = table.length - 1;
    for (let slot = hashOf(low, high) & mask; ; slot = (slot + 1) & mask) {
      const at = table[slot] as number;
      if (at === EMPTY || (this.#lows[at] === low && this.#highs[at] === high)) return at;
    }
  }

  /** The number of an id, which gets the next one when it has none. */
  number(low: number, high: number): number {
    const table = this.#table;
    const mask = table.length - 1;
    let slot = hashOf(low, high) & mask;
    for (; ; slot = (slot + 1) & mask) {
      const at = table[slot] as number;
      if (at === EMPTY) break;
      if (this.#lows[at] === low && this.#highs[at] === high) return at;
    }
    const at = this.#count++;
    table[slot] = at;
    this.#lows[at] = low;
    this.#highs[at] = high;
    if (this.#count === this.#lows.length) this.#grow();
    return at;
  }

  #grow(): void {
    const size = 2 * this.#lows.length;
    this.#lows = grown(this.#lows, size);
    this.#highs = grown(this.#highs, size);
    const table = new Int32Array(2 * size).fill(EMPTY);
    const mask = table.length - 1;
    for (let at = 0; at < this.#count; at++) {
      let slot = hashOf(this.#lows[at] as number, this.#highs[at] as number) & mask;
      while (table[slot] !== EMPTY) slot = (slot + 1) & mask;
      table[slot] = at;
    }
    this.#table = table;
  }
}

export function grown(values: Uint32Array<ArrayBuffer>, size: number): Uint32Array<ArrayBuffer> {
  const larger = new Uint32Array(size);
  larger.set(values);
  return larger;
}

/** Mixes two words so that every bit of them reaches the lowest bits. */
export function hashOf(one: number, other: number): number {
  let hash = Math.imul(one, 0x9e3779b1) ^ Math.imul(other, 0x85ebca6b);
  hash = Math.imul(hash ^ (hash >>> 15), 0x2c1b3c6d);
  return hash ^ (hash >>> 13);
}
