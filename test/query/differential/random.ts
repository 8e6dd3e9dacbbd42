/** A seeded source of choices: the same seed gives the same queries everywhere. */

export class Random {
  #state: number;

  constructor(seed: number) {
    this.#state = seed >>> 0;
  }

  /** An integer of 0 to below `end`. */
  below(end: number): number {
    this.#state = (this.#state + 0x6d2b79f5) >>> 0;
    let mixed = this.#state;
    mixed = Math.imul(mixed ^ (mixed >>> 15), mixed | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) % end;
  }

  between(least: number, most: number): number {
    return least + this.below(most - least + 1);
  }

  /** True once in `times`. */
  once(times: number): boolean {
    return this.below(times) === 0;
  }

  pick<Item>(items: readonly Item[]): Item {
    return items[this.below(items.length)] as Item;
  }

  /** One of the choices, each as likely as its weight says. */
  weighted<Item>(choices: readonly (readonly [weight: number, item: Item])[]): Item {
    let left = this.below(choices.reduce((sum, [weight]) => sum + weight, 0));
    for (const [weight, item] of choices) {
      if (left < weight) return item;
      left -= weight;
    }
    throw new Error('no choice');
  }

  list<Item>(least: number, most: number, make: () => Item): Item[] {
    return Array.from({ length: this.between(least, most) }, make);
  }
}
