/**
 * The inner side of a plan that is run for batches of rows: the rows as one more part of its joins, with
 * their number, so that the inner rows can say which of them they belong to.
 */

import { BATCH_ROWS } from '../../../storage/seam/scan.js';
import type { Algebra, NodeOf } from '../../algebra/algebra.js';
import { expressionsOf } from '../../algebra/algebra.js';
import type { OuterRows } from '../../algebra/inject.js';
import { collectPatternVariables, variablesOf } from '../../algebra/mentioned.js';
import { scopeOf } from '../../algebra/scope.js';
import { type ApplySpec, pairsRows } from '../../execute/join/apply.js';
import { distinctOf, leafPlan, type Plan, type PlanFacts } from '../../physical/plan.js';
import type { PlanContext } from '../context/context.js';
import { RUN_COST } from '../context/costs.js';

export function outerRows(
  left: PlanFacts,
  names: readonly string[],
  context: PlanContext,
): OuterRows & { rowNumber: string } {
  const slot = context.nextSlot();
  const rowNumber = `_:~row${slot}`;
  const rows = Math.max(1, Math.min(left.rows, BATCH_ROWS));
  return {
    kind: 'outer',
    variables: [...names, rowNumber],
    certain: [...names.filter((name) => left.certain.has(name)), rowNumber],
    slot,
    rows,
    distinct: names.map((name) => Math.min(rows, distinctOf(left, name))),
    rowNumber,
  };
}

export function outerPlan(node: OuterRows): Plan {
  const { rows } = node;
  const distinct = new Map(node.variables.map((name, at) => [name, node.distinct[at] ?? rows]));
  const facts = { certain: new Set(node.certain), rows, cost: rows * 10, distinct };
  return leafPlan({ kind: 'correlatedInput', slot: node.slot }, node.variables, facts);
}

type Applied = Pick<ApplySpec, 'kind'> & Partial<Pick<ApplySpec, 'added' | 'completed'>> & { readonly label: string };

/** The inner plan run for the rows of the left side; `facts` beside order and costs. */
export function applyPlan(
  left: Plan,
  inner: Plan,
  outer: OuterRows & { rowNumber: string },
  { kind, label, added = [], completed = [] }: Applied,
  facts: Omit<PlanFacts, 'order' | 'startup' | 'cost'>,
): Plan {
  const { slot, rowNumber } = outer;
  const spec = { kind, outer: outer.variables.slice(0, -1), slot, rowNumber, added, completed };
  // Without variables of the rows, one run tells for all of them whether there is a match.
  const once = spec.outer.length === 0 && !pairsRows(spec.kind);
  return {
    action: { kind: 'apply', spec, label },
    inputs: [left, inner],
    facts: {
      ...facts,
      order: [],
      startup: left.facts.startup + inner.facts.startup,
      cost: left.facts.cost + (once ? inner.facts.cost : runsCost(left.facts, inner.facts)),
    },
  };
}

/** Cost of all runs of an inner plan for the rows of a left side. */
function runsCost(left: PlanFacts, inner: PlanFacts): number {
  return Math.ceil(Math.max(1, left.rows) / BATCH_ROWS) * (inner.cost + RUN_COST);
}

/**
 * `Join(outer, node)`, with the rows as deep inside as the answer stays the same: a filter may look at
 * the joined rows when the variables it reads are the node's own, a join takes one more input, a union
 * joins each branch, a subquery takes the rows with it through its columns and keys.
 */
export function joinOuter(node: Algebra, outer: OuterRows): Algebra {
  switch (node.kind) {
    case 'unit':
      return outer;
    case 'join':
      return { kind: 'join', inputs: [outer, ...node.inputs] };
    case 'union':
      return { ...node, inputs: node.inputs.map((input) => joinOuter(input, outer)) };
    case 'filter':
      if (!readsOnlyOwn(node, node.input, outer)) break;
      return { ...node, input: joinOuter(node.input, outer) };
    case 'extend':
      if (outer.variables.includes(node.variable) || !readsOnlyOwn(node, node.input, outer)) break;
      return { ...node, input: joinOuter(node.input, outer) };
    case 'leftJoin': {
      const left = scopeOf(node.left);
      const right = scopeOf(node.right).variables;
      const safe = outer.variables.every((name) => !right.has(name) || left.certain.has(name));
      if (!safe || !readsOnlyOwn(node, node.left, outer)) break;
      return { ...node, left: joinOuter(node.left, outer) };
    }
    case 'minus': {
      const left = scopeOf(node.left);
      const right = scopeOf(node.right).variables;
      if (!outer.variables.every((name) => !right.has(name) || left.certain.has(name))) break;
      return { ...node, left: joinOuter(node.left, outer) };
    }
    case 'project':
      if (hides(node, outer)) break;
      return { ...node, input: joinOuter(node.input, outer), variables: withOuter(node.variables, outer) };
    case 'distinct':
      // Rows of one outer row alone are compared: each has a number.
      if (!bindsShared(node, outer)) break;
      return { ...node, input: joinOuter(node.input, outer) };
    case 'group':
      if (node.keys.length === 0 || hides(node, outer) || !bindsShared(node, outer)) break;
      if (!sharedWith(node, outer).every((name) => node.keys.includes(name))) break;
      return { ...node, input: joinOuter(node.input, outer), keys: withOuter(node.keys, outer) };
    default:
      break;
  }
  return { kind: 'join', inputs: [outer, node] };
}

/** A subquery has variables of its own by the names of the rows' ones. */
function hides(node: NodeOf<'project' | 'group'>, { variables }: OuterRows): boolean {
  const inside = new Set<string>();
  collectPatternVariables(node.input, inside);
  const shown = scopeOf(node).variables;
  return variables.some((name) => inside.has(name) && !shown.has(name));
}

function withOuter(names: readonly string[], outer: OuterRows): string[] {
  return [...new Set([...names, ...outer.variables])];
}

function sharedWith(node: Algebra, { variables }: OuterRows): string[] {
  const own = scopeOf(node).variables;
  return variables.filter((name) => own.has(name));
}

/** Both sides bind what they share: joined rows are equal only where those of the node are. */
function bindsShared(node: Algebra, outer: OuterRows): boolean {
  const { certain } = scopeOf(node);
  return sharedWith(node, outer).every((name) => certain.has(name) && outer.certain.includes(name));
}

/** True when the expressions of the node read no variable of the rows that its input might leave unbound. */
function readsOnlyOwn(node: Algebra, input: Algebra, outer: OuterRows): boolean {
  const { certain } = scopeOf(input);
  return expressionsOf(node).every((expression) => {
    const read = variablesOf(expression);
    return outer.variables.every((name) => !read.has(name) || certain.has(name));
  });
}
