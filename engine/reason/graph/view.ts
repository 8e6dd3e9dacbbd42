/**
 * A graph to be looked at (semantics of reasoning, 10.4): the entities of ROOT with the most connections, and the edges
 * between them.
 *
 * 1. Candidates are IRIs that are subject of some fact, but for activities of episodes.
 * 2. Degrees count the edges between candidates, each once for its ends and its label, before anything is cut.
 * 3. Candidates are ranked by degree, then by IRI; edges are those between the nodes that are left.
 */

import { compareCodePoints, localPart } from '../../base/text.js';
import { RDF_NS, terms } from '../../rdf/terms.js';
import { payloadOfHalves } from '../../storage/ids/halves.js';
import { makeId, TAG, type TermId } from '../../storage/ids/layout.js';
import { decodeIds, exactly, idIn, ROOT_ONLY, readRows } from '../../storage/seam/rows.js';
import { CURRENT, type StorageSnapshot } from '../../storage/seam/scan.js';
import { IRIS, instancesOf } from './build.js';
import type { Pace } from './pace.js';
import type { Projection } from './projection.js';
import { rankedNodes } from './ranking.js';
import { predicateIris } from './report.js';

const RDFS_NS = 'http://www.w3.org/2000/01/rdf-schema#';
const PROV_NS = 'http://www.w3.org/ns/prov#';
const LIMIT = 250;
const LIMIT_MAX = 2000;
const EDGES_MAX = 4000;
/** Facts about classes, instances and provenance are no edges. */
const SCAFFOLDING = [RDF_NS, RDFS_NS, PROV_NS];
/** Subjects whose IRIs are read at a time. */
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

/** `projection`: of ROOT, without filters. */
export async function viewGraph(
  snapshot: StorageSnapshot,
  projection: Projection,
  options: ViewOptions,
  pace: Pace,
): Promise<GraphView> {
  const limit = Math.min(Math.max(options.limit ?? LIMIT, 1), LIMIT_MAX);
  const candidates = await candidatesOf(snapshot, projection, options, pace);
  const labels = labelsOfPredicates(snapshot, projection);
  const edges = new ViewEdges(projection, candidates.isKept, labels);
  const degrees = await edges.degrees(pace);
  const connected = rankedNodes(degrees, 0, limit).filter((node) => (degrees[node] as number) > 0);
  const shown: Shown[] = connected.map((node) => ({ id: idIn(projection.names.idsOf([node]), 0), node }));
  if (shown.length < limit)
    shown.push(...(await unconnected(snapshot, projection, { candidates, degrees }, limit - shown.length, pace)));
  const between = edges.among(shown.map(({ node }) => node));
  const nodes = describe(snapshot, shown, degrees);
  return {
    nodes,
    edges: cutEdges(between),
    types: censusOf(snapshot, nodes),
    nodesOf: candidates.count,
    edgesOf: between.length,
  };
}

interface Shown {
  readonly id: TermId;
  /** Of the projection; -1 = it has no edges at all. */
  readonly node: number;
}

interface Candidates {
  readonly count: number;
  /** Of each node of the projection. */
  readonly isKept: Uint8Array;
  /** Those that the projection does not have. */
  readonly others: readonly TermId[];
}

async function candidatesOf(
  snapshot: StorageSnapshot,
  { nodes, names }: Projection,
  { type, includeEpisodes = false }: ViewOptions,
  pace: Pace,
): Promise<Candidates> {
  const activities = includeEpisodes ? null : await instancesOf(snapshot, ROOT_ONLY, `${PROV_NS}Activity`, pace);
  const ofType = type === undefined ? null : await instancesOf(snapshot, ROOT_ONLY, type, pace);
  const isKept = new Uint8Array(nodes);
  const others: TermId[] = [];
  let count = 0;
  const request = { graphs: ROOT_ONLY, pattern: { s: IRIS }, order: 'SPOG', time: CURRENT, columns: ['s'] } as const;
  let [low, high] = [0, 0];
  for (const batch of readRows(snapshot, request)) {
    const s = batch.column('s');
    for (let row = 0; row < batch.rows; row++) {
      if (s[2 * row] === low && s[2 * row + 1] === high) continue;
      [low, high] = [s[2 * row] as number, s[2 * row + 1] as number];
      const number = payloadOfHalves(low, high);
      if (activities?.has(number) || ofType?.has(number) === false) continue;
      const id = makeId(TAG.iri, 0, BigInt(number));
      const node = names.nodeOfId(id);
      if (node === null) others.push(id);
      else isKept[node] = 1;
      count++;
    }
    if (pace.spend(64 * batch.rows)) await pace.turn();
  }
  return { count, isKept, others };
}

