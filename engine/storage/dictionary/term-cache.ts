/**
 * Decoded terms by id: a direct-mapped cache of fixed size. A slot holds the last term whose id fell
 * into it; ids never change their term, so nothing is ever stale. What the terms take together is
 * bounded too: beyond that slots are emptied one after the other.
 */

import type { Term } from '../../rdf/terms.js';

const LOG_SLOTS = 16;
const SLOTS = 1 << LOG_SLOTS;
/** Terms longer than this are not kept, so that no few of them take it all. */
const VALUE_LENGTH_MAX = 1024;
/** Some 16 MB with what an object takes. */
const CHARACTERS_MAX = 8 * 2 ** 20;

export class TermCache {
  readonly #low = new Uint32Array(SLOTS);
  readonly #high = new Uint32Array(SLOTS);
  readonly #terms: (Term | undefined)[] = new Array(SLOTS).fill(undefined);
  #characters = 0;
  /** The slot that is emptied next. */
  #hand = 0;

  #slot(low: number, high: number): number {
    return (Math.imul(low ^ Math.imul(high, 0x85ebca6b), 0x9e3779b1) >>> (32 - LOG_SLOTS)) & (SLOTS - 1);
  }

  /** Length of the values that are held. */
  get characters(): number {
    return this.#characters;
  }

  get(low: number, high: number): Term | undefined {
    const slot = this.#slot(low, high);
    return this.#low[slot] === low && this.#high[slot] === high ? this.#terms[slot] : undefined;
  }

  /** For ids that were given in advance of a commit that failed. */
  clear(): void {
    this.#terms.fill(undefined);
    this.#high.fill(0);
    this.#low.fill(0);
    this.#characters = 0;
  }

  set(low: number, high: number, term: Term): void {
    const { length } = term.value;
    if (length > VALUE_LENGTH_MAX) return;
    const slot = this.#slot(low, high);
    this.#empty(slot);
    while (this.#characters + length > CHARACTERS_MAX) {
      this.#empty(this.#hand);
      this.#hand = (this.#hand + 1) & (SLOTS - 1);
    }
    this.#low[slot] = low;
    this.#high[slot] = high;
    this.#terms[slot] = term;
    this.#characters += length;
  }

  #empty(slot: number): void {
    const held = this.#terms[slot];
    if (held === undefined) return;
    this.#characters -= held.value.length;
    this.#terms[slot] = undefined;
    this.#low[slot] = 0;
    this.#high[slot] = 0;
  }
}
