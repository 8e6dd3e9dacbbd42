/**
 * Reads the triples of a share and holds them to their canonical form (semantics text 6.2), over bytes, as they come:
 *
 * 1. What has come is cut after its last line feed; the rest waits for more. A line has a bound.
 * 2. The lines must be UTF-8. One loop goes over the bytes of each line and accepts the one spelling that a triple has; what
 *    it finds on the way are the places of the terms.
 * 3. Each line must come after the one before it in the order of bytes, which is that of code points. So no line stands
 *    twice. What it has in common with that line has been accepted already: a subject, and a predicate, are passed over.
 *
 * Texts are made by who wants them; most are looked at as bytes only.
 */

import { isUtf8 } from 'node:buffer';
import { SvcError } from '../base/errors.js';
import { EXPORT_FILE } from './bundle.js';

/** The longest line that is read: more than a literal of any use needs, and little enough to be held. */
export const LINE_BYTES_MAX = 64 * 1024 * 1024;
const EXCERPT_BYTES = 80;
const XSD_STRING = Buffer.from('http://www.w3.org/2001/XMLSchema#string');
const LANG_STRINGS = [
  Buffer.from('http://www.w3.org/1999/02/22-rdf-syntax-ns#langString'),
  Buffer.from('http://www.w3.org/1999/02/22-rdf-syntax-ns#dirLangString'),
];
/** Canonical labels are numbers; one with more digits than this is of no graph that fits into a machine. */
const LABEL_DIGITS_MAX = 15;

const LF = 0x0a;
const SPACE = 0x20;
const QUOTE = 0x22;
const BACKSLASH = 0x5c;

/** Of a byte: may stand in an IRI. */
const IRI_BYTES = Uint8Array.from({ length: 256 }, (_, byte) =>
  byte > 0x20 && !'<>"{}|^`\\'.includes(String.fromCharCode(byte)) ? 1 : 0,
);
/** Of a byte: stands in a literal as itself. */
const PLAIN_BYTES = Uint8Array.from({ length: 256 }, (_, byte) =>
  byte >= 0x20 && byte !== 0x7f && byte !== QUOTE && byte !== BACKSLASH ? 1 : 0,
);
/** `b t n f r " \` */
const NAMED_ESCAPES = new Set([0x62, 0x74, 0x6e, 0x66, 0x72, QUOTE, BACKSLASH]);
/** Controls that have a name. */
const NAMED_CONTROLS = new Set([0x08, 0x09, 0x0a, 0x0c, 0x0d]);

export type ObjectKind = 'iri' | 'blank' | 'literal';

/** Where the terms of a line stand in its bytes. It is one object, valid during the call. */
export interface LinePlaces {
  /** The bytes that the places count in. */
  bytes: Buffer;
  /** Of the line, the line feed without. */
  start: number;
  end: number;
  subjectEnd: number;
  predicateStart: number;
  predicateEnd: number;
  objectStart: number;
  objectEnd: number;
  objectKind: ObjectKind;
  /** Of a literal: the closing quote. */
  quote: number;
  /** Of a literal: something in it is escaped. */
  escaped: boolean;
  /** The line before has the same one. */
  sameSubject: boolean;
  /** The numbers of canonical labels; -1 = no blank node. */
  subjectBlank: number;
  objectBlank: number;
}

