/**
 * Turtle and TriG to term records, with the grammars' full validation.
 *
 * 1. The byte behind the input is set to NUL while a call runs and then put back; every finder stops
 *    there, so inner loops compare no addresses. Only the handling of a NUL asks whether it is the
 *    input's end.
 * 2. A call reads statement by statement: triples with their dot, a directive, the opening or the
 *    closing of a graph block. After each one, the boundary (input, records, scratch, anonymous
 *    counter) moves on; whatever ends a call early falls back to it. Prefixes and base change only
 *    with a complete directive, so a statement that is read twice finds what it found before.
 * 3. A statement that runs into the input's end is left for the next call, unless this is the last.
 *    Tokens whose end depends on what follows count as running into it; so do errors within
 *    LOOKAHEAD_MAX bytes of it. The outcome is therefore the same however the input is cut.
 * 4. Nested `[` and `(` are read by recursion, each with a frame (subject, predicate) in the state.
 */

import { readBlankLabel, skipComment } from './terms';
import { FIELD, TOKENISE, TOKENISE_FLAG } from './tokenise-codes';
import {
  atEnd,
  FIRST_ERROR,
  fail,
  failAtEnd,
  LENGTH_MAX,
  mayGoOn,
  QUAD_BYTES,
  reserveScratch,
  settleErrorOffset,
  unexpected,
} from './tokenise-state';
import { isWordDirective, readAtDirective, readWordDirective } from './turtle-directives';
import { isKeyword, isSpace, readIriOrName, readResolvedIri, skipSpace } from './turtle-tokens';
import { readBracketSubject, readListSubject, readPredicates, storeAnonymous } from './turtle-triples';

/** No error depends on more bytes than this behind the place at which it is reported. */
const LOOKAHEAD_MAX: usize = 16;

const GRAP: u32 = 0x70617267;
const RAPH: u32 = 0x68706172;

/** Opens the block whose brace is at `p` and whose name, if any, is in `record`. */
function openGraph(state: usize, p: usize, record: usize): usize {
  if ((load<u32>(state + FIELD.flags) & TOKENISE_FLAG.graphs) == 0) return fail(state, TOKENISE.graphsNotAllowed, p);
  if (record) {
    const named = load<u32>(record) != 0;
    const length = load<u32>(record, 4) & LENGTH_MAX;
    if (named && length > load<u32>(state + FIELD.graphNameBytes)) return fail(state, TOKENISE.graphNameTooLong, p);
    v128.store(state + FIELD.graphRecord, v128.load(record));
  } else {
    v128.store(state + FIELD.graphRecord, i64x2.splat(0));
  }
  store<u32>(state + FIELD.graphOpen, 1);
  return p + 1;
}

/** `GRAPH name {`, behind the keyword. */
function readGraphKeyword(state: usize, from: usize): usize {
  const frame = <usize>load<u32>(state + FIELD.frames);
  let p = skipSpace(state, from);
  if (!p) return 0;
  const c = load<u8>(p);
  if (c == 0x5b) {
    const close = skipSpace(state, p + 1);
    if (!close || !storeAnonymous(state, frame, p)) return 0;
    p = load<u8>(close) == 0x5d ? close + 1 : unexpected(state, TOKENISE.expectedBracket, close);
  } else if (c == 0x5f) {
    p = readBlankLabel(state, p + 1, frame);
  } else {
    p = readIriOrName(state, p, frame, TOKENISE.expectedSubject);
  }
  if (p) p = skipSpace(state, p);
  if (!p) return 0;
  return load<u8>(p) == 0x7b ? openGraph(state, p, frame) : unexpected(state, TOKENISE.expectedBrace, p);
}

/** The dot behind triples; inside a graph block the closing brace will do and is left in place. */
// @inline
function readTriplesEnd(state: usize, p: usize): usize {
  const c = load<u8>(p);
  if (c == 0x2e) return p + 1;
  if (c == 0x7d && load<u32>(state + FIELD.graphOpen)) return p;
  return unexpected(state, TOKENISE.expectedDot, p);
}

/** Triples with their dot, or the name and the brace of a graph block. */
function readTriples(state: usize, from: usize): usize {
  const frame = <usize>load<u32>(state + FIELD.frames);
  const c: u32 = load<u8>(from);
  let mayName = true;
  let mayStandAlone = false;
  let p: usize;
  if (c == 0x3c) {
    p = readResolvedIri(state, from + 1, frame);
  } else if (c == 0x5f) {
    p = readBlankLabel(state, from + 1, frame);
  } else if (c == 0x5b) {
    p = readBracketSubject(state, from, frame);
    // Only `[]` names a graph, and only `[ … ]` is a statement of its own.
    mayStandAlone = load<u32>(state + FIELD.recordsNext) != load<u32>(state + FIELD.quads);
    mayName = !mayStandAlone;
  } else if (c == 0x28) {
    p = readListSubject(state, from, frame);
    mayName = false;
  } else {
    p = readIriOrName(state, from, frame, TOKENISE.expectedSubject);
  }
  if (p) p = skipSpace(state, p);
  if (!p) return 0;
  const next = load<u8>(p);
  if (next == 0x7b && mayName && !load<u32>(state + FIELD.graphOpen)) return openGraph(state, p, frame);
  if (!mayStandAlone || (next != 0x2e && next != 0x7d)) p = readPredicates(state, p, frame);
  return p ? readTriplesEnd(state, p) : 0;
}

