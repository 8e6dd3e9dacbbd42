/** The first input with a variable that all the others bind, by the lists of these: the last edge of a triangle or a clique. */

import { LeapfrogJoinOperator, type LeapfrogSpec } from '../execute/join/leapfrog-join.js';
import { joinRun } from '../execute/tables/join-run.js';
import { always, type Definition, named, type Relaxed, relaxed } from './physical-operator.js';

export const leapfrogJoin: Definition<'leapfrogJoin', Relaxed & { readonly spec: LeapfrogSpec }> = {
  explainedAs: 'intersectJoin',
  detail: ({ action: { spec } }) => `for ?${spec.variable} by ${spec.keys.map(named).join(', ')}`,
  open: ({ action, inputs, facts }, input, { budget }) => {
    const [first, ...lists] = inputs.map((_, at) => input(at)) as [ReturnType<typeof input>];
    return new LeapfrogJoinOperator(first, lists, action.spec, budget, joinRun(action.unordered), facts.variables);
  },
  pairsRows: always,
  columns: 'joined',
  reads: ({ action, inputs }, at) => (at === 0 ? action.spec.keys.flat() : (inputs[at]?.facts.variables ?? [])),
  showsInput: (at) => at === 0,
  /** The lists of the patterns ascend. */
  usesOrder: (_, at, ordered) => at > 0 || ordered,
  relaxed,
  matches: ({ action: { spec } }) => [spec.variable, ...spec.keys.flat()],
};
