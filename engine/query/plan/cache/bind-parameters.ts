/**
 * A plan for a query that differs from the planned one in constants: the same operators over other ids and
 * terms. A plan that holds something of which that can't be said is none for other constants.
 */

import type { Term } from '../../../rdf/terms.js';
import type { TermId } from '../../../storage/ids/layout.js';
import type { IdRange } from '../../../storage/seam/scan.js';
import { mapData } from '../../algebra/map-data.js';
import { isSlot } from '../../algebra/slot.js';
import { mapInputs, operatorOf, type Plan } from '../../physical/plan.js';

export interface Binding {
  readonly ids: ReadonlyMap<TermId, TermId>;
  readonly terms: ReadonlyMap<Term, Term>;
  /** What comparisons with constants narrow objects to; found on the way. */
  readonly ranges: Map<readonly IdRange[], readonly IdRange[]>;
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
  if (ArrayBuffer.isView(data) || 'termType' in data || settledGraphs.has(data)) return true;
  if (Object.getPrototypeOf(data) !== Object.prototype) return false;
  if ('ranges' in data) return known.has(data.ranges as readonly IdRange[]);
  return Object.values(data).every((item) => isPlain(item, known));
}

export function bindPlan(plan: Plan, to: Binding): Plan {
  const below = mapInputs(plan, (input) => bindPlan(input, to));
  const action = bindParameters(plan.action, to);
  return action === plan.action ? below : { ...below, action };
}

/** Sets of graphs in which no constant of a query stands, however many graphs they have. */
export const settledGraphs = new WeakSet<object>();

/** Plain data with other ids and terms; the data itself where nothing changes. */
export function bindParameters<Data>(data: Data, to: Binding): Data {
  return mapData(data, (part) => {
    if (typeof part === 'bigint') return to.ids.get(part as TermId) ?? part;
    if (isSlot(part)) return to.terms.get(part) ?? part;
    if (settledGraphs.has(part)) return part;
    if ('termType' in part) return part;
    if (!('ranges' in part)) return undefined;
    const ranges = to.ranges.get(part.ranges as readonly IdRange[]);
    return ranges === undefined ? part : { ...part, ranges };
  });
}
