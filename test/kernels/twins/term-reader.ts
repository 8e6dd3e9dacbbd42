/**
 * The terms that N-Triples, N-Quads, Turtle and TriG share, read byte by byte from an array: the
 * ground of the two tokeniser twins. Slow and plain; its results and the places of its errors are
 * what the kernels must give.
 */

import { TOKENISE } from '../../../engine/kernels/tokenise-errors.js';
import { TERM_KIND, type TermKind } from '../../../engine/kernels/tokenise-state.js';

export interface TwinTerm {
  readonly kind: TermKind;
  /** IRI, label, or lexical form; the running number of an anonymous node. */
  readonly lexical: string;
  /** Language tag (with `--dir`) or datatype IRI, else empty. */
  readonly qualifier: string;
}

export type TwinQuad = readonly [subject: TwinTerm, predicate: TwinTerm, object: TwinTerm, graph: TwinTerm];

export interface TwinResult {
  readonly code: number;
  /** The offending byte; 0 when all went well. */
  readonly offset: number;
  readonly quads: readonly TwinQuad[];
}

export const DEFAULT_GRAPH: TwinTerm = { kind: TERM_KIND.defaultGraph, lexical: '', qualifier: '' };

export function term(kind: TermKind, lexical: string, qualifier = ''): TwinTerm {
  return { kind, lexical, qualifier };
}

/** Ends the reading; never leaves the twins. */
export class TwinFailure extends Error {
  constructor(
    readonly code: number,
    readonly offset: number,
  ) {
    super(`tokeniser result ${code} at ${offset}`);
  }
}

