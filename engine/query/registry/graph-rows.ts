/**
 * Rows of the graph registry as quads of the registry graph (decision 13):
 *
 * | Predicate | Value |
 * |---|---|
 * | `svc:graphClass` | `"committed"` or `"overlay"`; every row has exactly one, and it never changes |
 * | `svc:registeredAt` | the timestamp of the transaction that registered it by name |
 * | `svc:graphParent`, `svc:graphSource`, `svc:graphLifecycle` | as far as they say something |
 * | `svc:hiddenGraph` | `true` where a free `GRAPH ?g` must not bind the graph; of the graph of an overlay's tombstones `"tombstones"`, its only row |
 *
 * A graph that holds facts needs no row to be registered, as committed; rows say what facts can't: that a
 * graph is there though it is empty, and what is special about it. Looking one graph up reads a few rows by
 * its IRI; what lists all of them reads ids only.
 */

import { formatInstant, parseInstant } from '../../base/instant.js';
import { type Quad, ROOT_GRAPH_IRI, type Term, terms, XSD } from '../../rdf/terms.js';
import { type Instant, ROOT_ID, type TermId } from '../../storage/ids/layout.js';
import { decodeIds, exactly, readRows } from '../../storage/seam/rows.js';
import { CURRENT, type ScanPattern, type StorageSnapshot, type TimeSlice } from '../../storage/seam/scan.js';
import {
  HIDDEN,
  HIDDEN_TOMBSTONES,
  isQuarantine,
  isTombstones,
  META_GRAPH_IRI,
  REGISTRY,
  registryId,
  SVC_NS,
  tombstoneIds,
  tombstonesOf,
} from './system-graphs.js';

export type GraphClass = 'committed' | 'overlay';

export interface GraphRow {
  readonly iri: string;
  readonly class: GraphClass;
  /** Of an overlay: the graph that it lies over. */
  readonly parent: string | null;
  /** How it came here; null = by being written to. */
  readonly source: string | null;
  readonly lifecycle: 'frozen' | null;
  /** Null where nothing tells: built in, or registered by its facts alone. */
  readonly createdAt: Instant | null;
}

const predicate = (name: string) => terms.namedNode(SVC_NS + name);

export const CLASS = predicate('graphClass');
const REGISTERED_AT = predicate('registeredAt');
export const PARENT = predicate('graphParent');
export const SOURCE = predicate('graphSource');
export const LIFECYCLE = predicate('graphLifecycle');
const OVERLAY = terms.literal('overlay');
const DATE_TIME = terms.namedNode(`${XSD}dateTime`);
const TRUE = terms.literal('true', terms.namedNode(`${XSD}boolean`));

/** The quads of a row. */
export function quadsOfRow(row: GraphRow): Quad[] {
  const graph = terms.namedNode(row.iri);
  const quad = (p: typeof CLASS, o: Quad['object']) => terms.quad(graph, p, o, REGISTRY);
  const quads = [quad(CLASS, terms.literal(row.class))];
  if (row.createdAt !== null) quads.push(quad(REGISTERED_AT, terms.literal(formatInstant(row.createdAt), DATE_TIME)));
  if (row.parent !== null) quads.push(quad(PARENT, terms.namedNode(row.parent)));
  if (row.source !== null) quads.push(quad(SOURCE, terms.literal(row.source)));
  if (row.lifecycle !== null) quads.push(quad(LIFECYCLE, terms.literal(row.lifecycle)));
  if (row.class === 'overlay' || row.lifecycle !== null || isQuarantine(row.iri)) quads.push(quad(HIDDEN, TRUE));
  if (row.class === 'overlay') {
    quads.push(terms.quad(terms.namedNode(tombstonesOf(row.iri)), HIDDEN, HIDDEN_TOMBSTONES, REGISTRY));
  }
  return quads;
}

/** Built in, or registered by what it holds. */
export function plainRow(iri: string): GraphRow {
  return { iri, class: 'committed', parent: null, source: null, lifecycle: null, createdAt: null };
}

/** The quads of the registry about a graph, with the id of the graph; null = none. */
function statementsOf(snapshot: StorageSnapshot, iri: string): readonly (readonly [p: string, o: Term])[] {
  const graph = snapshot.encode(terms.namedNode(iri));
  if (graph === null) return [];
  const found = idsOf(snapshot, { s: exactly(graph) }, ['p', 'o']);
  const decoded = decodeIds(snapshot, found.flat());
  return found.map((_, at) => [(decoded[2 * at] as Term).value, decoded[2 * at + 1] as Term] as const);
}

/** The row of a graph; null when it has none. */
export function readRow(snapshot: StorageSnapshot, iri: string): GraphRow | null {
  const statements = statementsOf(snapshot, iri);
  const textOf = (name: Term): string | null => statements.find(([p]) => p === name.value)?.[1].value ?? null;
  const graphClass = textOf(CLASS);
  if (graphClass === null) return null;
  const createdAt = textOf(REGISTERED_AT);
  return {
    iri,
    class: graphClass === 'overlay' ? 'overlay' : 'committed',
    parent: textOf(PARENT),
    source: textOf(SOURCE),
    lifecycle: textOf(LIFECYCLE) === 'frozen' ? 'frozen' : null,
    createdAt: createdAt === null ? null : parseInstant(createdAt, { allowDate: false, name: 'registeredAt' }),
  };
}

