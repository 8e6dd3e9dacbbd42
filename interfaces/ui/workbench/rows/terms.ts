/** Terms as SPARQL TSV and N-Triples write them. */

import type { Term } from '../../../../clients/typescript/src/index.js';

const XSD = 'http://www.w3.org/2001/XMLSchema#';
const ESCAPE = /\\(?:u([\da-fA-F]{4})|U([\da-fA-F]{8})|(.))/gs;
const ESCAPED: Readonly<Record<string, string>> = { t: '\t', n: '\n', r: '\r', b: '\b', f: '\f' };
const NUMBER = /[+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?/y;
const BLANK = /_:[^\s<>"]+/y;
const LANGUAGE = /@[\w-]+/y;
const SPACES = /[ ]*/y;

/** Not written as a term. */
export class MalformedTerm extends Error {}

interface Read {
  readonly term: Term;
  /** Where the text goes on. */
  readonly end: number;
}

/** A cell of TSV; null = unbound. */
export function termOfCell(cell: string): Term | null {
  return cell === '' ? null : readTerm(cell, 0).term;
}

/** Subject, predicate and object of a line of N-Triples. */
export function termsOfTriple(line: string): readonly Term[] {
  return readTerms(line, 0, 3).terms;
}

function readTerms(
  text: string,
  from: number,
  count: number,
): { readonly terms: readonly Term[]; readonly end: number } {
  const terms: Term[] = [];
  let end = from;
  while (terms.length < count) {
    const read = readTerm(text, skip(SPACES, text, end));
    terms.push(read.term);
    end = read.end;
  }
  return { terms, end };
}

function readTerm(text: string, at: number): Read {
  if (text.startsWith('<<(', at)) {
    const { terms, end } = readTerms(text, at + 3, 3);
    const [subject, predicate, object] = terms as readonly [Term, Term, Term];
    const close = text.indexOf(')>>', end);
    if (close < 0) throw malformed(text, at);
    return { term: { type: 'triple', value: { subject, predicate, object } }, end: close + 3 };
  }
  const first = text[at];
  if (first === '<') {
    const close = text.indexOf('>', at);
    if (close < 0) throw malformed(text, at);
    return { term: { type: 'uri', value: unescaped(text.slice(at + 1, close)) }, end: close + 1 };
  }
  if (first === '"') return readLiteral(text, at);
  if (first === '_') {
    const end = skip(BLANK, text, at);
    if (end === at) throw malformed(text, at);
    return { term: { type: 'bnode', value: text.slice(at + 2, end) }, end };
  }
  return readBare(text, at);
}

function readLiteral(text: string, at: number): Read {
  let close = text.indexOf('"', at + 1);
  while (close >= 0 && isEscaped(text, close)) close = text.indexOf('"', close + 1);
  if (close < 0) throw malformed(text, at);
  const value = unescaped(text.slice(at + 1, close));
  if (text[close + 1] === '@') {
    const end = skip(LANGUAGE, text, close + 1);
    return { term: { type: 'literal', value, 'xml:lang': text.slice(close + 2, end) }, end };
  }
  if (!text.startsWith('^^<', close + 1)) return { term: { type: 'literal', value }, end: close + 1 };
  const end = text.indexOf('>', close);
  return { term: { type: 'literal', value, datatype: unescaped(text.slice(close + 4, end)) }, end: end + 1 };
}

/** Numbers and truth values, as TSV shortens them. */
function readBare(text: string, at: number): Read {
  for (const value of ['true', 'false']) {
    if (text.startsWith(value, at)) {
      return { term: { type: 'literal', value, datatype: `${XSD}boolean` }, end: at + value.length };
    }
  }
  const end = skip(NUMBER, text, at);
  if (end === at) throw malformed(text, at);
  const value = text.slice(at, end);
  const type = /[eE]/.test(value) ? 'double' : value.includes('.') ? 'decimal' : 'integer';
  return { term: { type: 'literal', value, datatype: XSD + type }, end };
}

function skip(pattern: RegExp, text: string, at: number): number {
  pattern.lastIndex = at;
  return pattern.test(text) ? pattern.lastIndex : at;
}

/** Whether an odd number of backslashes stands before a place. */
function isEscaped(text: string, at: number): boolean {
  let count = 0;
  while (text[at - 1 - count] === '\\') count++;
  return count % 2 === 1;
}

function unescaped(text: string): string {
  if (!text.includes('\\')) return text;
  return text.replace(ESCAPE, (_, short: string | undefined, long: string | undefined, one: string | undefined) =>
    one === undefined ? String.fromCodePoint(Number.parseInt(short ?? long ?? '', 16)) : (ESCAPED[one] ?? one),
  );
}

function malformed(text: string, at: number): MalformedTerm {
  return new MalformedTerm(`no term at character ${at + 1} of ${text.slice(0, 120)}`);
}
