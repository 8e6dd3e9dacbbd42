/** The functions of SPARQL 1.1, 17.4 on terms; null = an error. Numbers are computed by the exact values of the library. */

import { createHash } from 'node:crypto';
import { type Literal, RDF_LANG_STRING, type Term, terms, XSD, XSD_STRING } from '../../../engine/rdf/terms.js';
import {
  arithmetic,
  compareTerms,
  isNumeric,
  literalOf,
  negate,
  parseValue,
} from '../../../engine/rdf/values/index.js';
import { sameTerms } from './solutions.js';

type Result = Term | null;

export function booleanTerm(value: boolean | null): Result {
  return value === null ? null : terms.literal(String(value), terms.namedNode(`${XSD}boolean`));
}

export function integerTerm(value: number): Term {
  return terms.literal(String(value), terms.namedNode(`${XSD}integer`));
}

const isLiteral = (term: Term | undefined): term is Literal => term?.termType === 'Literal';
const isPlain = (term: Term | undefined): term is Literal => isLiteral(term) && term.datatype.value === XSD_STRING;
/** Strings, with a language or without. */
const isText = (term: Term | undefined): term is Literal =>
  isLiteral(term) && [XSD_STRING, RDF_LANG_STRING].includes(term.datatype.value);
const isNumber = (term: Term | undefined): term is Literal => isLiteral(term) && isNumeric(parseValue(term));

/** A string in the language of another. */
function like(text: string, model: Literal): Term {
  return model.language ? terms.literal(text, model.language) : terms.literal(text);
}

/** SPARQL 1.1, 17.4.3.1.2: the second has no language, or the language of the first. */
function fits(a: Term | undefined, b: Term | undefined): boolean {
  return isText(a) && isText(b) && (!b.language || a.language.toLowerCase() === b.language.toLowerCase());
}

/** Characters, not halves of them. */
function characters(text: string): string[] {
  return [...text];
}

type Implementation = (a: Term, b: Term | undefined, c: Term | undefined, d: Term | undefined) => Result;

const HASHES = { md5: 'md5', sha1: 'sha1', sha256: 'sha256', sha384: 'sha384', sha512: 'sha512' };

