/**
 * Rows handed down into a pattern: EXISTS asks it about the row at hand, OPTIONAL may be read row by row.
 * The standard substitutes the values of the row for its variables; here the rows are joined in where
 * the pattern begins, so that filters at any depth see them and one run answers many rows. Subqueries
 * keep to themselves: only what they select meets the row.
 */

import { type Algebra, childrenOf, expressionsOf } from './algebra.js';
import type { Expression } from './expression.js';
import { collectVariables } from './mentioned.js';
import { scopeOf } from './scope.js';

export type OuterRows = Extract<Algebra, { kind: 'outer' }>;

export function injectOuter(node: Algebra, outer: OuterRows): Algebra {
  switch (node.kind) {
    case 'filter':
      return { ...node, input: injectOuter(node.input, outer) };
    case 'extend':
      return injectIntoExtend(node, outer);
    case 'union':
      return { ...node, inputs: node.inputs.map((input) => injectOuter(input, outer)) };
    case 'leftJoin': {
      const right = readsOuter(node.right, outer) ? injectOuter(node.right, outer) : node.right;
      return { ...node, left: injectOuter(node.left, outer), right };
    }
    case 'minus':
      return { ...node, left: injectOuter(node.left, outer) };
    case 'join': {
      const inputs = node.inputs.map((input) => (readsOuter(input, outer) ? injectOuter(input, outer) : input));
      return { kind: 'join', inputs: [outer, ...inputs] };
    }
    case 'unit':
      return outer;
    default:
      return { kind: 'join', inputs: [outer, node] };
  }
}

/** True when an expression inside reads a variable of the rows that nothing there surely binds. */
export function readsOuter(node: Algebra, outer: OuterRows): boolean {
  switch (node.kind) {
    case 'project':
    case 'group':
    case 'distinct':
    case 'reduced':
    case 'slice':
    case 'sort':
    case 'eachGraph':
      return false;
    default:
      break;
  }
  const expressions = expressionsOf(node);
  if (expressions.length > 0 && readsUnbound(node, expressions, outer)) return true;
  return childrenOf(node).some((child) => readsOuter(child, outer));
}

function readsUnbound(node: Algebra, expressions: readonly Expression[], outer: OuterRows): boolean {
  const read = new Set<string>();
  for (const expression of expressions) collectVariables(expression, read);
  const scopes = childrenOf(node).map(scopeOf);
  return outer.variables.some((name) => read.has(name) && !scopes.some((scope) => scope.certain.has(name)));
}

/** BIND to a variable that the row has already: both have to be the same term. */
function injectIntoExtend(node: Extract<Algebra, { kind: 'extend' }>, outer: OuterRows): Algebra {
  const input = injectOuter(node.input, outer);
  if (!outer.variables.includes(node.variable)) return { ...node, input };
  const made = `_:~again ${node.variable}`;
  const [given, again] = [node.variable, made].map((name): Expression => ({ kind: 'variable', name })) as [
    Expression,
    Expression,
  ];
  const same: Expression = { kind: 'call', operator: 'sameterm', args: [given, again] };
  return {
    kind: 'filter',
    input: { kind: 'extend', input, variable: made, expression: node.expression },
    condition: same,
  };
}
