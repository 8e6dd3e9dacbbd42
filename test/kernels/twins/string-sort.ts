/** Twin of `as/string-sort.ts`. */

/** Stored bytes in the order of the dictionary: unsigned bytes, a prefix first. */
export function sortTerms(terms: readonly Uint8Array[]): Uint8Array[] {
  return [...terms].sort(Buffer.compare);
}
