/**
 * Rows handed down into a pattern: EXISTS asks it about the row at hand, OPTIONAL may be read row by row.
 * The standard substitutes the values of the row for its variables; here the rows are joined in where
 * the pattern begins, so that filters at any depth see them and one run answers many rows. Subqueries
 * keep to themselves: only what they select meets the row.
 */

import { type Algebra, childrenOf, expressionsOf } from './algebra.js';
import type { Expression } from './expression.js';
import { collectVariables } from './mentioned.js';
import type { Operator } from './operators.js';
import { renameVariables } from './rename.js';
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
      const right = needsRows(node.right, outer) ? injectOuter(node.right, outer) : node.right;
      return { ...node, left: injectOuter(node.left, outer), right };
    }
    case 'minus':
      return { ...node, left: injectOuter(node.left, outer) };
    case 'join': {
      const inputs = node.inputs.map((input) => (needsRows(input, outer) ? injectOuter(input, outer) : input));
      return { kind: 'join', inputs: [outer, ...inputs] };
    }
    case 'unit':
      return outer;
    default:
      return { kind: 'join', inputs: [outer, node] };
  }
}

/** True when joining the rows outside would not be the same as having them inside. */
function needsRows(node: Algebra, outer: OuterRows): boolean {
  return readsOuter(node, outer) || hasOpenOptional(node, outer);
}

/** An OPTIONAL that may bind a variable of the rows to something else than the row does. */
function hasOpenOptional(node: Algebra, outer: OuterRows): boolean {
  if (keepsToItself(node)) return false;
  if (node.kind === 'leftJoin') {
    const { certain } = scopeOf(node.left);
    const { variables } = scopeOf(node.right);
    if (outer.variables.some((name) => variables.has(name) && !certain.has(name))) return true;
  }
  return childrenOf(node).some((child) => hasOpenOptional(child, outer));
}

/** True when an expression inside reads a variable of the rows that nothing there surely binds. */
export function readsOuter(node: Algebra, outer: OuterRows): boolean {
  if (keepsToItself(node)) return false;
  const expressions = expressionsOf(node);
  if (expressions.length > 0 && readsUnbound(node, expressions, outer)) return true;
  return childrenOf(node).some((child) => readsOuter(child, outer));
}

/** A subquery, or a group that is evaluated graph by graph. */
function keepsToItself(node: Algebra): boolean {
  switch (node.kind) {
    case 'project':
    case 'group':
    case 'distinct':
    case 'reduced':
    case 'slice':
    case 'sort':
    case 'eachGraph':
      return true;
    default:
      return false;
  }
}

function readsUnbound(node: Algebra, expressions: readonly Expression[], outer: OuterRows): boolean {
  const read = new Set<string>();
  for (const expression of expressions) collectVariables(expression, read);
  const scopes = childrenOf(node).map(scopeOf);
  return outer.variables.some((name) => read.has(name) && !scopes.some((scope) => scope.certain.has(name)));
}

/**
 * BIND to a variable that the row may have already: where both have a value, it has to be the same term.
 * A row that has none takes the value that is made, an expression without a value leaves that of the row.
 */
function injectIntoExtend(node: Extract<Algebra, { kind: 'extend' }>, outer: OuterRows): Algebra {
  const { variable } = node;
  const input = injectOuter(node.input, outer);
  if (!outer.variables.includes(variable)) return { ...node, input };
  const made = `_:~again ${variable}`;
  const both: Algebra = { kind: 'extend', input, variable: made, expression: node.expression };
  const certain = outer.certain.includes(variable);
  const loose = [...(certain ? [] : [variable]), ...(scopeOf(both).certain.has(made) ? [] : [made])];
  const condition = loose.reduceRight<Expression>(
    (same, name) => callOf('||', callOf('!', callOf('bound', variableOf(name))), same),
    callOf('sameterm', variableOf(variable), variableOf(made)),
  );
  const agreeing: Algebra = { kind: 'filter', input: both, condition };
  if (certain) return agreeing;
  const given = `_:~given ${variable}`;
  return {
    kind: 'extend',
    input: renameVariables(agreeing, new Map([[variable, given]])),
    variable,
    expression: callOf('coalesce', variableOf(given), variableOf(made)),
  };
}

function variableOf(name: string): Expression {
  return { kind: 'variable', name };
}

function callOf(operator: Operator, ...args: readonly Expression[]): Expression {
  return { kind: 'call', operator, args };
}
