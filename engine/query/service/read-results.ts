/**
 * Answers in the SPARQL results JSON format (with triple terms and directions of SPARQL 1.2), checked
 * before anything is made of them: an endpoint may send what it likes.
 */

import { type Literal, type Quad, type Term, terms } from '../../rdf/terms.js';

/** A row: name to term. */
export type RemoteRow = Readonly<Record<string, unknown>>;

export class MalformedResults extends Error {}

export function parseResults(text: string): readonly RemoteRow[] {
  let document: unknown;
  try {
    document = JSON.parse(text);
  } catch (error) {
    throw new MalformedResults(`it is no JSON (${(error as Error).message.slice(0, 100)})`);
  }
  const bindings = (document as { results?: { bindings?: unknown } } | null)?.results?.bindings;
  if (!Array.isArray(bindings)) throw new MalformedResults('it has no results.bindings');
  return bindings as readonly RemoteRow[];
}

/** The label of a blank node; null where the row binds anything else, or nothing. */
export function blankLabel(row: RemoteRow, name: string): string | null {
  if (typeof row !== 'object' || row === null || !Object.hasOwn(row, name)) return null;
  const { type, value } = (row[name] ?? {}) as JsonTerm;
  return type === 'bnode' && typeof value === 'string' ? value : null;
}

/** The term of a binding; `blank` names nodes inside of triple terms. Undefined = unbound. */
export function readTerm(row: RemoteRow, name: string, blank: (label: string) => Term): Term | undefined {
  if (typeof row !== 'object' || row === null) throw new MalformedResults('a row is no object');
  return Object.hasOwn(row, name) ? toTerm(row[name], blank, 0) : undefined;
}

/** Triple terms nest; no honest answer nests deeper. */
const DEPTH_MAX = 100;

interface JsonTerm {
  readonly type?: unknown;
  readonly value?: unknown;
  readonly datatype?: unknown;
  readonly 'xml:lang'?: unknown;
  readonly 'its:dir'?: unknown;
}

function toTerm(given: unknown, blank: (label: string) => Term, depth: number): Term {
  if (typeof given !== 'object' || given === null || depth > DEPTH_MAX) {
    throw new MalformedResults('a binding is no term');
  }
  const { type, value } = given as JsonTerm;
  if (type === 'triple') return toTriple(value, blank, depth);
  if (typeof value !== 'string') throw new MalformedResults('a term has no value');
  switch (type) {
    case 'uri':
      return terms.namedNode(value);
    case 'bnode':
      return blank(value);
    case 'literal':
    case 'typed-literal':
      return toLiteral(value, given as JsonTerm);
    default:
      throw new MalformedResults(`a term has the type ${JSON.stringify(type)}`);
  }
}

function toLiteral(value: string, { datatype, 'xml:lang': language, 'its:dir': direction }: JsonTerm): Literal {
  if (typeof language === 'string' && language !== '') {
    return direction === 'ltr' || direction === 'rtl'
      ? terms.literal(value, { language, direction })
      : terms.literal(value, language);
  }
  return typeof datatype === 'string' ? terms.literal(value, terms.namedNode(datatype)) : terms.literal(value);
}

function toTriple(value: unknown, blank: (label: string) => Term, depth: number): Term {
  if (typeof value !== 'object' || value === null) throw new MalformedResults('a triple term has no parts');
  const { subject, predicate, object } = value as Readonly<Record<string, unknown>>;
  const [s, p, o] = [subject, predicate, object].map((part) => toTerm(part, blank, depth + 1));
  return terms.quad(s as Quad['subject'], p as Quad['predicate'], o as Quad['object']);
}
