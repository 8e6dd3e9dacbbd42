/** Terms and white space of Turtle and TriG, read byte by byte: the lower half of their twin. */

import { TOKENISE } from '../../../engine/kernels/tokenise-errors.js';
import { TERM_KIND } from '../../../engine/kernels/tokenise-state.js';
import { resolveIriTwin } from './resolve-iri.js';
import { isNamePart, isNameStart, TermReader, type TwinTerm, term } from './term-reader.js';

const SCHEME = /^[A-Za-z][A-Za-z0-9+.-]*:/;
const RDF_TYPE = 'http://www.w3.org/1999/02/22-rdf-syntax-ns#type';
const XSD = 'http://www.w3.org/2001/XMLSchema#';
const TYPE = term(TERM_KIND.iri, RDF_TYPE);
/** The longest form first. */
const NUMBERS: readonly (readonly [RegExp, string])[] = [
  [/[+-]?(?:\d+\.\d*|\.?\d+)[eE][+-]?\d+/y, 'double'],
  [/[+-]?\d*\.\d+/y, 'decimal'],
  [/[+-]?\d+/y, 'integer'],
];

export class TurtleTermReader extends TermReader {
  protected readonly latin1: string;
  protected readonly prefixes = new Map<string, string>();

  constructor(
    bytes: Uint8Array,
    protected base: string | undefined,
  ) {
    super(bytes);
    this.latin1 = Buffer.from(bytes).toString('latin1');
  }

  skipSpace(): void {
    while (' \t\r\n#'.includes(this.character()) && this.at < this.end) {
      if (this.isAt('#')) this.skipComment();
      else this.at++;
    }
  }

  /** Fails with `code`, unless the input ends here. */
  unexpected(code: number, offset = this.at): never {
    if (offset >= this.end) this.fail(TOKENISE.unexpectedEnd, offset);
    this.wrong(code, offset);
  }

  expect(text: string, code: number): void {
    if (!this.isAt(text)) this.unexpected(code);
    this.at++;
  }

  isName(offset: number): boolean {
    return /[-A-Za-z0-9_]/.test(this.character(offset)) && offset < this.end;
  }

  /** Whether a keyword stands at the cursor and is not the start of a name. */
  isKeyword(word: string): boolean {
    const behind = this.at + word.length;
    if (this.latin1.slice(this.at, behind).toLowerCase() !== word) return false;
    return !this.isName(behind) && !this.isAt(':', behind) && !this.isAt('.', behind) && this.byte(behind) < 0x80;
  }

  takeResolvedIri(): TwinTerm {
    const open = this.at;
    const iri = this.takeIri();
    if (SCHEME.test(iri)) return term(TERM_KIND.iri, iri);
    if (this.base === undefined) this.fail(TOKENISE.relativeIri, open);
    return term(TERM_KIND.iri, resolveIriTwin(this.base, iri));
  }

  startsName(offset: number): boolean {
    const character = offset < this.end ? this.decode(offset) : null;
    return character !== null && isNameStart(character);
  }

  /** The prefix at the cursor, which is left behind the colon. */
  takePrefix(expected: number): string {
    const start = this.at;
    while (this.at < this.end) {
      const character = this.characterAt(this.at);
      if (character !== '.' && !isNamePart(character)) break;
      this.take();
    }
    const prefix = this.text(start);
    const valid = prefix === '' || (this.startsName(start) && !prefix.endsWith('.'));
    if (!this.isAt(':') || !valid) this.unexpected(expected, start);
    this.at++;
    return prefix;
  }

