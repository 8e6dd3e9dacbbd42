/**
 * `FILTER(?x = <iri>)` tells the only term that a variable can be. Sound where `=` means the same term: IRIs and plain
 * strings; sameTerm takes any constant.
 */

import { type Term, XSD_STRING } from '../../rdf/terms.js';
import { type Algebra, mapPattern, namesOf, type PatternTerm } from '../algebra/algebra.js';
import type { Expression } from '../algebra/expression.js';
import { variablesOf } from '../algebra/mentioned.js';
import { patternVariables, scopeOf } from '../algebra/scope.js';
import { type Rewrite, rewriteOf } from './rewrite.js';

/**
 * Puts the term into the patterns, so that the scan looks it up instead of reading everything. The variable is bound again
 * above the patterns. One that names a graph stays: `GRAPH ?g` and `GRAPH <iri>` do not range over the same graphs.
 */
export const bindEqualities: Rewrite = rewriteOf('bind-equalities', (node) => {
  const equality = equalityOf(node);
  const input = equality === null ? null : substitute(equality.input, equality.variable, equality.term);
  if (equality === null || input === null) return node;
  const { variable, term } = equality;
  return { kind: 'extend', input, variable, expression: { kind: 'term', term } };
});

/**
 * Over a path that has the variable at an end the term becomes one row to join with, so that the path is walked from there.
 * It does not replace the end: a path that may be empty relates a term of the query to itself even where no graph holds
 * it, and the values of a variable only where one does.
 */
export const joinEqualities: Rewrite = rewriteOf('join-equalities', (node) => {
  const equality = equalityOf(node);
  if (equality === null) return node;
  const row: Algebra = { kind: 'values', variables: [equality.variable], rows: [[equality.term]] };
  return joinRow(equality.input, equality.variable, row) ?? node;
});

/** The input of a filter, and the variable with the only term that it can be, where the filter says so. */
function equalityOf(node: Algebra): { readonly input: Algebra; readonly variable: string; readonly term: Term } | null {
  if (node.kind !== 'filter') return null;
  const { condition, input } = node;
  if (condition.kind !== 'call' || (condition.operator !== '=' && condition.operator !== 'sameterm')) return null;
  const [first, second] = condition.args as [Expression, Expression];
  const [variable, constant] = first.kind === 'variable' ? [first, second] : [second, first];
  if (variable.kind !== 'variable' || constant.kind !== 'term') return null;
  if (condition.operator === '=' && !isSameTermWhenEqual(constant.term)) return null;
  return { input, variable: variable.name, term: constant.term };
}

function isSameTermWhenEqual(term: Term): boolean {
  if (term.termType === 'NamedNode') return true;
  return term.termType === 'Literal' && term.datatype.value === XSD_STRING;
}

/** The node with the variable replaced; null where that can't be done. */
function substitute(node: Algebra, variable: string, term: Term): Algebra | null {
  if (node.kind === 'patterns') {
    const found = node.patterns.some((pattern) => patternVariables(pattern).has(variable));
    const namesGraph = node.patterns.some(({ g }) => namesOf([g]).includes(variable));
    if (!found || namesGraph) return null;
    const place = (at: PatternTerm): PatternTerm =>
      at.kind === 'variable' && at.name === variable ? { kind: 'term', term } : at;
    return { kind: 'patterns', patterns: node.patterns.map((pattern) => mapPattern(pattern, place)) };
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

/** The node joined with the row below its filters; null when no path of it ends in the variable. */
function joinRow(node: Algebra, variable: string, row: Algebra): Algebra | null {
  switch (node.kind) {
    case 'filter': {
      const input = joinRow(node.input, variable, row);
      return input === null ? null : { ...node, input };
    }
    case 'closure':
      return endsIn(node, variable) ? { kind: 'join', inputs: [row, node] } : null;
    case 'join':
      return node.inputs.some((input) => endsIn(input, variable)) ? { ...node, inputs: [row, ...node.inputs] } : null;
    default:
      return null;
  }
}

function endsIn(node: Algebra, variable: string): boolean {
  return node.kind === 'closure' && namesOf([node.s, node.o]).includes(variable);
}
