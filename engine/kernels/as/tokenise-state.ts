/**
 * The state struct of a tokeniser: everything that a call reads, leaves behind, or needs again in
 * the next call. Its address is passed to every kernel, so threads that share one memory never meet.
 * Fields are u32; the TypeScript accessors are in `kernels/tokenise-state.ts`.
 *
 * | offset | field            | set by | meaning                                                    |
 * |--------|------------------|--------|------------------------------------------------------------|
 * | 0      | status           | kernel | result code, see `kernels/tokenise-errors.ts`              |
 * | 4      | errorOffset      | kernel | offending byte, relative to the input's base               |
 * | 8      | quads            | kernel | quads written by this call                                 |
 * | 12     | consumed         | kernel | input bytes behind the last statement boundary             |
 * | 16     | recordsBase      | caller | first record; 64 bytes a quad                              |
 * | 20     | recordsEnd       | caller | end of the record area                                     |
 * | 24     | scratchBase      | caller | where rewritten terms go; every call starts here again     |
 * | 28     | scratchEnd       | caller | end of the scratch area                                    |
 * | 32     | scratchNext      | kernel | first free scratch byte                                    |
 * | 36     | anonymous        | both   | anonymous blank nodes given out so far                     |
 * | 40     | recordsNext      | kernel | next record, while a call runs                             |
 * | 44     | inputEnd         | kernel | end of the input, while a call runs                        |
 * | 48     | flags            | kernel | flags of the call that runs                                |
 * | 52     | frames           | caller | 32 bytes per open `[` or `(`: its subject and predicate    |
 * | 56     | framesEnd        | caller |                                                            |
 * | 64     | baseAddress      | both   | the base IRI's bytes; 0 when there is no base              |
 * | 68     | baseLength       | both   |                                                            |
 * | 72     | baseCapacity     | both   | bytes that may be written at baseAddress                   |
 * | 76     | baseSchemeEnd    | kernel | length of `scheme:`                                        |
 * | 80     | baseHostEnd      | kernel | length of `scheme://authority`                             |
 * | 84     | basePathEnd      | kernel | length up to `?` or `#`                                    |
 * | 88     | baseQueryEnd     | kernel | length up to `#`                                           |
 * | 92     | baseFolderEnd    | kernel | length up to and with the last `/` of the path             |
 * | 96     | prefixSlots      | caller | prefix table: open addressing, 32 bytes a slot             |
 * | 100    | prefixMask       | caller | slots - 1; slots are a power of two                        |
 * | 104    | prefixCount      | both   | prefixes in the table                                      |
 * | 108    | namesNext        | both   | first free byte for prefix names and namespace IRIs        |
 * | 112    | namesEnd         | caller |                                                            |
 * | 116    | graphName        | caller | buffer for the name of a graph block that spans calls      |
 * | 120    | graphNameBytes   | caller | its size                                                   |
 * | 124    | graphOpen        | both   | 1 while a graph block is open                              |
 * | 128    | graphRecord      | kernel | 16 bytes: the graph of the quads to come                   |
 * | 256    | wellKnown        | caller | pairs (address, length) of IRIs, in the order below        |
 *
 * A prefix slot: +0 name address (0 = free), +4 name length, +8 the name's first 8 bytes,
 * +16 IRI address, +20 IRI length, +24 IRI capacity, +28 unused.
 */

import { TERM_KIND } from './term-codes';
import { FIELD, TOKENISE, TOKENISE_FLAG, WELL_KNOWN } from './tokenise-codes';
import { decodeUtf8, NOT_UTF8 } from './utf8';

/** A term record: +0 start, +4 length and kind, +8 qualifier start, +12 qualifier length. */
export const RECORD_BYTES: usize = 16;
export const QUAD_BYTES: usize = 64;
export const FRAME_BYTES: usize = 32;
export const SLOT_BYTES: usize = 32;
export const LENGTH_MAX: u32 = 0x0fffffff;

/** Codes from here on are errors of the input. */
export const FIRST_ERROR: u32 = 16;

