/**
 * A graph to be looked at (semantics of reasoning, 10.4): the entities of ROOT with the most connections, and the edges
 * between them.
 *
 * 1. Candidates are IRIs that are subject of some fact, but for activities of episodes.
 * 2. Degrees count the edges between candidates, each once for its ends and its label, before anything is cut. They are counted
 *    while the rows pass, in the order of their objects, by term number: a few bytes a term, however many edges there are.
 * 3. Candidates are ranked by degree, then by IRI; edges are those between the nodes that are left.
 */

import { compareCodePoints, localPart } from '../../base/text.js';
import { RDF_NS, type Term, terms } from '../../rdf/terms.js';
import { payloadOfHalves } from '../../storage/ids/halves.js';
import { makeId, payloadOf, TAG, type TermId } from '../../storage/ids/layout.js';
import { decodeIds, exactly, idIn, ROOT_ONLY, readRows } from '../../storage/seam/rows.js';
import { CURRENT, type IdColumn, type StorageSnapshot } from '../../storage/seam/scan.js';
import { IRIS, instancesOf, WRITTEN_PREDICATES } from './build.js';
import type { GraphLimits } from './memory-bound.js';
import type { Pace } from './pace.js';
import { rankedNodes } from './ranking.js';

const RDFS_NS = 'http://www.w3.org/2000/01/rdf-schema#';
const PROV_NS = 'http://www.w3.org/ns/prov#';
const LIMIT = 250;
const LIMIT_MAX = 2000;
const EDGES_MAX = 4000;
/** Facts about classes, instances and provenance are no edges. */
const SCAFFOLDING = [RDF_NS, RDFS_NS, PROV_NS];
/** Candidates whose IRIs are read at a time. */
const CHUNK = 4096;

export interface ViewOptions {
  /** Most nodes: 1 to 2,000, default 250. */
  readonly limit?: number | undefined;
  /** Only nodes of this type, as it is asserted. */
  readonly type?: string | undefined;
  /** With the activities of episodes; default false. */
  readonly includeEpisodes?: boolean | undefined;
}

export interface ViewNode {
  readonly iri: string;
  readonly label: string;
  /** The least IRI of its types; null = none. */
  readonly type: string | null;
  /** Its edges, those to nodes that are not shown included. */
  readonly degree: number;
}

export interface GraphView {
  /** By degree descending, then by IRI. */
  readonly nodes: readonly ViewNode[];
  /** Places of nodes, and the local name of the predicate. */
  readonly edges: readonly (readonly [from: number, to: number, label: string])[];
  /** Types of the nodes that are shown, each node counted under the one that is shown. */
  readonly types: readonly { readonly iri: string; readonly label: string; readonly count: number }[];
  /** Nodes, and edges between the nodes shown, before they were cut. */
  readonly nodesOf: number;
  readonly edgesOf: number;
}

export async function viewGraph(
  snapshot: StorageSnapshot,
  options: ViewOptions,
  { pace, memory }: GraphLimits,
): Promise<GraphView> {
  const limit = Math.min(Math.max(options.limit ?? LIMIT, 1), LIMIT_MAX);
  const candidates = await candidatesOf(snapshot, options, { pace, memory });
  const labels = new EdgeLabels(snapshot);
  const degrees = await degreesOf(snapshot, candidates, labels, { pace, memory });
  const shown = await best(snapshot, { candidates, degrees }, limit, pace);
  const between = await edgesAmong(snapshot, shown, labels, pace);
  const nodes = describe(snapshot, shown, degrees);
  return {
    nodes,
    edges: cutEdges(between),
    types: censusOf(snapshot, nodes),
    nodesOf: candidates.count,
    edgesOf: between.length,
  };
}

interface Candidates {
  readonly count: number;
  /** By term number. */
  readonly isKept: Uint8Array;
}

const idOf = (number: number): TermId => makeId(TAG.iri, 0, BigInt(number));

async function candidatesOf(
  snapshot: StorageSnapshot,
  { type, includeEpisodes = false }: ViewOptions,
  { pace, memory }: GraphLimits,
): Promise<Candidates> {
  const activities = includeEpisodes ? null : await instancesOf(snapshot, ROOT_ONLY, `${PROV_NS}Activity`, pace);
  const ofType = type === undefined ? null : await instancesOf(snapshot, ROOT_ONLY, type, pace);
  let isKept = new Uint8Array(CHUNK);
  let count = 0;
  const request = { graphs: ROOT_ONLY, pattern: { s: IRIS }, order: 'SPOG', time: CURRENT, columns: ['s'] } as const;
  let last = -1;
  for (const batch of readRows(snapshot, request)) {
    const s = batch.column('s');
    for (let row = 0; row < batch.rows; row++) {
      const number = payloadOfHalves(s[2 * row] as number, s[2 * row + 1] as number);
      if (number === last) continue;
      last = number;
      if (activities?.has(number) || ofType?.has(number) === false) continue;
      if (number >= isKept.length) {
        const length = Math.max(number + 1, 2 * isKept.length);
        memory.check(length + isKept.length);
        const larger = new Uint8Array(length);
        larger.set(isKept);
        isKept = larger;
      }
      isKept[number] = 1;
      count++;
    }
    if (pace.spend(64 * batch.rows)) await pace.turn();
  }
  memory.hold(isKept.length);
  return { count, isKept: isKept.subarray(0, last + 1) };
}

