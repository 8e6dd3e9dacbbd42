/**
 * Random numbers that depend on the seed alone: four 32-bit words of state, mixed by additions,
 * shifts and a rotation, with a counter that keeps the period long. Ranges are half-open.
 */
export class Random {
  #a: number;
  #b: number;
  #c: number;
  #counter = 1;

  constructor(seed: number) {
    this.#a = seed | 0;
    this.#b = 0x6a09e667;
    this.#c = ~0x3c6ef372;
    // The first numbers of neighbouring seeds resemble each other.
    for (let i = 0; i < 16; i++) this.word();
  }

  /** 32 random bits, unsigned. */
  word(): number {
    const result = (this.#a + this.#b + this.#counter) | 0;
    this.#counter = (this.#counter + 1) | 0;
    this.#a = this.#b ^ (this.#b >>> 9);
    this.#b = (this.#c + (this.#c << 3)) | 0;
    this.#c = (((this.#c << 21) | (this.#c >>> 11)) + result) | 0;
    return result >>> 0;
  }

  /** In [0, 1). */
  fraction(): number {
    return this.word() / 2 ** 32;
  }

  /** A whole number in [0, limit). */
  below(limit: number): number {
    return Math.floor(this.fraction() * limit);
  }

  /** A whole number in [from, to). */
  between(from: number, to: number): number {
    return from + this.below(to - from);
  }

  happens(probability: number): boolean {
    return this.fraction() < probability;
  }

  choice<Item>(items: readonly Item[]): Item {
    return items[this.below(items.length)] as Item;
  }

  /** An index in [0, limit) of which the low ones are much more frequent: popularity. */
  popular(limit: number, steepness: number): number {
    return Math.floor(limit * this.fraction() ** steepness);
  }

  /** About normal (the sum of four even numbers), whole, at least `least`. */
  around(mean: number, deviation: number, least: number): number {
    const even = this.fraction() + this.fraction() + this.fraction() + this.fraction() - 2;
    return Math.max(least, Math.round(mean + even * deviation * Math.sqrt(3)));
  }
}
