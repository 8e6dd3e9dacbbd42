/**
 * Graphs that the service keeps for itself. The meta graph holds what is said about graphs and can be read
 * by its IRI; the registry graph holds which graphs there are (decision 13). Neither is ever bound by a
 * free `GRAPH ?g`, and nothing outside of the engine writes them. What reads every graph passes over the
 * registry, and over what overlays take from their parents: their rows are no facts of anybody.
 */

import { SvcError } from '../../base/errors.js';
import { ROOT_GRAPH_IRI, terms } from '../../rdf/terms.js';
import type { TermId } from '../../storage/ids/layout.js';
import { exactly, readIds } from '../../storage/seam/rows.js';
import { CURRENT, type GraphSet, type StorageSnapshot } from '../../storage/seam/scan.js';

export const META_GRAPH_IRI = 'urn:svc:graph:meta';
export const REGISTRY_GRAPH_IRI = 'urn:svc:graph:registry';
/** Namespace of the service's own terms. */
export const SVC_NS = 'https://svc.dev/ontology/';

/** In which transaction the content of a graph was made by a mapping; a store that does not know it has no record of any. */
export const MATERIALIZED_IN_TX = terms.namedNode(`${SVC_NS}materializedInTx`);

export const REGISTRY = terms.namedNode(REGISTRY_GRAPH_IRI);

/** `<graph> svc:hiddenGraph VALUE`: a free `GRAPH ?g` must not bind the graph. */
export const HIDDEN = terms.namedNode(`${SVC_NS}hiddenGraph`);
/** The value of a graph of tombstones, which nothing lists or counts either. */
export const HIDDEN_TOMBSTONES = terms.literal('tombstones');

const COMPANION = '#inferred';

/** The graph of what rules derive from a graph. */
export function companionOf(graph: string): string {
  return graph + COMPANION;
}

export function isCompanion(iri: string): boolean {
  return iri.endsWith(COMPANION);
}

const TOMBSTONES = 'urn:svc:graph:tombstones:';
const KEPT = 'urn:svc:graph:kept:';

/** The graph of the triples that an overlay takes away; no read shows it but by its IRI. */
export function tombstonesOf(overlay: string): string {
  return TOMBSTONES + encodeURIComponent(overlay);
}

/** The overlay whose tombstones stand in a graph; of any other graph its own name. */
export function writtenAs(iri: string): string {
  return iri.startsWith(TOMBSTONES) ? decodeURIComponent(iri.slice(TOMBSTONES.length)) : iri;
}

/** A graph of triples that the service keeps for its own use, as those of shares that were merged; no read shows it either. */
export function keptTriplesGraph(name: string): string {
  return KEPT + name;
}

/** True for a graph of tombstones, or of triples that are kept, which no list of graphs has. */
export function isTombstones(iri: string): boolean {
  return iri.startsWith(TOMBSTONES) || isKeptTriples(iri);
}

export function isKeptTriples(iri: string): boolean {
  return iri.startsWith(KEPT);
}

const SYSTEM_GRAPHS = [terms.namedNode(META_GRAPH_IRI), REGISTRY];

/** Holds what an import has set aside; registered, but for those who ask by its IRI. */
const QUARANTINE = /^urn:svc:quarantine:/;

export function isQuarantine(iri: string): boolean {
  return QUARANTINE.test(iri);
}

/** Names of graphs that the service makes itself: forks, imports, alignments, shares, datasets, and its own. */
const GIVEN = /^urn:svc:(fork|import|alignment|graph|share|quarantine|dataset):/;

/** Why a graph that there is not can't be made under a name by those who write, or null. */
export function newGraphFault(iri: string): string | null {
  const given = iri === ROOT_GRAPH_IRI ? null : GIVEN.exec(iri);
  return given === null ? null : `is not there, and names that begin with ${given[0]} are given by the service`;
}

export function checkNewGraph(iri: string): void {
  const fault = newGraphFault(iri);
  if (fault === null) return;
  throw new SvcError('invalid_request', `the graph <${iri}> can not be written: it ${fault}`, {
    hint: 'name it in a namespace of your own',
  });
}

/** The id of the registry graph; null in a store without a row. */
export function registryId(snapshot: StorageSnapshot): TermId | null {
  return snapshot.encode(REGISTRY, true);
}

/** Ids of the system graphs that the store knows. */
export function systemGraphIds(snapshot: StorageSnapshot): TermId[] {
  return SYSTEM_GRAPHS.map((graph) => snapshot.encode(graph, true)).filter((id): id is TermId => id !== null);
}

/** Ids of the graphs of tombstones, empty ones among them. */
export function tombstoneIds(snapshot: StorageSnapshot): TermId[] {
  const [graph, p] = [registryId(snapshot), snapshot.encode(HIDDEN, true)];
  const o = p === null ? null : snapshot.encode(HIDDEN_TOMBSTONES, true);
  if (graph === null || p === null || o === null) return [];
  const pattern = { p: exactly(p), o: exactly(o) };
  return [...readIds(snapshot, { graphs: { kind: 'one', graph }, pattern, time: CURRENT }, 's')];
}

/** Ids of the graphs that no event tells of. */
export function quietIds(snapshot: StorageSnapshot): TermId[] {
  return [...systemGraphIds(snapshot), ...tombstoneIds(snapshot)];
}

/** Ids of the graphs whose rows are no facts of anybody: the registry, and the graphs of tombstones. */
export function unlistedIds(snapshot: StorageSnapshot): TermId[] {
  const registry = registryId(snapshot);
  return registry === null ? [] : [registry, ...tombstoneIds(snapshot)];
}

/** Every graph, ROOT included, that holds what somebody wrote. */
export function everyGraph(snapshot: StorageSnapshot): GraphSet {
  const except = unlistedIds(snapshot);
  return except.length === 0 ? { kind: 'all' } : { kind: 'all', except };
}
