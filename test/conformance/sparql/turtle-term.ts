/** One term as Turtle writes it, for TSV. */

import { type Term, terms, XSD } from '../../../engine/rdf/terms.js';
import { Failure } from '../cases.js';

const ESCAPES: Readonly<Record<string, string>> = { t: '\t', n: '\n', r: '\r', b: '\b', f: '\f' };
const NUMBERS: readonly (readonly [RegExp, string])[] = [
  [/^[+-]?\d+$/, 'integer'],
  [/^[+-]?\d*\.\d+$/, 'decimal'],
  [/^[+-]?(\d+\.?\d*|\.\d+)[eE][+-]?\d+$/, 'double'],
  [/^(true|false)$/, 'boolean'],
];

function unescaped(text: string): string {
  return text.replace(/\\(?:u([0-9A-Fa-f]{4})|U([0-9A-Fa-f]{8})|(.))/g, (_, short, long, character) =>
    character === undefined
      ? String.fromCodePoint(Number.parseInt(short ?? long, 16))
      : (ESCAPES[character] ?? character),
  );
}

export function parseTurtleTerm(text: string): Term {
  if (text.startsWith('<<(')) return parseTripleTerm(text);
  if (text.startsWith('<')) return terms.namedNode(unescaped(text.slice(1, -1)));
  if (text.startsWith('_:')) return terms.blankNode(text.slice(2));
  for (const [pattern, type] of NUMBERS) {
    if (pattern.test(text)) return terms.literal(text, terms.namedNode(XSD + type));
  }
  const string = /^(["'])((?:[^\\]|\\.)*?)\1(?:@([\w-]+?)(?:--(ltr|rtl))?|\^\^<([^>]*)>)?$/.exec(text);
  if (string === null) throw new Failure(`no term of Turtle: ${text}`);
  const [, , value = '', language, direction, datatype] = string;
  if (language) {
    return terms.literal(unescaped(value), direction ? { language, direction: direction as 'ltr' | 'rtl' } : language);
  }
  return terms.literal(unescaped(value), datatype === undefined ? undefined : terms.namedNode(unescaped(datatype)));
}

function parseTripleTerm(text: string): Term {
  const parts = splitTerms(text.slice(3, -3).trim()).map(parseTurtleTerm);
  if (parts.length !== 3) throw new Failure(`no triple term: ${text}`);
  return terms.quad(parts[0] as never, parts[1] as never, parts[2] as never);
}

function splitTerms(text: string): string[] {
  const parts: string[] = [];
  let depth = 0;
  for (const [token] of text.matchAll(/<<\(|\)>>|"(?:[^"\\]|\\.)*"\S*|\S+/g)) {
    if (depth === 0) parts.push(token);
    else parts.push(`${parts.pop()} ${token}`);
    if (token === '<<(') depth++;
    if (token === ')>>') depth--;
  }
  return parts;
}
