/**
 * Decoded terms by id: a direct-mapped cache of fixed size. A slot holds the last term whose id fell
 * into it; ids never change their term, so nothing is ever stale.
 */

import type { Term } from '../../rdf/terms.js';

const LOG_SLOTS = 16;
const SLOTS = 1 << LOG_SLOTS;
/** Terms longer than this are not kept, so that the cache stays small. */
const VALUE_LENGTH_MAX = 1024;

export class TermCache {
  readonly #low = new Uint32Array(SLOTS);
  readonly #high = new Uint32Array(SLOTS);
  readonly #terms: (Term | undefined)[] = new Array(SLOTS).fill(undefined);

  #slot(low: number, high: number): number {
    return (Math.imul(low ^ Math.imul(high, 0x85ebca6b), 0x9e3779b1) >>> (32 - LOG_SLOTS)) & (SLOTS - 1);
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
  }

  set(low: number, high: number, term: Term): void {
    if (term.value.length > VALUE_LENGTH_MAX) return;
    const slot = this.#slot(low, high);
    this.#low[slot] = low;
    this.#high[slot] = high;
    this.#terms[slot] = term;
  }
}