/** Of predicates the local name, numbered; -1 = its facts are no edges. */
class EdgeLabels {
  /** By term number of the predicate. */
  readonly #known = new Map<number, number>();
  readonly names: string[] = [];

  constructor(private readonly snapshot: StorageSnapshot) {}

  of(predicate: TermId): number {
    const number = Number(payloadOf(predicate));
    let place = this.#known.get(number);
    if (place === undefined) {
      const [term] = decodeIds(this.snapshot, [predicate]);
      place = this.#placeOf((term as Term).value);
      this.#known.set(number, place);
    }
    return place;
  }

  #placeOf(iri: string): number {
    if (WRITTEN_PREDICATES.includes(iri) || SCAFFOLDING.some((namespace) => iri.startsWith(namespace))) return -1;
    const name = localPart(iri);
    const known = this.names.indexOf(name);
    return known >= 0 ? known : this.names.push(name) - 1;
  }
}

/** Edges at each candidate, by term number; one from a node to itself is counted once. */
async function degreesOf(
  snapshot: StorageSnapshot,
  { isKept }: Candidates,
  labels: EdgeLabels,
  { pace, memory }: GraphLimits,
): Promise<Uint32Array> {
  memory.hold(4 * isKept.length);
  const degrees = new Uint32Array(isKept.length);
  const pattern = { s: IRIS, o: IRIS };
  // Facts with the same ends follow one another.
  const request = { graphs: ROOT_ONLY, pattern, order: 'OSPG', time: CURRENT, columns: ['s', 'p', 'o'] } as const;
  let [source, target, seen] = [-1, -1, [] as number[]];
  let [low, high, label] = [0, 0, -1];
  for (const batch of readRows(snapshot, request)) {
    const [s, p, o] = [batch.column('s'), batch.column('p'), batch.column('o')];
    for (let row = 0; row < batch.rows; row++) {
      const [from, to] = [numberIn(s, row), numberIn(o, row)];
      if (isKept[from] !== 1 || isKept[to] !== 1) continue;
      const [pLow, pHigh] = [p[2 * row] as number, p[2 * row + 1] as number];
      if (pLow !== low || pHigh !== high) [low, high, label] = [pLow, pHigh, labels.of(idIn(p, row))];
      if (label < 0) continue;
      if (from !== source || to !== target) [source, target, seen] = [from, to, []];
      if (seen.includes(label)) continue;
      seen.push(label);
      degrees[from] = (degrees[from] as number) + 1;
      if (to !== from) degrees[to] = (degrees[to] as number) + 1;
    }
    if (pace.spend(64 * batch.rows)) await pace.turn();
  }
  return degrees;
}

const numberIn = (column: IdColumn, row: number): number =>
  payloadOfHalves(column[2 * row] as number, column[2 * row + 1] as number);

interface Ranked {
  readonly candidates: Candidates;
  readonly degrees: Uint32Array;
}

/** The term numbers of the candidates with the most edges, by degree, then by IRI. */
async function best(
  snapshot: StorageSnapshot,
  { candidates: { isKept, count }, degrees }: Ranked,
  limit: number,
  pace: Pace,
): Promise<number[]> {
  const wanted = Math.min(limit, count);
  if (wanted === 0) return [];
  const ranked = rankedNodes(degrees, 0, wanted);
  // Those with the least degree are chosen by their IRIs from all that have it.
  const least = degrees[ranked.at(-1) as number] as number;
  const above = ranked.filter((number) => (degrees[number] as number) > least);
  const byIri = await firstByIri(snapshot, { isKept, degrees, degree: least }, wanted - above.length, pace);
  const iris = irisOf(snapshot, above);
  const order = above.map((number, at) => ({ number, iri: iris[at] as string }));
  order.sort(
    (a, b) => (degrees[b.number] as number) - (degrees[a.number] as number) || compareCodePoints(a.iri, b.iri),
  );
  return [...order.map(({ number }) => number), ...byIri];
}

