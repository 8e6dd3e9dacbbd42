/** Groups the rows of its input and computes aggregates of each group. */

import type { Aggregate } from '../algebra/algebra.js';
import { AggregateOperator } from '../execute/group/aggregate.js';
import type { AggregateSpec } from '../execute/group/group-table.js';
import { type Definition, isComputed, matchedBy, named, readBy } from './physical-operator.js';

/** Aggregates that keep numbers and texts, not terms. */
const KEEPING_NO_TERM: ReadonlySet<Aggregate['function']> = new Set(['count', 'sum', 'avg', 'group_concat']);

function keepsTerms({ distinct, function: name }: Aggregate): boolean {
  return distinct || !KEEPING_NO_TERM.has(name);
}

/** GROUP BY and aggregates. */
export const aggregate: Definition<'aggregate', AggregateSpec> = {
  detail: ({ action: { keys, sorted } }) =>
    keys.length === 0 ? 'one group' : `by ${named(keys)}${sorted ? ', sorted' : ''}`,
  open: ({ action }, input, { terms, budget, morsels }) =>
    new AggregateOperator(input(0), action, terms, budget, morsels),
  columns: 'own',
  reads: ({ action: { keys, aggregates }, inputs }) => {
    const wholeRows = aggregates.some(({ distinct, expression }) => distinct && expression === null);
    const counted = readBy(aggregates.map(({ expression }) => expression));
    return [...keys, ...counted, ...(wholeRows ? (inputs[0]?.facts.variables ?? []) : [])];
  },
  usesOrder: ({ action }) => action.sorted || action.aggregates.some(({ adjacent }) => adjacent === true),
  /** MIN, MAX and SAMPLE look for the values that they give. */
  matches: ({ action: { aggregates } }) => [
    ...aggregates.map(({ variable }) => variable),
    ...matchedBy(aggregates.map(({ expression }) => expression).filter(isComputed)),
  ],
  computes: ({ action: { aggregates } }) =>
    aggregates.some((one) => isComputed(one.expression) && keepsTerms(one)) ? 'kept' : 'passing',
  /** One group, of which no term is kept. */
  handsOnRows: ({ action: { keys, aggregates } }) => keys.length === 0 && !aggregates.some(keepsTerms),
};
