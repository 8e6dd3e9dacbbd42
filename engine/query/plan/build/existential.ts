/**
 * What stands where only different solutions count, or whether there is one: EXISTS, ASK, the other side of a MINUS, DISTINCT.
 *
 *  1. Parts that share no variable with what is read are not multiplied with the rest: whether they have a solution is asked once.
 *  2. An OPTIONAL whose other side nobody reads goes, and so does a BIND.
 *
 * Parts hang together by every variable that they mention, in whatever scope: what is only named alike is left as it is.
 */

import { type Algebra, filtered, type NodeOf, unfiltered } from '../../algebra/algebra.js';
import { conjunctsOf, type Expression, isVolatile } from '../../algebra/expression.js';
import { collectPatternVariables, collectVariables, someNode, variablesOf } from '../../algebra/mentioned.js';
import { scopeOf } from '../../algebra/scope.js';
import { joinOf } from '../../rewrites/normalise-joins.js';
import type { PlanContext } from '../context/context.js';

type Names = ReadonlySet<string>;

/** The node as far as it matters which different values of the variables it has. */
export function existential(node: Algebra, read: Names, context: PlanContext): Algebra {
  return context.allows('existential-parts') ? reduced(node, read) : node;
}

function reduced(node: Algebra, read: Names): Algebra {
  switch (node.kind) {
    case 'filter':
    case 'join':
    case 'patterns':
      return reducedGroup(node, read);
    case 'union':
      return { ...node, inputs: node.inputs.map((input) => reduced(input, read)) };
    case 'leftJoin':
      return reducedOptional(node, read);
    case 'minus':
      return { ...node, left: reduced(node.left, withNames(read, [node.right])) };
    case 'extend':
      if (!read.has(node.variable)) return reduced(node.input, read);
      return { ...node, input: reduced(node.input, withNames(read, [], [node.expression])) };
    case 'project':
      return { ...node, input: reduced(node.input, new Set(node.variables.filter((name) => read.has(name)))) };
    case 'distinct':
    case 'reduced':
      return { ...node, input: reduced(node.input, read) };
    default:
      return node;
  }
}

function reducedOptional(node: NodeOf<'leftJoin'>, read: Names): Algebra {
  const { certain } = scopeOf(node.left);
  const isRead = [...scopeOf(node.right).variables].some((name) => read.has(name) && !certain.has(name));
  // What an endpoint has to say may be that it is not there.
  if (!isRead && !someNode(node.right, ({ kind }) => kind === 'service')) return reduced(node.left, read);
  const seen = withNames(read, [node.right], node.condition === null ? [] : [node.condition]);
  return { ...node, left: reduced(node.left, seen) };
}

/** Parts of a group, by their places, that hang together, and conditions on them. */
interface Component {
  readonly names: Set<string>;
  readonly parts: number[];
  readonly conditions: Expression[];
}

function reducedGroup(node: NodeOf<'filter' | 'join' | 'patterns'>, read: Names): Algebra {
  const { input, conditions: outermost } = unfiltered(node);
  if (input.kind !== 'join' && input.kind !== 'patterns') {
    return filtered(reduced(input, withNames(read, [], outermost)), outermost);
  }
  const conditions = outermost.flatMap(conjunctsOf);
  if (conditions.some(isVolatile)) return node;
  const parts = partsOf(input);
  const [needed, ...apart] = componentsOf(parts, conditions, read);
  const isWhole = apart.length === 0 || (apart.length === 1 && needed.parts.length === 0);
  if (isWhole && input.kind === 'patterns') return node;
  const places = isWhole ? [...parts.keys()] : needed.parts.toSorted((a, b) => a - b);
  const inner = places.map((place) => {
    const part = parts[place] as Algebra;
    const others = parts.filter((_, other) => other !== place);
    return part.kind === 'patterns' ? part : reduced(part, withNames(read, others, conditions));
  });
  const once = isWhole ? [] : apart.map((component) => askedOnce(component, parts));
  return filtered(joinOf([...inner, ...once]), isWhole ? outermost : needed.conditions);
}

/** Each pattern is a part of its own. */
function partsOf(input: NodeOf<'join' | 'patterns'>): readonly Algebra[] {
  const inputs = input.kind === 'join' ? input.inputs : [input];
  return inputs.flatMap((one): Algebra[] =>
    one.kind === 'patterns' ? one.patterns.map((pattern) => ({ kind: 'patterns', patterns: [pattern] })) : [one],
  );
}

/** First what hangs together with what is read, or mentions nothing. */
function componentsOf(
  parts: readonly Algebra[],
  conditions: readonly Expression[],
  read: Names,
): readonly [Component, ...Component[]] {
  const needed: Component = { names: new Set(read), parts: [], conditions: [] };
  let apart: Component[] = [];
  const componentFor = (names: Names): Component => {
    const touches = (one: Component): boolean => [...names].some((name) => one.names.has(name));
    const touched = apart.filter(touches);
    const into = names.size === 0 || touches(needed) ? needed : (touched[0] ?? emptyComponent());
    apart = apart.filter((one) => !touched.includes(one));
    for (const other of touched) if (other !== into) absorb(into, other);
    if (into !== needed) apart.push(into);
    for (const name of names) into.names.add(name);
    return into;
  };
  for (const [place, part] of parts.entries()) componentFor(withNames(new Set(), [part])).parts.push(place);
  for (const condition of conditions) componentFor(variablesOf(condition)).conditions.push(condition);
  return [needed, ...apart];
}

function emptyComponent(): Component {
  return { names: new Set(), parts: [], conditions: [] };
}

function absorb(into: Component, other: Component): void {
  for (const name of other.names) into.names.add(name);
  into.parts.push(...other.parts);
  into.conditions.push(...other.conditions);
}

/** One solution of it, if there is any, without its values. */
function askedOnce({ parts: places, conditions }: Component, parts: readonly Algebra[]): Algebra {
  const joined = joinOf(places.toSorted((a, b) => a - b).map((place) => parts[place] as Algebra));
  const input: Algebra = { kind: 'project', input: filtered(joined, conditions), variables: [] };
  return { kind: 'slice', input, offset: 0, limit: 1 };
}

function withNames(names: Names, nodes: readonly Algebra[], expressions: readonly Expression[] = []): Set<string> {
  const all = new Set(names);
  for (const node of nodes) collectPatternVariables(node, all);
  for (const expression of expressions) collectVariables(expression, all);
  return all;
}
