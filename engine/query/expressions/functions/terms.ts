/** Functions that look at terms, their languages and base directions, and make them (SPARQL 1.1, 17.4.2 and 17.4.3.13; SPARQL 1.2). Tags are as they were written. */

import { randomUUID } from 'node:crypto';
import { iriFault, isLanguageTag } from '../../../rdf/formats/input/term-checks.js';
import { resolveIri } from '../../../rdf/resolve-iri.js';
import { type Literal, type Quad, RDF_DIR_LANG_STRING, RDF_LANG_STRING, type Term, terms } from '../../../rdf/terms.js';
import { sameTerm } from '../../../rdf/values/index.js';
import { KIND } from '../../../storage/dictionary/stored-term.js';
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

export const LANGUAGE_FUNCTIONS = {
  lang: {
    ...ofLiteral((literal) => ofString(literal.language)),
    told: {
      ofPrefix(prefix) {
        const tag = prefix >>> 8;
        if (RESOURCE_TAGS.has(tag)) return null;
        if (tag === TAG.local) return 'row';
        return tag === TAG.langString || tag === TAG.dirLangString ? 'stored' : ofString('');
      },
      qualifier: languageOf,
      ofText: ofString,
    },
  },
  langdir: ofLiteral((literal) => ofString(literal.direction || '')),
  haslang: ofAny((literal) => literal.language !== ''),
  haslangdir: ofAny((literal) => literal.language !== '' && Boolean(literal.direction)),
  langmatches: binary((tag, range) => {
    const [text, wanted] = [plainText(tag), plainText(range)];
    return text === null || wanted === null ? null : ofBoolean(matchesRange(text, wanted));
  }),
  strlang: binary((text, tag) => tagged(text, tag, '')),
  strlangdir: {
    arity: [3, 3],
    evaluate: ([text, tag, direction]) => {
      const written = plainText(direction as Operand);
      return written === 'ltr' || written === 'rtl' ? tagged(text as Operand, tag as Operand, written) : null;
    },
  },
} as const satisfies Partial<Record<FunctionName, FunctionDefinition>>;

/** The language of a stored literal, without its direction. */
export function languageOf(bytes: Buffer, start: number, end: number): string {
  const tag = bytes.toString('latin1', start + 1, end);
  return bytes[start] === KIND.direction ? tag.slice(0, tag.lastIndexOf('--')) : tag;
}

function ofLiteral(read: (literal: Literal) => Operand): FunctionDefinition {
  return unary(({ term }) => (term.termType === 'Literal' ? read(term) : null));
}

/** False for what is no literal. */
function ofAny(test: (literal: Literal) => boolean): FunctionDefinition {
  return unary(({ term }) => ofBoolean(term.termType === 'Literal' && test(term)));
}

/** Basic filtering of RFC 4647: the range is the tag or a beginning of it that ends at a hyphen. */
export function matchesRange(tag: string, range: string): boolean {
  if (range === '*') return tag !== '';
  const [have, want] = [tag.toLowerCase(), range.toLowerCase()];
  return want !== '' && (have === want || have.startsWith(`${want}-`));
}

function tagged(text: Operand, tag: Operand, direction: '' | 'ltr' | 'rtl'): Operand | null {
  const lexical = plainText(text);
  const written = plainText(tag);
  if (lexical === null || written === null || !isLanguageTag(written)) return null;
  return new Operand(terms.literal(lexical, direction === '' ? written : { language: written, direction }));
}
