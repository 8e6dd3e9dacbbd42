/**
 * The state struct of a tokeniser: everything that a call reads, leaves behind, or needs again in
 * the next call. Its address is passed to every kernel, so threads that share one memory never meet.
 * Fields are u32; the TypeScript accessors are in `kernels/tokenise-state.ts` and hold the same
 * numbers.
 *
 * | offset | field            | set by | meaning                                                    |
 * |--------|------------------|--------|------------------------------------------------------------|
 * | 0      | STATUS           | kernel | result code, see `kernels/tokenise-errors.ts`              |
 * | 4      | ERROR_OFFSET     | kernel | offending byte, relative to the input's base               |
 * | 8      | QUADS            | kernel | quads written by this call                                 |
 * | 12     | CONSUMED         | kernel | input bytes behind the last statement boundary             |
 * | 16     | RECORDS_BASE     | caller | first record; 64 bytes a quad                              |
 * | 20     | RECORDS_END      | caller | end of the record area                                     |
 * | 24     | SCRATCH_BASE     | caller | where rewritten terms go; every call starts here again     |
 * | 28     | SCRATCH_END      | caller | end of the scratch area                                    |
 * | 32     | SCRATCH_NEXT     | kernel | first free scratch byte                                    |
 * | 36     | ANONYMOUS        | both   | anonymous blank nodes given out so far                     |
 * | 40     | RECORDS_NEXT     | kernel | next record, while a call runs                             |
 * | 44     | INPUT_END        | kernel | end of the input, while a call runs                        |
 * | 48     | FLAGS            | kernel | flags of the call that runs                                |
 * | 52     | FRAMES           | caller | 32 bytes per open `[` or `(`: its subject and predicate    |
 * | 56     | FRAMES_END       | caller |                                                            |
 * | 64     | BASE_ADDRESS     | both   | the base IRI's bytes; 0 when there is no base              |
 * | 68     | BASE_LENGTH      | both   |                                                            |
 * | 72     | BASE_CAPACITY    | both   | bytes that may be written at BASE_ADDRESS                  |
 * | 76     | BASE_SCHEME_END  | kernel | length of `scheme:`                                        |
 * | 80     | BASE_HOST_END    | kernel | length of `scheme://authority`                             |
 * | 84     | BASE_PATH_END    | kernel | length up to `?` or `#`                                    |
 * | 88     | BASE_QUERY_END   | kernel | length up to `#`                                           |
 * | 92     | BASE_FOLDER_END  | kernel | length up to and with the last `/` of the path             |
 * | 96     | PREFIX_SLOTS     | caller | prefix table: open addressing, 32 bytes a slot             |
 * | 100    | PREFIX_MASK      | caller | slots - 1; slots are a power of two                        |
 * | 104    | PREFIX_COUNT     | both   | prefixes in the table                                      |
 * | 108    | NAMES_NEXT       | both   | first free byte for prefix names and namespace IRIs        |
 * | 112    | NAMES_END        | caller |                                                            |
 * | 116    | GRAPH_NAME       | caller | buffer for the name of a graph block that spans calls      |
 * | 120    | GRAPH_NAME_BYTES | caller | its size                                                   |
 * | 124    | GRAPH_OPEN       | both   | 1 while a graph block is open                              |
 * | 128    | GRAPH_RECORD     | kernel | 16 bytes: the graph of the quads to come                   |
 * | 256    | WELL_KNOWN       | caller | pairs (address, length) of IRIs, in the order below        |
 *
 * A prefix slot: +0 name address (0 = free), +4 name length, +8 the name's first 8 bytes,
 * +16 IRI address, +20 IRI length, +24 IRI capacity, +28 unused.
 */

import { decodeUtf8, NOT_UTF8 } from './utf8';

