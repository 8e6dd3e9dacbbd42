/** The rows that an `apply` above hands down: the leaf of its inner plan. */

import { ReplayOperator } from '../execute/tables/replay.js';
import { none, type PhysicalOperator } from './physical-operator.js';

export interface CorrelatedInputAction {
  readonly kind: 'correlatedInput';
  readonly slot: number;
}

export const correlatedInput: PhysicalOperator<CorrelatedInputAction> = {
  explainedAs: 'outer',
  handsOnColumns: true,
  detail: () => 'the rows',
  open: ({ action, facts }, _, { slots }) => new ReplayOperator(facts.variables, slots.take(action.slot), null),
  matches: none,
};
