/** The numbers of `storage/ids/layout.ts`, for kernels; a test compares the two. */

export const TAG_BLANK: u64 = 0x10;
export const TAG_IRI: u64 = 0x20;
export const TAG_STRING: u64 = 0x30;
export const TAG_LANG: u64 = 0x31;
export const TAG_DIR_LANG: u64 = 0x32;
export const TAG_TYPED: u64 = 0x33;
export const TAG_INTEGER: u64 = 0x38;
export const TAG_DECIMAL: u64 = 0x39;
export const TAG_BOOLEAN: u64 = 0x3a;
export const TAG_DATE: u64 = 0x3b;
export const TAG_DATETIME: u64 = 0x3c;
export const TAG_DATETIME_MS: u64 = 0x3d;
export const TAG_DOUBLE: u64 = 0x3e;
export const TAG_FLOAT: u64 = 0x3f;
export const TAG_TRIPLE: u64 = 0x50;

export const BIAS: i64 = 0x800000000000;

export const CODE_INTEGER: u32 = 1;
export const CODE_DECIMAL: u32 = 2;
export const CODE_DOUBLE: u32 = 3;
export const CODE_FLOAT: u32 = 4;
export const CODE_BOOLEAN: u32 = 5;
export const CODE_DATE: u32 = 6;
export const CODE_DATETIME: u32 = 7;
export const CODE_DERIVED_FIRST: u32 = 18;
export const CODE_DERIVED_LAST: u32 = 29;

/** Kinds of stored terms, the first of their stored bytes. */
export const KIND_BLANK: u32 = 1;
export const KIND_IRI: u32 = 2;
export const KIND_STRING: u32 = 3;
export const KIND_LANG: u32 = 4;
export const KIND_DIR_LANG: u32 = 5;
export const KIND_TYPED: u32 = 6;
export const KIND_TRIPLE: u32 = 7;

// @inline
export function makeId(tag: u64, auxiliary: u64, payload: u64): u64 {
  return (tag << 56) | (auxiliary << 48) | payload;
}

/** The id of a dictionary term from its kind, datatype code and term number. */
export function dictionaryId(kind: u32, code: u32, number: u64): u64 {
  if (kind == KIND_IRI) return makeId(TAG_IRI, 0, number);
  if (kind == KIND_BLANK) return makeId(TAG_BLANK, 0, number);
  if (kind == KIND_STRING) return makeId(TAG_STRING, 0, number);
  if (kind == KIND_LANG) return makeId(TAG_LANG, 0, number);
  if (kind == KIND_DIR_LANG) return makeId(TAG_DIR_LANG, 0, number);
  if (kind == KIND_TYPED) return makeId(TAG_TYPED, code, number);
  return makeId(TAG_TRIPLE, 0, number);
}
