/**
 * Rows handed down into a pattern: EXISTS asks it about the row at hand, OPTIONAL may be read row by row.
 * The standard substitutes the values of the row for its variables; here the rows are joined in where
 * the pattern begins, so that filters at any depth see them and one run answers many rows. Subqueries
 * keep to themselves: only what they select meets the row.
 */

import { type Algebra, childrenOf, expressionsOf, isSubquery, type NodeOf } from './algebra.js';
import { callOf, type Expression, variableOf } from './expression.js';
import { collectVariables } from './mentioned.js';
import { renameVariables } from './rename.js';
import { scopeOf } from './scope.js';

export type OuterRows = NodeOf<'outer'>;
type Minus = NodeOf<'minus'>;
type EachGraph = NodeOf<'eachGraph'>;
type Extend = NodeOf<'extend'>;

/** `graph`: the variable of the `eachGraph` around, which holds one value and is none of the patterns' own. */
export function injectOuter(node: Algebra, outer: OuterRows, graph: string | null = null): Algebra {
  switch (node.kind) {
    case 'filter':
      return { ...node, input: injectOuter(node.input, outer, graph) };
    case 'extend':
      return injectIntoExtend(node, outer, graph);
    case 'union':
      return { ...node, inputs: node.inputs.map((input) => injectOuter(input, outer, graph)) };
    case 'leftJoin': {
      const right = needsRows(node.right, outer) ? injectOuter(node.right, outer, graph) : node.right;
      return { ...node, left: injectOuter(node.left, outer, graph), right };
    }
    case 'minus':
      return injectIntoMinus(node, outer, graph);
    case 'eachGraph':
      return injectIntoEachGraph(node, outer);
    case 'join': {
      const inputs = node.inputs.map((input) => (needsRows(input, outer) ? injectOuter(input, outer, graph) : input));
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
  return readsOuter(node, outer) || comparesOuter(node, outer);
}

/** An OPTIONAL or MINUS whose other side may bind a variable of the rows to something else than the row does. */
function comparesOuter(node: Algebra, outer: OuterRows): boolean {
  if (isSubquery(node)) return false;
  if (node.kind === 'leftJoin' || node.kind === 'minus') {
    const { certain } = scopeOf(node.left);
    const { variables } = scopeOf(node.right);
    if (outer.variables.some((name) => variables.has(name) && !certain.has(name))) return true;
  }
  return childrenOf(node).some((child) => comparesOuter(child, outer));
}

/** True when an expression inside reads a variable of the rows that nothing there surely binds. */
function readsOuter(node: Algebra, outer: OuterRows): boolean {
  if (isSubquery(node)) return false;
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

/**
 * The other side of a MINUS sees the row as well. With the row both sides share variables that neither
 * has of its own, and those remove nothing: where no variable is sure to be shared, each that may be is
 * asked for by itself.
 */
function injectIntoMinus(node: Minus, outer: OuterRows, graph: string | null): Algebra {
  const left = injectOuter(node.left, outer, graph);
  const [own, other] = [scopeOf(node.left), scopeOf(node.right)];
  const shared = [...own.variables].filter((name) => name !== graph && other.variables.has(name));
  if (shared.length === 0) return left;
  const right = needsRows(node.right, outer) ? injectOuter(node.right, outer, graph) : node.right;
  if (shared.some((name) => own.certain.has(name) && other.certain.has(name))) return { kind: 'minus', left, right };
  return shared.reduce((rest, name) => minusSharing(rest, right, name), left);
}

/** What is left when only solutions of the other side count that share this variable. */
function minusSharing(left: Algebra, right: Algebra, name: string): Algebra {
  const variable = `_:~shared ${name}`;
  const bound = callOf('bound', variableOf(name));
  return {
    kind: 'minus',
    left: { kind: 'extend', input: left, variable, expression: bound },
    right: {
      kind: 'extend',
      input: { kind: 'filter', input: right, condition: bound },
      variable,
      expression: bound,
    },
  };
}

/** In each graph the rows of all graphs; those that name another one fall away outside. */
function injectIntoEachGraph(node: EachGraph, outer: OuterRows): Algebra {
  const { variable } = node;
  if (!needsRows(node.input, outer)) return { kind: 'join', inputs: [outer, node] };
  if (!outer.variables.includes(variable)) return { ...node, input: injectOuter(node.input, outer, variable) };
  const rows = renameVariables(outer, new Map([[variable, `_:~row ${variable}`]])) as OuterRows;
  return { kind: 'join', inputs: [outer, { ...node, input: injectOuter(node.input, rows, variable) }] };
}

/**
 * BIND to a variable that the row may have already: where both have a value, it has to be the same term.
 * A row that has none takes the value that is made, an expression without a value leaves that of the row.
 */
function injectIntoExtend(node: Extend, outer: OuterRows, graph: string | null): Algebra {
  const { variable } = node;
  const input = injectOuter(node.input, outer, graph);
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
