/**
 * Terms as JSON values (wire shapes, 3.3): every value says by itself whether it is an IRI, a blank node or a
 * literal. Numbers keep all their digits, so they never pass through a double; `RawNumber` carries them to the text.
 */

import { type Literal, RDF_LANG_STRING, type Term, XSD, XSD_STRING } from './terms.js';

/** A number that stands in JSON exactly as written here. */
export class RawNumber {
  constructor(readonly text: string) {}
}

export type JsonValue =
  | string
  | number
  | boolean
  | null
  | RawNumber
  | readonly JsonValue[]
  | { readonly [key: string]: JsonValue | undefined };

/** What a plain string must not look like, to be told from an IRI or a blank node. */
export const LOOKS_LIKE_IRI_OR_BLANK = /^([A-Za-z][A-Za-z0-9+.-]*|_):\S*$/;
const CANONICAL_INTEGER = /^(0|-?[1-9][0-9]*)$/;
const JSON_DOUBLE = /^-?(0|[1-9][0-9]*)(\.[0-9]+)?([eE][+-]?[0-9]+)?$/;

function literalToJson(literal: Literal): JsonValue {
  const { value, language } = literal;
  const datatype = literal.datatype.value;
  const direction = (literal as { direction?: string }).direction;
  if (language !== '') return direction ? { value, lang: language, direction } : { value, lang: language };
  if (datatype === XSD_STRING && !LOOKS_LIKE_IRI_OR_BLANK.test(value)) return value;
  if (datatype === `${XSD}integer` && CANONICAL_INTEGER.test(value)) return new RawNumber(value);
  if (datatype === `${XSD}double` && JSON_DOUBLE.test(value) && /[.eE]/.test(value)) return new RawNumber(value);
  if (datatype === `${XSD}boolean` && (value === 'true' || value === 'false')) return value === 'true';
  return { value, datatype: datatype || RDF_LANG_STRING };
}

/** `compact` shortens IRIs; those of datatypes stay as they are. */
export function termToJson(term: Term, compact?: (iri: string) => string): JsonValue {
  switch (term.termType) {
    case 'NamedNode':
      return compact === undefined ? term.value : compact(term.value);
    case 'BlankNode':
      return `_:${term.value}`;
    case 'Literal':
      return literalToJson(term);
    case 'Quad':
      return {
        subject: termToJson(term.subject, compact),
        predicate: termToJson(term.predicate, compact),
        object: termToJson(term.object, compact),
      };
    default:
      return term.value;
  }
}

/** The JSON text of a value; keys without a value are left out. */
export function writeJson(value: unknown): string {
  if (value instanceof RawNumber) return value.text;
  if (Array.isArray(value)) return `[${value.map(writeJson).join(',')}]`;
  if (typeof value !== 'object' || value === null) return JSON.stringify(value);
  const entries = Object.entries(value).filter(([, entry]) => entry !== undefined);
  return `{${entries.map(([key, entry]) => `${JSON.stringify(key)}:${writeJson(entry)}`).join(',')}}`;
}
