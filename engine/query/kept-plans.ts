/**
 * Plans from the cache of the caller and into it. A text that asks other endpoints is not kept: whether it
 * may is looked at each time it is asked.
 */

import { Interrupt } from '../base/interrupt.js';
import type { StorageSnapshot } from '../storage/scan.js';
import type { ParsedQuery } from './algebra/algebra.js';
import { ClassHierarchies } from './inference/hierarchy.js';
import { type QueryOptions, timeSliceOf } from './options.js';
import type { KeptPlan } from './plan/plan-cache.js';
import type { Planned } from './plan/planned.js';
import type { Resolved } from './resolve.js';
import { asksEndpoints } from './service/endpoints.js';

/** Longer texts are rarely asked twice. */
const TEXT_MAX = 20_000;

/** The plan that is kept for the text, found right for the snapshot; null where there is none. */
export async function keptPlan(
  text: string,
  snapshot: StorageSnapshot,
  options: QueryOptions,
): Promise<KeptPlan | null> {
  const key = planKey(text, snapshot, options);
  if (key === null || options.plans === undefined) return null;
  return options.plans.find(key, snapshot, (type) => {
    const { hierarchies = new ClassHierarchies() } = options;
    const interrupt = new Interrupt('the query', { ...options, timeoutSetting: 'search.query_timeout_ms' });
    return hierarchies.below(snapshot, timeSliceOf(options), type, () => interrupt.check());
  });
}

export interface FreshPlan {
  readonly text: string;
  readonly parsed: ParsedQuery;
  readonly resolved: Resolved;
  readonly planned: Planned;
}

export function keepPlan(
  { text, parsed, resolved, planned }: FreshPlan,
  snapshot: StorageSnapshot,
  options: QueryOptions,
): void {
  const key = planKey(text, snapshot, options);
  if (key === null || asksEndpoints(parsed.algebra)) return;
  const { classes, inference } = resolved;
  options.plans?.keep(key, { planned, classes, inference }, snapshot.tx);
}

/** Null where plans are not kept: by this caller, of this text, for this snapshot. */
function planKey(text: string, snapshot: StorageSnapshot, options: QueryOptions): string | null {
  const { plans, parameters, graph, baseIri, inference, namedGraphPaths, disabledRewrites } = options;
  if (plans === undefined || parameters !== undefined || text.length > TEXT_MAX || snapshot.staged === true)
    return null;
  const { tx, validAt } = options;
  if (
    graph === undefined &&
    baseIri === undefined &&
    tx === undefined &&
    validAt === undefined &&
    namedGraphPaths === undefined &&
    (disabledRewrites === undefined || disabledRewrites.length === 0)
  ) {
    return `${inference ?? '-'}\n${text}`;
  }
  const shaping = [graph, baseIri, tx, validAt, namedGraphPaths, disabledRewrites];
  return `${inference ?? '-'} ${JSON.stringify(shaping)}\n${text}`;
}
