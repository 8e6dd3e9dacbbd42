/**
 * Variables of a node replaced at every depth, patterns of EXISTS included: by other names (subqueries
 * hide theirs), or by terms (parameters, the one graph that `GRAPH ?g` looks at).
 */

import type { Term } from '../../rdf/terms.js';
import { type Algebra, mapChildren, mapExpressions, mapPatternTerms, type PatternTerm } from './algebra.js';
import { type Expression, mapOperands } from './expression.js';

/** Where a name is bound (BIND, GROUP BY, VALUES …), only another name can stand for it. */
interface Replacement {
  readonly name: (name: string) => string;
  readonly term: (name: string) => PatternTerm;
}

export function renameVariables(node: Algebra, names: ReadonlyMap<string, string>): Algebra {
  if (names.size === 0) return node;
  const name = (old: string): string => names.get(old) ?? old;
  return replaceIn(node, { name, term: (old) => ({ kind: 'variable', name: name(old) }) });
}

/** A variable in patterns and expressions becomes the term; where the node binds it, it stays. */
export function substituteVariables(node: Algebra, values: ReadonlyMap<string, Term>): Algebra {
  if (values.size === 0) return node;
  const placed = (name: string): PatternTerm => {
    const term = values.get(name);
    return term === undefined ? { kind: 'variable', name } : { kind: 'term', term };
  };
  return replaceIn(node, { name: (name) => name, term: placed });
}

function replaceIn(node: Algebra, by: Replacement): Algebra {
  const inner = mapChildren(node, (child) => replaceIn(child, by));
  const place = (term: PatternTerm): PatternTerm => (term.kind === 'variable' ? by.term(term.name) : term);
  const renamed = renameOwn(mapPatternTerms(inner, place), by);
  return mapExpressions(renamed, (expression) => replaceInExpression(expression, by));
}

function renameOwn(node: Algebra, by: Replacement): Algebra {
  const names = (list: readonly string[]): string[] => list.map(by.name);
  switch (node.kind) {
    case 'eachGraph':
    case 'extend':
      return { ...node, variable: by.name(node.variable) };
    case 'empty':
    case 'values':
    case 'service':
    case 'project':
    case 'countPattern':
      return { ...node, variables: names(node.variables) };
    case 'slice':
      return node.per === undefined ? node : { ...node, per: by.name(node.per) };
    case 'outer':
      return { ...node, variables: names(node.variables), certain: names(node.certain) };
    case 'group':
      return {
        ...node,
        keys: names(node.keys),
        aggregates: node.aggregates.map((aggregate) => ({ ...aggregate, variable: by.name(aggregate.variable) })),
      };
    default:
      return node;
  }
}

function replaceInExpression(expression: Expression, by: Replacement): Expression {
  if (expression.kind === 'variable') return by.term(expression.name);
  if (expression.kind === 'exists') return { ...expression, pattern: replaceIn(expression.pattern, by) };
  return mapOperands(expression, (operand) => replaceInExpression(operand, by));
}
