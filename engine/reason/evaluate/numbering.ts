/**
 * Dense numbers for the ids that take part in a run, so that a pair of them is 64 bits and lists can be kept by number. A
 * hash table with linear probing; ids are kept as their halves.
 */

const FIRST_SLOTS = 1024;

export class Numbering {
  count = 0;
  lows = new Uint32Array(FIRST_SLOTS / 2);
  highs = new Uint32Array(FIRST_SLOTS / 2);
  /** Number + 1; 0 = free. At least twice as many as ids. */
  #slots = new Uint32Array(FIRST_SLOTS);

  /** The number of an id, a new one where it has none. */
  numberOf(low: number, high: number): number {
    const mask = this.#slots.length - 1;
    let at = hashOf(low, high) & mask;
    for (let slot = this.#slots[at] as number; slot !== 0; slot = this.#slots[at] as number) {
      if (this.lows[slot - 1] === low && this.highs[slot - 1] === high) return slot - 1;
      at = (at + 1) & mask;
    }
    if (2 * (this.count + 1) > this.#slots.length) {
      this.#grow();
      return this.numberOf(low, high);
    }
    this.lows[this.count] = low;
    this.highs[this.count] = high;
    this.#slots[at] = ++this.count;
    return this.count - 1;
  }

  /** The number of an id; -1 = it has none. */
  find(low: number, high: number): number {
    const mask = this.#slots.length - 1;
    let at = hashOf(low, high) & mask;
    for (let slot = this.#slots[at] as number; slot !== 0; slot = this.#slots[at] as number) {
      if (this.lows[slot - 1] === low && this.highs[slot - 1] === high) return slot - 1;
      at = (at + 1) & mask;
    }
    return -1;
  }

  get bytes(): number {
    return 4 * (this.#slots.length + this.lows.length + this.highs.length);
  }

  #grow(): void {
    const slots = new Uint32Array(2 * this.#slots.length);
    const mask = slots.length - 1;
    for (let number = 0; number < this.count; number++) {
      let at = hashOf(this.lows[number] as number, this.highs[number] as number) & mask;
      while (slots[at] !== 0) at = (at + 1) & mask;
      slots[at] = number + 1;
    }
    this.#slots = slots;
    this.lows = extended(this.lows, slots.length / 2);
    this.highs = extended(this.highs, slots.length / 2);
  }
}

function hashOf(low: number, high: number): number {
  const mixed = Math.imul(low ^ Math.imul(high, 0x85ebca6b), 0x9e3779b1);
  return mixed ^ (mixed >>> 15);
}

/** The same numbers with room for more. */
export function extended(column: Uint32Array, length: number): Uint32Array<ArrayBuffer> {
  const longer = new Uint32Array(length);
  longer.set(column);
  return longer;
}
