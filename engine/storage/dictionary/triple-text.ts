/**
 * The stored text of a triple term: `<<( s p o )>>` with one space between, its terms as canonical
 * N-Triples, so that equal terms have equal text. It is written and read here alone, and not by the
 * formats: what is stored must not change with them.
 *
 * 1. Nested triple terms stand in place. Blank nodes have their stored labels.
 * 2. Language tags are lower-case; a direction follows as `--ltr`; xsd:string is not written.
 * 3. In strings `"`, `\`, BS, HT, LF, FF and CR are written as `\"` and so on, other characters below
 *    U+0020 and U+007F as `\u` and four hex digits; so are characters that no IRI may have. Hence the
 *    byte 1 stands in a label that waits for its scope and nowhere else (`bulk/document-scopes.ts`).
 */

import { SvcError } from '../../base/errors.js';
import { type Literal, type Quad, type Term, terms, XSD_STRING } from '../../rdf/terms.js';

/** Triple terms in triple terms; like brackets in a document. */
export const TRIPLE_NESTING_MAX = 512;

const OPEN = '<<( ';
const CLOSE = ' )>>';

// biome-ignore lint/suspicious/noControlCharactersInRegex: these are what is escaped
const ESCAPED_IN_STRING = /["\\\u0000-\u001f\u007f]/g;
// biome-ignore lint/suspicious/noControlCharactersInRegex: these are what is escaped
const ESCAPED_IN_IRI = /[\u0000-\u0020<>"{}|^`\\\u007f]/g;
const ESCAPE = /\\(?:u([0-9A-F]{4})|(.))/g;
const SHORT = new Map([
  ['"', '"'],
  ['\\', '\\'],
  ['\b', 'b'],
  ['\t', 't'],
  ['\n', 'n'],
  ['\f', 'f'],
  ['\r', 'r'],
]);
const LONG = new Map([...SHORT].map(([character, letter]) => [letter, character]));

export type LabelOf = (label: string) => string;

/** `labelOf` gives the stored labels of blank nodes. */
export function writeTripleText(triple: Term, labelOf: LabelOf = (label) => label): string {
  const parts: string[] = [];
  writeTriple(triple, labelOf, parts, 1);
  return parts.join('');
}

function writeTriple(triple: Term, labelOf: LabelOf, parts: string[], depth: number): void {
  if (depth > TRIPLE_NESTING_MAX) {
    throw new SvcError('limit_exceeded', `triple terms are nested deeper than ${TRIPLE_NESTING_MAX}`);
  }
  const { subject, predicate, object } = triple as Quad;
  parts.push(OPEN, termText(subject, labelOf), ' ', termText(predicate, labelOf), ' ');
  if ((object as Term).termType === 'Quad') writeTriple(object, labelOf, parts, depth + 1);
  else parts.push(termText(object, labelOf));
  parts.push(CLOSE);
}

function termText(term: Term, labelOf: LabelOf): string {
  switch (term.termType) {
    case 'NamedNode':
      return iriText(term.value);
    case 'BlankNode':
      return `_:${labelOf(term.value)}`;
    case 'Literal':
      return literalText(term);
    default:
      // Variables and the like are in no store; what is looked up with them is not found.
      return `?${term.termType}`;
  }
}

function iriText(iri: string): string {
  return `<${iri.replace(ESCAPED_IN_IRI, hexEscape)}>`;
}

function literalText(literal: Literal): string {
  const text = `"${literal.value.replace(ESCAPED_IN_STRING, stringEscape)}"`;
  if (literal.language) {
    const direction = literal.direction ? `--${literal.direction}` : '';
    return `${text}@${literal.language.toLowerCase()}${direction}`;
  }
  return literal.datatype.value === XSD_STRING ? text : `${text}^^${iriText(literal.datatype.value)}`;
}

function stringEscape(character: string): string {
  const letter = SHORT.get(character);
  return letter === undefined ? hexEscape(character) : `\\${letter}`;
}

function hexEscape(character: string): string {
  return `\\u${character.charCodeAt(0).toString(16).toUpperCase().padStart(4, '0')}`;
}

/** The triple term of a stored text. */
export function readTripleText(text: string): Quad {
  const reader = new TripleTextReader(text);
  const triple = reader.triple();
  reader.end();
  return triple;
}

class TripleTextReader {
  readonly #text: string;
  #at = 0;

  constructor(text: string) {
    this.#text = text;
  }

  triple(): Quad {
    this.#take(OPEN);
    const subject = this.#term();
    this.#take(' ');
    const predicate = this.#term();
    this.#take(' ');
    const object = this.#term();
    this.#take(CLOSE);
    return terms.quad(subject as Quad['subject'], predicate as Quad['predicate'], object as Quad['object']);
  }

  end(): void {
    if (this.#at !== this.#text.length) this.#fail();
  }

  #term(): Term {
    if (this.#text.startsWith(OPEN, this.#at)) return this.triple() as Term;
    switch (this.#text[this.#at]) {
      case '<':
        return terms.namedNode(this.#iri());
      case '_':
        this.#take('_:');
        return terms.blankNode(this.#word());
      case '"':
        return this.#literal();
      default:
        return this.#fail();
    }
  }

  #iri(): string {
    this.#take('<');
    return withoutEscapes(this.#until('>', this.#at));
  }

  #literal(): Literal {
    const value = withoutEscapes(this.#string());
    if (this.#text[this.#at] === '@') {
      this.#at++;
      const tag = this.#word();
      const cut = tag.indexOf('--');
      if (cut < 0) return terms.literal(value, tag);
      const direction = tag.slice(cut + 2) as 'ltr' | 'rtl';
      return terms.literal(value, { language: tag.slice(0, cut), direction });
    }
    if (this.#text[this.#at] !== '^') return terms.literal(value);
    this.#take('^^');
    return terms.literal(value, terms.namedNode(this.#iri()));
  }

  /** What stands between quotation marks, escapes left as they are. */
  #string(): string {
    const from = ++this.#at;
    let end = from;
    for (;;) {
      end = this.#text.indexOf('"', end);
      if (end < 0) this.#fail();
      let escapes = 0;
      while (end - escapes > from && this.#text[end - escapes - 1] === '\\') escapes++;
      if (escapes % 2 === 0) break;
      end++;
    }
    this.#at = end + 1;
    return this.#text.slice(from, end);
  }

  #word(): string {
    const word = this.#until(' ', this.#at);
    this.#at--;
    return word;
  }

  #until(mark: string, from: number): string {
    const end = this.#text.indexOf(mark, from);
    if (end < 0) this.#fail();
    this.#at = end + 1;
    return this.#text.slice(from, end);
  }

  #take(mark: string): void {
    if (!this.#text.startsWith(mark, this.#at)) this.#fail();
    this.#at += mark.length;
  }

  #fail(): never {
    throw new SvcError('store_corrupt', `a triple term of the dictionary is damaged at character ${this.#at}`);
  }
}

function withoutEscapes(text: string): string {
  if (!text.includes('\\')) return text;
  return text.replace(ESCAPE, (_, hex: string | undefined, letter: string) =>
    hex === undefined ? (LONG.get(letter) ?? letter) : String.fromCharCode(Number.parseInt(hex, 16)),
  );
}
