/**
 * Triples of Turtle and TriG: predicate and object lists, blank node property lists, collections.
 * Readers take an address and return the address behind what they read, or 0 after noting why not.
 * Nested `[` and `(` are read by recursion; each level has a frame in the state, which holds the
 * subject and the predicate of the quads that it gives. A quad is written straight to its place in
 * the record area, object first; what is nested in an object follows its quad.
 */

import { isAsciiName, isDigit } from './characters';
import { TERM_KIND } from './term-codes';
import { readBlankLabel } from './terms';
import { FIELD, TOKENISE, WELL_KNOWN } from './tokenise-codes';
import {
  FRAME_BYTES,
  fail,
  LENGTH_MAX,
  mayGoOn,
  QUAD_BYTES,
  RECORD_BYTES,
  storeQualifier,
  storeTerm,
  unexpected,
  wellKnownAddress,
  wellKnownLength,
} from './tokenise-state';
import { readNumber, readTurtleLiteral } from './turtle-literals';
import { readIriOrName, readResolvedIri, skipSpace } from './turtle-tokens';

/** Where the object and the graph stand in a quad's records. */
const OBJECT: usize = 32;
const GRAPH: usize = 48;

// Words, little-endian.
const TRUE: u32 = 0x65757274;
const FALS: u32 = 0x736c6166;

/** The next quad's records, or 0 when their area is full. */
// @inline
function nextQuad(state: usize): usize {
  const quad = <usize>load<u32>(state + FIELD.recordsNext);
  if (<usize>load<u32>(state + FIELD.recordsEnd) - quad < QUAD_BYTES) return fail(state, TOKENISE.recordsFull, 0);
  return quad;
}

/** Completes the quad whose object is in place. */
// @inline
function finishQuad(state: usize, quad: usize, frame: usize): void {
  v128.store(quad, v128.load(frame));
  v128.store(quad, v128.load(frame, RECORD_BYTES), RECORD_BYTES);
  v128.store(quad, v128.load(state + FIELD.graphRecord), GRAPH);
  store<u32>(state + FIELD.recordsNext, <u32>(quad + QUAD_BYTES));
}

// @inline
function storeWellKnown(state: usize, record: usize, index: usize): void {
  storeTerm(record, wellKnownAddress(state, index), wellKnownLength(state, index), TERM_KIND.iri);
}

/** A new anonymous node; false when there are too many, reported at `at`. */
export function storeAnonymous(state: usize, record: usize, at: usize): bool {
  const number = load<u32>(state + FIELD.anonymous);
  if (number > LENGTH_MAX) return fail(state, TOKENISE.tooManyAnonymous, at) != 0;
  store<u32>(state + FIELD.anonymous, number + 1);
  storeTerm(record, 0, number, TERM_KIND.anonymous);
  return true;
}

/** The frame inside `frame`, or 0 when the bracket at `p` is nested too deeply. */
function innerFrame(state: usize, frame: usize, p: usize): usize {
  const inner = frame + FRAME_BYTES;
  if (inner >= <usize>load<u32>(state + FIELD.framesEnd)) return fail(state, TOKENISE.tooDeep, p);
  return inner;
}

/** `predicates ]`: what `frame`'s subject is said to be; returns the address behind the bracket. */
function readBracketBody(state: usize, from: usize, frame: usize): usize {
  const p = readPredicates(state, from, frame);
  if (!p) return 0;
  return load<u8>(p) == 0x5d ? p + 1 : unexpected(state, TOKENISE.expectedBracket, p);
}

/** The `[` at `open` as an object. */
function readBracketObject(state: usize, open: usize, frame: usize): usize {
  const quad = nextQuad(state);
  if (!quad || !storeAnonymous(state, quad + OBJECT, open)) return 0;
  finishQuad(state, quad, frame);
  const p = skipSpace(state, open + 1);
  if (!p) return 0;
  if (load<u8>(p) == 0x5d) return p + 1;
  const inner = innerFrame(state, frame, open);
  if (!inner) return 0;
  v128.store(inner, v128.load(quad + OBJECT));
  return readBracketBody(state, p, inner);
}

/** The objects and the `)` of a list whose first cell is `frame`'s subject. */
function readListBody(state: usize, from: usize, frame: usize): usize {
  const predicate = frame + RECORD_BYTES;
  let p = from;
  while (true) {
    storeWellKnown(state, predicate, WELL_KNOWN.rdfFirst);
    p = readObject(state, p, frame, TOKENISE.expectedListEnd);
    if (p) p = skipSpace(state, p);
    const quad = p ? nextQuad(state) : 0;
    if (!quad) return 0;
    storeWellKnown(state, predicate, WELL_KNOWN.rdfRest);
    if (load<u8>(p) == 0x29) {
      storeWellKnown(state, quad + OBJECT, WELL_KNOWN.rdfNil);
      finishQuad(state, quad, frame);
      return p + 1;
    }
    if (!storeAnonymous(state, quad + OBJECT, p)) return 0;
    finishQuad(state, quad, frame);
    v128.store(frame, v128.load(quad + OBJECT));
  }
}

/** The `(` at `open` as an object. */
function readListObject(state: usize, open: usize, frame: usize): usize {
  const quad = nextQuad(state);
  if (!quad) return 0;
  const p = skipSpace(state, open + 1);
  if (!p) return 0;
  if (load<u8>(p) == 0x29) {
    storeWellKnown(state, quad + OBJECT, WELL_KNOWN.rdfNil);
    finishQuad(state, quad, frame);
    return p + 1;
  }
  const inner = innerFrame(state, frame, open);
  if (!inner || !storeAnonymous(state, quad + OBJECT, open)) return 0;
  finishQuad(state, quad, frame);
  v128.store(inner, v128.load(quad + OBJECT));
  return readListBody(state, p, inner);
}