  /** `%xx` or `\c` at the cursor, as it stands in the name. */
  takeLocalEscape(): string {
    const rest = this.latin1.slice(this.at, this.at + 3);
    const match = /^(?:%[0-9A-Fa-f]{2}|\\[_~.\-!$&'()*+,;=/?#@%])/.exec(rest);
    if (!match) this.fail(TOKENISE.invalidLocalName, this.at);
    this.at += match[0].length;
    return match[0].replace('\\', '');
  }

  takeLocalName(): string {
    const start = this.at;
    let local = '';
    let end = start;
    let endLength = 0;
    while (this.at < this.end) {
      const first = this.at === start;
      if (this.isAt('%') || this.isAt('\\')) {
        local += this.takeLocalEscape();
      } else {
        const character = this.characterAt(this.at);
        const allowed = first
          ? isNameStart(character) || /[_0-9:]/.test(character)
          : isNamePart(character) || character === ':';
        if (!allowed && (first || character !== '.')) break;
        local += this.take();
        if (character === '.') continue;
      }
      end = this.at;
      endLength = local.length;
    }
    this.at = end;
    return local.slice(0, endLength);
  }

  takePrefixedName(): TwinTerm {
    const start = this.at;
    const namespace = this.prefixes.get(this.takePrefix(TOKENISE.expectedName));
    if (namespace === undefined) this.fail(TOKENISE.undeclaredPrefix, start);
    return term(TERM_KIND.iri, namespace + this.takeLocalName());
  }

  takeIriOrName(expected: number): TwinTerm {
    if (this.isAt('<')) return this.takeResolvedIri();
    if (this.isAt(':') || this.startsName(this.at)) return this.takePrefixedName();
    return this.unexpected(expected);
  }

  takeLiteral(): TwinTerm {
    const quote = this.character();
    const long = this.isAt(quote, this.at + 1) && this.isAt(quote, this.at + 2);
    const lexical = this.takeString(long ? quote.repeat(3) : quote);
    this.skipSpace();
    if (this.isAt('@')) return this.takeLanguageTag(lexical);
    if (!this.isAt('^')) return term(TERM_KIND.string, lexical);
    this.at++;
    this.expect('^', TOKENISE.expectedDatatype);
    this.skipSpace();
    const open = this.at;
    return this.typed(lexical, this.takeIriOrName(TOKENISE.expectedDatatype).lexical, open);
  }

  takeNumber(): TwinTerm {
    for (const [pattern, datatype] of NUMBERS) {
      pattern.lastIndex = this.at;
      const match = pattern.exec(this.latin1);
      if (!match) continue;
      this.at += match[0].length;
      return term(TERM_KIND.typed, match[0], XSD + datatype);
    }
    return this.unexpected(TOKENISE.invalidNumber, this.at + (this.isAt('+') || this.isAt('-') ? 1 : 0));
  }

  takeWord(expected: number): TwinTerm {
    const word = ['true', 'false'].find((w) => this.latin1.startsWith(w, this.at));
    if (word === undefined || this.isName(this.at + word.length)) return this.takeIriOrName(expected);
    let behind = this.at + word.length;
    while (this.isAt('.', behind) || this.isName(behind)) behind++;
    const isName = this.isAt(':', behind) && !this.isAt('.', behind - 1);
    if (isName || this.byte(behind) >= 0x80) return this.takeIriOrName(expected);
    this.at += word.length;
    return term(TERM_KIND.typed, word, `${XSD}boolean`);
  }

  /** An object with nothing nested in it. */
  takeSimpleObject(expected: number): TwinTerm {
    if (this.isAt('<')) return this.takeResolvedIri();
    if (this.isAt('"') || this.isAt("'")) return this.takeLiteral();
    if (/^(?:[-+0-9]|\.[0-9])/.test(this.latin1.slice(this.at, this.at + 2))) return this.takeNumber();
    if (this.isAt('_')) return this.takeBlankLabel();
    return this.takeWord(expected);
  }

  takePredicate(): TwinTerm {
    const next = this.at + 1;
    const single = !this.isName(next) && !this.isAt(':', next) && !this.isAt('.', next) && this.byte(next) < 0x80;
    if (!this.isAt('a') || !single) return this.takeIriOrName(TOKENISE.expectedPredicate);
    this.at++;
    return TYPE;
  }
}
