/**
 * N-Triples and N-Quads to term records, with the grammars' full validation.
 *
 * A statement is a line. Only whole lines are read: unless the call is flagged as the last one, the
 * input counts up to its last line end, so every line ends with a line feed or carriage return, at
 * which all finders stop, and no inner loop compares addresses. A last line without its end gets
 * one: the byte behind the input is set to a line feed while the call runs and then put back.
 *
 * Nothing is written before its line is right: quads, scratch and consumed bytes advance together
 * at line ends.
 */

import { behindLastLineEnd } from './scan-bytes';
import { hasScheme, readBlankLabel, readIri, readLanguageTag, readString, skipComment } from './terms';
import { FIELD, TOKENISE, TOKENISE_FLAG } from './tokenise-codes';
import { fail, QUAD_BYTES, RECORD_BYTES, settleErrorOffset, storeDatatype, wrong } from './tokenise-state';

// @inline
function skipBlanks(from: usize): usize {
  let p = from;
  while (true) {
    const c: u32 = load<u8>(p);
    if (c != 0x20 && c != 0x09) return p;
    p++;
  }
}

// @inline
function readAbsoluteIri(state: usize, p: usize, record: usize): usize {
  const behind = readIri(state, p, record);
  if (behind && !hasScheme(load<u32>(record), load<u32>(record, 4) & 0x0fffffff)) {
    return fail(state, TOKENISE.relativeIri, p - 1);
  }
  return behind;
}

/** An IRI or a blank node; `expected` is the error when neither stands at `p`. */
// @inline
function readNode(state: usize, p: usize, record: usize, expected: u32): usize {
  const c = load<u8>(p);
  if (c == 0x3c) return readAbsoluteIri(state, p + 1, record);
  if (c == 0x5f) return readBlankLabel(state, p + 1, record);
  return wrong(state, expected, p);
}

/** `^^<iri>`, with `p` at the first `^`; the datatype IRI lands in the record's qualifier. */
function readDatatype(state: usize, p: usize, record: usize): usize {
  if (load<u8>(p, 1) != 0x5e) return wrong(state, TOKENISE.expectedDatatype, p + 1);
  const open = skipBlanks(p + 2);
  if (load<u8>(open) != 0x3c) return wrong(state, TOKENISE.expectedDatatype, open);
  const literal = load<u64>(record);
  const behind = readAbsoluteIri(state, open + 1, record);
  if (!behind) return 0;
  return storeDatatype(state, record, literal, open) ? behind : 0;
}

/** A string with its tag or datatype, `p` behind the opening quote; skips the blanks behind it. */
// @inline
function readLiteral(state: usize, from: usize, record: usize): usize {
  let p = readString(state, from, 0x22, record);
  if (!p) return 0;
  p = skipBlanks(p);
  const c = load<u8>(p);
  if (c == 0x5e) return readDatatype(state, p, record);
  if (c == 0x40) return readLanguageTag(state, p + 1, record);
  return p;
}

/** Subject, predicate, object, graph and dot; returns the address behind the dot, or 0. */
// @inline
function readQuad(state: usize, from: usize, record: usize, graphs: bool): usize {
  let p = readNode(state, from, record, TOKENISE.expectedSubject);
  if (!p) return 0;
  p = skipBlanks(p);
  if (load<u8>(p) != 0x3c) return wrong(state, TOKENISE.expectedPredicate, p);
  p = readAbsoluteIri(state, p + 1, record + RECORD_BYTES);
  if (!p) return 0;
  p = skipBlanks(p);
  const object = record + 2 * RECORD_BYTES;
  p = load<u8>(p) == 0x22 ? readLiteral(state, p + 1, object) : readNode(state, p, object, TOKENISE.expectedObject);
  if (!p) return 0;
  p = skipBlanks(p);
  const graph = record + 3 * RECORD_BYTES;
  if (graphs && load<u8>(p) != 0x2e) {
    p = readNode(state, p, graph, TOKENISE.expectedGraph);
    if (!p) return 0;
    p = skipBlanks(p);
  } else {
    v128.store(graph, i64x2.splat(0));
  }
  return load<u8>(p) == 0x2e ? p + 1 : wrong(state, TOKENISE.expectedDot, p);
}

