/** Data that is validated without being in a store: its documents, read into a snapshot that is made for the purpose. */

import type { Control } from '../base/control.js';
import { type Quad, ROOT_GRAPH_IRI, type Term } from '../rdf/terms.js';
import { readSources } from '../storage/documents/read-sources.js';
import { highOf, lowOf } from '../storage/ids/halves.js';
import { storeDocuments } from '../storage/lmdb-store/document-store.js';
import type { LoadSource } from '../storage/seam/engine.js';
import type { StorageSnapshot } from '../storage/seam/scan.js';
import { IdList, type IdSet } from './data/id-columns.js';
import { snapshotOf } from './data/payload-snapshot.js';
import { areLarge, graphsOf, nameOf } from './data/payload-store.js';
import { compileInTurns } from './shapes/compile-shapes.js';
import type { Shapes } from './shapes/shapes.js';
import { RDF_TYPE, SUB_CLASS_OF } from './shapes/vocabulary.js';
import { YieldTimer } from './yield-timer.js';

/** A graph of documents: its IRI, or the `_:label` of a blank node that names it. */
export interface PayloadGraph {
  readonly graph: string;
  /** The nodes that are judged in it; null = all. */
  readonly focus: IdSet | null;
}

export interface Payload {
  readonly snapshot: StorageSnapshot;
  /** Those with statements; ROOT where there are none at all. */
  readonly graphs: readonly PayloadGraph[];
  /** Closes the snapshot, too. */
  close(): Promise<void>;
}

/** Documents as a snapshot in memory, blank nodes by the labels that they have there. Close it afterwards. */
export async function payloadSnapshot(sources: readonly LoadSource[], control: Control): Promise<StorageSnapshot> {
  return (await readIntoMemory(sources, control)).snapshot;
}

/** The documents with the graphs that are to be judged, each by itself, as a load judges them. */
export async function readPayload(sources: readonly LoadSource[], control: Control): Promise<Payload> {
  if (!areLarge(sources)) return await readIntoMemory(sources, control);
  const { snapshot, close } = await storeDocuments(sources, 'the store of the data', control);
  try {
    const graphs = Array.from(await graphsOf(snapshot, control), ([graph, focus]) => ({ graph, focus }));
    return { snapshot, graphs, close };
  } catch (error) {
    await close();
    throw error;
  }
}

async function readIntoMemory(sources: readonly LoadSource[], control: Control): Promise<Payload> {
  const { quads } = await readSources(sources, { blankNodeScope: 'store' }, control);
  const timer = new YieldTimer(control);
  const snapshot = await snapshotOf(quads, timer);
  const names = new Set(quads.map(({ graph }) => nameOf(graph)));
  if (names.size === 0) names.add(ROOT_GRAPH_IRI);
  const graphs: PayloadGraph[] = [];
  for (const graph of names) {
    await timer.turn();
    graphs.push({ graph, focus: graph === ROOT_GRAPH_IRI ? null : nodesOf(quads, graph, snapshot) });
  }
  return { snapshot, graphs, close: async () => snapshot.close() };
}

/** In a graph of its own the types and classes of ROOT count, so their subjects are judged there, too. */
function nodesOf(quads: readonly Quad[], graph: string, snapshot: StorageSnapshot): IdSet {
  const found = new IdList();
  const add = (term: Term): void => {
    const id = snapshot.encode(term);
    if (id !== null) found.push(lowOf(id), highOf(id));
  };
  for (const { subject, predicate, object, graph: of } of quads) {
    const isOwn = nameOf(of) === graph;
    const isShared = of.value === ROOT_GRAPH_IRI && (predicate.equals(RDF_TYPE) || predicate.equals(SUB_CLASS_OF));
    if (isOwn || isShared) add(subject);
    if (isOwn) add(object);
  }
  return found.toSet();
}

/** The shapes of documents. Blank nodes of different documents are different. */
export async function readShapes(sources: readonly LoadSource[], control: Control): Promise<Shapes> {
  const scope = sources.length === 1 ? 'store' : 'document';
  const { quads } = await readSources(sources, { blankNodeScope: scope }, control);
  return compileInTurns(quads, control);
}
