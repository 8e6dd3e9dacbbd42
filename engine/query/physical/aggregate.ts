/** GROUP BY and aggregates. */

import type { Aggregate } from '../algebra/algebra.js';
import { AggregateOperator } from '../execute/group/aggregate.js';
import { isComputed, matchedBy, named, type PhysicalOperator, readBy } from './physical-operator.js';

export interface AggregateAction {
  readonly kind: 'aggregate';
  readonly keys: readonly string[];
  readonly aggregates: readonly Aggregate[];
  /** The rows of a group come one after the other. */
  readonly sorted: boolean;
}

/** Aggregates that keep numbers and texts, not terms. */
const KEEPING_NO_TERM: ReadonlySet<Aggregate['function']> = new Set(['count', 'sum', 'avg', 'group_concat']);

function keepsTerms({ distinct, function: name }: Aggregate): boolean {
  return distinct || !KEEPING_NO_TERM.has(name);
}

export const aggregate: PhysicalOperator<AggregateAction> = {
  detail: ({ action: { keys, sorted } }) =>
    keys.length === 0 ? 'one group' : `by ${named(keys)}${sorted ? ', sorted' : ''}`,
  open: ({ action }, input, { terms, budget }) => new AggregateOperator(input(0), action, terms, budget),
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
    ...matchedBy(aggregates.map(({ expression }) => (expression?.kind === 'variable' ? null : expression))),
  ],
  computes: ({ action: { aggregates } }) =>
    aggregates.some((one) => isComputed(one.expression) && keepsTerms(one)) ? 'kept' : 'passing',
  /** One group, of which no term is kept. */
  handsOnRows: ({ action: { keys, aggregates } }) => keys.length === 0 && !aggregates.some(keepsTerms),
};
