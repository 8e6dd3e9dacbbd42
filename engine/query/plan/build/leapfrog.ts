/**
 * Closes cycles by intersection. Where one pattern adds a variable and others only test it (the last edge of a triangle or a
 * clique), pairwise joins make all rows that the first pattern allows and then drop most of them. A leapfrog join looks at
 * the lists of all these patterns at once.
 */

import type { Order } from '../../../storage/seam/scan.js';
import type { Plan } from '../../physical/plan.js';
import { POSITIONS } from '../../physical/scan.js';
import { ordersFor, outputsOf, type PatternLeaf } from '../access/pattern-leaf.js';
import type { PlanContext } from '../context/context.js';
import { scanSpec } from '../context/leaf.js';

/** The order that has the variable ascend within the other variables of a pattern that are read; null = none does. */
export function listOrder(leaf: PatternLeaf, variable: string, variables: readonly string[]): Order | null {
  const fixed = new Set(leaf.constants.keys());
  const read = new Set(variables.map((name) => leaf.positions.get(name)));
  const at = leaf.positions.get(variable);
  const ascends = (order: Order): boolean => {
    const positions = POSITIONS[order].slice(fixed.size);
    const end = positions.indexOf(at as (typeof positions)[number]);
    return end >= 0 && positions.slice(0, end).every((position) => read.has(position));
  };
  return ordersFor(leaf, fixed).find(ascends) ?? null;
}

/** The input with the variable that all the patterns bind; each has an order for that. */
export function leapfrogJoin(
  input: Plan,
  variable: string,
  patterns: readonly (readonly [PatternLeaf, Plan])[],
  context: PlanContext,
): Plan {
  const lists = patterns.map(([leaf, scan]): Plan => {
    const { variables } = scan.facts;
    const order = listOrder(leaf, variable, variables) as Order;
    const spec = scanSpec(leaf, order, outputsOf(leaf, new Set(variables)), context);
    return { ...scan, action: { kind: 'scan', spec, label: leaf.label }, facts: { ...scan.facts, order: [] } };
  });
  const keys = lists.map(({ facts }) => facts.variables.filter((name) => name !== variable));
  const { facts } = input;
  const found = Math.min(...lists.map((list) => list.facts.distinct.get(variable) ?? list.facts.rows));
  return {
    action: { kind: 'leapfrogJoin', spec: { variable, keys } },
    inputs: [input, ...lists],
    facts: {
      ...facts,
      variables: [...facts.variables, variable],
      certain: new Set([...facts.certain, variable]),
      distinct: new Map([...facts.distinct, [variable, found]]),
    },
  };
}
