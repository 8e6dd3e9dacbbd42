/** The triples around the resources that the rows and the query name. */

import { formatTerm } from '../algebra/expression.js';
import { DescribeOperator, type DescribeSpec } from '../execute/rows/describe.js';
import type { PhysicalOperator } from './physical-operator.js';

export interface DescribeAction {
  readonly kind: 'describe';
  readonly spec: DescribeSpec;
}

export const describe: PhysicalOperator<DescribeAction> = {
  detail: ({ action }) =>
    action.spec.described.map((term) => (term.kind === 'variable' ? `?${term.name}` : formatTerm(term.term))).join(' '),
  open: ({ action }, input, { snapshot, terms, budget }) =>
    new DescribeOperator(input(0), action.spec, snapshot, terms, budget),
  matches: ({ action, facts }) => [
    ...facts.variables,
    ...action.spec.described.flatMap((term) => (term.kind === 'variable' ? [term.name] : [])),
  ],
};