export const STATUS: usize = 0;
export const ERROR_OFFSET: usize = 4;
export const QUADS: usize = 8;
export const CONSUMED: usize = 12;
export const RECORDS_BASE: usize = 16;
export const RECORDS_END: usize = 20;
export const SCRATCH_BASE: usize = 24;
export const SCRATCH_END: usize = 28;
export const SCRATCH_NEXT: usize = 32;
export const ANONYMOUS: usize = 36;
export const RECORDS_NEXT: usize = 40;
export const INPUT_END: usize = 44;
export const FLAGS: usize = 48;
export const FRAMES: usize = 52;
export const FRAMES_END: usize = 56;
export const BASE_ADDRESS: usize = 64;
export const BASE_LENGTH: usize = 68;
export const BASE_CAPACITY: usize = 72;
export const BASE_SCHEME_END: usize = 76;
export const BASE_HOST_END: usize = 80;
export const BASE_PATH_END: usize = 84;
export const BASE_QUERY_END: usize = 88;
export const BASE_FOLDER_END: usize = 92;
export const PREFIX_SLOTS: usize = 96;
export const PREFIX_MASK: usize = 100;
export const PREFIX_COUNT: usize = 104;
export const NAMES_NEXT: usize = 108;
export const NAMES_END: usize = 112;
export const GRAPH_NAME: usize = 116;
export const GRAPH_NAME_BYTES: usize = 120;
export const GRAPH_OPEN: usize = 124;
export const GRAPH_RECORD: usize = 128;
export const WELL_KNOWN: usize = 256;

/** Indexes into the table of well-known IRIs. */
export const XSD_STRING: usize = 0;
export const XSD_INTEGER: usize = 1;
export const XSD_DECIMAL: usize = 2;
export const XSD_DOUBLE: usize = 3;
export const XSD_BOOLEAN: usize = 4;
export const RDF_TYPE: usize = 5;
export const RDF_FIRST: usize = 6;
export const RDF_REST: usize = 7;
export const RDF_NIL: usize = 8;
export const RDF_LANG_STRING: usize = 9;
export const RDF_DIR_LANG_STRING: usize = 10;

/** Bit 0 of a call's flags: no more input follows. */
export const FLAG_LAST: u32 = 1;
/** Bit 1: graph names are allowed (N-Quads, TriG). */
export const FLAG_GRAPHS: u32 = 2;

/** A term record: +0 start, +4 length and kind, +8 qualifier start, +12 qualifier length. */
export const RECORD_BYTES: usize = 16;
export const QUAD_BYTES: usize = 64;
export const FRAME_BYTES: usize = 32;
export const SLOT_BYTES: usize = 32;
export const LENGTH_MAX: u32 = 0x0fffffff;

export const KIND_BLANK: u32 = 1 << 28;
export const KIND_IRI: u32 = 2 << 28;
export const KIND_STRING: u32 = 3 << 28;
export const KIND_LANGUAGE: u32 = 4 << 28;
export const KIND_DIRECTION: u32 = 5 << 28;
export const KIND_TYPED: u32 = 6 << 28;
export const KIND_ANONYMOUS: u32 = 8 << 28;

// Result codes that are not errors.
export const OK: u32 = 0;
export const RECORDS_FULL: u32 = 1;
export const SCRATCH_FULL: u32 = 2;
export const NEEDS_SLOW_PATH: u32 = 3;
/** Never leaves the kernel: the statement goes on behind the input's end. */
export const INCOMPLETE: u32 = 4;

/** Codes from here on are errors of the input. */
export const FIRST_ERROR: u32 = 16;

// Errors, in the words of `kernels/tokenise-errors.ts`.
export const INVALID_UTF8: u32 = 16;
export const INVALID_IRI_CHARACTER: u32 = 17;
export const UNTERMINATED_IRI: u32 = 18;
export const RELATIVE_IRI: u32 = 19;
export const INVALID_ESCAPE: u32 = 20;
export const INVALID_CODE_POINT: u32 = 21;
export const UNTERMINATED_STRING: u32 = 22;
export const INVALID_LANGUAGE_TAG: u32 = 23;
export const INVALID_DIRECTION: u32 = 24;
export const INVALID_BLANK_LABEL: u32 = 25;
export const EXPECTED_SUBJECT: u32 = 26;
export const EXPECTED_PREDICATE: u32 = 27;
export const EXPECTED_OBJECT: u32 = 28;
export const EXPECTED_GRAPH: u32 = 29;
export const EXPECTED_DOT: u32 = 30;
export const EXPECTED_LINE_END: u32 = 31;
export const EXPECTED_DATATYPE: u32 = 32;
export const TAGLESS_LANGUAGE_STRING: u32 = 33;
export const TERM_TOO_LONG: u32 = 34;
export const EXPECTED_VERSION: u32 = 35;
export const UNDECLARED_PREFIX: u32 = 36;
export const EXPECTED_PREFIX_NAME: u32 = 37;
export const EXPECTED_IRI: u32 = 38;
export const INVALID_LOCAL_NAME: u32 = 39;
export const INVALID_NUMBER: u32 = 40;
export const TOO_DEEP: u32 = 41;
export const TOO_MANY_PREFIXES: u32 = 42;
export const TOO_MANY_ANONYMOUS: u32 = 43;
export const UNEXPECTED_END: u32 = 44;
export const EXPECTED_LIST_END: u32 = 45;
export const EXPECTED_BRACKET: u32 = 46;
export const EXPECTED_BRACE: u32 = 47;
export const GRAPHS_NOT_ALLOWED: u32 = 48;
export const UNKNOWN_DIRECTIVE: u32 = 49;
export const GRAPH_NAME_TOO_LONG: u32 = 50;
export const EXPECTED_NAME: u32 = 51;

