/**
 * What a function is: how many arguments it takes, and its value for arguments that are all bound and
 * free of errors. Null = an error. Forms that see errors (COALESCE, IF, BOUND) are in `scalar.ts`.
 */

import {
  type Literal,
  RDF_DIR_LANG_STRING,
  RDF_LANG_STRING,
  type Term,
  terms,
  XSD_STRING,
} from '../../../rdf/terms.js';
import { booleanValue, integerValue, isNumeric, type NumericValue } from '../../../rdf/values/index.js';
import { TAG } from '../../../storage/ids/layout.js';
import { Operand } from '../../terms/operand.js';
import type { QueryScope } from '../../terms/query-scope.js';

/** What an id tells of the value of a function of one argument, so that it is written for whole columns at once. */
export interface ToldById {
  /**
   * By the upper 16 bits of the id of the argument: the value, null for an error, `stored` where the dictionary has it with
   * the term, `row` where only the term itself tells it.
   */
  ofPrefix(prefix: number): Operand | null | 'stored' | 'row';
  /** The text of a stored value: what stands in the dictionary from `start` to `end`, before the lexical form of a literal. */
  readonly qualifier?: (bytes: Buffer, start: number, end: number) => string;
  readonly ofText?: (text: string) => Operand;
}

export interface FunctionDefinition {
  /** Least and greatest number of arguments. */
  readonly arity: readonly [min: number, max: number];
  /** The array of arguments is used again for the next call. */
  readonly evaluate: (args: readonly Operand[], scope: QueryScope) => Operand | null;
  readonly told?: ToldById;
  /** Throws when constant arguments (null for others) show that the query can't be evaluated as it is meant. */
  readonly refuse?: (constants: readonly (Term | null)[]) => void;
}

const TRUE = Operand.ofValue(booleanValue(true));
const FALSE = Operand.ofValue(booleanValue(false));

export function ofBoolean(value: boolean | null): Operand | null {
  return value === null ? null : value ? TRUE : FALSE;
}

export function ofInteger(value: number): Operand {
  return Operand.ofValue(integerValue(value));
}

export function ofString(text: string): Operand {
  return new Operand(terms.literal(text));
}

export function ofIri(iri: string): Operand {
  return new Operand(terms.namedNode(iri));
}

/** Tags of what has neither datatype nor language: no literal, or nothing. */
export const RESOURCE_TAGS: ReadonlySet<number> = new Set([TAG.unbound, TAG.blank, TAG.iri, TAG.triple]);

/** A function of one argument. */
export function unary(apply: (operand: Operand, scope: QueryScope) => Operand | null): FunctionDefinition {
  return { arity: [1, 1], evaluate: (args, scope) => apply(args[0] as Operand, scope) };
}

/** A function of two arguments. */
export function binary(apply: (a: Operand, b: Operand, scope: QueryScope) => Operand | null): FunctionDefinition {
  return { arity: [2, 2], evaluate: (args, scope) => apply(args[0] as Operand, args[1] as Operand, scope) };
}

/** A literal with text: xsd:string, or with a language. */
export function textLiteral({ term }: Operand): Literal | null {
  if (term.termType !== 'Literal') return null;
  if (term.datatype.value === XSD_STRING) return term;
  return term.language !== '' && isLanguageType(term.datatype.value) ? term : null;
}

function isLanguageType(datatype: string): boolean {
  return datatype === RDF_LANG_STRING || datatype === RDF_DIR_LANG_STRING;
}

/** The text of an xsd:string; null for every other term, a string with a language included. */
export function plainText({ term }: Operand): string | null {
  return term.termType === 'Literal' && term.datatype.value === XSD_STRING ? term.value : null;
}

/** A string with the language and base direction of another one. */
export function likeLiteral(model: Literal, text: string): Operand {
  if (text === model.value) return new Operand(model);
  if (model.language === '') return ofString(text);
  const { language } = model;
  return new Operand(terms.literal(text, model.direction ? { language, direction: model.direction } : language));
}

/** SPARQL 17.4.3.1.2: the second has no language, or the language and direction of the first. */
export function areCompatible(first: Literal, second: Literal): boolean {
  if (second.language === '') return true;
  return (
    first.language.toLowerCase() === second.language.toLowerCase() &&
    (first.direction || '') === (second.direction || '')
  );
}

export function numberOf({ value }: Operand): NumericValue | null {
  return value !== null && isNumeric(value) ? value : null;
}
