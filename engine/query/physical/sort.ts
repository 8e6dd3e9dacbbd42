/** ORDER BY, of the first rows alone where a LIMIT stands above. */

import type { SortKey } from '../algebra/algebra.js';
import { formatExpression } from '../algebra/expression.js';
import { SortOperator } from '../execute/sort/sort.js';
import { type Definition, isComputed, matchedBy, never, readBy } from './physical-operator.js';

export const sort: Definition<'sort', { readonly keys: readonly SortKey[]; readonly limit: number | null }> = {
  detail: ({ action: { keys, limit } }) => {
    const by = keys.map((key) => `${formatExpression(key.expression)}${key.descending ? ' DESC' : ''}`);
    return `by ${by.join(', ')}${limit === null ? '' : `, first ${limit}`}`;
  },
  open: ({ action: { keys, limit } }, input, { terms, budget }) =>
    new SortOperator(input(0), keys, limit, terms, budget),
  columns: 'followed',
  reads: ({ action }) => readBy(action.keys.map(({ expression }) => expression)),
  usesOrder: never,
  /** Variables are sorted by their values. */
  matches: ({ action }) => matchedBy(action.keys.map(({ expression }) => expression).filter(isComputed)),
  computes: ({ action }) => (action.keys.some(({ expression }) => isComputed(expression)) ? 'kept' : null),
};
