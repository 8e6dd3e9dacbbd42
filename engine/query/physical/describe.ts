/** The triples around the resources that the rows and the query name. */

import { namesOf } from '../algebra/algebra.js';
import { formatTerm } from '../algebra/expression.js';
import { DescribeOperator, type DescribeSpec } from '../execute/rows/describe.js';
import type { Definition } from './physical-operator.js';

export const describe: Definition<'describe', { readonly spec: DescribeSpec }> = {
  detail: ({ action }) =>
    action.spec.described.map((term) => (term.kind === 'variable' ? `?${term.name}` : formatTerm(term.term))).join(' '),
  open: ({ action }, input, { snapshot, budget }) => new DescribeOperator(input(0), action.spec, snapshot, budget),
  matches: ({ action, facts }) => [...facts.variables, ...namesOf(action.spec.described)],
};
