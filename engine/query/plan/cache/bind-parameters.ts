/**
 * A plan for a query that differs from the planned one in constants: the same operators over other ids and
 * terms. A plan that holds something of which that can't be said is none for other constants.
 */

import type { Term } from '../../../rdf/terms.js';
import type { TermId } from '../../../storage/ids/layout.js';
import type { IdRange } from '../../../storage/seam/scan.js';
import { isSlot } from '../../algebra/slot.js';
import { mapInputs, operatorOf, type Plan } from '../../physical/plan.js';

export interface Binding {
  readonly ids: ReadonlyMap<TermId, TermId>;
  readonly terms: ReadonlyMap<Term, Term>;
  /** What comparisons with constants narrow objects to. */
  readonly ranges: ReadonlyMap<readonly IdRange[], readonly IdRange[]>;
}

type KnownRanges = ReadonlySet<readonly IdRange[]>;

/** `known`: ranges that can be made for other constants. */
export function isBindable(plan: Plan, known: KnownRanges): boolean {
  if (operatorOf(plan).boundToConstants === true || !isPlain(plan.action, known)) return false;
  return plan.inputs.every((input) => isBindable(input, known));
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

export function bindPlan(plan: Plan, to: Binding): Plan {
  const below = mapInputs(plan, (input) => bindPlan(input, to));
  const action = bindParameters(plan.action, to);
  return action === plan.action ? below : { ...below, action };
}

/** Plain data with other ids and terms; the data itself where nothing changes. */
export function bindParameters<Data>(data: Data, to: Binding): Data {
  return boundAny(data, to) as Data;
}

function boundAny(data: unknown, to: Binding): unknown {
  if (typeof data === 'bigint') return to.ids.get(data as TermId) ?? data;
  if (typeof data !== 'object' || data === null) return data;
  if (Array.isArray(data)) {
    let copy: unknown[] | null = null;
    for (let at = 0; at < data.length; at++) {
      const mapped = boundAny(data[at], to);
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
    const mapped = boundAny(own, to);
    if (mapped === own) continue;
    copy ??= { ...data };
    copy[name] = mapped;
  }
  return copy ?? data;
}
