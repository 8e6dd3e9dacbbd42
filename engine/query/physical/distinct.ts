/** Each row once. */

import { DistinctOperator } from '../execute/group/distinct.js';
import { none, type PhysicalOperator } from './physical-operator.js';

export interface DistinctAction {
  readonly kind: 'distinct';
  /** Equal rows come one after the other. */
  readonly adjacent?: boolean;
}

export const distinct: PhysicalOperator<DistinctAction> = {
  detail: () => '',
  open: ({ action }, input, { budget }) => new DistinctOperator(input(0), budget, action.adjacent === true),
  usesOrder: ({ action }, _, ordered) => ordered || action.adjacent === true,
  matches: none,
};