export const FUNCTIONS: Readonly<Record<string, Implementation>> = {
  sameterm: (a, b) => booleanTerm(sameTerms(a, b as Term)),
  isiri: (a) => booleanTerm(a.termType === 'NamedNode'),
  isuri: (a) => booleanTerm(a.termType === 'NamedNode'),
  isblank: (a) => booleanTerm(a.termType === 'BlankNode'),
  isliteral: (a) => booleanTerm(isLiteral(a)),
  isnumeric: (a) => booleanTerm(isNumber(a)),
  str: (a) => (a.termType === 'BlankNode' || a.termType === 'Quad' ? null : terms.literal(a.value)),
  lang: (a) => (isLiteral(a) ? terms.literal(a.language) : null),
  datatype: (a) => (isLiteral(a) ? a.datatype : null),
  iri: (a) =>
    a.termType === 'NamedNode'
      ? a
      : isPlain(a) && /^[a-z]+:[^\s<>"{}|^`\\]*$/.test(a.value)
        ? terms.namedNode(a.value)
        : null,
  istriple: (a) => booleanTerm(a.termType === 'Quad'),
  subject: (a) => (a.termType === 'Quad' ? a.subject : null),
  predicate: (a) => (a.termType === 'Quad' ? a.predicate : null),
  object: (a) => (a.termType === 'Quad' ? a.object : null),
  triple: (a, b, c) =>
    (a.termType === 'NamedNode' || a.termType === 'BlankNode') && b?.termType === 'NamedNode' && c !== undefined
      ? terms.quad(a, b, c as never)
      : null,
  strdt: (a, b) => (isPlain(a) && b?.termType === 'NamedNode' ? terms.literal(a.value, b) : null),
  strlang: (a, b) => (isPlain(a) && isPlain(b) && b.value !== '' ? terms.literal(a.value, b.value) : null),
  strlen: (a) => (isText(a) ? integerTerm(characters(a.value).length) : null),
  ucase: (a) => (isText(a) ? like(a.value.toUpperCase(), a) : null),
  lcase: (a) => (isText(a) ? like(a.value.toLowerCase(), a) : null),
  substr: substring,
  strstarts: (a, b) => (fits(a, b) ? booleanTerm(a.value.startsWith(b?.value as string)) : null),
  strends: (a, b) => (fits(a, b) ? booleanTerm(a.value.endsWith(b?.value as string)) : null),
  contains: (a, b) => (fits(a, b) ? booleanTerm(a.value.includes(b?.value as string)) : null),
  strbefore: (a, b) => cut(a, b, (text, at) => text.slice(0, at)),
  strafter: (a, b) => cut(a, b, (text, at) => text.slice(at + (b as Term).value.length)),
  encode_for_uri: (a) =>
    isText(a)
      ? terms.literal(
          encodeURIComponent(a.value).replace(/[!'()*]/g, (c) => `%${c.charCodeAt(0).toString(16).toUpperCase()}`),
        )
      : null,
  langmatches: (a, b) => (isPlain(a) && isPlain(b) ? booleanTerm(languageMatches(a.value, b.value)) : null),
  regex: (a, b, c) => {
    const pattern = isText(a) ? regularExpression(b, c, '') : null;
    return pattern && booleanTerm(pattern.test(a.value));
  },
  replace: (a, b, c, d) => {
    const pattern = isText(a) && isPlain(c) ? regularExpression(b, d, 'g') : null;
    return pattern && like(a.value.replace(pattern, (c as Term).value), a as Literal);
  },
  abs: (a) => {
    const value = isNumber(a) ? parseValue(a) : null;
    if (value === null) return null;
    const negative = compareTerms('<', a, integerTerm(0)) === true || /^\s*-/.test(a.value);
    return literalOf(negative ? (negate(value) as typeof value) : value);
  },
  uplus: (a) => (isNumber(a) ? literalOf(parseValue(a)) : null),
  uminus: (a) => {
    const value = isNumber(a) ? negate(parseValue(a)) : null;
    return value && literalOf(value);
  },
  year: (a) => dateTimePart(a, 1),
  month: (a) => dateTimePart(a, 2),
  day: (a) => dateTimePart(a, 3),
  hours: (a) => dateTimePart(a, 4),
  minutes: (a) => dateTimePart(a, 5),
  seconds: (a) => {
    const found = dateTimeParts(a)?.[6];
    return found === undefined ? null : literalOf(parseValue(terms.literal(found, terms.namedNode(`${XSD}decimal`))));
  },
  timezone: (a) => {
    const zone = dateTimeParts(a)?.[7];
    if (zone === undefined) return null;
    const [, sign, hours, minutes] = /^([+-])(\d\d):(\d\d)$/.exec(zone) ?? [];
    const parts = `${Number(hours ?? 0) > 0 ? `${Number(hours)}H` : ''}${Number(minutes ?? 0) > 0 ? `${Number(minutes)}M` : ''}`;
    const text = parts === '' ? 'PT0S' : `${sign === '-' ? '-' : ''}PT${parts}`;
    return terms.literal(text, terms.namedNode(`${XSD}dayTimeDuration`));
  },
  tz: (a) => {
    const found = dateTimeParts(a);
    return found && terms.literal(found[7] ?? '');
  },
  ...Object.fromEntries(
    Object.entries(HASHES).map(([name, algorithm]): [string, Implementation] => [
      name,
      (a) => (isPlain(a) ? terms.literal(createHash(algorithm).update(a.value).digest('hex')) : null),
    ]),
  ),
};

function substring(text: Term, from: Term | undefined, length: Term | undefined): Result {
  if (!isText(text) || !isNumber(from) || (length !== undefined && !isNumber(length))) return null;
  const start = Math.floor(Number(from.value) + 0.5);
  const end = length === undefined ? Number.POSITIVE_INFINITY : start + Math.floor(Number(length.value) + 0.5);
  return like(
    characters(text.value)
      .filter((_, at) => at + 1 >= start && at + 1 < end)
      .join(''),
    text,
  );
}

/** A text that does not occur gives an empty string without language. */
function cut(a: Term, b: Term | undefined, part: (text: string, at: number) => string): Result {
  if (!fits(a, b)) return null;
  const at = a.value.indexOf((b as Term).value);
  return at < 0 ? terms.literal('') : like(part(a.value, at), a as Literal);
}

function languageMatches(tag: string, range: string): boolean {
  if (range === '*') return tag !== '';
  const [a, b] = [tag.toLowerCase(), range.toLowerCase()];
  return a === b || (b !== '' && a.startsWith(`${b}-`));
}

function regularExpression(pattern: Term | undefined, flags: Term | undefined, extra: string): RegExp | null {
  if (!isPlain(pattern) || (flags !== undefined && !isPlain(flags))) return null;
  const wanted = flags?.value ?? '';
  if (!/^[ism]*$/.test(wanted)) return null;
  return new RegExp(pattern.value, `${[...new Set(wanted)].join('')}u${extra}`);
}

/** Of a dateTime, or of a date, which has a zone and no time of day. */
function dateTimeParts(term: Term): RegExpExecArray | null {
  const kind = isLiteral(term) ? parseValue(term).kind : null;
  if (kind !== 'dateTime' && kind !== 'date') return null;
  return /^\s*(-?\d+)-(\d\d)-(\d\d)(?:T(\d\d):(\d\d):(\d\d(?:\.\d+)?))?(Z|[+-]\d\d:\d\d)?\s*$/.exec(term.value);
}

function dateTimePart(term: Term, part: number): Result {
  const found = dateTimeParts(term)?.[part];
  return found === undefined ? null : integerTerm(Number(found));
}

export function concat(args: readonly Term[]): Result {
  if (!args.every(isText)) return null;
  const [first] = args;
  const shared =
    first?.language && args.every((arg) => isText(arg) && arg.language.toLowerCase() === first.language.toLowerCase());
  const text = args.map(({ value }) => value).join('');
  return shared ? terms.literal(text, (first as Literal).language) : terms.literal(text);
}

export function compute(operator: '+' | '-' | '*' | '/', a: Term, b: Term): Result {
  if (!isNumber(a) || !isNumber(b)) return null;
  const result = arithmetic(operator, parseValue(a), parseValue(b));
  return result && literalOf(result);
}