/** Whether the seven letters of VERSION stand at `p`, in any case. */
function isVersion(p: usize): bool {
  // "vers", "ion" in little-endian words; OR-ing 0x20 lower-cases letters.
  if ((load<u32>(p) | 0x20202020) != 0x73726576) return false;
  return (load<u32>(p, 3) | 0x20202020) == 0x6e6f6973;
}

/** `VERSION "1.2"` from its first letter; returns the address behind the string, or 0. */
function readVersion(state: usize, p: usize, record: usize): usize {
  const quote = skipBlanks(p + 7);
  if (load<u8>(quote) != 0x22) return wrong(state, TOKENISE.expectedVersion, quote);
  return readString(state, quote + 1, 0x22, record);
}

/** What may follow a statement on its line; returns the address behind the line end, or 0. */
// @inline
function readLineEnd(state: usize, from: usize): usize {
  let p = skipBlanks(from);
  let c = load<u8>(p);
  if (c == 0x23) {
    p = skipComment(state, p);
    if (!p) return 0;
    c = load<u8>(p);
  }
  if (c == 0x0a || c == 0x0d) return p + 1;
  return wrong(state, TOKENISE.expectedLineEnd, p);
}

/** Reads lines until the input, the record area or the scratch area ends, or a line is wrong. */
function readLines(state: usize, base: usize, end: usize, graphs: bool): usize {
  const recordsEnd = <usize>load<u32>(state + FIELD.recordsEnd);
  let record = <usize>load<u32>(state + FIELD.recordsBase);
  let line = base;
  let scratch = load<u32>(state + FIELD.scratchBase);
  store<u32>(state + FIELD.scratchNext, scratch);
  while (line < end) {
    if (recordsEnd - record < QUAD_BYTES) {
      store<u32>(state + FIELD.status, TOKENISE.recordsFull);
      break;
    }
    let p = skipBlanks(line);
    const c = load<u8>(p);
    let isQuad = false;
    if (c == 0x3c || c == 0x5f) {
      p = readQuad(state, p, record, graphs);
      isQuad = true;
    } else if (c == 0x56 || c == 0x76) {
      p = isVersion(p) ? readVersion(state, p, record) : wrong(state, TOKENISE.expectedSubject, p);
    } else if (c != 0x0a && c != 0x0d && c != 0x23) {
      p = wrong(state, TOKENISE.expectedSubject, p);
    }
    if (p) p = readLineEnd(state, p);
    if (!p) {
      store<u32>(state + FIELD.scratchNext, scratch);
      break;
    }
    if (isQuad) record += QUAD_BYTES;
    line = p;
    scratch = load<u32>(state + FIELD.scratchNext);
  }
  store<u32>(state + FIELD.quads, <u32>((record - <usize>load<u32>(state + FIELD.recordsBase)) / QUAD_BYTES));
  return line;
}

/**
 * Tokenises [base, base + length). Flags: 1 = no more input follows, 2 = graph names are allowed.
 * Returns the result code, which the state holds too, with quads, consumed bytes and error offset.
 */
export function tokeniseLines(state: usize, base: usize, length: u32, flags: u32): u32 {
  const inputEnd = base + <usize>length;
  const last = (flags & TOKENISE_FLAG.last) != 0;
  const end = last ? inputEnd : behindLastLineEnd(base, inputEnd);
  store<u32>(state + FIELD.status, TOKENISE.ok);
  store<u32>(state + FIELD.errorOffset, <u32>base);
  store<u32>(state + FIELD.flags, flags);
  store<u32>(state + FIELD.inputEnd, <u32>end);
  const lend = last && behindLastLineEnd(base, inputEnd) != inputEnd;
  const beyond = load<u8>(inputEnd);
  if (lend) store<u8>(inputEnd, 0x0a);
  let behind = readLines(state, base, end, (flags & TOKENISE_FLAG.graphs) != 0);
  if (lend) store<u8>(inputEnd, beyond);
  // The line end that was lent to the last line is not part of the input.
  if (behind > end) behind = end;
  store<u32>(state + FIELD.consumed, <u32>(behind - base));
  settleErrorOffset(state, base);
  return load<u32>(state + FIELD.status);
}