/** Notes what went wrong at the address `at`; returns 0, the position that means failure. */
export function fail(state: usize, code: u32, at: usize): usize {
  store<u32>(state + FIELD.status, code);
  store<u32>(state + FIELD.errorOffset, <u32>at);
  return 0;
}

/** The input ends inside a statement: an error if no more follows, else a reason to wait. */
export function failAtEnd(state: usize, code: u32, at: usize): usize {
  const last = (load<u32>(state + FIELD.flags) & TOKENISE_FLAG.last) != 0;
  return fail(state, last ? code : TOKENISE.incomplete, at);
}

// @inline
export function atEnd(state: usize, p: usize): bool {
  return p >= <usize>load<u32>(state + FIELD.inputEnd);
}

/** The byte at `p` is not what it must be: `code`, unless it is not UTF-8 at all. */
export function wrong(state: usize, code: u32, p: usize): usize {
  const isText = load<u8>(p) < 0x80 || decodeUtf8(p) != NOT_UTF8;
  return fail(state, isText ? code : TOKENISE.invalidUtf8, p);
}

/** The same where the input may end at `p`. */
export function unexpected(state: usize, code: u32, p: usize): usize {
  return atEnd(state, p) ? failAtEnd(state, TOKENISE.unexpectedEnd, p) : wrong(state, code, p);
}

/** Turns the noted address into an offset; only errors and the slow path have one. */
export function settleErrorOffset(state: usize, base: usize): void {
  const status = load<u32>(state + FIELD.status);
  const placed = status >= FIRST_ERROR || status == TOKENISE.needsSlowPath;
  store<u32>(state + FIELD.errorOffset, placed ? load<u32>(state + FIELD.errorOffset) - <u32>base : 0);
}

/** Whether a token that ends at `p` may go on in input that is still to come. */
// @inline
export function mayGoOn(state: usize, p: usize): bool {
  return atEnd(state, p) && (load<u32>(state + FIELD.flags) & TOKENISE_FLAG.last) == 0;
}

// @inline
export function wellKnownAddress(state: usize, index: usize): usize {
  return <usize>load<u32>(state + FIELD.wellKnown + (index << 3));
}

// @inline
export function wellKnownLength(state: usize, index: usize): u32 {
  return load<u32>(state + FIELD.wellKnown + (index << 3) + 4);
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
  store<u32>(record + 4, length | (kind << 28));
  store<u64>(record + 8, 0);
}

// @inline
export function storeQualifier(record: usize, kind: u32, start: usize, length: u32): void {
  store<u32>(record + 4, (load<u32>(record + 4) & LENGTH_MAX) | (kind << 28));
  store<u32>(record + 8, <u32>start);
  store<u32>(record + 12, length);
}

/** Terms that are copied in blocks of 16 bytes may write this much past their end. */
export const BLOCK_SLACK: u32 = 16;

/** Room for `length` scratch bytes: their address, or 0 after noting that the area is full. */
export function reserveScratch(state: usize, length: u32): usize {
  const next = <usize>load<u32>(state + FIELD.scratchNext);
  const end = <usize>load<u32>(state + FIELD.scratchEnd);
  if (end - next < <usize>length) return fail(state, TOKENISE.scratchFull, next);
  return next;
}

/** Makes the IRI in `record`, read at `open`, the datatype of the plain literal `literal`, which takes its place; false after an error. */
export function storeDatatype(state: usize, record: usize, literal: u64, open: usize): bool {
  const start: usize = load<u32>(record);
  const length = load<u32>(record, 4) & LENGTH_MAX;
  store<u64>(record, literal);
  store<u64>(record, 0, 8);
  if (isWellKnown(state, WELL_KNOWN.xsdString, start, length)) return true;
  const isTagged = isWellKnown(state, WELL_KNOWN.rdfLangString, start, length);
  if (isTagged || isWellKnown(state, WELL_KNOWN.rdfDirLangString, start, length)) {
    return fail(state, TOKENISE.taglessLanguageString, open) != 0;
  }
  storeQualifier(record, TERM_KIND.typed, start, length);
  return true;
}
