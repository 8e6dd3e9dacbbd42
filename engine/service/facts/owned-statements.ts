/**
 * Current statements that a source owns, by whichever way is shorter: what its transactions opened, from the log, each
 * looked up; or, for a source that wrote much of a graph, the graph itself.
 */

import { registryId } from '../../query/registry/system-graphs.js';
import type { TermId } from '../../storage/ids/layout.js';
import { CURRENT, type StorageSnapshot } from '../../storage/seam/scan.js';
import { ownedByLog } from './owned-by-log.js';
import { type OwnedBatch, type Owners, ownedRows } from './owned-rows.js';

/** Rows from the log up to which a graph is never read as a whole, and the part of its rows from which on it is. */
const LOGGED_ROWS_LEAST = 65_536;
const LOGGED_SHARE = 1 / 4;

/** In one graph, or with null in all that hold what somebody wrote; sorted by graph, then s, p, o. */
export function* ownedStatements(
  snapshot: StorageSnapshot,
  graph: TermId | null,
  owners: Owners,
): Generator<OwnedBatch> {
  if (owners.all.length === 0) return;
  const registry = registryId(snapshot);
  const graphs = graph === null ? snapshot.graphs().filter((id) => id !== registry) : [graph];
  let rows = 0;
  for (const id of graphs) rows += snapshot.count({ graphs: { kind: 'one', graph: id }, pattern: {}, time: CURRENT });
  const rowsMax = Math.max(LOGGED_ROWS_LEAST, Math.floor(rows * LOGGED_SHARE));
  const logged = ownedByLog(snapshot, graphs, owners, rowsMax);
  if (logged !== null) {
    yield* logged;
    return;
  }
  const all = new Set(owners.all);
  for (const id of graphs) yield* ownedRows(snapshot, id, all);
}
