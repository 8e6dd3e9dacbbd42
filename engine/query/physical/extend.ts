/** BIND: a variable with the value of an expression. */

import { type Expression, formatExpression } from '../algebra/expression.js';
import { ExtendOperator } from '../execute/rows/extend.js';
import { always, type Definition, isComputed, matchedBy, readBy } from './physical-operator.js';

export interface Extend {
  readonly variable: string;
  readonly expression: Expression;
  /** The values are never matched with stored terms (`plan/passes/query-local.ts`). */
  readonly queryLocal?: true;
}

/** A computed column. */
export const extend: Definition<'extend', Extend> = {
  handsOnColumns: true,
  detail: ({ action }) => `?${action.variable} := ${formatExpression(action.expression)}`,
  open: ({ action: { variable, expression, queryLocal } }, input, { terms }) =>
    new ExtendOperator(input(0), variable, expression, terms, queryLocal ? terms.queryLocal : terms.matched),
  columns: 'followed',
  reads: ({ action }) => readBy([action.expression]),
  matches: ({ action }) => matchedBy([action.expression]),
  computes: ({ action }) => (isComputed(action.expression) ? 'passing' : null),
  handsOnRows: always,
};
