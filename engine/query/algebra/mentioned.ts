/** What an expression or a pattern holds at any depth: nodes that pass a test, and every variable, in scope or not. */

import { type Algebra, childrenOf, expressionsOf, type PatternTerm, termsOf } from './algebra.js';
import { type Expression, someExpression } from './expression.js';

/** True when `test` holds for the node or one below it, patterns of EXISTS included. */
export function someNode(node: Algebra, test: (node: Algebra) => boolean): boolean {
  return (
    test(node) ||
    childrenOf(node).some((child) => someNode(child, test)) ||
    expressionsOf(node).some((expression) => someNodeIn(expression, test))
  );
}

/** The same for the patterns of EXISTS in an expression. */
export function someNodeIn(expression: Expression, test: (node: Algebra) => boolean): boolean {
  return someExpression(expression, (part) => part.kind === 'exists' && someNode(part.pattern, test));
}

/**
 * The variables that an expression reads of its row. For EXISTS these are all variables of its
 * pattern: which of them the row binds, the pattern finds out when it is asked.
 */
export function collectVariables(expression: Expression, into: Set<string>): void {
  if (expression.kind === 'variable') into.add(expression.name);
  else if ('args' in expression) for (const arg of expression.args) collectVariables(arg, into);
  else if (expression.kind === 'exists') collectPatternVariables(expression.pattern, into);
}

export function variablesOf(expression: Expression): Set<string> {
  const found = new Set<string>();
  collectVariables(expression, found);
  return found;
}

export function collectPatternVariables(node: Algebra, into: Set<string>): void {
  for (const term of patternTermsOf(node)) if (term?.kind === 'variable') into.add(term.name);
  for (const name of ownVariables(node)) into.add(name);
  for (const expression of expressionsOf(node)) collectVariables(expression, into);
  for (const child of childrenOf(node)) collectPatternVariables(child, into);
}

/** The terms that the patterns of a node name, without those of its children. */
export function patternTermsOf(node: Algebra): readonly (PatternTerm | null)[] {
  switch (node.kind) {
    case 'patterns':
    case 'members':
      return node.patterns.flatMap(termsOf);
    case 'walk':
      return [node.s, node.o];
    case 'closure':
      return [node.s, node.o, node.g];
    case 'instances':
      return [node.subject];
    case 'graphs':
      return [node.name];
    case 'countPattern':
      return termsOf(node.pattern);
    case 'tableFunction':
      return [...node.args.map(({ value }) => value), node.g];
    default:
      return [];
  }
}

function ownVariables(node: Algebra): readonly string[] {
  switch (node.kind) {
    case 'empty':
    case 'values':
    case 'outer':
    case 'service':
    case 'project':
    case 'countPattern':
      return node.variables;
    case 'extend':
    case 'eachGraph':
      return [node.variable];
    case 'group':
      return [...node.keys, ...node.aggregates.map(({ variable }) => variable)];
    default:
      return [];
  }
}
