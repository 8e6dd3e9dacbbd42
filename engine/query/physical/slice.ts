/** OFFSET and LIMIT. */

import { SliceOperator } from '../execute/rows/slice.js';
import { always, type Definition, none } from './physical-operator.js';

export const slice: Definition<'slice', { readonly offset: number; readonly limit: number | null }> = {
  handsOnColumns: true,
  detail: ({ action: { offset, limit } }) =>
    `${offset > 0 ? `offset ${offset} ` : ''}${limit === null ? '' : `limit ${limit}`}`.trim(),
  open: ({ action }, input) => new SliceOperator(input(0), action.offset, action.limit),
  columns: 'followed',
  matches: none,
  handsOnRows: always,
};
