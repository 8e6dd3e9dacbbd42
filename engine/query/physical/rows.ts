/** A few rows that are known before the query runs, or that one look at storage gives. */

import { RowsOperator, type RowsSource } from '../execute/scan/rows.js';
import type { Definition } from './physical-operator.js';

export const rows: Definition<'rows', { readonly label: string; readonly source: RowsSource }> = {
  handsOnColumns: true,
  detail: ({ action }) => action.label,
  open: ({ action, facts }, _, resources) => new RowsOperator(facts.variables, action.source, resources),
  matches: ({ facts }) => facts.variables,
};
