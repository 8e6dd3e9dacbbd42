/**
 * A plan for a query that differs from the planned one in constants: the same operators over other ids and
 * terms. A plan that holds something of which that can't be said is none for other constants.
 */

import type { Term } from '../../../rdf/terms.js';
import type { TermId } from '../../../storage/ids/layout.js';
import type { IdRange } from '../../../storage/seam/scan.js';
import { isSlot } from '../../algebra/slot.js';
import type { Plan, PlanAction } from '../../physical/plan.js';

export interface Rebinding {
  readonly ids: ReadonlyMap<TermId, TermId>;
  readonly terms: ReadonlyMap<Term, Term>;
  /** What comparisons with constants narrow objects to. */
  readonly ranges: ReadonlyMap<readonly IdRange[], readonly IdRange[]>;
}

type KnownRanges = ReadonlySet<readonly IdRange[]>;

/** Actions that hold constants as ids or terms only. */
const REBINDABLE: ReadonlySet<PlanAction['kind']> = new Set([
  'scan',
  'rows',
  'mergeJoin',
  'intersectJoin',
  'indexJoin',
  'starJoin',
  'hashJoin',
  'hashLeftJoin',
  'hashSemiJoin',
  'apply',
  'outer',
  'union',
  'filter',
  'extend',
  'project',
  'extremes',
  'distinct',
  'sort',
  'aggregate',
  'slice',
  'template',
  'describe',
]);

/** `known`: ranges that can be made for other constants. */
export function isRebindable(plan: Plan, known: KnownRanges): boolean {
  const { action } = plan;
  if (!REBINDABLE.has(action.kind) || !plan.inputs.every((input) => isRebindable(input, known))) return false;
  if (action.kind !== 'apply') return isPlain(action, known);
  const { inner, ...rest } = action;
  return isRebindable(inner, known) && isPlain(rest, known);
}

/** Numbers, texts, ids and terms, in lists and objects. */
function isPlain(data: unknown, known: KnownRanges): boolean {
  if (typeof data === 'function') return false;
  if (typeof data !== 'object' || data === null) return true;
  if (Array.isArray(data)) return data.every((item) => isPlain(item, known));
  if ('termType' in data) return true;
  if (Object.getPrototypeOf(data) !== Object.prototype) return false;
  if ('ranges' in data) return known.has(data.ranges as readonly IdRange[]);
  return Object.values(data).every((item) => isPlain(item, known));
}

export function rebindPlan(plan: Plan, to: Rebinding): Plan {
  let changed = false;
  const inputs = plan.inputs.map((input) => {
    const bound = rebindPlan(input, to);
    changed ||= bound !== input;
    return bound;
  });
  const action = rebindAction(plan.action, to);
  if (action === plan.action && !changed) return plan;
  return { action, inputs: changed ? inputs : plan.inputs, facts: plan.facts };
}

function rebindAction(action: PlanAction, to: Rebinding): PlanAction {
  if (action.kind !== 'apply') return rebind(action, to);
  const { inner, ...rest } = action;
  const [bound, own] = [rebindPlan(inner, to), rebind(rest, to)];
  return bound === inner && own === rest ? action : { ...own, inner: bound };
}

/** Plain data with other ids and terms; the data itself where nothing changes. */
export function rebind<Data>(data: Data, to: Rebinding): Data {
  return rebindAny(data, to) as Data;
}

function rebindAny(data: unknown, to: Rebinding): unknown {
  if (typeof data === 'bigint') return to.ids.get(data as TermId) ?? data;
  if (typeof data !== 'object' || data === null) return data;
  if (Array.isArray(data)) {
    let copy: unknown[] | null = null;
    for (let at = 0; at < data.length; at++) {
      const mapped = rebindAny(data[at], to);
      if (mapped === data[at]) continue;
      copy ??= [...data];
      copy[at] = mapped;
    }
    return copy ?? data;
  }
  if (isSlot(data)) return to.terms.get(data) ?? data;
  if ('termType' in data) return data;
  if ('ranges' in data) {
    const ranges = to.ranges.get(data.ranges as readonly IdRange[]);
    return ranges === undefined ? data : { ...data, ranges };
  }
  let copy: Record<string, unknown> | null = null;
  for (const name of Object.keys(data)) {
    const own = (data as Record<string, unknown>)[name];
    const mapped = rebindAny(own, to);
    if (mapped === own) continue;
    copy ??= { ...data };
    copy[name] = mapped;
  }
  return copy ?? data;
}
