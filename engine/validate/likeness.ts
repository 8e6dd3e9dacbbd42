/** How alike the names of two things are. */

import { jaroWinkler } from '../search/jaro-winkler.js';

/** Six digits are as exact as a reader wants it. */
const DIGITS = 1e6;

export function likeness(a: string, b: string): number {
  return Math.round(jaroWinkler(a.toLowerCase(), b.toLowerCase()) * DIGITS) / DIGITS;
}

/** What follows the last `#`, `/` or `:` of an IRI; the whole of it where nothing does. */
export function localName(iri: string): string {
  const at = Math.max(iri.lastIndexOf('#'), iri.lastIndexOf('/'), iri.lastIndexOf(':'));
  return iri.slice(at + 1) || iri;
}