async function firstByIri(
  snapshot: StorageSnapshot,
  of: { readonly isKept: Uint8Array; readonly degrees: Uint32Array; readonly degree: number },
  wanted: number,
  pace: Pace,
): Promise<number[]> {
  const { isKept, degrees, degree } = of;
  let found: { readonly number: number; readonly iri: string }[] = [];
  let chunk: number[] = [];
  const take = (): void => {
    const iris = irisOf(snapshot, chunk);
    for (const [at, number] of chunk.entries()) found.push({ number, iri: iris[at] as string });
    found = found.sort((a, b) => compareCodePoints(a.iri, b.iri)).slice(0, wanted);
    chunk = [];
  };
  for (let number = 0; number < isKept.length; number++) {
    if (isKept[number] !== 1 || degrees[number] !== degree) continue;
    if (chunk.push(number) < CHUNK) continue;
    take();
    if (pace.spend(64 * CHUNK)) await pace.turn();
  }
  take();
  return found.map(({ number }) => number);
}

function irisOf(snapshot: StorageSnapshot, numbers: readonly number[]): string[] {
  return decodeIds(snapshot, numbers.map(idOf)).map(({ value }) => value);
}

type ViewEdge = readonly [from: number, to: number, label: string];

/** The edges between some nodes, by their places in that list; those between two nodes under one label once. */
async function edgesAmong(
  snapshot: StorageSnapshot,
  shown: readonly number[],
  labels: EdgeLabels,
  pace: Pace,
): Promise<ViewEdge[]> {
  const places = new Map(shown.map((number, place) => [number, place]));
  const edges = new Map<string, ViewEdge>();
  for (const [number, from] of places) {
    const pattern = { s: exactly(idOf(number)), o: IRIS };
    const request = { graphs: ROOT_ONLY, pattern, order: 'SPOG', time: CURRENT, columns: ['p', 'o'] } as const;
    for (const batch of readRows(snapshot, request)) {
      const [p, o] = [batch.column('p'), batch.column('o')];
      for (let row = 0; row < batch.rows; row++) {
        const to = places.get(numberIn(o, row));
        const label = to === undefined ? -1 : labels.of(idIn(p, row));
        if (to !== undefined && label >= 0)
          edges.set(`${from} ${to} ${label}`, [from, to, labels.names[label] as string]);
      }
      if (pace.spend(64 * batch.rows)) await pace.turn();
    }
  }
  return [...edges.values()].sort(([a, b, c], [d, e, f]) => a - d || b - e || compareCodePoints(c, f));
}

/** Those among the nodes that are ranked highest, where there are too many. */
function cutEdges(edges: readonly ViewEdge[]): readonly ViewEdge[] {
  if (edges.length <= EDGES_MAX) return edges;
  const places = edges.map((_, place) => place);
  const depth = ([from, to]: ViewEdge): number => Math.max(from, to);
  places.sort((a, b) => depth(edges[a] as ViewEdge) - depth(edges[b] as ViewEdge) || a - b);
  const kept = places.slice(0, EDGES_MAX).sort((a, b) => a - b);
  return kept.map((place) => edges[place] as ViewEdge);
}

/** The names of nodes, from their current facts. */
function describe(snapshot: StorageSnapshot, shown: readonly number[], degrees: Uint32Array): ViewNode[] {
  const ids = shown.map(idOf);
  const iris = irisOf(snapshot, shown);
  const labels = leastValues(snapshot, ids, `${RDFS_NS}label`);
  const types = leastValues(snapshot, ids, `${RDF_NS}type`);
  return shown.map((number, at) => {
    const iri = iris[at] as string;
    const label = labels[at] ?? localPart(iri);
    return { iri, label, type: types[at] ?? null, degree: degrees[number] as number };
  });
}

/** Of each subject the least value of a predicate: of labels the literals count, of types the IRIs. */
function leastValues(snapshot: StorageSnapshot, subjects: readonly TermId[], predicate: string): (string | null)[] {
  const p = snapshot.encode(terms.namedNode(predicate));
  if (p === null) return subjects.map(() => null);
  const wanted = predicate === `${RDFS_NS}label` ? 'Literal' : 'NamedNode';
  return subjects.map((s) => {
    const pattern = { s: exactly(s), p: exactly(p) };
    const values: string[] = [];
    for (const batch of readRows(snapshot, { graphs: ROOT_ONLY, pattern, time: CURRENT, columns: ['o'] })) {
      const found = snapshot.decode(batch.column('o'), batch.rows);
      for (const { termType, value } of found) if (termType === wanted) values.push(value);
    }
    return values.sort(compareCodePoints)[0] ?? null;
  });
}

function censusOf(snapshot: StorageSnapshot, nodes: readonly ViewNode[]) {
  const counts = new Map<string, number>();
  for (const { type } of nodes) if (type !== null) counts.set(type, (counts.get(type) ?? 0) + 1);
  const types = [...counts].sort(([a, x], [b, y]) => y - x || compareCodePoints(a, b));
  const ids = types.map(([iri]) => snapshot.encode(terms.namedNode(iri)) as TermId);
  const labels = leastValues(snapshot, ids, `${RDFS_NS}label`);
  return types.map(([iri, count], at) => ({ iri, label: labels[at] ?? localPart(iri), count }));
}
