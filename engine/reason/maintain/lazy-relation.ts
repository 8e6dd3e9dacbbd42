/**
 * A relation that reads its pairs from a snapshot when a join first asks for a number or a pair, so that a small change costs
 * what it touches. Pairs can be hidden, which makes an older or a newer state of the facts, and pairs can be added.
 */

import { type Chains, Relation, type Side } from '../evaluate/relation.js';

/** Reads the pairs of one predicate. */
export interface PairReader {
  /** All that have a number on one side. */
  read(side: Side, number: number, take: (s: number, o: number) => void): void;
  has(s: number, o: number): boolean;
  all(take: (s: number, o: number) => void): void;
  /** About how many there are. */
  readonly size: number;
  /** Looks up many pairs at once, of which it is going to be asked one by one. */
  expect(pairs: Relation): void;
}

export class LazyRelation extends Relation {
  readonly #read: Readonly<Record<Side, Set<number>>> = { s: new Set(), o: new Set() };
  readonly #asked = new Map<number, Set<number>>();
  readonly #take = (s: number, o: number): void => {
    if (this.hidden.find(s, o) < 0) super.add(s, o);
  };
  #whole = false;

  constructor(
    private readonly reader: PairReader,
    /** What it does not hold, though the snapshot does; to be filled before it is asked. */
    readonly hidden: Relation = new Relation(),
  ) {
    super();
  }

  override expect(pairs: Relation): void {
    if (!this.#whole) this.reader.expect(pairs);
  }

  override get looksAhead(): boolean {
    return !this.#whole;
  }

  override get size(): number {
    return Math.max(this.count, this.reader.size);
  }

  override find(s: number, o: number): number {
    const known = super.find(s, o);
    if (known >= 0 || this.#whole || this.#read.s.has(s) || this.#read.o.has(o)) return known;
    let asked = this.#asked.get(s);
    if (asked?.has(o) === true) return known;
    if (asked === undefined) {
      asked = new Set();
      this.#asked.set(s, asked);
    }
    asked.add(o);
    return this.reader.has(s, o) && this.hidden.find(s, o) < 0 ? super.add(s, o) : -1;
  }

  override chains(side: Side): Chains {
    // Numbers come while it is read, so that no list by number is long enough.
    const chains = super.chains(side, Number.POSITIVE_INFINITY);
    return {
      headOf: (number) => {
        this.#load(side, number);
        return chains.headOf(number);
      },
      get next() {
        return chains.next;
      },
    };
  }

  override whole(): number {
    if (!this.#whole) this.reader.all(this.#take);
    this.#whole = true;
    return this.count;
  }

  #load(side: Side, number: number): void {
    if (this.#whole || this.#read[side].has(number)) return;
    this.#read[side].add(number);
    this.reader.read(side, number, this.#take);
  }
}
