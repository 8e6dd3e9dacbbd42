/**
 * Parameters of query templates: values checked by type, escaped, and put in place of `{name}` in ONE pass, so
 * that a value that holds `{limit}` itself is never looked at again (semantics of reasoning, 12.1).
 */

import { SvcError } from '../../base/errors.js';

export const PARAMETER_TYPES = ['iri', 'text', 'int'] as const;
export type ParameterType = (typeof PARAMETER_TYPES)[number];

export interface ParameterSpec {
  readonly name: string;
  readonly type: ParameterType;
  readonly required: boolean;
  /** As it would be given; null = none. */
  readonly default: string | null;
  readonly description: string | null;
}

/** Braces around anything else are SPARQL's. */
const PLACEHOLDER = /\{([A-Za-z0-9_]+)\}/g;
export const PARAMETER_NAME = /^[A-Za-z0-9_]+$/;
const COUNTS = /\b(?:LIMIT|OFFSET)\s+\{([A-Za-z0-9_]+)\}/gi;

// biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is refused
const NOT_IN_IRI = /[\s\u0000-\u001f\u007f-\u009f<>"{}|\\^`]/u;
const DECIMAL = /^[+-]?[0-9]+$/;
const INT_MAX = 2n ** 63n - 1n;
const INT_MIN = -(2n ** 63n);
const ESCAPES: Readonly<Record<string, string>> = {
  '\\': '\\\\',
  "'": "\\'",
  '"': '\\"',
  '\n': '\\n',
  '\r': '\\r',
  '\t': '\\t',
};

/** The names between braces, each once, in their order. */
export function placeholdersOf(template: string): string[] {
  return [...new Set([...template.matchAll(PLACEHOLDER)].map(([, name]) => name as string))];
}

/** Names that stand for the count of a LIMIT or OFFSET. */
export function countsOf(template: string): ReadonlySet<string> {
  return new Set([...template.matchAll(COUNTS)].map(([, name]) => name as string));
}

/** The template with values in place of its placeholders; a name without a value is left as it is. */
export function substitute(template: string, values: ReadonlyMap<string, string>): string {
  return template.replace(PLACEHOLDER, (whole, name: string) => values.get(name) ?? whole);
}

/** A value of a request as text. */
export function toText(value: unknown, name: string): string {
  if (typeof value === 'string') return value;
  if (typeof value === 'boolean' || (typeof value === 'number' && Number.isFinite(value))) return String(value);
  throw refused(name, 'expected a string, a number or a boolean');
}

export function render(type: ParameterType, text: string, name: string, isCount: boolean): string {
  switch (type) {
    case 'iri':
      if (text === '') throw refused(name, 'an IRI can not be empty');
      if (NOT_IN_IRI.test(text)) throw refused(name, `${shown(text)} has a character that no IRI may have`);
      return text;
    case 'text':
      return text.replace(/[\\'"\n\r\t]/g, (character) => ESCAPES[character] as string);
    case 'int':
      return renderInteger(text.trim(), name, isCount);
  }
}

function renderInteger(text: string, name: string, isCount: boolean): string {
  if (!DECIMAL.test(text)) throw refused(name, `${shown(text)} is not an integer`);
  const value = BigInt(text);
  if (value > INT_MAX || value < INT_MIN) throw refused(name, `${shown(text)} does not fit into 64 bits`);
  if (isCount && value < 0n) throw refused(name, `${shown(text)} is negative; it is a LIMIT or OFFSET`);
  return String(value);
}

function shown(text: string): string {
  return JSON.stringify(text.length > 60 ? `${text.slice(0, 57)}...` : text);
}

function refused(name: string, why: string): SvcError {
  return new SvcError('invalid_request', `parameter '${name}': ${why}`);
}