const XSD_STRING = 'http://www.w3.org/2001/XMLSchema#string';
const RDF = 'http://www.w3.org/1999/02/22-rdf-syntax-ns#';
const SIMPLE_ESCAPES = new Map([...'tbnrf"\'\\'].map((c, i) => [c, '\t\b\n\r\f"\'\\'[i]!]));
/** PN_CHARS_BASE, as pairs of first and last code point. */
const NAME_START = [
  [0x41, 0x5a],
  [0x61, 0x7a],
  [0xc0, 0xd6],
  [0xd8, 0xf6],
  [0xf8, 0x2ff],
  [0x370, 0x37d],
  [0x37f, 0x1fff],
  [0x200c, 0x200d],
  [0x2070, 0x218f],
  [0x2c00, 0x2fef],
  [0x3001, 0xd7ff],
  [0xf900, 0xfdcf],
  [0xfdf0, 0xfffd],
  [0x10000, 0xeffff],
] as const;
/** What PN_CHARS has besides. */
const NAME_EXTRA = [
  [0x2d, 0x2d],
  [0x30, 0x39],
  [0x5f, 0x5f],
  [0xb7, 0xb7],
  [0x300, 0x36f],
  [0x203f, 0x2040],
] as const;
// biome-ignore lint/suspicious/noControlCharactersInRegex: the grammar excludes them
const NOT_IN_IRI = /^[\x00-\x20<>"{}|^`\\]$/;

function isWithin(ranges: readonly (readonly [number, number])[], character: string): boolean {
  const point = character.codePointAt(0) ?? -1;
  return ranges.some(([first, last]) => point >= first && point <= last);
}

/** PN_CHARS_BASE. */
export function isNameStart(character: string): boolean {
  return isWithin(NAME_START, character);
}

/** PN_CHARS. */
export function isNamePart(character: string): boolean {
  return isNameStart(character) || isWithin(NAME_EXTRA, character);
}

export class TermReader {
  at = 0;

  constructor(readonly bytes: Uint8Array) {}

  get end(): number {
    return this.bytes.length;
  }

  /** The byte at an offset, 0 behind the end. */
  byte(offset = this.at): number {
    return this.bytes[offset] ?? 0;
  }

  /** The byte as a character; meaningful for ASCII only. */
  character(offset = this.at): string {
    return String.fromCharCode(this.byte(offset));
  }

  isAt(text: string, offset = this.at): boolean {
    return offset < this.end && this.character(offset) === text;
  }

  fail(code: number, offset: number): never {
    throw new TwinFailure(code, offset);
  }

  /** Fails with `code`, unless the bytes there are not UTF-8. */
  wrong(code: number, offset = this.at): never {
    if (this.byte(offset) >= 0x80 && this.decode(offset) === null) this.fail(TOKENISE.invalidUtf8, offset);
    this.fail(code, offset);
  }

  /** The character at an offset, of one to four bytes, NUL at the end; null when they are not UTF-8. */
  decode(offset: number): string | null {
    if (offset >= this.end) return '\0';
    const first = this.byte(offset);
    const length = first < 0x80 ? 1 : first < 0xe0 ? 2 : first < 0xf0 ? 3 : 4;
    try {
      const text = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(
        this.bytes.subarray(offset, offset + length),
      );
      return [...text].length === 1 ? text : null;
    } catch {
      return null;
    }
  }

  /** The character at an offset, which must be UTF-8. */
  characterAt(offset: number): string {
    return this.decode(offset) ?? this.fail(TOKENISE.invalidUtf8, offset);
  }

  /** Takes one character. */
  take(): string {
    const character = this.characterAt(this.at);
    this.at += Buffer.byteLength(character);
    return character;
  }

  /** `\uXXXX` or `\UXXXXXXXX` at the cursor. */
  private takeNumericEscape(inIri: boolean): string {
    const start = this.at;
    const digits = this.character(start + 1) === 'u' ? 4 : 8;
    const text = Buffer.from(this.bytes.subarray(start + 2, start + 2 + digits)).toString('latin1');
    if (!/^[0-9A-Fa-f]+$/.test(text) || text.length !== digits) this.fail(TOKENISE.invalidEscape, start);
    const point = Number.parseInt(text, 16);
    if (point > 0x10ffff || (point >= 0xd800 && point <= 0xdfff)) this.fail(TOKENISE.invalidCodePoint, start);
    const character = String.fromCodePoint(point);
    if (inIri && NOT_IN_IRI.test(character)) this.fail(TOKENISE.invalidIriCharacter, start);
    this.at += 2 + digits;
    return character;
  }

  private isNumericEscape(): boolean {
    return this.isAt('u', this.at + 1) || this.isAt('U', this.at + 1);
  }

  /** The IRI reference whose `<` is at the cursor, as written but for its escapes. */
  takeIri(): string {
    const open = this.at++;
    let iri = '';
    while (!this.isAt('>')) {
      if (this.at >= this.end || this.isAt('\n') || this.isAt('\r')) this.fail(TOKENISE.unterminatedIri, open);
      if (this.isAt('<') && this.at === open + 1) this.fail(TOKENISE.needsSlowPath, open);
      if (this.isAt('\\')) {
        if (!this.isNumericEscape()) this.fail(TOKENISE.invalidEscape, this.at);
        iri += this.takeNumericEscape(true);
      } else if (NOT_IN_IRI.test(this.character())) {
        this.fail(TOKENISE.invalidIriCharacter, this.at);
      } else {
        iri += this.take();
      }
    }
    this.at++;
    return iri;
  }

  /** The escape at the cursor inside a string. */
  private takeStringEscape(): string {
    if (this.isNumericEscape()) return this.takeNumericEscape(false);
    const character = SIMPLE_ESCAPES.get(this.character(this.at + 1));
    if (character === undefined || this.at + 1 >= this.end) this.fail(TOKENISE.invalidEscape, this.at);
    this.at += 2;
    return character;
  }

  /** The string that opens and closes with `delimiter`, the cursor at its opening. */
  takeString(delimiter: string): string {
    const open = this.at;
    this.at += delimiter.length;
    let text = '';
    while (![...delimiter].every((c, i) => this.isAt(c, this.at + i))) {
      const lineEnd = delimiter.length === 1 && (this.isAt('\n') || this.isAt('\r'));
      if (this.at >= this.end || lineEnd) this.fail(TOKENISE.unterminatedString, open);
      text += this.isAt('\\') ? this.takeStringEscape() : this.take();
    }
    this.at += delimiter.length;
    return text;
  }

  /** The language tag whose `@` is at the cursor, as a literal's kind and qualifier. */
  takeLanguageTag(lexical: string): TwinTerm {
    const start = ++this.at;
    let kind: TermKind = TERM_KIND.language;
    for (let first = true; ; first = false) {
      const subtag = this.at;
      while ((first ? /[A-Za-z]/ : /[A-Za-z0-9]/).test(this.character())) this.at++;
      if (this.at === subtag) this.fail(TOKENISE.invalidLanguageTag, this.at);
      if (this.at - subtag > 8) this.fail(TOKENISE.invalidLanguageTag, subtag);
      if (!this.isAt('-')) break;
      this.at++;
      if (!this.isAt('-')) continue;
      const direction = ++this.at;
      while (/[A-Za-z]/.test(this.character())) this.at++;
      if (!['ltr', 'rtl'].includes(this.text(direction))) this.fail(TOKENISE.invalidDirection, direction);
      kind = TERM_KIND.direction;
      break;
    }
    return term(kind, lexical, this.text(start));
  }

  /** The ASCII text from an offset to the cursor. */
  text(from: number): string {
    return Buffer.from(this.bytes.subarray(from, this.at)).toString('utf8');
  }

  /** A literal with the datatype IRI that was written at `offset`. */
  typed(lexical: string, datatype: string, offset: number): TwinTerm {
    if (datatype === XSD_STRING) return term(TERM_KIND.string, lexical);
    if (datatype === `${RDF}langString` || datatype === `${RDF}dirLangString`) {
      this.fail(TOKENISE.taglessLanguageString, offset);
    }
    return term(TERM_KIND.typed, lexical, datatype);
  }

  /** The blank node label whose `_` is at the cursor. */
  takeBlankLabel(): TwinTerm {
    if (!this.isAt(':', ++this.at)) this.fail(TOKENISE.invalidBlankLabel, this.at);
    const start = ++this.at;
    const first = this.characterAt(start);
    if (!(isNameStart(first) || /[_0-9]/.test(first))) this.fail(TOKENISE.invalidBlankLabel, start);
    let end = start;
    for (;;) {
      const character = this.at < this.end ? this.characterAt(this.at) : '';
      if (character !== '.' && !isNamePart(character)) break;
      this.take();
      if (character !== '.') end = this.at;
    }
    this.at = end;
    return term(TERM_KIND.blank, this.text(start));
  }

  /** A comment from its `#` up to its line end. */
  skipComment(): void {
    while (this.at < this.end && !this.isAt('\n') && !this.isAt('\r')) this.take();
  }
}
