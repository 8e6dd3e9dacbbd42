/** The graphs that rules can be run over, and the companions that hold what follows (semantics of reasoning, 1.8; ruling R34). */

import { SvcError } from '../../base/errors.js';
import { refuseFrozen } from '../../query/registry/frozen.js';
import { findGraph } from '../../query/registry/graph-rows.js';
import {
  companionOf,
  isCompanion,
  isQuarantine,
  isTombstones,
  META_GRAPH_IRI,
  REGISTRY_GRAPH_IRI,
} from '../../query/registry/system-graphs.js';
import { ROOT_GRAPH_IRI } from '../../rdf/terms.js';
import type { StorageSnapshot } from '../../storage/seam/scan.js';

/** The graph of the premises of what stands in a graph: of a companion the other, else itself. */
export function premisesOf(graph: string): string {
  return isCompanion(graph) ? graph.slice(0, -companionOf('').length) : graph;
}

/** True when rules can be run over a graph. */
export function isPremiseGraph(snapshot: StorageSnapshot, iri: string): boolean {
  const row = findGraph(snapshot, iri);
  if (row === null || isTombstones(iri) || iri === REGISTRY_GRAPH_IRI || row.lifecycle === 'frozen') return false;
  return faultOf(iri, row.class === 'overlay') === null;
}

/** Refuses a graph that rules can't be run over. */
export function checkPremiseGraph(snapshot: StorageSnapshot, iri: string): void {
  const row = findGraph(snapshot, iri);
  if (row === null || isTombstones(iri) || iri === REGISTRY_GRAPH_IRI) {
    throw new SvcError('not_found_in_store', `unknown graph: ${iri}`, {
      hint: 'svc graph list shows those that there are',
    });
  }
  const why = faultOf(iri, row.class === 'overlay');
  if (why !== null) {
    throw new SvcError('invalid_request', `rules can not be run over the graph <${iri}>: it ${why}`, {
      hint: `name another graph, or none for <${ROOT_GRAPH_IRI}>`,
    });
  }
  refuseFrozen(row);
}

function faultOf(iri: string, isOverlay: boolean): string | null {
  if (isCompanion(iri)) return 'holds derived facts, which are no premises';
  if (iri === META_GRAPH_IRI) return 'is the meta graph';
  if (isOverlay) return 'is an overlay';
  if (isQuarantine(iri)) return 'is a quarantine graph';
  if (iri.startsWith('urn:svc:share:')) return 'holds a share on its way in';
  return null;
}
