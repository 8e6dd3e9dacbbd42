/** The rows that an `apply` above hands down: the leaf of its inner plan. */

import { ReplayOperator } from '../execute/tables/replay.js';
import type { QueryBatch } from '../runtime/batch.js';
import { type Definition, none } from './physical-operator.js';

export const correlatedInput: Definition<'correlatedInput', { readonly slot: number }> = {
  explainedAs: 'outer',
  handsOnColumns: true,
  detail: () => 'the rows',
  open: ({ action, facts }, _, { slots }) =>
    new ReplayOperator(facts.variables, slots.get(action.slot) as QueryBatch, null),
  matches: none,
};
