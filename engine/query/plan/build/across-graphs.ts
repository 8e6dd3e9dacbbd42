/**
 * `GRAPH ?g` around a subquery or MINUS, read over all graphs at once: the graph goes through the subquery as one more column and
 * key, so that rows of one graph meet only rows of the same. LIMIT and OFFSET take the rows of each graph by themselves, sorted by
 * graphs first; an aggregate without keys has one for each graph, and graphs without a row get what it says of none.
 */

import { type Term, terms, XSD } from '../../../rdf/terms.js';
import { type Aggregate, type Algebra, mapChildren, type NodeOf } from '../../algebra/algebra.js';
import { callOf, hasExists, mapExists, variableOf } from '../../algebra/expression.js';
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
      const input = through(node.input, graph);
      if (input === null || !binds(input, graph)) return null;
      return node.keys.length === 0 ? wholeGraphs(node, input, graph) : { ...node, input, keys: [...node.keys, graph] };
    }
    case 'slice':
      return throughSlice(node, graph);
    default:
      return null;
  }
}

/** The rows of a graph come one after the other where they are sorted, since its first ones are meant. */
function throughSlice(node: NodeOf<'slice'>, graph: string): Algebra | null {
  const [columns, below] = node.input.kind === 'project' ? [node.input, node.input.input] : [null, node.input];
  const sorted = below.kind === 'sort' ? below : null;
  const read = through(sorted?.input ?? below, graph);
  if (read === null || !binds(read, graph) || sorted?.keys.some(({ expression }) => hasExists(expression))) return null;
  const keys = [{ expression: variableOf(graph), descending: false }, ...(sorted?.keys ?? [])];
  const input: Algebra = sorted === null ? read : { kind: 'sort', input: read, keys, limit: null };
  const shown: Algebra = columns === null ? input : { ...columns, input, variables: [...columns.variables, graph] };
  return { ...node, input: shown, per: graph };
}

/** What an aggregate is of no rows; absent = nothing. */
const OF_NO_ROWS: Partial<Record<Aggregate['function'], Term>> = {
  count: terms.literal('0', terms.namedNode(`${XSD}integer`)),
  sum: terms.literal('0', terms.namedNode(`${XSD}integer`)),
  avg: terms.literal('0', terms.namedNode(`${XSD}integer`)),
  group_concat: terms.literal(''),
};

/** One row for each graph, whether it has any to count or not. */
function wholeGraphs(node: NodeOf<'group'>, input: Algebra, graph: string): Algebra {
  const counted = `_:~counted ${graph}`;
  const inner = (name: string): string => `_:~of ${graph} ${name}`;
  const count: Aggregate = { variable: counted, function: 'count', distinct: false, expression: null, separator: null };
  const aggregates = [...node.aggregates.map((one) => ({ ...one, variable: inner(one.variable) })), count];
  const left: Algebra = { kind: 'graphs', name: { kind: 'variable', name: graph } };
  const grouped: Algebra = { kind: 'group', input, keys: [graph], aggregates };
  const completed = node.aggregates.reduce<Algebra>(
    (made, { variable, function: name }) => {
      const none = OF_NO_ROWS[name];
      const value = variableOf(inner(variable));
      const isCounted = callOf('bound', variableOf(counted));
      const expression = none === undefined ? value : callOf('if', isCounted, value, { kind: 'term', term: none });
      return { kind: 'extend', input: made, variable, expression };
    },
    { kind: 'leftJoin', left, right: grouped, condition: null },
  );
  const variables = [...node.aggregates.map(({ variable }) => variable), graph];
  return { kind: 'project', input: completed, variables };
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
