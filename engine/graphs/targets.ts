/**
 * Which graphs may be written from outside, as each way of writing says it (semantics of graphs, 2.1 and
 * 8.5). What the service keeps for itself is refused by name, an overlay by its row.
 */

import { SvcError } from '../base/errors.js';
import { DATASETS } from '../query/registry/dataset-rows.js';
import { checkForkOpen, checkNewName } from '../query/registry/fork-rows.js';
import { refuseFrozen } from '../query/registry/frozen.js';
import { findGraph, type GraphRow } from '../query/registry/graph-rows.js';
import { isKeptTriples, isTombstones, META_GRAPH_IRI, REGISTRY_GRAPH_IRI } from '../query/registry/system-graphs.js';
import { checkTarget } from '../query/update/targets.js';
import { iriFault } from '../rdf/formats/input/term-checks.js';
import type { StorageSnapshot } from '../storage/seam/scan.js';

/** Refuses a destination that is reserved, not registered, or an overlay; nothing is interned. */
export function checkRegisteredTarget(snapshot: StorageSnapshot, iri: string): void {
  checkTarget(iri);
  const graph = findGraph(snapshot, iri);
  if (graph === null) {
    throw new SvcError('not_found_in_store', `unknown graph: ${iri} — create and register it first via graph_create`, {
      hint: 'check the IRI, or make the graph first (CREATE GRAPH, POST /graph/create)',
    });
  }
  refuseOverlay(graph);
  checkForkOpen(snapshot, iri);
  refuseFrozen(graph);
}

export function refuseOverlay(graph: GraphRow | null): void {
  if (graph?.class !== 'overlay') return;
  throw new SvcError('invalid_request', `the graph <${graph.iri}> can not be written: it is an overlay`, {
    hint: 'the class of a graph is fixed when it is made; write an overlay by overlay_write (POST /overlay/write)',
  });
}

/** Refuses by name what the graph store can't write; says by the code which status that is. */
export function checkStoreTarget(iri: string): void {
  checkStoreName(iri);
  if (iri.endsWith('#inferred')) throw notWritable(iri, 'holds derived facts, which only the reasoner writes');
  if (iri === META_GRAPH_IRI) throw notWritable(iri, 'is the meta graph');
  if (iri === REGISTRY_GRAPH_IRI) throw notWritable(iri, 'holds the registry of graphs');
  if (isKeptTriples(iri)) throw notWritable(iri, 'holds what the service keeps of shares');
  if (isTombstones(iri)) throw notWritable(iri, 'holds what an overlay takes away');
}

/** Refuses what can't be read or written as a graph, whatever is in the store. */
export function checkStoreName(iri: string): void {
  const fault = iriFault(iri);
  if (fault !== null) throw new SvcError('invalid_request', `the graph <${iri}> ${fault}`);
  if (iri.startsWith('urn:svc:dataset:')) throw isDataset(iri);
}

/** Refuses a graph that is not there and can't be made under its name. */
export function checkNewStoreGraph(snapshot: StorageSnapshot, iri: string): void {
  checkNewName(snapshot, iri);
  if (DATASETS.has(snapshot, iri)) throw isDataset(iri);
}

function isDataset(iri: string): SvcError {
  return new SvcError('not_found', `unknown graph: ${iri}`, { hint: 'that is the name of a dataset, not of a graph' });
}

/** The same for what the registry says of a graph. */
export function checkStoreRow(graph: GraphRow): void {
  if (graph.class === 'overlay') throw notWritable(graph.iri, 'is an overlay, which only overlay operations write');
  if (/^urn:svc:(share|quarantine):/.test(graph.iri)) {
    throw new SvcError('state_conflict', `the graph <${graph.iri}> can not be written: it holds a share on its way in`);
  }
  refuseFrozen(graph);
}

function notWritable(iri: string, why: string): SvcError {
  return new SvcError('graph_not_writable', `the graph <${iri}> can not be written: it ${why}`);
}
