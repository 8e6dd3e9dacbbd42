/**
 * Which graphs there are. A graph exists while it has current facts; one without facts exists when it
 * was made by CREATE, which the meta graph keeps as `<graph> rdf:type svc:Graph`, until it is dropped.
 * ROOT always exists. Facts of the meta graph are not counted among the facts that an update changes.
 */

import { RDF_NS, terms } from '../../rdf/terms.js';
import type { StagedTransaction } from '../../storage/engine.js';
import { ROOT_ID, type TermId } from '../../storage/ids/layout.js';
import { CURRENT, type ScanPattern, type StorageSnapshot } from '../../storage/scan.js';
import { META_GRAPH_IRI } from '../plan/dataset.js';

const META = terms.namedNode(META_GRAPH_IRI);
const TYPE = terms.namedNode(`${RDF_NS}type`);
const GRAPH_CLASS = terms.namedNode('https://svc.dev/ontology/Graph');

function registration(iri: string) {
  return terms.quad(terms.namedNode(iri), TYPE, GRAPH_CLASS, META);
}

export function metaGraphId(snapshot: StorageSnapshot): TermId | null {
  return snapshot.encode(META);
}

export function register(stage: StagedTransaction, iri: string): void {
  stage.assert([registration(iri)]);
}

export function unregister(stage: StagedTransaction, iris: Iterable<string>): void {
  stage.retract([...iris].map(registration));
}

export function isRegistered(snapshot: StorageSnapshot, iri: string): boolean {
  const subject = snapshot.encode(terms.namedNode(iri));
  return subject !== null && countRegistrations(snapshot, subject) > 0;
}

/** IRIs of all graphs that CREATE made and nothing dropped. */
export function registeredGraphs(snapshot: StorageSnapshot): string[] {
  const request = registrationRows(snapshot, null);
  if (request === null) return [];
  const cursor = snapshot.scan({ ...request, columns: ['s'] });
  const iris: string[] = [];
  try {
    for (let batch = cursor.next(); batch !== null; batch = cursor.next()) {
      const decoded = snapshot.decode(batch.columns.s as Uint32Array, batch.rows);
      if (batch.selection === null) for (const term of decoded) iris.push(term.value);
      else for (const row of batch.selection) iris.push((decoded[row] as { readonly value: string }).value);
    }
  } finally {
    cursor.close();
  }
  return iris;
}

/** The id of a graph that exists; null when it does not. */
export function graphHasFacts(snapshot: StorageSnapshot, iri: string): boolean {
  const graph = snapshot.encode(terms.namedNode(iri));
  if (graph === null) return false;
  return snapshot.count({ graphs: { kind: 'one', graph }, pattern: {}, time: CURRENT }) > 0;
}

export function graphExists(snapshot: StorageSnapshot, iri: string): boolean {
  if (snapshot.encode(terms.namedNode(iri)) === ROOT_ID) return true;
  return graphHasFacts(snapshot, iri) || isRegistered(snapshot, iri);
}

function countRegistrations(snapshot: StorageSnapshot, subject: TermId): number {
  const request = registrationRows(snapshot, subject);
  return request === null ? 0 : snapshot.count(request);
}

function registrationRows(snapshot: StorageSnapshot, subject: TermId | null) {
  const [graph, p, o] = [META, TYPE, GRAPH_CLASS].map((term) => snapshot.encode(term)) as (TermId | null)[];
  if (graph == null || p == null || o == null) return null;
  const pattern: ScanPattern = {
    ...(subject === null ? {} : { s: { kind: 'id', id: subject } }),
    p: { kind: 'id', id: p },
    o: { kind: 'id', id: o },
  };
  return { graphs: { kind: 'one', graph }, pattern, time: CURRENT } as const;
}