/** One statement at `p`, which is neither space nor comment; returns the address behind it, or 0. */
function readStatement(state: usize, p: usize): usize {
  const c: u32 = load<u8>(p);
  if (load<u32>(state + FIELD.graphOpen)) {
    if (c != 0x7d) return readTriples(state, p);
    store<u32>(state + FIELD.graphOpen, 0);
    v128.store(state + FIELD.graphRecord, i64x2.splat(0));
    return p + 1;
  }
  if (c == 0x40) return readAtDirective(state, p);
  if (isWordDirective(p)) return readWordDirective(state, p);
  if (c == 0x7b) return openGraph(state, p, 0);
  const graphs = (load<u32>(state + FIELD.flags) & TOKENISE_FLAG.graphs) != 0;
  if (graphs && (c | 0x20) == 0x67 && isKeyword(p, 5, GRAP, RAPH)) return readGraphKeyword(state, p + 5);
  return readTriples(state, p);
}

/**
 * Reads statements until one fails, waits for input or finds no room. Returns the last boundary;
 * quads holds the end of the records before it, for the moment.
 */
function readStatements(state: usize, base: usize): usize {
  let boundary = base;
  let scratch = load<u32>(state + FIELD.scratchNext);
  let anonymous = load<u32>(state + FIELD.anonymous);
  let p = base;
  while (true) {
    while (isSpace(load<u8>(p))) p++;
    if (boundary < p) boundary = p;
    if (load<u8>(p) == 0x23) {
      p = skipComment(state, p);
      // A comment without a line end may go on.
      if (!p || mayGoOn(state, p)) break;
      continue;
    }
    if (atEnd(state, p)) {
      if (load<u32>(state + FIELD.graphOpen)) failAtEnd(state, TOKENISE.unexpectedEnd, p);
      break;
    }
    p = readStatement(state, p);
    if (!p) break;
    boundary = p;
    scratch = load<u32>(state + FIELD.scratchNext);
    anonymous = load<u32>(state + FIELD.anonymous);
    store<u32>(state + FIELD.quads, load<u32>(state + FIELD.recordsNext));
  }
  store<u32>(state + FIELD.scratchNext, scratch);
  store<u32>(state + FIELD.anonymous, anonymous);
  return boundary;
}

/** Copies a graph's name from `from` to `to` and points its record there. */
function moveGraphName(state: usize, to: usize): void {
  const record = state + FIELD.graphRecord;
  memory.copy(to, load<u32>(record), load<u32>(record, 4) & LENGTH_MAX);
  store<u32>(record, <u32>to);
}

/** Brings the name of the open graph block, kept since the last call, into scratch. */
function restoreGraphName(state: usize): bool {
  if (!load<u32>(state + FIELD.graphOpen) || !load<u32>(state + FIELD.graphRecord)) return true;
  const length = load<u32>(state + FIELD.graphRecord + 4) & LENGTH_MAX;
  const copy = reserveScratch(state, length);
  if (!copy) return false;
  moveGraphName(state, copy);
  store<u32>(state + FIELD.scratchNext, <u32>copy + length);
  return true;
}

/** Keeps the name of the open graph block for the next call. */
function keepGraphName(state: usize): void {
  if (!load<u32>(state + FIELD.graphOpen) || !load<u32>(state + FIELD.graphRecord)) return;
  moveGraphName(state, load<u32>(state + FIELD.graphName));
}

/** Errors near the end of input that goes on may be nothing but a token that was cut. */
function settleStatus(state: usize, end: usize): u32 {
  let status = load<u32>(state + FIELD.status);
  const last = (load<u32>(state + FIELD.flags) & TOKENISE_FLAG.last) != 0;
  const near = <usize>load<u32>(state + FIELD.errorOffset) + LOOKAHEAD_MAX > end;
  const isOpinion = status >= FIRST_ERROR || status == TOKENISE.needsSlowPath;
  if (status == TOKENISE.incomplete || (isOpinion && near && !last)) status = TOKENISE.ok;
  store<u32>(state + FIELD.status, status);
  return status;
}

/**
 * Tokenises [base, base + length), whose following byte must be writable. Flags: 1 = no more input
 * follows, 2 = graph blocks are allowed. Returns the result code, which the state holds too, with
 * quads, consumed bytes and error offset.
 */
export function tokeniseTurtle(state: usize, base: usize, length: u32, flags: u32): u32 {
  const end = base + <usize>length;
  store<u32>(state + FIELD.status, TOKENISE.ok);
  store<u32>(state + FIELD.errorOffset, <u32>base);
  store<u32>(state + FIELD.flags, flags);
  store<u32>(state + FIELD.inputEnd, <u32>end);
  const records = load<u32>(state + FIELD.recordsBase);
  store<u32>(state + FIELD.recordsNext, records);
  store<u32>(state + FIELD.quads, records);
  store<u32>(state + FIELD.scratchNext, load<u32>(state + FIELD.scratchBase));
  let behind = base;
  if (restoreGraphName(state)) {
    const beyond = load<u8>(end);
    store<u8>(end, 0);
    behind = readStatements(state, base);
    store<u8>(end, beyond);
    keepGraphName(state);
  }
  store<u32>(state + FIELD.quads, (load<u32>(state + FIELD.quads) - records) / <u32>QUAD_BYTES);
  store<u32>(state + FIELD.consumed, <u32>(behind - base));
  const status = settleStatus(state, end);
  settleErrorOffset(state, base);
  return status;
}
