/** Looks a pattern up in the index by what each row binds. */

import { IndexJoinOperator, type ProbeSpec } from '../execute/join/index-join.js';
import { always, type Definition, type PlanNode } from './physical-operator.js';
import { POSITIONS, variablesOfScan } from './scan.js';

function readsOfProbe({ action: { probe } }: PlanNode<{ readonly probe: ProbeSpec }>): string[] {
  const keys = probe.parts.flatMap((part) => (part.kind === 'key' ? [part.variable] : []));
  return [...keys, ...probe.residual.map(({ variable }) => variable)];
}

/** Looks a pattern up in the index by what each row binds. */
export const indexJoin: Definition<'indexJoin', { readonly probe: ProbeSpec; readonly label: string }> = {
  detail: ({ action: { probe, label } }) => {
    const { order = 'SPOG' } = probe.scan.request;
    const looked = probe.parts.map((part, at) => (part.kind === 'key' ? `?${part.variable}` : POSITIONS[order][at]));
    return `${label}  [${order} by ${looked.join(' ')}]`;
  },
  open: ({ action }, input, { snapshot }) => new IndexJoinOperator(input(0), snapshot, action.probe),
  pairsRows: always,
  columns: 'followed',
  reads: readsOfProbe,
  /** Keys that ascend are looked up by going forward. */
  usesOrder: always,
  matches: (node) => [...readsOfProbe(node), ...variablesOfScan(node.action.probe.scan)],
};
