/** Reads one pattern from the index; what the positions of an order are. */

import type { Order, TermColumn } from '../../storage/seam/scan.js';
import { ScanOperator, type ScanSpec } from '../execute/scan/scan.js';
import type { Definition } from './physical-operator.js';

/** Positions of each order, the most significant first. */
export const POSITIONS: Readonly<Record<Order, readonly TermColumn[]>> = {
  SPOG: ['s', 'p', 'o', 'g'],
  POSG: ['p', 'o', 's', 'g'],
  OSPG: ['o', 's', 'p', 'g'],
  GSPO: ['g', 's', 'p', 'o'],
};

/** Variables that a scan binds. */
export function variablesOfScan({ outputs }: ScanSpec): string[] {
  return outputs.map(({ variable }) => variable);
}

/** Reads one pattern from the index. */
export const scan: Definition<'scan', { readonly spec: ScanSpec; readonly label: string }> = {
  detail: ({ action }) => `${action.label}  [${action.spec.request.order}]`,
  open: ({ action, facts }, _, { snapshot }) => new ScanOperator(snapshot, action.spec, facts.rows),
  matches: ({ action }) => variablesOfScan(action.spec),
  /** A scan that reads several runs reads one after the other instead of merging them. */
  relaxed: (action) => {
    const request = { ...action.spec.request, unordered: true };
    return { ...action, spec: { ...action.spec, request } };
  },
};
