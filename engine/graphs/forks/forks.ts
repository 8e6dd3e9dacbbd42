/**
 * What a fork may be called, and which there are. A fork is a committed graph that began as a copy of ROOT (semantics of graphs,
 * 5.2); its row in the registry says whether it is open, dropped or promoted, and is never taken away.
 */

import { SvcError } from '../../base/errors.js';
import { FORKS, type ForkRow, forkGraph } from '../../query/registry/fork-rows.js';
import { homeOf } from '../../query/registry/freeze-rows.js';
import { findGraph } from '../../query/registry/graph-rows.js';
import { terms } from '../../rdf/terms.js';
import { ROOT_ONLY } from '../../storage/seam/rows.js';
import type { StorageSnapshot } from '../../storage/seam/scan.js';
import type { GraphSet } from '../../storage/seam/source.js';

const NAME = /^[A-Za-z0-9._-]{1,128}$/;
/** What a side of a comparison calls ROOT. */
export const MAIN = 'main';

/** What a fork of a transaction is called when nobody says. */
export function forkNameOf(tx: number): string {
  return `fork-${tx}`;
}

/** Refuses a name that no fork can have, or one has had. */
export function checkNewFork(snapshot: StorageSnapshot, name: string): void {
  if (typeof name !== 'string' || !NAME.test(name)) {
    throw refused(`the name of a fork is 1 to 128 of the characters A-Z a-z 0-9 . _ -, not ${JSON.stringify(name)}`);
  }
  if (name === MAIN) throw refused(`'${MAIN}' means ROOT, so no fork can be called that`);
  const known = FORKS.one(snapshot, name);
  if (known !== null) {
    throw refused(`there is a fork '${name}' already (${known.status}), and names of forks are not used again`);
  }
  if (findGraph(snapshot, forkGraph(name)) !== null) {
    throw refused(`the graph <${forkGraph(name)}> is there already, and is no fork`);
  }
}

/** The row of a fork, or an error that says that there is none. */
export function forkOf(snapshot: StorageSnapshot, name: string): ForkRow {
  const row = typeof name === 'string' ? FORKS.one(snapshot, name) : null;
  if (row !== null) return row;
  throw new SvcError('not_found_in_store', `no such fork: ${name}`, { hint: 'svc fork list shows those there are' });
}

/** The row of a fork that is to be dropped or promoted. */
export function openForkOf(snapshot: StorageSnapshot, name: string, what: 'dropped' | 'promoted'): ForkRow {
  const row = forkOf(snapshot, name);
  if (row.status === 'open') return row;
  throw new SvcError('state_conflict', `the fork '${name}' can not be ${what}: it was ${row.status}`, {
    hint: 'names of forks are not used again; make another fork',
  });
}

/** The graph of one side of a comparison. */
export function sideOf(snapshot: StorageSnapshot, name: string): GraphSet {
  if (name === MAIN) return ROOT_ONLY;
  const graph = snapshot.encode(terms.namedNode(forkGraph(forkOf(snapshot, name).name)));
  return graph === null ? { kind: 'some', graphs: [], merged: true } : homeOf(snapshot, graph);
}

function refused(message: string): SvcError {
  return new SvcError('invalid_request', message);
}