/** Notes what went wrong at the address `at`; returns 0, the position that means failure. */
export function fail(state: usize, code: u32, at: usize): usize {
  store<u32>(state + STATUS, code);
  store<u32>(state + ERROR_OFFSET, <u32>at);
  return 0;
}

/** The input ends inside a statement: an error if no more follows, else a reason to wait. */
export function failAtEnd(state: usize, code: u32, at: usize): usize {
  const last = (load<u32>(state + FLAGS) & FLAG_LAST) != 0;
  return fail(state, last ? code : INCOMPLETE, at);
}

// @inline
export function atEnd(state: usize, p: usize): bool {
  return p >= <usize>load<u32>(state + INPUT_END);
}

/** The byte at `p` is not what it must be: `code`, unless it is not UTF-8 at all. */
export function wrong(state: usize, code: u32, p: usize): usize {
  const isText = load<u8>(p) < 0x80 || decodeUtf8(p) != NOT_UTF8;
  return fail(state, isText ? code : INVALID_UTF8, p);
}

/** The same where the input may end at `p`. */
export function unexpected(state: usize, code: u32, p: usize): usize {
  return atEnd(state, p) ? failAtEnd(state, UNEXPECTED_END, p) : wrong(state, code, p);
}

/** Turns the noted address into an offset; only errors and the slow path have one. */
export function settleErrorOffset(state: usize, base: usize): void {
  const status = load<u32>(state + STATUS);
  const placed = status >= FIRST_ERROR || status == NEEDS_SLOW_PATH;
  store<u32>(state + ERROR_OFFSET, placed ? load<u32>(state + ERROR_OFFSET) - <u32>base : 0);
}

/** Whether a token that ends at `p` may go on in input that is still to come. */
// @inline
export function mayGoOn(state: usize, p: usize): bool {
  return atEnd(state, p) && (load<u32>(state + FLAGS) & FLAG_LAST) == 0;
}

// @inline
export function wellKnownAddress(state: usize, index: usize): usize {
  return <usize>load<u32>(state + WELL_KNOWN + (index << 3));
}

// @inline
export function wellKnownLength(state: usize, index: usize): u32 {
  return load<u32>(state + WELL_KNOWN + (index << 3) + 4);
}

/** Whether the bytes at `start` are the well-known IRI. */
export function isWellKnown(state: usize, index: usize, start: usize, length: u32): bool {
  if (length != wellKnownLength(state, index)) return false;
  const known = wellKnownAddress(state, index);
  // They share namespaces, so the tails tell them apart.
  const tail = <usize>length - 8;
  return load<u64>(start + tail) == load<u64>(known + tail) && memory.compare(start, known, tail) == 0;
}

// @inline
export function storeTerm(record: usize, start: usize, length: u32, kind: u32): void {
  store<u32>(record, <u32>start);
  store<u32>(record + 4, length | kind);
  store<u64>(record + 8, 0);
}

// @inline
export function storeQualifier(record: usize, kind: u32, start: usize, length: u32): void {
  store<u32>(record + 4, (load<u32>(record + 4) & LENGTH_MAX) | kind);
  store<u32>(record + 8, <u32>start);
  store<u32>(record + 12, length);
}

/** Terms that are copied in blocks of 16 bytes may write this much past their end. */
export const BLOCK_SLACK: u32 = 16;

/** Room for `length` scratch bytes: their address, or 0 after noting that the area is full. */
export function reserveScratch(state: usize, length: u32): usize {
  const next = <usize>load<u32>(state + SCRATCH_NEXT);
  const end = <usize>load<u32>(state + SCRATCH_END);
  if (end - next < <usize>length) return fail(state, SCRATCH_FULL, next);
  return next;
}
