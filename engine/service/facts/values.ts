/**
 * Values as requests write them (wire shapes, 3.1): a plain string, or an object with exactly one form.
 * A caller of the library may give a term instead. What comes out is a term that any document could hold.
 */

import { SvcError } from '../../base/errors.js';
import { ReadFactory, TermFault } from '../../rdf/formats/input/read-factory.js';
import { type Literal, type NamedNode, RDF_NS, type Term, terms, XSD, XSD_STRING } from '../../rdf/terms.js';
import { toEntity } from './entity.js';
import { VALUE_FORMS } from './value-text.js';

export type ValueObject =
  | { readonly iri: string }
  | { readonly str: string }
  | { readonly int: number | bigint }
  | { readonly float: number }
  | { readonly bool: boolean }
  | { readonly value: string; readonly lang: string; readonly direction?: 'ltr' | 'rtl' }
  | { readonly value: string; readonly datatype: string };

export type ValueInput = string | ValueObject | Term;

export interface Value {
  readonly term: Term;
  /** Written as a string without a form: the caller may have meant an IRI. */
  readonly bare: boolean;
}

export function toValue(input: unknown, name = 'value'): Value {
  if (typeof input === 'string') return { term: literal(input, undefined, name), bare: true };
  if (typeof input !== 'object' || input === null || Array.isArray(input)) throw malformed(input, name);
  if ('termType' in input) return { term: ofTerm(input as Term, name), bare: false };
  return { term: ofObject(input as Record<string, unknown>, name), bare: false };
}

function malformed(input: unknown, name: string): SvcError {
  const text = JSON.stringify(input, (_, part) => (typeof part === 'bigint' ? String(part) : part)) ?? String(input);
  const shown = text.length > 80 ? `${text.slice(0, 77)}...` : text;
  return new SvcError('invalid_request', `${name}: ${shown} is no value; write ${VALUE_FORMS}`);
}

function ofObject(input: Readonly<Record<string, unknown>>, name: string): Term {
  const keys = Object.keys(input).sort().join(' ');
  const { iri, str, int, float, bool, value, lang, datatype, direction } = input;
  const typed = (text: string, type: string) => literal(text, terms.namedNode(`${XSD}${type}`), name);
  if (keys === 'iri' && typeof iri === 'string') return toEntity(iri, name);
  if (keys === 'str' && typeof str === 'string') return literal(str, undefined, name);
  if (keys === 'int' && (typeof int === 'bigint' || Number.isSafeInteger(int))) return typed(String(int), 'integer');
  if (keys === 'int' && Number.isInteger(int)) {
    const hint = `write {"value": "<digits>", "datatype": "${XSD}integer"}`;
    throw new SvcError('invalid_request', `${name}: the integer has more digits than a JSON number keeps`, { hint });
  }
  if (keys === 'float' && Number.isFinite(float)) return typed(doubleText(float as number), 'double');
  if (keys === 'bool' && typeof bool === 'boolean') return typed(String(bool), 'boolean');
  if (typeof value !== 'string') throw malformed(input, name);
  if (keys === 'lang value' && typeof lang === 'string') return literal(value, { language: lang }, name);
  if (keys === 'direction lang value' && typeof lang === 'string' && (direction === 'ltr' || direction === 'rtl')) {
    return literal(value, { language: lang, direction }, name);
  }
  if (keys === 'datatype value' && typeof datatype === 'string') return literal(value, datatype, name);
  throw malformed(input, name);
}

/** The shortest decimal form, with `.0` where it would look like an integer. */
export function doubleText(value: number): string {
  const text = Object.is(value, -0) ? '-0' : String(value);
  return /[.e]/.test(text) ? text : `${text}.0`;
}

function ofTerm(term: Term, name: string): Term {
  if (term.termType === 'NamedNode' || term.termType === 'BlankNode') return toEntity(term, name);
  if (term.termType !== 'Literal') throw new SvcError('invalid_request', `${name}: a ${term.termType} is no value`);
  const { language, direction } = term;
  if (language) return literal(term.value, { language, ...(direction ? { direction } : {}) }, name);
  return literal(term.value, term.datatype.value, name);
}

type Kind = NamedNode | string | { language: string; direction?: 'ltr' | 'rtl' } | undefined;

const FACTORY = new ReadFactory({
  blankNode: () => {
    throw new SvcError('internal', 'invariant broken: a literal has no blank nodes');
  },
});

/** A string as kind is the IRI of a datatype. */
function literal(value: string, kind: Kind, name: string): Literal {
  try {
    if (typeof kind === 'object' && 'language' in kind && kind.language === '') {
      throw new TermFault('"" is not a language tag');
    }
    const datatype = typeof kind === 'string' ? FACTORY.namedNode(kind) : kind;
    return FACTORY.literal(value, datatype);
  } catch (error) {
    if (!(error instanceof TermFault)) throw error;
    throw new SvcError('invalid_request', `${name}: ${error.message}`, { cause: error });
  }
}

const IRI_SHAPED = /^[A-Za-z][A-Za-z0-9+.-]*:[^\s<>"{}|\\^`]+$/;

/**
 * Refuses a bare string where the current values show, or the string itself, that an IRI was meant
 * (semantics text 1.10).
 */
export function guardBareString(value: Value, current: readonly Term[], name = 'value'): void {
  if (!value.bare) return;
  const text = value.term.value;
  const references = current.some(({ termType }) => termType === 'NamedNode' || termType === 'BlankNode');
  const strings = current.some((term) => term.termType === 'Literal' && term.datatype.value === XSD_STRING);
  if (!(references && !strings) && !(current.length === 0 && IRI_SHAPED.test(text))) return;
  const why = references ? 'the values there are IRIs' : 'it looks like an IRI';
  const shown = JSON.stringify(text);
  throw new SvcError('invalid_request', `${name}: ${shown} is a plain string, but ${why}; write {"iri": ${shown}}`, {
    hint: `to mean the text, write {"str": ${shown}}`,
  });
}

export const RDF_TYPE = `${RDF_NS}type`;
