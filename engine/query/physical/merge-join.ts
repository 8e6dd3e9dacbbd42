/** Two inputs that come sorted by a variable that they share. */

import { MergeJoinOperator } from '../execute/join/merge-join.js';
import { always, type Definition, sharedColumns } from './physical-operator.js';

export const mergeJoin: Definition<'mergeJoin', { readonly key: string }> = {
  detail: ({ action }) => `on ?${action.key}`,
  open: ({ action, facts }, input, { budget }) =>
    new MergeJoinOperator(input(0), input(1), action.key, budget, facts.variables),
  pairsRows: always,
  columns: 'joined',
  reads: sharedColumns,
  usesOrder: always,
  matches: sharedColumns,
};
