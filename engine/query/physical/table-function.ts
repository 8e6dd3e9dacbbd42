/** Calls a function of the store that gives rows. */

import { TableFunctionOperator, type TableFunctionSpec } from '../execute/rows/table-function.js';
import { type Definition, named } from './physical-operator.js';

export const tableFunction: Definition<'tableFunction', { readonly spec: TableFunctionSpec }> = {
  detail: ({ action: { spec } }) => {
    const results = spec.results.flatMap((result) => ('variable' in result ? [result.variable] : []));
    return `<${spec.iri}>${results.length === 0 ? '' : ` for ${named(results)}`}`;
  },
  open: ({ action }, _, { snapshot, terms, budget, calls }) =>
    new TableFunctionOperator(action.spec, snapshot, terms, budget, calls),
  columns: 'own',
  matches: ({ facts }) => facts.variables,
  computes: () => 'kept',
  boundToConstants: true,
};
