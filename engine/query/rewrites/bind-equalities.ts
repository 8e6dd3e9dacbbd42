/**
 * `FILTER(?x = <iri>)` puts the IRI into the patterns, so that the scan looks it up instead of
 * reading everything. Sound where `=` means the same term: IRIs and plain strings; sameTerm takes
 * any constant. The variable is bound again above the patterns.
 *
 * A variable that names a graph stays: `GRAPH ?g` and `GRAPH <iri>` do not range over the same graphs.
 */

import { type Term, XSD_STRING } from '../../rdf/terms.js';
import { type Algebra, type PatternTerm, type QuadPattern, rewriteUp } from '../algebra/algebra.js';
import type { Expression } from '../algebra/expression.js';
import { variablesOf } from '../algebra/mentioned.js';
import { patternVariables, scopeOf } from '../algebra/scope.js';
import type { Rewrite } from './rewrite.js';

export const bindEqualities: Rewrite = {
  name: 'bind-equalities',
  apply: (algebra) => rewriteUp(algebra, bindEquality),
};

function bindEquality(node: Algebra): Algebra {
  if (node.kind !== 'filter') return node;
  const equality = equalityOf(node.condition);
  if (equality === null) return node;
  const input = substitute(node.input, equality.variable, equality.term);
  if (input === null) return node;
  return { kind: 'extend', input, variable: equality.variable, expression: { kind: 'term', term: equality.term } };
}

/** The variable and the only term that it can be, where the condition says so. */
export function equalityOf(condition: Expression): { variable: string; term: Term } | null {
  if (condition.kind !== 'call' || (condition.operator !== '=' && condition.operator !== 'sameterm')) return null;
  const [first, second] = condition.args as [Expression, Expression];
  const [variable, constant] = first.kind === 'variable' ? [first, second] : [second, first];
  if (variable.kind !== 'variable' || constant.kind !== 'term') return null;
  if (condition.operator === '=' && !isSameTermWhenEqual(constant.term)) return null;
  return { variable: variable.name, term: constant.term };
}

function isSameTermWhenEqual(term: Term): boolean {
  if (term.termType === 'NamedNode') return true;
  return term.termType === 'Literal' && term.datatype.value === XSD_STRING;
}

/** The node with the variable replaced; null where that can't be done. */
function substitute(node: Algebra, variable: string, term: Term): Algebra | null {
  if (node.kind === 'patterns') {
    const found = node.patterns.some((pattern) => patternVariables(pattern).has(variable));
    const namesGraph = node.patterns.some((pattern) => isVariable(pattern.g, variable));
    if (!found || namesGraph) return null;
    return { kind: 'patterns', patterns: node.patterns.map((pattern) => substitutePattern(pattern, variable, term)) };
  }
  if (node.kind === 'filter' || node.kind === 'extend') {
    // An expression that reads the variable needs it bound below, where it no longer is.
    const expression = node.kind === 'filter' ? node.condition : node.expression;
    if (variablesOf(expression).has(variable)) return null;
    const input = substitute(node.input, variable, term);
    return input === null ? null : { ...node, input };
  }
  if (node.kind !== 'join') return null;
  const holders = node.inputs.filter((input) => scopeOf(input).variables.has(variable));
  if (holders.length === 0 || holders.some((input) => input.kind !== 'patterns')) return null;
  const inputs = node.inputs.map((input) => (holders.includes(input) ? substitute(input, variable, term) : input));
  return inputs.every((input): input is Algebra => input !== null) ? { kind: 'join', inputs } : null;
}

function isVariable(position: PatternTerm | null, name: string): boolean {
  return position?.kind === 'variable' && position.name === name;
}

function substitutePattern(pattern: QuadPattern, variable: string, term: Term): QuadPattern {
  const replace = (position: PatternTerm): PatternTerm =>
    isVariable(position, variable) ? { kind: 'term', term } : position;
  return { ...pattern, s: replace(pattern.s), p: replace(pattern.p), o: replace(pattern.o) };
}
