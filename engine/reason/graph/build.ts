/**
 * Makes a projection from the rows of a graph:
 *
 * 1. The rows are scanned in the order of their objects, of which those that are no IRIs are passed over.
 * 2. Subjects are sorted by their ids with radix passes; subjects and objects together are the nodes.
 * 3. Nodes are numbered in the order of their IRIs (`node-order.ts`).
 * 4. Counting sorts put the edges by target and source, then by source and target. Both are stable.
 */

import { useThreadMemory } from '../../kernels/thread-memory.js';
import { SVC_NS } from '../../query/registry/system-graphs.js';
import { RDF_NS, terms } from '../../rdf/terms.js';
import { idOfHalves, payloadOfHalves } from '../../storage/ids/halves.js';
import { makeId, TAG, TERM_NUMBER_MAX, type TermId } from '../../storage/ids/layout.js';
import { exactly, patternOf, readRows } from '../../storage/seam/rows.js';
import {
  CURRENT,
  type GraphSet,
  type IdColumn,
  type PositionTest,
  type ScanRequest,
  type StorageSnapshot,
} from '../../storage/seam/scan.js';
import type { GraphLimits, MemoryBound } from './memory-bound.js';
import { orderOfIris } from './node-order.js';
import type { Pace } from './pace.js';
import { type Adjacency, NodeNames, type NodeOrder, type Projection } from './projection.js';
import { withSortedColumn } from './sort-column.js';

/** Which facts are edges; absent = all. */
export interface EdgeFilters {
  /** Only edges whose subject has this asserted type. */
  readonly type?: string | undefined;
  /** Only edges of this predicate. */
  readonly predicate?: string | undefined;
}

export const COMMUNITY_PREDICATE = `${SVC_NS}memberOfCommunity`;
export const RANK_PREDICATE = `${SVC_NS}pageRank`;
/** What algorithms wrote is no edge of later ones. */
export const WRITTEN_PREDICATES: readonly string[] = [COMMUNITY_PREDICATE, RANK_PREDICATE];

const RDF_TYPE = terms.namedNode(`${RDF_NS}type`);
export const IRIS: PositionTest = {
  kind: 'ranges',
  ranges: [{ from: makeId(TAG.iri, 0, 0n), to: makeId(TAG.iri, 0, BigInt(TERM_NUMBER_MAX)) + 1n }],
};
/** Of an edge while a projection is made, and of a node. */
const EDGE_BYTES = 72;
const NODE_BYTES = 48;

/** Throws `query_complexity` when it needs more memory than there is; what it holds in the end counts for all that follows. */
export async function buildProjection(
  snapshot: StorageSnapshot,
  graphs: GraphSet,
  filters: EdgeFilters,
  { memory: bound, pace }: GraphLimits,
): Promise<Projection> {
  const edges = await readEdges(snapshot, graphs, filters, bound, pace);
  const leave = useThreadMemory();
  try {
    const sources = distinctSources(edges.subjects.subarray(0, 2 * edges.count));
    await pace.turn();
    const { ids, first, second } = mergedIds(sources.ids, edges.objects.subarray(0, 2 * edges.targets));
    bound.check(edges.count * EDGE_BYTES + (ids.length / 2) * NODE_BYTES);
    const order = await orderOfIris(snapshot, ids, bound, pace);
    renumber(sources.places, first, order);
    renumber(edges.targetPlaces.subarray(0, edges.count), second, order);
    await pace.turn();
    const projection = assemble(
      { ids, order, count: edges.count, predicates: edges.predicates },
      {
        sources: sources.places,
        targets: edges.targetPlaces.subarray(0, edges.count),
        predicates: edges.predicatePlaces.subarray(0, edges.count),
      },
    );
    bound.hold(projection.bytes);
    return projection;
  } finally {
    leave();
  }
}

interface ReadEdges {
  readonly count: number;
  readonly subjects: IdColumn;
  /** Distinct objects, ascending. */
  readonly objects: IdColumn;
  readonly targets: number;
  /** Of each edge its object, as a place among the objects; of each edge its predicate. */
  readonly targetPlaces: Uint32Array;
  readonly predicatePlaces: Uint32Array;
  readonly predicates: readonly TermId[];
}

const NO_EDGES: ReadEdges = {
  count: 0,
  subjects: new Uint32Array(0),
  objects: new Uint32Array(0),
  targets: 0,
  targetPlaces: new Uint32Array(0),
  predicatePlaces: new Uint32Array(0),
  predicates: [],
};

async function readEdges(
  snapshot: StorageSnapshot,
  graphs: GraphSet,
  { type, predicate }: EdgeFilters,
  bound: MemoryBound,
  pace: Pace,
): Promise<ReadEdges> {
  const p = predicate === undefined ? undefined : snapshot.encode(terms.namedNode(predicate));
  const isOfType = type === undefined ? null : await instancesOf(snapshot, graphs, type, pace);
  if (p === null || isOfType?.size === 0) return NO_EDGES;
  const pattern = { s: IRIS, o: IRIS, ...(p === undefined ? {} : { p: exactly(p) }) };
  const order = p === undefined ? 'OSPG' : 'POSG';
  const request: ScanRequest = { graphs, pattern, order, time: CURRENT, columns: ['s', 'p', 'o'] };
  const read = new EdgeReader(snapshot, isOfType);
  for (const batch of readRows(snapshot, request)) {
    read.take(batch.rows, batch.column('s'), batch.column('p'), batch.column('o'));
    if (!pace.spend(64 * batch.rows)) continue;
    bound.check(read.count * EDGE_BYTES);
    await pace.turn();
  }
  return read;
}

