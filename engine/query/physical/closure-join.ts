/** Walks a property path of any length from an end that the rows of the input bind. */

import { ClosureJoinOperator } from '../execute/paths/closure-join.js';
import type { ClosureSpec } from '../execute/paths/spec.js';
import { closureDetail, variablesOfClosure } from './closure.js';
import { always, type Definition, never } from './physical-operator.js';

/** Walks a path from an end that the rows of the input bind. */
export const closureJoin: Definition<'closureJoin', { readonly spec: ClosureSpec }> = {
  detail: ({ action }) => closureDetail(action.spec, true),
  open: ({ action, facts }, input, { snapshot, budget }) =>
    new ClosureJoinOperator(input(0), snapshot, action.spec, facts.variables, budget),
  pairsRows: always,
  usesOrder: never,
  matches: ({ action }) => variablesOfClosure(action.spec),
};
