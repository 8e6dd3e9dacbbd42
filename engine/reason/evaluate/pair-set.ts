/**
 * A set of pairs that says whether one is in it, and nothing else: a hash table of bit masks, each of the objects of one subject
 * whose numbers differ in the last five bits alone. Where objects are dense a pair takes a bit or two, where they are not 24 bytes at
 * most; and whoever adds many pairs of one subject touches few lines of memory.
 */

/** Words of an entry: subject, objects, mask; a mask of 0 is an empty entry. */
const ENTRY = 3;
const MASK_BITS = 5;
/** Entries of one subject whose objects follow each other stand side by side, so many of them. */
const SIDE_BITS = 3;
const SIDE_MASK = (1 << SIDE_BITS) - 1;
/** To the next of such places, and another entry in it, so that all are visited. */
const STRIDE = (1 << SIDE_BITS) + 1;
const FIRST_ENTRIES = 64;

export class PairSet {
  #entries = new Uint32Array(ENTRY * FIRST_ENTRIES);
  #filled = 0;

  /** False when it was in the set. */
  add(s: number, o: number): boolean {
    const entries = this.#entries;
    const at = placeOf(entries, s, o >>> MASK_BITS);
    const bit = 1 << (o & 31);
    const mask = entries[at + 2] as number;
    if (mask !== 0) {
      entries[at + 2] = mask | bit;
      return (mask & bit) === 0;
    }
    entries[at] = s;
    entries[at + 1] = o >>> MASK_BITS;
    entries[at + 2] = bit;
    this.#filled++;
    if (2 * ENTRY * this.#filled >= entries.length) this.#grow();
    return true;
  }

  get bytes(): number {
    return this.#entries.byteLength;
  }

  #grow(): void {
    const [from, to] = [this.#entries, new Uint32Array(2 * this.#entries.length)];
    for (let entry = 0; entry < from.length; entry += ENTRY) {
      const mask = from[entry + 2] as number;
      if (mask === 0) continue;
      const [s, objects] = [from[entry] as number, from[entry + 1] as number];
      const at = placeOf(to, s, objects);
      to[at] = s;
      to[at + 1] = objects;
      to[at + 2] = mask;
    }
    this.#entries = to;
  }
}

/** Where the entry of some objects is, or goes. */
function placeOf(entries: Uint32Array, s: number, objects: number): number {
  const last = entries.length / ENTRY - 1;
  const subject = Math.imul(s, 0x9e3779b1);
  const mixed = subject ^ Math.imul(objects >>> SIDE_BITS, 0x85ebca77);
  const side = (objects ^ (subject >>> 16)) & SIDE_MASK;
  let place = (((mixed ^ (mixed >>> 15)) << SIDE_BITS) | side) & last;
  for (;;) {
    const at = ENTRY * place;
    if (entries[at + 2] === 0 || (entries[at] === s && entries[at + 1] === objects)) return at;
    place = (place + STRIDE) & last;
  }
}