/** The subjects of a type, by their term numbers. */
export async function instancesOf(
  snapshot: StorageSnapshot,
  graphs: GraphSet,
  type: string,
  pace: Pace,
): Promise<ReadonlySet<number>> {
  const instances = new Set<number>();
  const [p, o] = [snapshot.encode(RDF_TYPE), snapshot.encode(terms.namedNode(type))];
  if (p === null || o === null) return instances;
  for (const batch of readRows(snapshot, { graphs, pattern: patternOf({ p, o }), time: CURRENT, columns: ['s'] })) {
    const s = batch.column('s');
    for (let row = 0; row < batch.rows; row++) {
      const [low, high] = [s[2 * row] as number, s[2 * row + 1] as number];
      if (high >>> 24 === TAG.iri) instances.add(payloadOfHalves(low, high));
    }
    if (pace.spend(16 * batch.rows)) await pace.turn();
  }
  return instances;
}

/** Gathers rows that come in the order of their objects. */
class EdgeReader implements ReadEdges {
  count = 0;
  targets = 0;
  subjects: IdColumn = new Uint32Array(2 * 4096);
  objects: IdColumn = new Uint32Array(2 * 4096);
  targetPlaces = new Uint32Array(4096);
  predicatePlaces = new Uint32Array(4096);
  readonly predicates: TermId[] = [];
  /** By term number; -1 = left out. */
  readonly #places = new Map<number, number>();

  constructor(
    snapshot: StorageSnapshot,
    private readonly isOfType: ReadonlySet<number> | null,
  ) {
    for (const iri of WRITTEN_PREDICATES) {
      const id = snapshot.encode(terms.namedNode(iri));
      if (id !== null) this.#places.set(Number(id & 0xffff_ffff_ffffn), -1);
    }
  }

  take(rows: number, s: IdColumn, p: IdColumn, o: IdColumn): void {
    this.#reserve(rows);
    const { subjects, objects, targetPlaces, predicatePlaces, isOfType } = this;
    let { count, targets } = this;
    let knownLow = 0;
    let knownHigh = 0;
    let place = -1;
    for (let row = 0; row < rows; row++) {
      const pLow = p[2 * row] as number;
      const pHigh = p[2 * row + 1] as number;
      if (pLow !== knownLow || pHigh !== knownHigh) {
        place = this.#placeOf(pLow, pHigh);
        knownLow = pLow;
        knownHigh = pHigh;
      }
      if (place < 0) continue;
      const low = s[2 * row] as number;
      const high = s[2 * row + 1] as number;
      if (isOfType !== null && !isOfType.has(payloadOfHalves(low, high))) continue;
      subjects[2 * count] = low;
      subjects[2 * count + 1] = high;
      const oLow = o[2 * row] as number;
      const oHigh = o[2 * row + 1] as number;
      if (targets === 0 || objects[2 * targets - 2] !== oLow || objects[2 * targets - 1] !== oHigh) {
        objects[2 * targets] = oLow;
        objects[2 * targets + 1] = oHigh;
        targets++;
      }
      targetPlaces[count] = targets - 1;
      predicatePlaces[count] = place;
      count++;
    }
    this.count = count;
    this.targets = targets;
  }

  #placeOf(low: number, high: number): number {
    const number = payloadOfHalves(low, high);
    let place = this.#places.get(number);
    if (place === undefined) {
      place = this.predicates.push(idOfHalves(low, high)) - 1;
      this.#places.set(number, place);
    }
    return place;
  }

  #reserve(rows: number): void {
    const needed = this.count + rows;
    const capacity = this.targetPlaces.length;
    if (needed <= capacity) return;
    const larger = Math.max(needed, 2 * capacity);
    this.subjects = grown(this.subjects, 2 * larger);
    this.objects = grown(this.objects, 2 * larger);
    this.targetPlaces = grown(this.targetPlaces, larger);
    this.predicatePlaces = grown(this.predicatePlaces, larger);
  }
}

function grown(words: Uint32Array, length: number): Uint32Array<ArrayBuffer> {
  const larger = new Uint32Array(length);
  larger.set(words);
  return larger;
}

