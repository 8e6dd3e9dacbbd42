/** Rows without repetitions. */

import { DistinctOperator } from '../execute/group/distinct.js';
import { type Definition, none } from './physical-operator.js';

export interface Distinct {
  /** Equal rows come one after the other. */
  readonly adjacent?: boolean;
}

/** Each row once. */
export const distinct: Definition<'distinct', Distinct> = {
  detail: () => '',
  open: ({ action }, input, { budget }) => new DistinctOperator(input(0), budget, action.adjacent === true),
  usesOrder: ({ action }, _, ordered) => ordered || action.adjacent === true,
  matches: none,
};
