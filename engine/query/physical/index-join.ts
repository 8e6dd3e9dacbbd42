/** Looks a pattern up in the index by what each row binds. */

import { IndexJoinOperator, type ProbeSpec } from '../execute/join/index-join.js';
import { always, type PhysicalOperator, type PlanNode } from './physical-operator.js';
import { POSITIONS, variablesOfScan } from './scan.js';

export interface IndexJoinAction {
  readonly kind: 'indexJoin';
  readonly probe: ProbeSpec;
  readonly label: string;
}

function readsOf({ action: { probe } }: PlanNode<IndexJoinAction>): string[] {
  const keys = probe.parts.flatMap((part) => (part.kind === 'key' ? [part.variable] : []));
  return [...keys, ...probe.residual.map(({ variable }) => variable)];
}

export const indexJoin: PhysicalOperator<IndexJoinAction> = {
  detail: ({ action: { probe, label } }) => {
    const { order = 'SPOG' } = probe.scan.request;
    const looked = probe.parts.map((part, at) => (part.kind === 'key' ? `?${part.variable}` : POSITIONS[order][at]));
    return `${label}  [${order} by ${looked.join(' ')}]`;
  },
  open: ({ action }, input, { snapshot }) => new IndexJoinOperator(input(0), snapshot, action.probe),
  pairsRows: always,
  columns: 'followed',
  reads: readsOf,
  /** Keys that ascend are looked up by going forward. */
  usesOrder: always,
  matches: (node) => [...readsOf(node), ...variablesOfScan(node.action.probe.scan)],
};
