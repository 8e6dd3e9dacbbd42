/**
 * Canonical N-Triples and N-Quads: one spelling for every term and every line (RDF 1.2 N-Triples,
 * section 4), and the order of lines by Unicode code point. What is written here is what is hashed,
 * compared and exported: with language tags as they are for readers, and in lower case for what must be equal
 * for equal terms.
 *
 * Strings: `\b \t \n \f \r \" \\` by name; other controls, DEL, U+FFFE and U+FFFF as `\uXXXX`;
 * everything else as itself. The datatype `xsd:string` is left out, lexical forms are kept.
 */

import { compareCodePoints } from '../../base/text.js';
import { type Quad, type RDF, type Term, terms, XSD_STRING } from '../terms.js';

// biome-ignore lint/suspicious/noControlCharactersInRegex: these are what is escaped
const ESCAPED = /["\\\u0000-\u001f\u007f\ufffe\uffff]/;
// biome-ignore lint/suspicious/noControlCharactersInRegex: these are what is escaped
const ESCAPED_ALL = /["\\\u0000-\u001f\u007f\ufffe\uffff]/g;

const NAMED_ESCAPES: Record<string, string> = {
  '\b': '\\b',
  '\t': '\\t',
  '\n': '\\n',
  '\f': '\\f',
  '\r': '\\r',
  '"': '\\"',
  '\\': '\\\\',
};

export function escapeString(text: string): string {
  return ESCAPED.test(text) ? text.replace(ESCAPED_ALL, escapeCharacter) : text;
}

function escapeCharacter(char: string): string {
  return NAMED_ESCAPES[char] ?? `\\u${char.charCodeAt(0).toString(16).toUpperCase().padStart(4, '0')}`;
}

/** The language tag of a literal with its direction: `en`, `ar--rtl`; empty if it has none. */
export function languageSuffix(literal: RDF.Literal): string {
  if (literal.language === '') return '';
  return literal.direction ? `${literal.language}--${literal.direction}` : literal.language;
}

/** A text that terms share exactly when they are the same: as `termToString`, with language tags in lower case. */
export function termKey(term: Term): string {
  return termToString(foldedTerm(term));
}

/** The term with its language tags in lower case. */
export function foldedTerm<Given extends Term>(term: Given): Given;
export function foldedTerm(term: Term): Term {
  if (term.termType === 'Quad') {
    const { subject, predicate, object } = term as Quad;
    const folded = foldedTerm(object);
    return folded === object ? term : terms.quad(subject, predicate, folded);
  }
  if (term.termType !== 'Literal' || !CAPITAL.test(term.language)) return term;
  const language = term.language.toLowerCase();
  return terms.literal(term.value, term.direction ? { language, direction: term.direction } : language);
}

const CAPITAL = /[A-Z]/;

export function termToString(term: Term): string {
  return writeTerm(term, bracketed);
}

function bracketed(iri: string): string {
  return `<${iri}>`;
}

/** The same, with IRIs as `iri` writes them. */
export function writeTerm(term: Term, iri: (iri: string) => string): string {
  switch (term.termType) {
    case 'NamedNode':
      return iri(term.value);
    case 'BlankNode':
      return `_:${term.value}`;
    case 'Literal': {
      const text = `"${escapeString(term.value)}"`;
      const language = languageSuffix(term);
      if (language !== '') return `${text}@${language}`;
      return term.datatype.value === XSD_STRING ? text : `${text}^^${iri(term.datatype.value)}`;
    }
    case 'Quad': {
      const { subject, predicate, object } = term;
      return `<<( ${writeTerm(subject, iri)} ${writeTerm(predicate, iri)} ${writeTerm(object, iri)} )>>`;
    }
    case 'DefaultGraph':
      return '';
    case 'Variable':
      return `?${term.value}`;
  }
}

/** One line, with its LF. The default graph is written as nothing. */
export function quadToLine(quad: Quad): string {
  const triple = `${termToString(quad.subject)} ${termToString(quad.predicate)} ${termToString(quad.object)}`;
  return quad.graph.termType === 'DefaultGraph' ? `${triple} .\n` : `${triple} ${termToString(quad.graph)} .\n`;
}

/** A text that quads share exactly when they are the same. */
export function quadKey(quad: Quad): string {
  return quadToLine(foldedQuad(quad));
}

export function foldedQuad(quad: Quad): Quad {
  const object = foldedTerm(quad.object);
  return object === quad.object ? quad : terms.quad(quad.subject, quad.predicate, object, quad.graph);
}

/**
 * Canonical N-Quads of a set of quads, blank node labels as they are: sorted, without repetitions, language tags
 * in lower case.
 */
export function canonicalLines(quads: Iterable<Quad>): string {
  const lines = new Set<string>();
  for (const quad of quads) lines.add(quadKey(quad));
  return sortByCodePoint([...lines]).join('');
}

/** Where the two orders can differ: surrogates, and what lies above them in UTF-16. */
const HIGH_UNITS = /[\ud800-\uffff]/;

/** Sorts in place; natively where UTF-16 order is code point order. */
export function sortByCodePoint(texts: string[]): string[] {
  return texts.some((text) => HIGH_UNITS.test(text)) ? texts.sort(compareCodePoints) : texts.sort();
}