/** The distinct ids of a column, ascending, and of each row the place of its id among them. */
function distinctSources(column: IdColumn): { readonly ids: IdColumn; readonly places: Uint32Array } {
  return withSortedColumn(column, (sorted, rows) => {
    const ids = new Uint32Array(sorted.length);
    const places = new Uint32Array(rows.length);
    let distinct = 0;
    for (let at = 0; at < rows.length; at++) {
      const low = sorted[2 * at] as number;
      const high = sorted[2 * at + 1] as number;
      if (distinct === 0 || ids[2 * distinct - 2] !== low || ids[2 * distinct - 1] !== high) {
        ids[2 * distinct] = low;
        ids[2 * distinct + 1] = high;
        distinct++;
      }
      places[rows[at] as number] = distinct - 1;
    }
    return { ids: ids.slice(0, 2 * distinct), places };
  });
}

/** Two ascending lists of distinct ids as one, and where the entries of each have come to stand. */
function mergedIds(a: IdColumn, b: IdColumn) {
  const [countA, countB] = [a.length / 2, b.length / 2];
  const first = new Uint32Array(countA);
  const second = new Uint32Array(countB);
  const ids = new Uint32Array(a.length + b.length);
  let [i, j, count] = [0, 0, 0];
  while (i < countA || j < countB) {
    const order = i === countA ? 1 : j === countB ? -1 : compareAt(a, i, b, j);
    const from = order <= 0 ? a : b;
    const at = order <= 0 ? i : j;
    ids[2 * count] = from[2 * at] as number;
    ids[2 * count + 1] = from[2 * at + 1] as number;
    if (order <= 0) first[i++] = count;
    if (order >= 0) second[j++] = count;
    count++;
  }
  return { ids: ids.slice(0, 2 * count), first, second };
}

function compareAt(a: IdColumn, i: number, b: IdColumn, j: number): number {
  const difference = (a[2 * i + 1] as number) - (b[2 * j + 1] as number);
  return difference !== 0 ? difference : (a[2 * i] as number) - (b[2 * j] as number);
}

/** Makes nodes of places in a list of ids, given where these stand among all. */
function renumber(places: Uint32Array, merged: Uint32Array, order: NodeOrder | null): void {
  if (order !== null) {
    const { rankOfPlace } = order;
    for (let at = 0; at < merged.length; at++) merged[at] = rankOfPlace[merged[at] as number] as number;
  }
  for (let at = 0; at < places.length; at++) places[at] = merged[places[at] as number] as number;
}

interface Parts {
  readonly ids: IdColumn;
  readonly order: NodeOrder | null;
  readonly count: number;
  readonly predicates: readonly TermId[];
}

interface Edges {
  readonly sources: Uint32Array;
  readonly targets: Uint32Array;
  readonly predicates: Uint32Array;
}

function assemble({ ids, order, count, predicates }: Parts, edges: Edges): Projection {
  const nodes = ids.length / 2;
  const byTarget = isByTarget(edges) ? edges : sorted(sorted(edges, 'sources', nodes), 'targets', nodes);
  const all = sorted(byTarget, 'sources', nodes);
  const out: Adjacency = { starts: startsOf(all.sources, nodes), ends: all.targets };
  const incoming: Adjacency = { starts: startsOf(byTarget.targets, nodes), ends: byTarget.sources };
  const names = new NodeNames(ids, order);
  const bytes = names.bytes + 8 * (nodes + 1) + 12 * count;
  return { nodes, edges: count, out, in: incoming, edgePredicates: all.predicates, predicates, names, bytes };
}

/** The edges by one of their ends, otherwise in the sequence in which they are; itself where they are so already. */
function sorted(edges: Edges, end: 'sources' | 'targets', nodes: number): Edges {
  const keys = edges[end];
  if (isAscending(keys)) return edges;
  const next = startsOf(keys, nodes).slice(0, nodes);
  const length = keys.length;
  const { sources, targets, predicates } = edges;
  const moved = {
    sources: new Uint32Array(length),
    targets: new Uint32Array(length),
    predicates: new Uint32Array(length),
  };
  for (let edge = 0; edge < length; edge++) {
    const key = keys[edge] as number;
    const to = next[key] as number;
    next[key] = to + 1;
    moved.sources[to] = sources[edge] as number;
    moved.targets[to] = targets[edge] as number;
    moved.predicates[to] = predicates[edge] as number;
  }
  return moved;
}

/** By target, then by source: as they are scanned where ids are in the order of IRIs. */
function isByTarget({ sources, targets }: Edges): boolean {
  for (let at = 1; at < targets.length; at++) {
    const step = (targets[at] as number) - (targets[at - 1] as number);
    if (step < 0 || (step === 0 && (sources[at] as number) < (sources[at - 1] as number))) return false;
  }
  return true;
}

function isAscending(keys: Uint32Array): boolean {
  for (let at = 1; at < keys.length; at++) if ((keys[at] as number) < (keys[at - 1] as number)) return false;
  return true;
}

/** Where the edges of each node begin in a list that is sorted by node; one entry more for the end. */
export function startsOf(keys: Uint32Array, nodes: number): Uint32Array {
  const starts = new Uint32Array(nodes + 1);
  for (let edge = 0; edge < keys.length; edge++) {
    const at = (keys[edge] as number) + 1;
    starts[at] = (starts[at] as number) + 1;
  }
  for (let node = 0; node < nodes; node++) starts[node + 1] = (starts[node + 1] as number) + (starts[node] as number);
  return starts;
}
