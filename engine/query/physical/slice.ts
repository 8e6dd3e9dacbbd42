/** OFFSET and LIMIT. */

import { invariant } from '../../base/errors.js';
import { SliceOperator } from '../execute/rows/slice.js';
import { SliceEachOperator } from '../execute/rows/slice-each.js';
import { always, type Definition, none } from './physical-operator.js';

export interface Slice {
  readonly offset: number;
  readonly limit: number | null;
  /** Of the rows of each value of a variable by themselves, and how many values there are; absent = of all. */
  readonly per?: { readonly variable: string; readonly values: number };
}

export const slice: Definition<'slice', Slice> = {
  handsOnColumns: true,
  detail: ({ action: { offset, limit, per } }) =>
    [
      offset > 0 ? `offset ${offset}` : '',
      limit === null ? '' : `limit ${limit}`,
      per === undefined ? '' : `for each ?${per.variable}`,
    ]
      .filter((part) => part !== '')
      .join(' '),
  open: ({ action: { offset, limit, per } }, openInput) => {
    const input = openInput(0);
    if (per === undefined) return new SliceOperator(input, offset, limit);
    const column = input.variables.indexOf(per.variable);
    invariant(column >= 0, `no column ?${per.variable}`);
    return new SliceEachOperator(input, offset, limit, column, per.values);
  },
  columns: 'followed',
  reads: ({ action: { per } }) => (per === undefined ? [] : [per.variable]),
  matches: none,
  handsOnRows: always,
};
