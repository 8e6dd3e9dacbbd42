/**
 * What a frozen graph forbids: to write it, by whichever way, and to ask what the store knew after a transaction, since
 * the rows of the graph are not in the store (semantics of graphs, 4.6).
 */

import { SvcError } from '../../base/errors.js';
import { decodeIds } from '../../storage/seam/rows.js';
import type { StorageSnapshot, TimeSlice } from '../../storage/seam/scan.js';
import { frozenIds, type GraphRow } from './graph-rows.js';

/** `archives.as_of`: whether reads as of a transaction are answered while a graph is frozen. */
export type AsOf = 'refuse' | 'allow';

export function frozenConflict(iri: string): SvcError {
  return new SvcError('state_conflict', `the graph <${iri}> can not be written: it is frozen`, {
    hint: 'thaw it first (POST /graph/thaw, svc graph thaw)',
  });
}

export function refuseFrozen(graph: GraphRow | null): void {
  if (graph?.lifecycle === 'frozen') throw frozenConflict(graph.iri);
}

/** Refuses a read as of a transaction while any graph is frozen, even one that reads no frozen graph. */
export function checkAsOf(snapshot: StorageSnapshot, time: TimeSlice | undefined, asOf: AsOf): void {
  if (asOf === 'allow' || time === undefined || !('tx' in time)) return;
  refuseAsOf(snapshot, `of transaction ${time.tx}`);
}

/** `what` is read that is made of earlier states. */
export function refuseAsOf(snapshot: StorageSnapshot, what: string): void {
  const [first, ...others] = frozenIds(snapshot);
  if (first === undefined) return;
  const [graph] = decodeIds(snapshot, [first]);
  const more = others.length === 0 ? '' : ` and ${others.length} more`;
  throw new SvcError(
    'invalid_request',
    `the state ${what} can not be read while graphs are frozen: <${graph?.value}>${more}`,
    { hint: 'ask by valid_at, thaw the graphs, or set archives.as_of to "allow"' },
  );
}
