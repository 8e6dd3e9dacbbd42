/** Which graphs can be frozen, and which can be thawed (semantics of graphs, 4.4 and 4.5). */

import { SvcError } from '../../base/errors.js';
import { FORKS, forkGraph } from '../../query/registry/fork-rows.js';
import { type FreezeRow, freezeOf } from '../../query/registry/freeze-rows.js';
import { findGraph, type GraphRow, hasOverlay } from '../../query/registry/graph-rows.js';
import { isQuarantine, isTombstones, META_GRAPH_IRI } from '../../query/registry/system-graphs.js';
import { ROOT_GRAPH_IRI, terms } from '../../rdf/terms.js';
import type { StorageSnapshot } from '../../storage/seam/scan.js';

function refused(verb: string, iri: string, why: string, hint?: string): SvcError {
  return new SvcError('invalid_request', `the graph <${iri}> can not be ${verb}: it ${why}`, hint ? { hint } : {});
}

function known(snapshot: StorageSnapshot, iri: string): GraphRow {
  const graph = findGraph(snapshot, iri);
  if (graph !== null && !isTombstones(iri)) return graph;
  throw new SvcError('not_found_in_store', `unknown graph: ${iri}`, {
    hint: 'svc graph list shows those that there are',
  });
}

/** Throws what forbids to freeze a graph. */
export function checkFreezable(snapshot: StorageSnapshot, iri: string): void {
  const row = known(snapshot, iri);
  if (row.lifecycle === 'frozen') {
    throw new SvcError('state_conflict', `the graph <${iri}> is frozen already`, { hint: 'thaw it to write into it' });
  }
  const why = faultOf(snapshot, row);
  if (why !== null) throw refused('frozen', iri, why);
}

function faultOf(snapshot: StorageSnapshot, { iri, class: graphClass }: GraphRow): string | null {
  if (iri === ROOT_GRAPH_IRI) return 'is ROOT';
  if (iri === META_GRAPH_IRI) return 'is the meta graph';
  if (iri.endsWith('#inferred')) return 'holds derived facts; freeze the graph that they follow from';
  if (graphClass === 'overlay') return 'is an overlay';
  if (isQuarantine(iri)) return 'is a quarantine graph';
  const id = snapshot.encode(terms.namedNode(iri));
  if (id !== null && hasOverlay(snapshot, id)) return 'has an overlay over it';
  if (isOpenFork(snapshot, iri)) return 'is the graph of a fork that is open; promote or drop the fork first';
  return null;
}

const FORK = forkGraph('');

function isOpenFork(snapshot: StorageSnapshot, iri: string): boolean {
  return iri.startsWith(FORK) && FORKS.one(snapshot, iri.slice(FORK.length))?.status === 'open';
}

/** The freeze of a frozen graph. */
export function checkThawable(snapshot: StorageSnapshot, iri: string): FreezeRow {
  const row = known(snapshot, iri);
  if (row.lifecycle !== 'frozen') throw new SvcError('state_conflict', `the graph <${iri}> is not frozen`);
  const freeze = freezeOf(snapshot, row);
  if (freeze !== null) return freeze;
  throw new SvcError('store_corrupt', `the graph <${iri}> is frozen, and no freeze of it is known`);
}
