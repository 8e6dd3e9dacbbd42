/** How alike the names of two things are, and what finding that out may cost. */

import { jaroWinkler } from '../search/text/jaro-winkler.js';

/** Six digits are as exact as a reader wants it. */
const DIGITS = 1e6;
/** Of longer texts the beginnings are compared. */
export const COMPARED_CHARACTERS_MAX = 256;
/** Products of lengths that one unit of a budget pays for: two names of 16 characters. */
const CHARACTERS_PER_UNIT = 256;
/** For one report: about a second. */
const UNITS_MAX = 500_000;

export function comparedText(text: string): string {
  return text.slice(0, COMPARED_CHARACTERS_MAX).toLowerCase();
}

/** What all comparisons of one report may cost together. */
export class ComparisonBudget {
  #left = UNITS_MAX;

  get isSpent(): boolean {
    return this.#left <= 0;
  }

  /** How alike two texts are that are made for it. */
  likeness(a: string, b: string): number {
    this.#left -= 1 + Math.floor((a.length * b.length) / CHARACTERS_PER_UNIT);
    return Math.round(jaroWinkler(a, b) * DIGITS) / DIGITS;
  }
}

/** What follows the last `#`, `/` or `:` of an IRI; the whole of it where nothing does. */
export function localName(iri: string): string {
  const at = Math.max(iri.lastIndexOf('#'), iri.lastIndexOf('/'), iri.lastIndexOf(':'));
  return iri.slice(at + 1) || iri;
}