/** Of each predicate the local name, as a place in a list of them; -1 = its facts are no edges. */
function labelsOfPredicates(snapshot: StorageSnapshot, projection: Projection) {
  const iris = predicateIris(snapshot, projection);
  const names = [...new Set(iris.map(localPart))].sort(compareCodePoints);
  const places = new Map(names.map((name, place) => [name, place]));
  const isScaffolding = (iri: string) => SCAFFOLDING.some((namespace) => iri.startsWith(namespace));
  const ofPredicate = iris.map((iri) => (isScaffolding(iri) ? -1 : (places.get(localPart(iri)) as number)));
  return { names, ofPredicate: Int32Array.from(ofPredicate) };
}

type ViewEdge = readonly [from: number, to: number, label: string];

class ViewEdges {
  constructor(
    private readonly projection: Projection,
    private readonly isKept: Uint8Array,
    private readonly labels: ReturnType<typeof labelsOfPredicates>,
  ) {}

  /** Edges at each node, one from a node to itself counted once. */
  async degrees(pace: Pace): Promise<Uint32Array> {
    const { nodes } = this.projection;
    const degrees = new Uint32Array(nodes);
    for (let node = 0; node < nodes; node++) {
      const seen = this.#each(node, (target) => {
        degrees[node] = (degrees[node] as number) + 1;
        if (target !== node) degrees[target] = (degrees[target] as number) + 1;
      });
      if (pace.spend(8 * seen)) await pace.turn();
    }
    return degrees;
  }

  /** The edges between some nodes, by their places in that list. */
  among(nodes: readonly number[]): ViewEdge[] {
    const places = new Map(nodes.flatMap((node, place) => (node < 0 ? [] : [[node, place] as const])));
    const edges: ViewEdge[] = [];
    for (const [node, from] of places) {
      this.#each(node, (target, label) => {
        const to = places.get(target);
        if (to !== undefined) edges.push([from, to, this.labels.names[label] as string]);
      });
    }
    return edges.sort(([a, b, c], [d, e, f]) => a - d || b - e || compareCodePoints(c, f));
  }

  /** The edges from a node, those to one target under one label once; returns how many were looked at. */
  #each(node: number, take: (target: number, label: number) => void): number {
    const { out, edgePredicates } = this.projection;
    const [from, end] = [out.starts[node] as number, out.starts[node + 1] as number];
    if (this.isKept[node] === 0) return 0;
    let [last, seen] = [-1, [] as number[]];
    for (let edge = from; edge < end; edge++) {
      const target = out.ends[edge] as number;
      const label = this.labels.ofPredicate[edgePredicates[edge] as number] as number;
      if (label < 0 || this.isKept[target] === 0) continue;
      if (target !== last) [last, seen] = [target, []];
      if (seen.includes(label)) continue;
      seen.push(label);
      take(target, label);
    }
    return end - from;
  }
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

/** The first candidates by IRI that have no edges. */
async function unconnected(
  snapshot: StorageSnapshot,
  { nodes, names }: Projection,
  { candidates: { isKept, others }, degrees }: { readonly candidates: Candidates; readonly degrees: Uint32Array },
  wanted: number,
  pace: Pace,
): Promise<Shown[]> {
  const lone: number[] = [];
  for (let node = 0; node < nodes && lone.length < wanted; node++) {
    if (isKept[node] === 1 && degrees[node] === 0) lone.push(node);
  }
  const loneIris = names.irisOf(snapshot, lone);
  let found = lone.map((node, at) => ({ id: idIn(names.idsOf([node]), 0), node, iri: loneIris[at] as string }));
  const first = () => {
    found = found.sort((a, b) => compareCodePoints(a.iri, b.iri)).slice(0, wanted);
  };
  for (let from = 0; from < others.length; from += CHUNK) {
    const ids = others.slice(from, from + CHUNK);
    for (const [at, { value }] of decodeIds(snapshot, ids).entries()) {
      found.push({ id: ids[at] as TermId, node: -1, iri: value });
    }
    first();
    if (pace.spend(64 * CHUNK)) await pace.turn();
  }
  first();
  return found;
}

/** The names of nodes, from their current facts. */
function describe(snapshot: StorageSnapshot, shown: readonly Shown[], degrees: Uint32Array): ViewNode[] {
  const iris = decodeIds(
    snapshot,
    shown.map(({ id }) => id),
  ).map(({ value }) => value);
  const ids = shown.map(({ id }) => id);
  const labels = leastValues(snapshot, ids, `${RDFS_NS}label`);
  const types = leastValues(snapshot, ids, `${RDF_NS}type`);
  return shown.map(({ node }, at) => {
    const iri = iris[at] as string;
    const label = labels[at] ?? localPart(iri);
    return { iri, label, type: types[at] ?? null, degree: node < 0 ? 0 : (degrees[node] as number) };
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
