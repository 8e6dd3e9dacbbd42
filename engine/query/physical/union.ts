/** The rows of the inputs one after the other; each is opened when its turn comes. */

import { UnionOperator } from '../execute/rows/union.js';
import { always, type Definition, never, none } from './physical-operator.js';

export const union: Definition<'union'> = {
  handsOnColumns: true,
  detail: () => '',
  open: ({ inputs, facts }, input) => new UnionOperator(facts.variables, inputs.length, input),
  usesOrder: never,
  matches: none,
  handsOnRows: always,
};
