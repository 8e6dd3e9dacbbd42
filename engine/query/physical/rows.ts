/** A few rows that are known before the query runs, or that one look at storage gives. */

import { RowsOperator, type RowsSource } from '../execute/scan/rows.js';
import type { PhysicalOperator } from './physical-operator.js';

export interface RowsAction {
  readonly kind: 'rows';
  readonly label: string;
  readonly source: RowsSource;
}

export const rows: PhysicalOperator<RowsAction> = {
  handsOnColumns: true,
  detail: ({ action }) => action.label,
  open: ({ action, facts }, _, resources) => new RowsOperator(facts.variables, action.source, resources),
  matches: ({ facts }) => facts.variables,
};
