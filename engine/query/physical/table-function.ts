/** Calls a function of the store that gives rows. */

import { formatTerm } from '../algebra/expression.js';
import { TableFunctionOperator, type TableFunctionSpec } from '../execute/rows/table-function.js';
import { type Definition, named } from './physical-operator.js';

export const tableFunction: Definition<'tableFunction', { readonly spec: TableFunctionSpec }> = {
  detail: ({ action: { spec } }) => {
    const given = [...spec.args].flatMap(([name, all]) => all.map((term) => `${name} ${formatTerm(term)}`));
    const wanted = spec.results.flatMap((result) =>
      'term' in result ? [`${result.name} ${formatTerm(result.term)}`] : [],
    );
    const results = spec.results.flatMap((result) => ('variable' in result ? [result.variable] : []));
    return [
      `<${spec.iri}>`,
      ...(given.length === 0 ? [] : [`of ${given.join(', ')}`]),
      ...(results.length === 0 ? [] : [`for ${named(results)}`]),
      ...(wanted.length === 0 ? [] : [`where ${wanted.join(', ')}`]),
    ].join(' ');
  },
  open: ({ action }, _, { snapshot, terms, budget, calls }) =>
    new TableFunctionOperator(action.spec, snapshot, terms, budget, calls),
  columns: 'own',
  matches: ({ facts }) => facts.variables,
  computes: () => 'kept',
  boundToConstants: true,
};
