/** Rows that meet all conditions. */

import { type Expression, formatExpression } from '../algebra/expression.js';
import { FilterOperator } from '../execute/rows/filter.js';
import { always, matchedBy, type PhysicalOperator, readBy } from './physical-operator.js';

export interface FilterAction {
  readonly kind: 'filter';
  readonly conditions: readonly Expression[];
}

export const filter: PhysicalOperator<FilterAction> = {
  detail: ({ action }) => action.conditions.map(formatExpression).join(' and '),
  open: ({ action }, input, { terms }) => new FilterOperator(input(0), action.conditions, terms),
  columns: 'followed',
  reads: ({ action }) => readBy(action.conditions),
  matches: ({ action }) => matchedBy(action.conditions),
  handsOnRows: always,
};