/** The graph as the registry has it: its row, or what stands for one; null when there is no such graph. */
export function findGraph(snapshot: StorageSnapshot, iri: string): GraphRow | null {
  if (iri === ROOT_GRAPH_IRI || iri === META_GRAPH_IRI) return plainRow(iri);
  if (iri === REGISTRY.value || isTombstones(iri)) return null;
  return readRow(snapshot, iri) ?? (hasFacts(snapshot, iri) ? plainRow(iri) : null);
}

/** The class of a graph with a row; null = it has none. */
export function classOf(snapshot: StorageSnapshot, graph: TermId): GraphClass | null {
  const p = snapshot.encode(CLASS, true);
  if (p === null) return null;
  const [found] = idsOf(snapshot, { s: exactly(graph), p: exactly(p) }, ['o']);
  if (found === undefined) return null;
  return decodeIds(snapshot, found)[0]?.value === 'overlay' ? 'overlay' : 'committed';
}

export function hasRow(snapshot: StorageSnapshot, graph: TermId): boolean {
  return classOf(snapshot, graph) !== null;
}

export function hasFacts(snapshot: StorageSnapshot, iri: string): boolean {
  const graph = snapshot.encode(terms.namedNode(iri));
  return graph !== null && factsOf(snapshot, graph) > 0;
}

/** Current facts of a graph. */
export function factsOf(snapshot: StorageSnapshot, graph: TermId): number {
  return snapshot.count({ graphs: { kind: 'one', graph }, pattern: {}, time: CURRENT });
}

/** True for a graph that can be read: ROOT, the meta graph, one with a row, one with facts. */
export function graphExists(snapshot: StorageSnapshot, iri: string): boolean {
  const graph = snapshot.encode(terms.namedNode(iri));
  if (graph === null) return false;
  if (graph === ROOT_ID || iri === META_GRAPH_IRI) return true;
  return iri !== REGISTRY.value && !isTombstones(iri) && (hasRow(snapshot, graph) || factsOf(snapshot, graph) > 0);
}

/** Ids of the graphs with rows, ascending. */
export function registeredIds(snapshot: StorageSnapshot): TermId[] {
  return subjectsOf(snapshot, CLASS);
}

/** Ids of the registered graphs that a free `GRAPH ?g` must not bind. */
export function hiddenIds(snapshot: StorageSnapshot): TermId[] {
  return subjectsOf(snapshot, HIDDEN);
}

/** Ids of the overlays. */
export function overlayIds(snapshot: StorageSnapshot): TermId[] {
  const [p, o] = [snapshot.encode(CLASS, true), snapshot.encode(OVERLAY, true)];
  if (p === null || o === null) return [];
  return idsOf(snapshot, { p: exactly(p), o: exactly(o) }, ['s']).flat();
}

/** Ids of the overlays and of what they take away: graphs outside of events. */
export function overlaidIds(snapshot: StorageSnapshot): TermId[] {
  const overlays = overlayIds(snapshot);
  return overlays.length === 0 ? overlays : [...overlays, ...tombstoneIds(snapshot)];
}

/** IRIs of the graphs that are frozen. */
export function frozenGraphs(snapshot: StorageSnapshot): string[] {
  return decodeIds(snapshot, frozenIds(snapshot)).map(({ value }) => value);
}

export function frozenIds(snapshot: StorageSnapshot): TermId[] {
  return subjectsOf(snapshot, LIFECYCLE);
}

/** True for a graph that an overlay lies over. */
export function hasOverlay(snapshot: StorageSnapshot, graph: TermId): boolean {
  const p = snapshot.encode(PARENT, true);
  return p !== null && idsOf(snapshot, { p: exactly(p), o: exactly(graph) }, ['s']).length > 0;
}

/** Ids of overlays, each with that of what it lies over, or ever lay over. */
export function everParentIds(snapshot: StorageSnapshot): TermId[][] {
  const p = snapshot.encode(PARENT, true);
  return p === null ? [] : idsOf(snapshot, { p: exactly(p) }, ['s', 'o'], { kind: 'all' });
}

function subjectsOf(snapshot: StorageSnapshot, name: Quad['predicate']): TermId[] {
  const p = snapshot.encode(name, true);
  if (p === null) return [];
  const ids = idsOf(snapshot, { p: exactly(p) }, ['s']).flat();
  return [...new Set(ids)].sort((a, b) => (a < b ? -1 : 1));
}

/** Ids of some columns of the registry's rows that match. */
export function idsOf(
  snapshot: StorageSnapshot,
  pattern: ScanPattern,
  columns: readonly ('s' | 'p' | 'o')[],
  time: TimeSlice = CURRENT,
): TermId[][] {
  const graph = registryId(snapshot);
  if (graph === null) return [];
  const found: TermId[][] = [];
  for (const batch of readRows(snapshot, { graphs: { kind: 'one', graph }, pattern, time, columns })) {
    for (let row = 0; row < batch.rows; row++) found.push(columns.map((name) => batch.id(name, row)));
  }
  return found;
}
