/** The similarity of names, and a budget for comparing them. */

import { jaroWinkler } from '../search/text/jaro-winkler.js';

/** Scores are rounded to six digits. */
const DIGITS = 1e6;
/** Of longer texts only the beginning is compared. */
export const COMPARED_CHARACTERS_MAX = 256;
/** Products of lengths that one unit of a budget pays for: two names of 16 characters. */
const CHARACTERS_PER_UNIT = 256;
/** For one report: about a second. */
const UNITS_MAX = 500_000;

export function comparedText(text: string): string {
  return text.slice(0, COMPARED_CHARACTERS_MAX).toLowerCase();
}

/** Bounds the cost of all comparisons of one report. */
export class ComparisonBudget {
  #left = UNITS_MAX;

  get isSpent(): boolean {
    return this.#left <= 0;
  }

  /** The similarity of two texts that `comparedText` has prepared, from 0 to 1. */
  likeness(a: string, b: string): number {
    this.#left -= 1 + Math.floor((a.length * b.length) / CHARACTERS_PER_UNIT);
    return Math.round(jaroWinkler(a, b) * DIGITS) / DIGITS;
  }
}

/** The part of an IRI after its last `#`, `/` or `:`; the whole IRI where that part is empty. */
export function localName(iri: string): string {
  const at = Math.max(iri.lastIndexOf('#'), iri.lastIndexOf('/'), iri.lastIndexOf(':'));
  return iri.slice(at + 1) || iri;
}
