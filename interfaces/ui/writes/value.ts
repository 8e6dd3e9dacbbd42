/** A value as it is entered: its kind, its text, and its language or datatype; and as requests and documents write it. */

import { COMMON_PREFIXES } from '../parts/prefixes.js';
import { iriText, type Term } from '../parts/term.js';
import { isIri, termText } from '../parts/turtle.js';

const XSD = 'http://www.w3.org/2001/XMLSchema#';

/** Kinds in the order in which they are offered. */
export const KINDS = {
  text: 'Text',
  iri: 'Entity (IRI)',
  integer: 'Integer',
  decimal: 'Decimal',
  boolean: 'True or false',
  date: 'Date',
  dateTime: 'Date and time',
  language: 'Text in a language',
  typed: 'Other datatype',
} as const;

export type Kind = keyof typeof KINDS;

/** The datatypes of kinds that have one. */
const DATATYPES: Readonly<Partial<Record<Kind, string>>> = {
  integer: `${XSD}integer`,
  decimal: `${XSD}decimal`,
  boolean: `${XSD}boolean`,
  date: `${XSD}date`,
  dateTime: `${XSD}dateTime`,
};

export interface Entered {
  readonly kind: Kind;
  readonly text: string;
  /** The tag, of a text in a language. */
  readonly language: string;
  /** The IRI, of another datatype. */
  readonly datatype: string;
}

export const NOTHING: Entered = { kind: 'text', text: '', language: '', datatype: '' };

export function enteredOf(term: Term): Entered {
  if (term.type === 'triple') return { ...NOTHING, text: termText(term) };
  if (term.type !== 'literal') return { ...NOTHING, kind: 'iri', text: nodeText(term) };
  const { value: text, datatype } = term;
  const language = term['xml:lang'];
  if (language !== undefined) return { ...NOTHING, kind: 'language', text, language };
  if (datatype === undefined || datatype === `${XSD}string`) return { ...NOTHING, text };
  const kind = (Object.keys(DATATYPES) as Kind[]).find((name) => DATATYPES[name] === datatype);
  return kind === undefined ? { ...NOTHING, kind: 'typed', text, datatype } : { ...NOTHING, kind, text };
}

/** Throws where it is no term, and says why. */
export function termOf({ kind, text, language, datatype }: Entered): Term {
  if (kind === 'text') return { type: 'literal', value: text };
  if (kind === 'iri') return nodeOf(text.trim());
  if (kind === 'language') {
    if (language.trim() === '') throw new TypeError('The language is missing: write its tag, such as en.');
    return { type: 'literal', value: text, 'xml:lang': language.trim() };
  }
  const type = kind === 'typed' ? iriOf(datatype.trim(), 'The datatype') : (DATATYPES[kind] as string);
  return { type: 'literal', value: text.trim(), datatype: type };
}

function nodeOf(text: string): Term {
  return text.startsWith('_:')
    ? { type: 'bnode', value: text.slice(2) }
    : { type: 'uri', value: iriOf(text, 'The entity') };
}

/** An absolute IRI, or one with a prefix that everybody has. `what`: begins the message. */
export function iriOf(text: string, what: string): string {
  const [, prefix = '', local = ''] = /^([A-Za-z][\w.-]*):([^/].*)?$/.exec(text) ?? [];
  const namespace = Object.hasOwn(COMMON_PREFIXES, prefix) ? COMMON_PREFIXES[prefix] : undefined;
  const iri = namespace === undefined ? text : namespace + local;
  if (!isIri(iri)) {
    throw new TypeError(
      `${what} is no absolute IRI: “${text.slice(0, 200)}”. Write it in full, such as http://example.org/name.`,
    );
  }
  return iri;
}

/** As requests have values. */
export function jsonOf(term: Term): unknown {
  if (term.type === 'triple') throw new TypeError('a triple as a value is written in a document: load one');
  if (term.type !== 'literal') return { iri: nodeText(term) };
  const language = term['xml:lang'];
  if (language !== undefined) return { value: term.value, lang: language };
  return term.datatype === undefined ? { str: term.value } : { value: term.value, datatype: term.datatype };
}

function nodeText({ type, value }: { readonly type: 'uri' | 'bnode'; readonly value: string }): string {
  return type === 'bnode' ? `_:${value}` : value;
}

/** For a sentence about it. */
export function valueText(term: Term): string {
  if (term.type === 'uri') return iriText(term.value, COMMON_PREFIXES, 80);
  if (term.type === 'bnode') return `_:${term.value}`;
  const text = term.type === 'triple' ? termText(term) : term.value;
  return text.length > 60 ? `“${text.slice(0, 60)}…”` : `“${text}”`;
}
