/**
 * Basic graph patterns to ours. A triple term with variables (SPARQL 1.2) becomes a variable of its
 * own that is taken apart behind the pattern: known parts are compared, new ones are bound.
 */

import { SvcError } from '../../base/errors.js';
import type { Term } from '../../rdf/terms.js';
import { type Algebra, filtered, namesOf, type PatternTerm, type QuadPattern } from '../algebra/algebra.js';
import { callOf, type Expression, variableOf } from '../algebra/expression.js';
import { hasVariable } from './translate-expression.js';
import type { GraphScope, Translation } from './translation.js';
import type { TraqulaAlgebra } from './traqula.js';

type TripleTerm = Extract<Term, { termType: 'Quad' }>;

interface TermPart {
  readonly whole: string;
  readonly term: TripleTerm;
}

export function translateTriples(
  patterns: readonly TraqulaAlgebra.Pattern[],
  graph: GraphScope,
  translation: Translation,
): Algebra {
  if (patterns.length === 0) return { kind: 'unit' };
  const parts: TermPart[] = [];
  const place = (term: Term): PatternTerm => {
    if (term.termType !== 'Quad' || !hasVariable(term)) return patternTerm(term, translation);
    const whole = translation.fresh();
    parts.push({ whole, term });
    return { kind: 'variable', name: whole };
  };
  const plain = patterns.map(
    (pattern): QuadPattern => ({
      s: place(pattern.subject as Term),
      p: inSequence(pattern, translation) ? stepOf(pattern.predicate as Term) : place(pattern.predicate as Term),
      o: place(pattern.object as Term),
      g: graph,
    }),
  );
  const node: Algebra = { kind: 'patterns', patterns: plain };
  if (parts.length === 0) return node;
  const bound = new Set(namesOf(plain.flatMap(({ s, p, o }) => [s, p, o])));
  return parts.reduce<Algebra>((inner, { whole, term }) => takeApart(inner, whole, term, bound, translation), node);
}

/** The parser takes sequences apart: their steps meet in variables that it invents. */
function inSequence({ subject, object }: TraqulaAlgebra.Pattern, { written }: Translation): boolean {
  return [subject, object].some((term) => term.termType === 'Variable' && !written.has(term.value));
}

function stepOf(term: Term): PatternTerm {
  return { kind: 'term', term, inPath: true };
}

/** Of a triple, and the functions that take them out of it. */
const PARTS = ['subject', 'predicate', 'object'] as const;

function takeApart(
  node: Algebra,
  whole: string,
  term: TripleTerm,
  bound: Set<string>,
  translation: Translation,
): Algebra {
  const variable = variableOf(whole);
  let result = filtered(node, [callOf('istriple', variable)]);
  for (const position of PARTS) {
    const expression = callOf(position, variable);
    const part = term[position];
    if (part.termType === 'Quad' && hasVariable(part)) {
      const inner = translation.fresh();
      result = { kind: 'extend', input: result, variable: inner, expression };
      result = takeApart(result, inner, part, bound, translation);
      continue;
    }
    const wanted = patternTerm(part, translation);
    if (wanted.kind === 'variable' && !bound.has(wanted.name)) {
      bound.add(wanted.name);
      result = { kind: 'extend', input: result, variable: wanted.name, expression };
    } else {
      result = filtered(result, [callOf('sameterm', expression, wanted)]);
    }
  }
  return result;
}

/** Blank nodes and variables that the parser invented are variables that no solution shows. */
export function patternTerm(term: Term, translation: Translation): PatternTerm {
  if (term.termType === 'Variable') {
    return { kind: 'variable', name: translation.written.has(term.value) ? term.value : `_:${term.value}` };
  }
  if (term.termType === 'BlankNode') return { kind: 'variable', name: `_:${term.value}` };
  return { kind: 'term', term };
}

/**
 * Triples of a template; triple terms with variables are made by expressions in front of it. Those
 * with blank nodes, which each solution makes anew, stay as they are where `open` says that whoever
 * fills the template in takes them apart.
 */
export function translateTemplate(
  patterns: readonly TraqulaAlgebra.Pattern[],
  input: Algebra,
  translation: Translation,
  open = false,
): { readonly template: readonly QuadPattern[]; readonly input: Algebra } {
  let made = input;
  const place = (term: Term): PatternTerm => {
    if (term.termType === 'Variable') return { kind: 'variable', name: term.value };
    if (term.termType !== 'Quad' || !hasVariable(term) || (open && hasBlankNode(term))) return { kind: 'term', term };
    const variable = translation.fresh();
    made = { kind: 'extend', input: made, variable, expression: makeTriple(term) };
    return { kind: 'variable', name: variable };
  };
  const template = patterns.map((pattern): QuadPattern => {
    const graph = pattern.graph as Term | undefined;
    return {
      s: place(pattern.subject as Term),
      p: place(pattern.predicate as Term),
      o: place(pattern.object as Term),
      g: graph === undefined || graph.termType === 'DefaultGraph' ? null : place(graph),
    };
  });
  return { template, input: made };
}

function hasBlankNode(term: Term): boolean {
  if (term.termType !== 'Quad') return term.termType === 'BlankNode';
  return hasBlankNode(term.subject) || hasBlankNode(term.object);
}

function makeTriple(term: Term): Expression {
  if (term.termType === 'Variable') return { kind: 'variable', name: term.value };
  if (term.termType === 'BlankNode') {
    throw new SvcError(
      'unsupported',
      'a blank node inside a triple term with variables is not supported in a template',
    );
  }
  if (term.termType !== 'Quad') return { kind: 'term', term };
  return callOf('triple', ...PARTS.map((part) => makeTriple(term[part])));
}
