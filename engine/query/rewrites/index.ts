/**
 * The rewrites, in the order in which they run. Each can be switched off by its name; a test holds
 * that no answer depends on any of them.
 */

import { SvcError } from '../../base/errors.js';
import type { ParsedQuery } from '../algebra/algebra.js';
import { bindEqualities } from './bind-equalities.js';
import { countFromStorage } from './count-from-storage.js';
import { dropDistincts } from './drop-distincts.js';
import { dropSorts } from './drop-sorts.js';
import { foldConstants } from './fold-constants.js';
import { limitIntoSort } from './limit-into-sort.js';
import { normaliseJoins } from './normalise-joins.js';
import { pushFilters } from './push-filters.js';
import type { Rewrite } from './rewrite.js';
import { splitFilters } from './split-filters.js';

export const REWRITES: readonly Rewrite[] = [
  foldConstants,
  splitFilters,
  normaliseJoins,
  bindEqualities,
  pushFilters,
  dropSorts,
  dropDistincts,
  countFromStorage,
  limitIntoSort,
];

/** Choices of the planner that can be switched off in the same way. */
export const PLAN_CHOICES = [
  'merge-joins',
  'index-joins',
  /** Off: hash joins only where nothing else joins. */
  'hash-joins',
  'join-order',
  'early-filters',
  'sorted-groups',
  'unordered-scans',
] as const;
export type PlanChoice = (typeof PLAN_CHOICES)[number];

export function rewriteQuery(query: ParsedQuery, disabled: ReadonlySet<string>): ParsedQuery {
  for (const name of disabled) {
    if (!REWRITES.some((rewrite) => rewrite.name === name) && !PLAN_CHOICES.includes(name as PlanChoice)) {
      const known = [...REWRITES.map((rewrite) => rewrite.name), ...PLAN_CHOICES];
      throw new SvcError('invalid_request', `there is no rewrite '${name}'`, {
        hint: `the names are ${known.join(', ')}`,
      });
    }
  }
  let { algebra } = query;
  for (const rewrite of REWRITES) {
    if (!disabled.has(rewrite.name)) algebra = rewrite.apply(algebra, { form: query.form });
  }
  return { ...query, algebra };
}
