/** OFFSET and LIMIT. */

import { SliceOperator } from '../execute/rows/slice.js';
import { always, none, type PhysicalOperator } from './physical-operator.js';

export interface SliceAction {
  readonly kind: 'slice';
  readonly offset: number;
  readonly limit: number | null;
}

export const slice: PhysicalOperator<SliceAction> = {
  handsOnColumns: true,
  detail: ({ action: { offset, limit } }) =>
    `${offset > 0 ? `offset ${offset} ` : ''}${limit === null ? '' : `limit ${limit}`}`.trim(),
  open: ({ action }, input) => new SliceOperator(input(0), action.offset, action.limit),
  columns: 'followed',
  matches: none,
  handsOnRows: always,
};