/** `true`, `false` or a prefixed name; `expected` when none of them starts at `p`. */
function readWordObject(state: usize, p: usize, record: usize, expected: u32): usize {
  const isTrue = load<u32>(p) == TRUE;
  const isFalse = load<u32>(p) == FALS && load<u8>(p, 4) == 0x65;
  const length: u32 = isTrue ? 4 : 5;
  let q = p + <usize>length;
  if (!(isTrue || isFalse) || isAsciiName(load<u8>(q))) return readIriOrName(state, p, record, expected);
  // A dot may belong to a longer name, `true.x:y`: look for its colon. No prefix ends in a dot: `true.:y` is two terms.
  while (load<u8>(q) == 0x2e || isAsciiName(load<u8>(q))) q++;
  if (mayGoOn(state, q)) return fail(state, TOKENISE.incomplete, p);
  const isName = load<u8>(q) == 0x3a && load<u8>(q - 1) != 0x2e;
  if (isName || load<u8>(q) >= 0x80) return readIriOrName(state, p, record, expected);
  storeTerm(record, p, length, TERM_KIND.typed);
  storeQualifier(
    record,
    TERM_KIND.typed,
    wellKnownAddress(state, WELL_KNOWN.xsdBoolean),
    wellKnownLength(state, WELL_KNOWN.xsdBoolean),
  );
  return p + <usize>length;
}

/** One object and its quad, with all that is nested in it; returns the address behind it, or 0. */
function readObject(state: usize, from: usize, frame: usize, expected: u32): usize {
  const c: u32 = load<u8>(from);
  if (c == 0x5b) return readBracketObject(state, from, frame);
  if (c == 0x28) return readListObject(state, from, frame);
  const quad = nextQuad(state);
  if (!quad) return 0;
  const record = quad + OBJECT;
  let p: usize;
  if (c == 0x3c) {
    p = readResolvedIri(state, from + 1, record);
  } else if (c == 0x22 || c == 0x27) {
    p = readTurtleLiteral(state, from, record);
  } else if (isDigit(c) || c == 0x2d || c == 0x2b || (c == 0x2e && isDigit(load<u8>(from, 1)))) {
    p = readNumber(state, from, record);
  } else if (c == 0x5f) {
    p = readBlankLabel(state, from + 1, record);
  } else {
    p = readWordObject(state, from, record, expected);
  }
  if (p) finishQuad(state, quad, frame);
  return p;
}

/** Objects with commas between them; returns the address of what follows, or 0. */
// @inline
function readObjects(state: usize, from: usize, frame: usize): usize {
  let p = from;
  while (true) {
    p = skipSpace(state, p);
    if (p) p = readObject(state, p, frame, TOKENISE.expectedObject);
    if (p) p = skipSpace(state, p);
    if (!p) return 0;
    const c = load<u8>(p);
    if (c != 0x2c) {
      // Reifiers and annotations of RDF 1.2.
      if (c == 0x7e || (c == 0x7b && load<u8>(p, 1) == 0x7c)) return fail(state, TOKENISE.needsSlowPath, p);
      return p;
    }
    p++;
  }
}

/** The predicate at `p`. */
// @inline
function readPredicate(state: usize, p: usize, record: usize): usize {
  const c: u32 = load<u8>(p);
  if (c == 0x3c) return readResolvedIri(state, p + 1, record);
  if (c == 0x61) {
    const next: u32 = load<u8>(p, 1);
    if (!isAsciiName(next) && next != 0x3a && next != 0x2e && next < 0x80) {
      storeWellKnown(state, record, WELL_KNOWN.rdfType);
      return p + 1;
    }
  }
  return readIriOrName(state, p, record, TOKENISE.expectedPredicate);
}

/** Predicates with their objects and semicolons between them; returns the address of what follows. */
export function readPredicates(state: usize, from: usize, frame: usize): usize {
  let p = from;
  while (true) {
    p = readPredicate(state, p, frame + RECORD_BYTES);
    if (p) p = readObjects(state, p, frame);
    if (!p) return 0;
    if (load<u8>(p) != 0x3b) return p;
    while (load<u8>(p) == 0x3b) {
      p = skipSpace(state, p + 1);
      if (!p) return 0;
    }
    const c = load<u8>(p);
    if (c == 0x2e || c == 0x5d || c == 0x7d) return p;
  }
}

/** `[]` at `open` or `[ predicates ]` as a subject: puts the node into `frame`. */
export function readBracketSubject(state: usize, open: usize, frame: usize): usize {
  const p = skipSpace(state, open + 1);
  if (!p || !storeAnonymous(state, frame, open)) return 0;
  return load<u8>(p) == 0x5d ? p + 1 : readBracketBody(state, p, frame);
}

/** `( … )` at `open` as a subject: puts its first cell into `frame`. */
export function readListSubject(state: usize, open: usize, frame: usize): usize {
  const p = skipSpace(state, open + 1);
  if (!p) return 0;
  if (load<u8>(p) == 0x29) {
    storeWellKnown(state, frame, WELL_KNOWN.rdfNil);
    return p + 1;
  }
  const inner = innerFrame(state, frame, open);
  if (!inner || !storeAnonymous(state, frame, open)) return 0;
  v128.store(inner, v128.load(frame));
  return readListBody(state, p, inner);
}
