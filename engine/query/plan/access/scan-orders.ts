/** A plan over one scan, read in each order of the index that has the constants of its pattern in front. */

import type { TermColumn } from '../../../storage/seam/scan.js';
import type { ScanSpec } from '../../execute/scan/scan.js';
import { orderWithin, type Plan } from '../../physical/plan.js';
import { POSITIONS } from '../../physical/scan.js';

const ORDERS = ['SPOG', 'POSG', 'OSPG'] as const;

/** Empty where rows come from anything but one scan through filters and computed columns. */
export function scanOrders(plan: Plan): readonly Plan[] {
  const { action, facts, inputs } = plan;
  switch (action.kind) {
    case 'scan':
      return ordersOf(action.spec).map(({ order, sorted }) => {
        const spec = { ...action.spec, request: { ...action.spec.request, order } };
        return { ...plan, action: { ...action, spec }, facts: { ...facts, order: sorted } };
      });
    case 'filter':
    case 'extend':
    case 'project':
      return scanOrders(inputs[0] as Plan).map((input) => {
        const order = orderWithin(input.facts.order, facts.variables);
        return { ...plan, inputs: [input], facts: { ...facts, order } };
      });
    default:
      return [];
  }
}

function ordersOf({ request: { pattern }, outputs, equal }: ScanSpec) {
  const tests = Object.entries(pattern) as [TermColumn, { kind: string }][];
  if (equal.length > 0 || tests.some(([, { kind }]) => kind !== 'id')) return [];
  const fixed = new Set(tests.map(([position]) => position));
  const variableAt = new Map(outputs.map(({ position, variable }) => [position, variable]));
  return ORDERS.flatMap((order) => {
    const positions = POSITIONS[order];
    if (!positions.slice(0, fixed.size).every((position) => fixed.has(position))) return [];
    const rest = positions.slice(fixed.size, -1);
    const end = rest.findIndex((position) => !variableAt.has(position));
    const sorted = (end < 0 ? rest : rest.slice(0, end)).map((position) => variableAt.get(position) as string);
    return [{ order, sorted }];
  });
}
