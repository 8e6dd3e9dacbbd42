/**
 * Filters move down: below BIND, ORDER BY, DISTINCT and projection, below GROUP BY when they look at
 * its keys only, and into the part of a join that binds all their variables in every solution. Where
 * in a group of patterns a filter runs is the planner's choice.
 */

import { type Algebra, childrenOf, filtered, mapChildren, type NodeOf, unfiltered } from '../algebra/algebra.js';
import { conjunctsOf, type Expression } from '../algebra/expression.js';
import { variablesOf } from '../algebra/mentioned.js';
import { scopeOf } from '../algebra/scope.js';
import { type Rewrite, rewriteOf } from './rewrite.js';

/** `a && b` in a filter becomes two filters: a row passes exactly when both are true. */
export const splitFilters: Rewrite = rewriteOf('split-filters', (node) =>
  node.kind === 'filter' ? filtered(node.input, conjunctsOf(node.condition)) : node,
);

export const pushFilters: Rewrite = { name: 'push-filters', apply: push };

function push(node: Algebra): Algebra {
  if (node.kind !== 'filter') return mapChildren(node, push);
  const { input, conditions } = unfiltered(node);
  // The innermost condition is put down first, so that the conditions keep their order.
  return conditions.reduceRight<Algebra>(place, push(input));
}

function place(node: Algebra, condition: Expression): Algebra {
  const names = variablesOf(condition);
  switch (node.kind) {
    case 'extend':
      if (names.has(node.variable)) break;
      return { ...node, input: place(node.input, condition) };
    case 'filter':
      if (!canTake(node)) break;
      return { ...node, input: place(node.input, condition) };
    case 'sort':
    case 'distinct':
    case 'reduced':
    case 'project':
      if (!isOwn(node, names) || (node.kind === 'sort' && node.limit !== null)) break;
      return { ...node, input: place(node.input, condition) };
    case 'group':
      if (node.keys.length === 0 || ![...names].every((name) => node.keys.includes(name)) || !isOwn(node, names)) break;
      return { ...node, input: place(node.input, condition) };
    case 'join':
      return placeInJoin(node, condition, names);
    case 'union':
      return { ...node, inputs: node.inputs.map((input) => place(input, condition)) };
    case 'minus':
      return { ...node, left: place(node.left, condition) };
    case 'leftJoin':
      if (!isDecidedByLeft(node, names)) break;
      return { ...node, left: place(node.left, condition) };
    default:
      break;
  }
  return { kind: 'filter', input: node, condition };
}

/**
 * Inside EXISTS a subquery meets the row through what it selects only: a filter that may look at the row
 * stays above it.
 */
function isOwn(node: Algebra, names: ReadonlySet<string>): boolean {
  const { certain } = scopeOf(node);
  return [...names].every((name) => certain.has(name));
}

/** Whether a filter could go further down than the filters that are here already. */
function canTake(filter: NodeOf<'filter'>): boolean {
  return childrenOf(unfiltered(filter).input).length > 0;
}

/** The optional side binds none of the variables, or none that the left side leaves open. */
function isDecidedByLeft(node: NodeOf<'leftJoin'>, names: ReadonlySet<string>): boolean {
  const { certain } = scopeOf(node.left);
  const { variables } = scopeOf(node.right);
  return [...names].every((name) => certain.has(name) || !variables.has(name));
}

function placeInJoin(node: NodeOf<'join'>, condition: Expression, names: ReadonlySet<string>): Algebra {
  const target = node.inputs.findIndex((input) => {
    if (input.kind === 'patterns' || input.kind === 'closure' || names.size === 0) return false;
    return isOwn(input, names);
  });
  if (target < 0) return { kind: 'filter', input: node, condition };
  return { ...node, inputs: node.inputs.map((input, index) => (index === target ? place(input, condition) : input)) };
}
