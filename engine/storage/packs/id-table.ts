/** Gives ids numbers from 0 in the order in which they come: an open hash table over their halves. */

import { SvcError } from '../../base/errors.js';

const FIRST_SLOTS = 1 << 12;
/** Beyond it places don't fit the keys that lines are sorted by. */
const IDS_MAX = 1 << 28;

export class IdTable {
  /** Place and one; 0 = free. Half of them at least are free. */
  #slots = new Uint32Array(FIRST_SLOTS);
  #low = new Uint32Array(FIRST_SLOTS / 2);
  #high = new Uint32Array(FIRST_SLOTS / 2);
  #count = 0;

  get count(): number {
    return this.#count;
  }

  low(place: number): number {
    return this.#low[place] as number;
  }

  high(place: number): number {
    return this.#high[place] as number;
  }

  place(low: number, high: number): number {
    const mask = this.#slots.length - 1;
    let slot = slotOf(low, high) & mask;
    for (let held = this.#slots[slot] as number; held !== 0; held = this.#slots[slot] as number) {
      if (this.#low[held - 1] === low && this.#high[held - 1] === high) return held - 1;
      slot = (slot + 1) & mask;
    }
    return this.#add(low, high, slot);
  }

  #add(low: number, high: number, slot: number): number {
    const place = this.#count++;
    if (place >= IDS_MAX) {
      throw new SvcError('limit_exceeded', `the graph has more than ${IDS_MAX} distinct terms, too many for a pack`);
    }
    this.#low[place] = low;
    this.#high[place] = high;
    this.#slots[slot] = this.#count;
    if (this.#count === this.#low.length) this.#grow();
    return place;
  }

  #grow(): void {
    const size = 2 * this.#low.length;
    const [low, high] = [new Uint32Array(size), new Uint32Array(size)];
    low.set(this.#low);
    high.set(this.#high);
    this.#low = low;
    this.#high = high;
    this.#slots = new Uint32Array(2 * size);
    const mask = this.#slots.length - 1;
    for (let place = 0; place < this.#count; place++) {
      let slot = slotOf(low[place] as number, high[place] as number) & mask;
      while (this.#slots[slot] !== 0) slot = (slot + 1) & mask;
      this.#slots[slot] = place + 1;
    }
  }
}

function slotOf(low: number, high: number): number {
  const mixed = Math.imul(low ^ Math.imul(high, 0x85ebca6b), 0x9e3779b1);
  return (mixed ^ (mixed >>> 15)) >>> 0;
}
