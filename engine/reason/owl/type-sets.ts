/**
 * Sets of classes as numbers: many nodes have few different sets of types, so that what follows from a set is found once.
 * Set 0 is empty.
 */

import type { Ontology } from './ontology.js';

const EMPTY_SET = new Int32Array(0);
/** Above every number of a set or a class, so that two of them make one key. */
const KEY_FACTOR = 2 ** 26;

export class TypeSets {
  readonly #ontology: Ontology;
  readonly #sets: Int32Array[] = [EMPTY_SET];
  readonly #numbers = new Map<string, number>([['', 0]]);
  readonly #withClass = new Map<number, number>();
  readonly #unions = new Map<number, number>();
  readonly #closed = new Map<number, number>();

  constructor(ontology: Ontology) {
    this.#ontology = ontology;
  }

  /** Its classes, ascending. */
  classes(set: number): Int32Array {
    return this.#sets[set] as Int32Array;
  }

  of(classes: readonly number[]): number {
    return this.#number(Int32Array.from(new Set(classes)).sort());
  }

  /** A set with one class more. */
  with(set: number, of: number): number {
    const key = set * KEY_FACTOR + of;
    const known = this.#withClass.get(key);
    if (known !== undefined) return known;
    const joined = this.of([...this.classes(set), of]);
    this.#withClass.set(key, joined);
    return joined;
  }

  union(one: number, other: number): number {
    if (one === other || other === 0) return one;
    if (one === 0) return other;
    const key = one < other ? one * KEY_FACTOR + other : other * KEY_FACTOR + one;
    const known = this.#unions.get(key);
    if (known !== undefined) return known;
    const joined = this.of([...this.classes(one), ...this.classes(other)]);
    this.#unions.set(key, joined);
    return joined;
  }

  /** A set with all ancestors of its classes. */
  closure(set: number): number {
    const known = this.#closed.get(set);
    if (known !== undefined) return known;
    const all = new Set<number>();
    for (const one of this.classes(set)) for (const ancestor of this.#ontology.ancestorsOf(one)) all.add(ancestor);
    const closed = this.#number(Int32Array.from(all).sort());
    this.#closed.set(set, closed);
    return closed;
  }

  #number(sorted: Int32Array): number {
    const key = sorted.join(',');
    const known = this.#numbers.get(key);
    if (known !== undefined) return known;
    const number = this.#sets.push(sorted) - 1;
    this.#numbers.set(key, number);
    return number;
  }
}
