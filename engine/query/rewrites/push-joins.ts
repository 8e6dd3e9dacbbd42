/**
 * What is joined with an OPTIONAL or a MINUS is joined with its left side instead, so that few rows ask the
 * other side, and the search for a join order has the patterns before and after the keyword in one group:
 *
 *     Join(LeftJoin(A, B, c), C) = LeftJoin(Join(A, C), B, c)
 *     Join(Minus(A, B), C)       = Minus(Join(A, C), B)
 *
 * Both hold when every variable that C may bind and B (or c) has is bound in all rows of A, which well-designed
 * patterns (Pérez, Arenas, Gutierrez 2009) always satisfy. Take rows a and c that agree. On the variables that c
 * shares with a row b, a has the values of c, so b agrees with a exactly when it agrees with both together,
 * shares a variable with a exactly when it does with both, and the condition reads the same values. The
 * matches of a are therefore those of the joined row, and rows are extended (or dropped) one by one, so
 * that they come as often as before.
 *
 * BIND and FILTER above an OPTIONAL let pass what changes nothing of what they read; a BIND that C waits for
 * goes below with it. Subqueries are walls. What draws random values or makes blank nodes stays where it is,
 * since it would do so for other rows. What no variable connects with A stays above: it would only
 * multiply the rows that ask. Below MINUS goes only what binds nothing new, so that rows are dropped before
 * they are multiplied; OPTIONAL drops none, and as many rows come to be in any order.
 */

import { type Algebra, expressionsOf, mapChildren, type NodeOf } from '../algebra/algebra.js';
import { isVolatile } from '../algebra/expression.js';
import { collectVariables, someNode, someNodeIn, variablesOf } from '../algebra/mentioned.js';
import { scopeOf } from '../algebra/scope.js';
import { joinOf } from './normalise-joins.js';
import type { Rewrite } from './rewrite.js';

export const pushJoins: Rewrite = { name: 'push-joins', apply: push };

/** Fewer than the planner refuses: a group that is planned in pieces is still planned. */
const PARTS_MAX = 500;

type Outer = NodeOf<'leftJoin' | 'minus'>;
type Extend = NodeOf<'extend'>;
type Transparent = NodeOf<'filter' | 'extend'>;

/** A node with some parts of its group inside, and the parts that are still to be joined with it. */
interface Taken {
  readonly node: Algebra;
  readonly above: readonly Algebra[];
}

/** Nodes in which nothing is left to move. */
const settled = new WeakSet<Algebra>();

function push(node: Algebra): Algebra {
  if (settled.has(node)) return node;
  const pushed = node.kind === 'join' ? group(node.inputs) : mapChildren(node, push);
  settled.add(pushed);
  return pushed;
}

/** The join of the parts: each OPTIONAL and MINUS among them takes what it can, and the rest is joined. */
function group(inputs: readonly Algebra[]): Algebra {
  let parts = inputs.flatMap(partsOf);
  for (let at = 0; at < parts.length; at++) {
    const node = parts[at] as Algebra;
    if (!mayTake(node)) continue;
    const taken = take(node, parts.toSpliced(at, 1));
    if (taken === null) continue;
    // Parts before this one took nothing, of more than there is now.
    const above = new Set(taken.above);
    const before = parts.slice(0, at).filter((part) => above.has(part));
    parts = [...before, taken.node, ...parts.slice(at + 1).filter((part) => above.has(part))];
    at = before.length;
  }
  return joinOf(parts.map(push));
}

/** Single patterns: one of a basic graph pattern may go where another can not. */
export function partsOf(node: Algebra): Algebra[] {
  if (node.kind === 'join') return node.inputs.flatMap(partsOf);
  if (node.kind !== 'patterns' || node.patterns.length === 1) return [node];
  return node.patterns.map((pattern) => ({ kind: 'patterns', patterns: [pattern] }));
}

function mayTake(node: Algebra): node is Outer | Transparent {
  return node.kind === 'leftJoin' || node.kind === 'minus' || node.kind === 'filter' || node.kind === 'extend';
}

/** Null when nothing can go below an OPTIONAL or MINUS of the node. */
function take(node: Algebra, parts: readonly Algebra[]): Taken | null {
  if (!mayTake(node)) return null;
  return node.kind === 'leftJoin' || node.kind === 'minus' ? takeBelow(node, parts) : takeThrough(node, parts);
}

