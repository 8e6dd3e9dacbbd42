/** The rows of the inputs one after the other; each is opened when its turn comes. */

import { UnionOperator } from '../execute/rows/union.js';
import { always, never, none, type PhysicalOperator } from './physical-operator.js';

export interface UnionAction {
  readonly kind: 'union';
}

export const union: PhysicalOperator<UnionAction> = {
  handsOnColumns: true,
  detail: () => '',
  open: ({ inputs, facts }, input) => new UnionOperator(facts.variables, inputs.length, input),
  usesOrder: never,
  matches: none,
  handsOnRows: always,
};
