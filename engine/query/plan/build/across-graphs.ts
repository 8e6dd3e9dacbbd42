/**
 * `GRAPH ?g` around a subquery or MINUS, read over all graphs at once: the graph goes through the subquery as one more column and
 * key, so that rows of one graph meet only rows of the same. What counts or takes rows of one graph as a whole (a LIMIT, an
 * aggregate without keys) stays with each graph by itself.
 */

import { type Algebra, mapChildren, type NodeOf } from '../../algebra/algebra.js';
import { mapExists } from '../../algebra/expression.js';
import { collectPatternVariables } from '../../algebra/mentioned.js';
import { scopeOf } from '../../algebra/scope.js';

/** The group with the graph bound by every solution; null where that means something else. */
export function acrossGraphs({ input, variable }: NodeOf<'eachGraph'>): Algebra | null {
  const across = through(input, variable);
  return across !== null && scopeOf(across).certain.has(variable) ? across : null;
}

function through(node: Algebra, graph: string): Algebra | null {
  if (!mentions(node, graph)) return node;
  switch (node.kind) {
    case 'patterns':
    case 'closure':
    case 'graphs':
    case 'outer':
      return node;
    case 'join':
      return throughAll(node, graph);
    case 'union': {
      const union = throughAll(node, graph);
      return union !== null && scopeOf(union).certain.has(graph) ? union : null;
    }
    case 'leftJoin': {
      const joined = throughAll(node, graph) as NodeOf<'leftJoin'> | null;
      return joined !== null && binds(joined.left, graph) && tells(joined.right, graph) ? joined : null;
    }
    case 'minus':
      return throughMinus(node, graph);
    case 'filter':
    case 'extend':
    case 'distinct':
    case 'reduced': {
      const over = throughAll(node, graph) as NodeOf<'filter' | 'extend' | 'distinct' | 'reduced'> | null;
      return over !== null && binds(over.input, graph) ? over : null;
    }
    case 'project': {
      const input = through(node.input, graph);
      return input === null || !binds(input, graph) ? null : { ...node, input, variables: [...node.variables, graph] };
    }
    case 'group': {
      const input = node.keys.length === 0 ? null : through(node.input, graph);
      return input === null || !binds(input, graph) ? null : { ...node, input, keys: [...node.keys, graph] };
    }
    default:
      return null;
  }
}

/** The node over what its children and the patterns of EXISTS become. */
function throughAll(node: Algebra, graph: string): Algebra | null {
  let fails = false;
  const change = (part: Algebra): Algebra => {
    const made = through(part, graph);
    fails ||= made === null;
    return made ?? part;
  };
  const asked = (part: Algebra): Algebra => {
    const made = change(part);
    fails ||= !tells(made, graph);
    return made;
  };
  const changed = mapExists(mapChildren(node, change), asked);
  return fails ? null : changed;
}

/** The graph is one of the variables that both sides share, and must not be the only one. */
function throughMinus(node: NodeOf<'minus'>, graph: string): Algebra | null {
  const [left, right] = [through(node.left, graph), through(node.right, graph)];
  if (left === null || right === null || !binds(left, graph) || !tells(right, graph)) return null;
  const [own, other] = [scopeOf(left), scopeOf(right)];
  const shared = [...own.variables].filter((name) => name !== graph && other.variables.has(name));
  if (shared.length === 0) return left;
  const isSure = shared.some((name) => own.certain.has(name) && other.certain.has(name));
  return isSure || !other.variables.has(graph) ? { kind: 'minus', left, right } : null;
}

function binds(node: Algebra, graph: string): boolean {
  return scopeOf(node).certain.has(graph);
}

/** Every row says which graph it is of, or it is the same in all. */
function tells(node: Algebra, graph: string): boolean {
  return binds(node, graph) || !mentions(node, graph);
}

function mentions(node: Algebra, graph: string): boolean {
  const names = new Set<string>();
  collectPatternVariables(node, names);
  return names.has(graph);
}