function takeBelow(node: Outer, parts: readonly Algebra[]): Taken | null {
  const { left, right } = node;
  const read = namesBeside(node);
  const { certain, variables } = scopeOf(left);
  const passing = parts.filter((part) => {
    const names = scopeOf(part).variables;
    return node.kind === 'minus' ? [...names].every((name) => certain.has(name)) : everyShared(names, read, certain);
  });
  const below = connected(variables, passing);
  if (below.size === 0 || below.size + partsOf(left).length > PARTS_MAX || drawsValues(node)) return null;
  return {
    node: { ...node, left: joinWith(left, [...below]), right: push(right) },
    above: parts.filter((part) => !below.has(part)),
  };
}

function takeThrough(node: Transparent, parts: readonly Algebra[]): Taken | null {
  if (node.kind === 'extend' && parts.some((part) => scopeOf(part).variables.has(node.variable))) {
    const lowered = lower(node);
    const taken = lowered === null ? null : takeBelow(lowered, parts);
    if (taken !== null) return taken;
  }
  const passing = parts.filter((part) => letsPass(node, part));
  const taken = take(node.input, passing);
  if (taken === null) return null;
  const above = new Set(taken.above);
  return {
    node: { ...node, input: taken.node },
    above: parts.filter((part) => above.has(part) || !passing.includes(part)),
  };
}

/** The left side of an OPTIONAL joined with the parts, with the filters on top, so that the rest is one group. */
function joinWith(left: Algebra, parts: readonly Algebra[]): Algebra {
  if ((left.kind === 'filter' || left.kind === 'extend') && parts.every((part) => letsPass(left, part))) {
    return { ...left, input: joinWith(left.input, parts) };
  }
  return group([left, ...parts]);
}

/** The BIND below the OPTIONAL or MINUS that it stands on; null where it reads what that binds, or the other way. */
function lower({ input, variable, expression }: Extend): Outer | null {
  if ((input.kind !== 'leftJoin' && input.kind !== 'minus') || isVolatile(expression)) return null;
  const { left, right } = input;
  const independent = everyShared(variablesOf(expression), scopeOf(right).variables, scopeOf(left).certain);
  if (!independent || namesBeside(input).has(variable)) return null;
  return { ...input, left: { kind: 'extend', input: left, variable, expression } };
}

/** True when joining the part below the filter or BIND changes nothing of what it reads and makes. */
function letsPass(node: Transparent, part: Algebra): boolean {
  const { variables } = scopeOf(part);
  if (node.kind === 'extend' && variables.has(node.variable)) return false;
  const expression = node.kind === 'extend' ? node.expression : node.condition;
  return everyShared(variables, variablesOf(expression), scopeOf(node.input).certain) && !isVolatile(expression);
}

/** The names that the other side and the condition have. */
function namesBeside(node: Outer): Set<string> {
  const names = new Set(scopeOf(node.right).variables);
  if (node.kind === 'leftJoin' && node.condition !== null) collectVariables(node.condition, names);
  return names;
}

/** Every name that stands in both sets is certain. */
function everyShared(names: ReadonlySet<string>, others: ReadonlySet<string>, certain: ReadonlySet<string>): boolean {
  return [...names].every((name) => !others.has(name) || certain.has(name));
}

/** Parts that share a variable with the names or with another such part, and those that only test. */
export function connected(names: ReadonlySet<string>, parts: readonly Algebra[]): Set<Algebra> {
  const reached = new Set(names);
  const found = new Set<Algebra>();
  for (let before = -1; before < found.size; ) {
    before = found.size;
    for (const part of parts) {
      const { variables } = scopeOf(part);
      if (found.has(part) || (variables.size > 0 && ![...variables].some((name) => reached.has(name)))) continue;
      found.add(part);
      for (const name of variables) reached.add(name);
    }
  }
  return found;
}

/** The other side or the condition gives other values each time it is asked. */
function drawsValues(node: Outer): boolean {
  const draws = (part: Algebra): boolean => expressionsOf(part).some(isVolatile);
  return someNode(node.right, draws) || draws(node) || expressionsOf(node).some((one) => someNodeIn(one, draws));
}
