/** Rows that meet all conditions. */

import { type Expression, formatExpression } from '../algebra/expression.js';
import { FilterOperator } from '../execute/rows/filter.js';
import { always, type Definition, matchedBy, readBy } from './physical-operator.js';

export const filter: Definition<'filter', { readonly conditions: readonly Expression[] }> = {
  detail: ({ action }) => action.conditions.map(formatExpression).join(' and '),
  open: ({ action }, input, { terms }) => new FilterOperator(input(0), action.conditions, terms),
  columns: 'followed',
  reads: ({ action }) => readBy(action.conditions),
  matches: ({ action }) => matchedBy(action.conditions),
  handsOnRows: always,
};
