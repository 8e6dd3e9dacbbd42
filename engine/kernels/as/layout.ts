/** The numbers of `storage/ids/layout.ts`, for kernels; a test compares the two. */

import { TAG, TERM_KIND } from './term-codes';

export const BIAS: i64 = 0x800000000000;

// @inline
export function makeId(tag: u64, auxiliary: u64, payload: u64): u64 {
  return (tag << 56) | (auxiliary << 48) | payload;
}

/** The id of a dictionary term from its kind, datatype code and term number. */
export function dictionaryId(kind: u32, code: u32, number: u64): u64 {
  if (kind == TERM_KIND.iri) return makeId(TAG.iri, 0, number);
  if (kind == TERM_KIND.blank) return makeId(TAG.blank, 0, number);
  if (kind == TERM_KIND.string) return makeId(TAG.string, 0, number);
  if (kind == TERM_KIND.language) return makeId(TAG.langString, 0, number);
  if (kind == TERM_KIND.direction) return makeId(TAG.dirLangString, 0, number);
  if (kind == TERM_KIND.typed) return makeId(TAG.typed, code, number);
  return makeId(TAG.triple, 0, number);
}
