/**
 * Terms that are not in a segment of the dictionary yet: those of the delta, or of a stage above it.
 * Numbers are consecutive from `first` on.
 */

import type { Term } from '../../rdf/terms.js';
import { KIND, storedKey, termOf } from '../dictionary/stored-term.js';

export class DeltaTerms {
  readonly first: number;
  readonly #stored: Buffer[] = [];
  readonly #numbers = new Map<string, number>();
  #bytes = 0;
  #holdsTriples = false;

  constructor(first: number) {
    this.first = first;
  }

  /** The number that the next term gets. */
  get next(): number {
    return this.first + this.#stored.length;
  }

  get count(): number {
    return this.#stored.length;
  }

  /** Stored bytes of all terms. */
  get bytes(): number {
    return this.#bytes;
  }

  /** True when there are triple terms, which a file of format 2 may not have. */
  get holdsTriples(): boolean {
    return this.#holdsTriples;
  }

  /** `stored` as `dictionary/stored-term.ts` makes it; kept, so the caller gives it away. `key` is its `storedKey`. */
  add(stored: Buffer, key = storedKey(stored)): number {
    const number = this.next;
    this.#stored.push(stored);
    this.#numbers.set(key, number);
    this.#bytes += stored.length;
    if (stored[0] === KIND.triple) this.#holdsTriples = true;
    return number;
  }

  find(stored: Buffer, key?: string): number | undefined {
    return this.#numbers.size === 0 ? undefined : this.#numbers.get(key ?? storedKey(stored));
  }

  has(number: number): boolean {
    return number >= this.first && number < this.next;
  }

  stored(number: number): Buffer {
    return this.#stored[number - this.first] as Buffer;
  }

  term(number: number): Term {
    const bytes = this.stored(number);
    return termOf(bytes, 0, bytes.length);
  }

  /** Terms with numbers below `end`, ascending. */
  list(end = this.next): readonly Buffer[] {
    return this.#stored.slice(0, Math.max(0, end - this.first));
  }
}
