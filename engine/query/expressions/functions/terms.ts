/** Functions that look at terms and make them (SPARQL 1.1, 17.4.2; SPARQL 1.2). */

import { randomUUID } from 'node:crypto';
import { iriFault } from '../../../rdf/formats/input/term-checks.js';
import { resolveIri } from '../../../rdf/resolve-iri.js';
import { type Quad, RDF_DIR_LANG_STRING, RDF_LANG_STRING, type Term, terms } from '../../../rdf/terms.js';
import { sameTerm } from '../../../rdf/values/index.js';
import { DATATYPES, TAG } from '../../../storage/ids/layout.js';
import { DATATYPE_OF_TAG } from '../../../storage/ids/tag-datatypes.js';
import type { FunctionName } from '../../algebra/expression.js';
import { Operand } from '../../terms/operand.js';
import type { QueryScope } from '../../terms/query-scope.js';
import {
  binary,
  type FunctionDefinition,
  ofBoolean,
  ofIri,
  ofString,
  plainText,
  RESOURCE_TAGS,
  type ToldById,
  unary,
} from './definition.js';

export const DATATYPE_BY_ID: ToldById = {
  ofPrefix(prefix) {
    const tag = prefix >>> 8;
    if (RESOURCE_TAGS.has(tag)) return null;
    const datatype = tag === TAG.integer || tag === TAG.typed ? DATATYPES[prefix & 0xff] : DATATYPE_OF_TAG[tag];
    if (datatype) return ofIri(datatype);
    return tag === TAG.typed ? 'stored' : 'row';
  },
  qualifier: (bytes, start, end) => bytes.toString('utf8', start + 1, end),
  ofText: ofIri,
};

export const TERM_FUNCTIONS = {
  sameterm: binary((a, b) => ofBoolean(sameTerm(a.term, b.term))),
  isiri: isKind('NamedNode'),
  isblank: isKind('BlankNode'),
  isliteral: isKind('Literal'),
  istriple: isKind('Quad'),
  str: unary(({ term }) =>
    term.termType === 'NamedNode' || term.termType === 'Literal' ? ofString(term.value) : null,
  ),
  datatype: {
    ...unary(({ term }) => (term.termType === 'Literal' ? new Operand(term.datatype) : null)),
    told: DATATYPE_BY_ID,
  },
  iri: { arity: [1, 2], evaluate: iriOf },
  bnode: { arity: [0, 2], evaluate: blankNodeOf },
  strdt: binary(typedLiteral),
  uuid: { arity: [0, 0], evaluate: () => ofIri(`urn:uuid:${randomUUID()}`) },
  struuid: { arity: [0, 0], evaluate: () => ofString(randomUUID()) },
  triple: { arity: [3, 3], evaluate: tripleOf },
  subject: part('subject'),
  predicate: part('predicate'),
  object: part('object'),
} as const satisfies Partial<Record<FunctionName, FunctionDefinition>>;

function isKind(kind: Term['termType']): FunctionDefinition {
  return unary(({ term }) => ofBoolean(term.termType === kind));
}

/** A string is resolved against the base of the text, the second argument; what is no IRI then is an error. */
function iriOf([operand, base]: readonly Operand[]): Operand | null {
  if (operand?.term.termType === 'NamedNode') return operand;
  const text = plainText(operand as Operand);
  if (text === null) return null;
  const iri = resolveIri(text, base === undefined ? null : plainText(base));
  return iri === null || iriFault(iri) !== null ? null : ofIri(iri);
}

/**
 * Without arguments a new node. With a label the node of that label in the solution at hand, which
 * the second argument stands for (see `number-solutions.ts`).
 */
function blankNodeOf(args: readonly Operand[], scope: QueryScope): Operand | null {
  if (args.length === 0) return new Operand(scope.freshBlank());
  const label = plainText(args[0] as Operand);
  if (label === null) return null;
  const solution = args[1]?.term;
  return new Operand(solution?.termType === 'BlankNode' ? scope.blankOf(solution, label) : scope.freshBlank());
}

/** A string with a language needs STRLANG. */
function typedLiteral(text: Operand, { term }: Operand): Operand | null {
  const lexical = plainText(text);
  if (lexical === null || term.termType !== 'NamedNode') return null;
  if (term.value === RDF_LANG_STRING || term.value === RDF_DIR_LANG_STRING) return null;
  return new Operand(terms.literal(lexical, term));
}

function tripleOf([subject, predicate, object]: readonly Operand[]): Operand | null {
  const [s, p, o] = [(subject as Operand).term, (predicate as Operand).term, (object as Operand).term];
  if (s.termType !== 'NamedNode' && s.termType !== 'BlankNode') return null;
  if (p.termType !== 'NamedNode') return null;
  return new Operand(terms.quad(s, p, o as Quad['object']));
}

function part(name: 'subject' | 'predicate' | 'object'): FunctionDefinition {
  return unary(({ term }) => (term.termType === 'Quad' ? new Operand((term as Quad)[name]) : null));
}