export class CanonicalReader {
  /** Lines so far. */
  lines = 0;
  readonly #take: (line: LinePlaces) => void;
  #rest: Uint8Array[] = [];
  #restBytes = 0;
  #last: Buffer = Buffer.alloc(0);
  readonly #line: LinePlaces = {
    bytes: Buffer.alloc(0),
    start: 0,
    end: 0,
    subjectEnd: 0,
    predicateStart: 0,
    predicateEnd: 0,
    objectStart: 0,
    objectEnd: 0,
    objectKind: 'iri',
    quote: 0,
    escaped: false,
    sameSubject: false,
    subjectBlank: -1,
    objectBlank: -1,
  };

  constructor(take: (line: LinePlaces) => void) {
    this.#take = take;
  }

  push(chunk: Uint8Array): void {
    const cut = chunk.lastIndexOf(LF);
    if (cut === -1) {
      this.#restBytes += chunk.length;
      if (this.#restBytes > LINE_BYTES_MAX) throw this.#tooLong();
      // The chunk is its owner's to use again.
      this.#rest.push(chunk.slice());
      return;
    }
    const head = chunk.subarray(0, cut + 1);
    if (this.#restBytes + chunk.indexOf(LF) > LINE_BYTES_MAX) throw this.#tooLong();
    const bytes =
      this.#rest.length === 0
        ? Buffer.from(head.buffer, head.byteOffset, head.length)
        : Buffer.concat([...this.#rest, head]);
    const rest = chunk.subarray(cut + 1);
    this.#rest = rest.length === 0 ? [] : [rest.slice()];
    this.#restBytes = rest.length;
    this.#read(bytes);
  }

  end(): void {
    if (this.#restBytes === 0) return;
    this.lines++;
    const bytes = Buffer.concat(this.#rest);
    throw this.#fault(bytes, 0, bytes.length, 'the last line does not end with a line feed');
  }

  #read(bytes: Buffer): void {
    if (!isUtf8(bytes)) throw this.#notUtf8(bytes);
    const line = this.#line;
    line.bytes = bytes;
    let [before, beforeStart, beforeEnd] = [this.#last, 0, this.#last.length];
    for (let start = 0; start < bytes.length; ) {
      this.lines++;
      const same = commonBytes(before, beforeStart, beforeEnd, bytes, start);
      this.#parse(bytes, start, same);
      const { end } = line;
      const order = orderAfter(before, beforeStart, beforeEnd, bytes, start, end, same);
      if (order >= 0) {
        const what = order === 0 ? 'is there twice' : 'stands behind one that has to come after it';
        throw this.#fault(bytes, start, start, `the line ${what}: lines are sorted by code point, each once`);
      }
      this.#take(line);
      [before, beforeStart, beforeEnd] = [bytes, start, end];
      start = end + 1;
    }
    this.#last = Buffer.from(before.subarray(beforeStart, beforeEnd));
  }

  /** Accepts one line, and keeps the places of its terms; `same`: bytes that it has in common with the line before. */
  #parse(bytes: Buffer, start: number, same: number): void {
    const line = this.#line;
    // Each term with the space behind it, which ends it; the places are those of the line before.
    line.sameSubject = this.lines > 1 && same > line.subjectEnd - line.start;
    const samePredicate = line.sameSubject && same > line.predicateEnd - line.start;
    const moved = start - line.start;
    line.start = start;
    if (line.sameSubject) {
      line.subjectEnd += moved;
      line.predicateStart += moved;
    } else this.#subject(bytes, start);
    if (samePredicate) {
      line.predicateEnd += moved;
      line.objectStart += moved;
    } else this.#predicate(bytes, start);
    const at = this.#object(bytes, start, line.objectStart);
    line.objectEnd = at;
    if (bytes[at] !== SPACE || bytes[at + 1] !== 0x2e || bytes[at + 2] !== LF) {
      throw this.#fault(bytes, start, at, 'the line has to end here, with a space, a full stop and a line feed');
    }
    line.end = at + 2;
  }

  #subject(bytes: Buffer, start: number): void {
    const line = this.#line;
    let at = start;
    line.subjectBlank = -1;
    if (bytes[at] === 0x3c) at = this.#iri(bytes, start, at, 'the subject');
    else if (bytes[at] === 0x5f) [at, line.subjectBlank] = this.#label(bytes, start, at);
    else throw this.#fault(bytes, start, at, 'a subject is expected: an IRI or a blank node');
    line.subjectEnd = at;
    line.predicateStart = this.#space(bytes, start, at);
  }

  #predicate(bytes: Buffer, start: number): void {
    const line = this.#line;
    const from = line.predicateStart;
    if (bytes[from] !== 0x3c) throw this.#fault(bytes, start, from, 'a predicate is expected, which is an IRI');
    line.predicateEnd = this.#iri(bytes, start, from, 'the predicate');
    line.objectStart = this.#space(bytes, start, line.predicateEnd);
  }

  #object(bytes: Buffer, start: number, at: number): number {
    const line = this.#line;
    line.objectBlank = -1;
    const first = bytes[at];
    if (first === QUOTE) {
      line.objectKind = 'literal';
      return this.#literal(bytes, start, at);
    }
    if (first === 0x5f) {
      line.objectKind = 'blank';
      const [end, label] = this.#label(bytes, start, at);
      line.objectBlank = label;
      return end;
    }
    if (first !== 0x3c) throw this.#fault(bytes, start, at, 'an object is expected: an IRI, a blank node or a literal');
    if (bytes[at + 1] === 0x3c) throw this.#fault(bytes, start, at, 'a triple term can not be part of a share');
    line.objectKind = 'iri';
    return this.#iri(bytes, start, at, 'the object');
  }

  #space(bytes: Buffer, start: number, at: number): number {
    if (bytes[at] !== SPACE || bytes[at + 1] === SPACE) {
      throw this.#fault(bytes, start, at, 'terms are parted by one space');
    }
    return at + 1;
  }

  /** Past the `>` of an IRI, which is absolute and has no escapes. */
  #iri(bytes: Buffer, start: number, from: number, what: string): number {
    let at = from + 1;
    while (IRI_BYTES[bytes[at] as number] === 1) at++;
    if (bytes[at] !== 0x3e) throw this.#fault(bytes, start, at, `${what} has a character that no IRI has here`);
    if (!hasScheme(bytes, from + 1, at)) throw this.#fault(bytes, start, from, `${what} is not an absolute IRI`);
    return at + 1;
  }

  /** Past a canonical label: `_:c14n` and a number. */
  #label(bytes: Buffer, start: number, from: number): [end: number, label: number] {
    let at = from + 6;
    let label = 0;
    const isCanonical = bytes.toString('latin1', from, at) === '_:c14n';
    for (let digit = (bytes[at] as number) - 0x30; isCanonical && digit >= 0 && digit <= 9; ) {
      label = 10 * label + digit;
      digit = (bytes[++at] as number) - 0x30;
    }
    const digits = at - from - 6;
    const isShort = digits === 1 || (bytes[from + 6] !== 0x30 && digits <= LABEL_DIGITS_MAX);
    if (!isCanonical || digits < 1 || !isShort || bytes[at] !== SPACE) {
      throw this.#fault(bytes, start, from, 'blank nodes of a share are called _:c14n0, _:c14n1 and so on');
    }
    return [at, label];
  }

  #literal(bytes: Buffer, start: number, from: number): number {
    const line = this.#line;
    line.escaped = false;
    let at = from + 1;
    for (;;) {
      while (PLAIN_BYTES[bytes[at] as number] === 1) at++;
      if (bytes[at] === QUOTE) break;
      if (bytes[at] !== BACKSLASH) {
        const what =
          bytes[at] === LF ? 'the literal is not closed' : 'a control character stands in a literal as itself';
        throw this.#fault(bytes, start, at, what);
      }
      line.escaped = true;
      at = this.#escape(bytes, start, at);
    }
    line.quote = at;
    at++;
    if (bytes[at] === 0x40) return this.#language(bytes, start, at);
    if (bytes[at] !== 0x5e) return at;
    if (bytes[at + 1] !== 0x5e || bytes[at + 2] !== 0x3c) {
      throw this.#fault(bytes, start, at, 'a datatype is written ^^<IRI>');
    }
    const end = this.#iri(bytes, start, at + 2, 'the datatype');
    const datatype = bytes.subarray(at + 3, end - 1);
    if (datatype.equals(XSD_STRING)) throw this.#fault(bytes, start, at, 'the datatype xsd:string is left out');
    if (LANG_STRINGS.some((one) => datatype.equals(one))) {
      throw this.#fault(bytes, start, at, 'this datatype is only for literals with a language tag');
    }
    return end;
  }

  #escape(bytes: Buffer, start: number, at: number): number {
    const name = bytes[at + 1] as number;
    if (NAMED_ESCAPES.has(name)) return at + 2;
    const digits = bytes.toString('latin1', at + 2, at + 6);
    const point = name === 0x75 && /^00[01][0-9A-F]$|^007F$/.test(digits) ? Number.parseInt(digits, 16) : -1;
    if (point === -1 || NAMED_CONTROLS.has(point)) {
      throw this.#fault(
        bytes,
        start,
        at,
        'this escape is not canonical: characters stand as themselves, only controls, quotes and backslashes are escaped',
      );
    }
    return at + 6;
  }

  #language(bytes: Buffer, start: number, from: number): number {
    let at = from + 1;
    while (at < bytes.length && bytes[at] !== SPACE && bytes[at] !== LF) at++;
    const tag = bytes.toString('latin1', from + 1, at);
    if (!/^[a-z]{1,8}(?:-[a-z0-9]{1,8})*(?:--(?:ltr|rtl))?$/.test(tag)) {
      throw this.#fault(bytes, start, from, 'this is not a language tag in lower case');
    }
    return at;
  }

  #notUtf8(bytes: Buffer): SvcError {
    let start = 0;
    for (let end = bytes.indexOf(LF); end !== -1; end = bytes.indexOf(LF, start)) {
      this.lines++;
      if (!isUtf8(bytes.subarray(start, end))) break;
      start = end + 1;
    }
    return this.#fault(bytes, start, start, 'the line is not UTF-8');
  }

  #tooLong(): SvcError {
    return new SvcError(
      'limit_exceeded',
      `${EXPORT_FILE}: line ${this.lines + 1} has more than ${LINE_BYTES_MAX} bytes`,
    );
  }

  #fault(bytes: Buffer, start: number, at: number, what: string): SvcError {
    const found = bytes.indexOf(LF, start);
    const end = found === -1 ? bytes.length : found;
    const line = bytes.subarray(start, end).toString('utf8');
    const column = [...bytes.subarray(start, Math.min(at, end)).toString('utf8')].length + 1;
    const excerpt = line.length > EXCERPT_BYTES ? `${line.slice(0, EXCERPT_BYTES)}...` : line;
    return new SvcError('parse_error', `${EXPORT_FILE} is not canonical N-Triples: ${what}`, {
      position: { source: EXPORT_FILE, line: this.lines, column, excerpt },
      hint: 'nothing was stored; get the bundle again from who made it',
    });
  }
}

function hasScheme(bytes: Buffer, from: number, to: number): boolean {
  for (let at = from; at < to; at++) {
    const byte = bytes[at] as number;
    if (byte === 0x3a) return at > from;
    const isLetter = (byte | 0x20) >= 0x61 && (byte | 0x20) <= 0x7a;
    const isOther = (byte >= 0x30 && byte <= 0x39) || byte === 0x2b || byte === 0x2d || byte === 0x2e;
    if (!isLetter && (at === from || !isOther)) return false;
  }
  return false;
}

/** How many bytes a line begins with that the one before it begins with, too. */
function commonBytes(before: Buffer, from: number, to: number, bytes: Buffer, start: number): number {
  const most = Math.min(to - from, bytes.length - start);
  let same = 0;
  while (same < most && before[from + same] === bytes[start + same]) same++;
  return same;
}

/** Negative when the line comes after the one before it, 0 when it is the same. */
function orderAfter(
  before: Buffer,
  from: number,
  to: number,
  bytes: Buffer,
  start: number,
  end: number,
  same: number,
): number {
  if (same < to - from && same < end - start) return (before[from + same] as number) - (bytes[start + same] as number);
  return to - from - (end - start);
}
