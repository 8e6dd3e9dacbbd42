/**
 * Blank nodes inside the triple terms of a template: such a term is made by an expression in front of
 * the template, and so the node has to be there before it. Wherever the label stands in the template, it
 * becomes a variable that BNODE() binds, which is a new node for each solution as well.
 */

import { type Quad, type Term, terms } from '../../rdf/terms.js';
import type { Algebra } from '../algebra/algebra.js';
import { callOf } from '../algebra/expression.js';
import type { Translation } from './translation.js';
import type { TraqulaAlgebra } from './traqula.js';

type Pattern = TraqulaAlgebra.Pattern;

export function nodesBeforeTemplate(
  patterns: readonly Pattern[],
  input: Algebra,
  translation: Translation,
): { readonly patterns: readonly Pattern[]; readonly input: Algebra } {
  const variables = new Map<string, Term>();
  let made = input;
  for (const label of patterns.flatMap(({ subject, object }) => [subject, object].flatMap(labelsInside))) {
    if (variables.has(label)) continue;
    const variable = translation.fresh();
    made = { kind: 'extend', input: made, variable, expression: callOf('bnode') };
    variables.set(label, terms.variable?.(variable) as Term);
  }
  if (variables.size === 0) return { patterns, input };
  const replaced = patterns.map((pattern) => ({
    ...pattern,
    subject: replace(pattern.subject as Term, variables),
    object: replace(pattern.object as Term, variables),
  }));
  return { patterns: replaced, input: made };
}

function labelsInside(node: { readonly termType: string }): string[] {
  const term = node as Term;
  if (term.termType !== 'Quad') return [];
  return [term.subject, term.predicate, term.object].flatMap((part) =>
    part.termType === 'BlankNode' ? [part.value] : labelsInside(part),
  );
}

function replace(term: Term, variables: ReadonlyMap<string, Term>): Term {
  if (term.termType === 'BlankNode') return variables.get(term.value) ?? term;
  if (term.termType !== 'Quad') return term;
  const [s, p, o] = [term.subject, term.predicate, term.object].map((part) => replace(part, variables));
  return terms.quad(s as Quad['subject'], p as Quad['predicate'], o as Quad['object']);
}
