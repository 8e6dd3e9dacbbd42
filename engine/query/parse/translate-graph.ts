/**
 * GRAPH, pushed into the patterns (SPARQL 1.1, 18.6: eval(D(G), Graph(var, P))). For a variable the
 * standard evaluates the group in one graph at a time and then joins the name. Reading all graphs at
 * once with the name as one more variable is the same for patterns, joins, filters, OPTIONAL and UNION,
 * as long as every row knows its graph; groups whose meaning depends on what stands in one graph alone
 * (subqueries, MINUS without a shared variable) become `eachGraph`.
 *
 * As in most engines, ?g of `GRAPH ?g { … }` is visible to the filters inside the braces.
 */

import { type Algebra, childrenOf, isSubquery, type PatternTerm } from '../algebra/algebra.js';
import { callOf, variableOf } from '../algebra/expression.js';
import { someNode } from '../algebra/mentioned.js';
import { renameVariables } from '../algebra/rename.js';
import { scopeOf } from '../algebra/scope.js';
import type { Translation } from './translation.js';
import type { TraqulaAlgebra } from './traqula.js';

export function translateGraph(operation: TraqulaAlgebra.Graph, translation: Translation): Algebra {
  const { value } = operation.name;
  if (operation.name.termType !== 'Variable') {
    const name: PatternTerm = { kind: 'term', term: operation.name };
    const inner = translation.pattern(operation.input, name);
    return readsGraph(inner, name) ? inner : { kind: 'join', inputs: [{ kind: 'graphs', name }, inner] };
  }
  // Inside, the graph goes by a name of its own, which the group cannot have bound.
  const own = translation.hidden(value);
  const name: PatternTerm = { kind: 'variable', name: own };
  const inner = translation.pattern(operation.input, name);
  const bindsName = scopeOf(inner).variables.has(value);
  const whole = needsOneGraph(inner, own);
  const body = whole ? ({ kind: 'eachGraph', variable: own, input: inner } as const) : withGraph(inner, name);
  if (!bindsName || (!whole && isConjunctive(inner))) return renameVariables(body, new Map([[own, value]]));
  return joinName(body, own, value, translation);
}

/** The node with the graph bound in every solution; OPTIONAL and EXISTS need that of what they extend. */
export function withGraph(node: Algebra, graph: PatternTerm | null): Algebra {
  if (graph === null || graph.kind === 'term' || scopeOf(node).certain.has(graph.name)) return node;
  return { kind: 'join', inputs: [{ kind: 'graphs', name: graph }, node] };
}

/** True when every solution of the node comes from a pattern that reads this graph. */
function readsGraph(node: Algebra, name: PatternTerm): boolean {
  switch (node.kind) {
    case 'patterns':
      return node.patterns.some((pattern) => pattern.g === name);
    case 'closure':
      return node.g === name;
    case 'join':
      return node.inputs.some((input) => readsGraph(input, name));
    case 'union':
      return node.inputs.every((input) => readsGraph(input, name));
    case 'leftJoin':
    case 'minus':
      return readsGraph(node.left, name);
    case 'filter':
    case 'extend':
    case 'project':
    case 'distinct':
      return readsGraph(node.input, name);
    default:
      return false;
  }
}

/** Parts whose solutions in one graph are not those in all graphs, told apart by the graph. */
function needsOneGraph(node: Algebra, graph: string): boolean {
  return someNode(node, (part) => {
    if (part.kind !== 'minus') return isSubquery(part);
    const [left, right] = [scopeOf(part.left).certain, scopeOf(part.right).certain];
    return !right.has(graph) || ![...right].some((name) => name !== graph && left.has(name));
  });
}

function isConjunctive(node: Algebra): boolean {
  if (node.kind === 'patterns' || node.kind === 'unit' || node.kind === 'closure') return true;
  return (node.kind === 'join' || node.kind === 'filter') && childrenOf(node).every(isConjunctive);
}

/** The group binds ?g itself: its value has to be the graph, or nothing. */
function joinName(body: Algebra, own: string, name: string, translation: Translation): Algebra {
  const inner = translation.hidden(name);
  const input = renameVariables(
    body,
    new Map([
      [name, inner],
      [own, name],
    ]),
  );
  const isUnbound = callOf('!', callOf('bound', variableOf(inner)));
  const condition = callOf('||', isUnbound, callOf('sameterm', variableOf(inner), variableOf(name)));
  return { kind: 'filter', input, condition };
}
