/**
 * What is worth knowing of a graph at a glance (semantics of reasoning, 10.3): its hubs by PageRank, the edges that join
 * communities which few edges join, and questions that these suggest. The same graph gives the same report.
 */

import { compareCodePoints, localPart } from '../../base/text.js';
import { decodeIds } from '../../storage/seam/rows.js';
import type { StorageSnapshot } from '../../storage/seam/scan.js';
import { louvain } from './algorithms/louvain.js';
import { pageRank } from './algorithms/page-rank.js';
import { membersOf, type Partition } from './algorithms/partition.js';
import type { GraphLimits } from './memory-bound.js';
import type { Pace } from './pace.js';
import type { Projection } from './projection.js';
import { rankedNodes } from './ranking.js';
import { DAMPING, ITERATIONS_MAX, TOLERANCE } from './request.js';
import { communityIri, inDegrees } from './run.js';
import { withSortedColumn } from './sort-column.js';

const HUBS = 10;
const SURPRISES = 10;
const QUESTIONS = 8;
const ENTRIES_MAX = 10_000;
/** Connections beyond those that are wanted, from which on the list of them is cut. */
const KEPT_BRIDGES = 1024;

export interface ReportOptions {
  /** Most hubs, connections and questions: 0 to 10,000; default 10, 10 and 8. */
  readonly hubs?: number | undefined;
  readonly surprises?: number | undefined;
  readonly questions?: number | undefined;
}

export interface Hub {
  readonly entity: string;
  readonly pageRank: number;
  readonly inDegree: number;
}

/** An edge between two communities. */
export interface SurprisingConnection {
  readonly from: string;
  readonly to: string;
  readonly predicate: string;
  readonly communityFrom: string;
  readonly communityTo: string;
  /** Edges between the two communities, either way. */
  readonly bridgeRarity: number;
}

export interface GraphReport {
  readonly nodes: number;
  readonly edges: number;
  readonly communities: number;
  readonly modularity: number;
  readonly hubs: readonly Hub[];
  readonly surprisingConnections: readonly SurprisingConnection[];
  readonly suggestedQuestions: readonly string[];
}

export async function reportOn(
  snapshot: StorageSnapshot,
  projection: Projection,
  options: ReportOptions,
  limits: GraphLimits,
): Promise<GraphReport> {
  const [hubsMax, surprisesMax, questionsMax] = [
    clamped(options.hubs, HUBS),
    clamped(options.surprises, SURPRISES),
    clamped(options.questions, QUESTIONS),
  ];
  const walk = { seeds: [], damping: DAMPING, iterationsMax: ITERATIONS_MAX, tolerance: TOLERANCE };
  const { ranks } = await pageRank(projection, walk, limits);
  const { modularity, ...partition } = await louvain(projection, limits);
  const hubs = hubsOf(snapshot, projection, ranks, hubsMax);
  const bridges = await rarestBridges(snapshot, { projection, partition, ranks }, surprisesMax, limits.pace);
  const surprisingConnections = shownBridges(snapshot, projection, partition, bridges);
  const largest = largestCommunity(snapshot, projection, partition);
  return {
    nodes: projection.nodes,
    edges: projection.edges,
    communities: partition.sizes.length,
    modularity,
    hubs,
    surprisingConnections,
    suggestedQuestions: questionsOn(hubs, surprisingConnections, largest).slice(0, questionsMax),
  };
}

function clamped(given: number | undefined, absent: number): number {
  return Math.min(Math.max(given ?? absent, 0), ENTRIES_MAX);
}

function hubsOf(snapshot: StorageSnapshot, projection: Projection, ranks: Float64Array, hubsMax: number): Hub[] {
  const nodes = rankedNodes(ranks, 0, hubsMax);
  const iris = projection.names.irisOf(snapshot, nodes);
  const degrees = inDegrees(projection);
  return nodes.map((node, at) => ({
    entity: iris[at] as string,
    pageRank: ranks[node] as number,
    inDegree: degrees[node] as number,
  }));
}

interface Measured {
  readonly projection: Projection;
  readonly partition: Partition;
  readonly ranks: Float64Array;
}

/** An edge by its place among those of the projection. */
interface Bridge {
  readonly from: number;
  readonly to: number;
  readonly edge: number;
  readonly rarity: number;
  readonly rank: number;
}

/** The first of all edges between communities, by rarity, by the ranks of their ends, by their IRIs. */
async function rarestBridges(
  snapshot: StorageSnapshot,
  { projection, partition, ranks }: Measured,
  wanted: number,
  pace: Pace,
): Promise<Bridge[]> {
  if (wanted === 0) return [];
  const order = predicateOrder(snapshot, projection);
  const predicateRank = (edge: number): number => order[projection.edgePredicates[edge] as number] as number;
  const compare = (a: Bridge, b: Bridge): number =>
    a.rarity - b.rarity ||
    b.rank - a.rank ||
    a.from - b.from ||
    a.to - b.to ||
    predicateRank(a.edge) - predicateRank(b.edge);
  const { pairs, edges } = bridgesOf(projection, partition);
  await pace.turn();
  return withSortedColumn(pairs, (sorted, rows) => {
    const rarityMax = rarityOfLast(sorted, wanted);
    let kept: Bridge[] = [];
    // Of the greatest rarity that is needed there may be many: only those of high rank can be among the first.
    let rankMin = Number.NEGATIVE_INFINITY;
    for (const [from, to] of runsOf(sorted)) {
      const rarity = to - from;
      if (rarity > rarityMax) continue;
      for (let at = from; at < to; at++) {
        const edge = edges[rows[at] as number] as number;
        const ends = { from: sourceOf(projection, edge), to: projection.out.ends[edge] as number };
        const rank = (ranks[ends.from] as number) + (ranks[ends.to] as number);
        if (rarity === rarityMax && rank < rankMin) continue;
        kept.push({ ...ends, edge, rarity, rank });
      }
      if (kept.length < 2 * wanted + KEPT_BRIDGES) continue;
      kept = kept.sort(compare).slice(0, wanted);
      const last = kept[wanted - 1] as Bridge;
      if (last.rarity === rarityMax) rankMin = last.rank;
    }
    return kept.sort(compare).slice(0, wanted);
  });
}

/** The edges between communities, and of each the pair of these as one key, whichever way the edge goes. */
function bridgesOf({ nodes, out: { starts, ends } }: Projection, { groupOf }: Partition) {
  let count = 0;
  for (let node = 0; node < nodes; node++) {
    const end = starts[node + 1] as number;
    for (let edge = starts[node] as number; edge < end; edge++) {
      if (groupOf[ends[edge] as number] !== groupOf[node]) count++;
    }
  }
  const pairs = new Uint32Array(2 * count);
  const edges = new Uint32Array(count);
  let at = 0;
  for (let node = 0; node < nodes; node++) {
    const group = groupOf[node] as number;
    const end = starts[node + 1] as number;
    for (let edge = starts[node] as number; edge < end; edge++) {
      const other = groupOf[ends[edge] as number] as number;
      if (other === group) continue;
      pairs[2 * at] = Math.max(group, other);
      pairs[2 * at + 1] = Math.min(group, other);
      edges[at++] = edge;
    }
  }
  return { pairs, edges };
}

/** Half-open ranges of equal keys. */
function* runsOf(keys: Uint32Array): Generator<readonly [from: number, to: number]> {
  const count = keys.length / 2;
  for (let from = 0; from < count; ) {
    let to = from + 1;
    while (to < count && keys[2 * to] === keys[2 * from] && keys[2 * to + 1] === keys[2 * from + 1]) to++;
    yield [from, to];
    from = to;
  }
}

/** The rarity of the last of so many edges, the rarest first. */
function rarityOfLast(pairs: Uint32Array, wanted: number): number {
  const byRarity = new Map<number, number>();
  for (const [from, to] of runsOf(pairs)) byRarity.set(to - from, (byRarity.get(to - from) ?? 0) + to - from);
  let edges = 0;
  for (const rarity of [...byRarity.keys()].sort((a, b) => a - b)) {
    edges += byRarity.get(rarity) as number;
    if (edges >= wanted) return rarity;
  }
  return Number.POSITIVE_INFINITY;
}

/** The node that an edge leaves. */
function sourceOf({ nodes, out: { starts } }: Projection, edge: number): number {
  let [low, high] = [0, nodes];
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((starts[middle + 1] as number) <= edge) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** Of each predicate its place in the order of their IRIs. */
function predicateOrder(snapshot: StorageSnapshot, projection: Projection): number[] {
  const iris = predicateIris(snapshot, projection);
  const places = iris.map((_, place) => place).sort((a, b) => compareCodePoints(iris[a] as string, iris[b] as string));
  const order: number[] = [];
  for (const [rank, place] of places.entries()) order[place] = rank;
  return order;
}

function predicateIris(snapshot: StorageSnapshot, { predicates }: Projection): string[] {
  return decodeIds(snapshot, predicates).map(({ value }) => value);
}

function shownBridges(
  snapshot: StorageSnapshot,
  projection: Projection,
  { groupOf }: Partition,
  bridges: readonly Bridge[],
): SurprisingConnection[] {
  const iris = projection.names.irisOf(
    snapshot,
    bridges.flatMap(({ from, to }) => [from, to]),
  );
  const predicates = predicateIris(snapshot, projection);
  return bridges.map(({ from, to, edge, rarity }, at) => ({
    from: iris[2 * at] as string,
    to: iris[2 * at + 1] as string,
    predicate: predicates[projection.edgePredicates[edge] as number] as string,
    communityFrom: communityIri(groupOf[from] as number),
    communityTo: communityIri(groupOf[to] as number),
    bridgeRarity: rarity,
  }));
}

interface NamedCommunity {
  readonly size: number;
  /** Its first members. */
  readonly entities: readonly string[];
}

const NAMED_MEMBERS = 3;

function largestCommunity(
  snapshot: StorageSnapshot,
  projection: Projection,
  partition: Partition,
): NamedCommunity | null {
  const [largest] = rankedNodes(partition.sizes, 0, 1);
  if (largest === undefined) return null;
  const members = membersOf(partition, [largest], NAMED_MEMBERS).get(largest) ?? [];
  return { size: partition.sizes[largest] as number, entities: projection.names.irisOf(snapshot, members) };
}

function questionsOn(
  hubs: readonly Hub[],
  connections: readonly SurprisingConnection[],
  largest: NamedCommunity | null,
): string[] {
  const questions = hubs.map(({ entity }) => `What is ${localPart(entity)}, and why is it so central?`);
  for (const { from, to, predicate } of connections) {
    questions.push(`Why is ${localPart(from)} connected to ${localPart(to)} by ${localPart(predicate)}?`);
  }
  if (largest === null) return questions;
  const { size, entities } = largest;
  const more = size > entities.length ? ' and others' : '';
  const whom = size === 1 ? '' : `, and what do its ${size} members have in common`;
  questions.push(`What is the community of ${entities.map(localPart).join(', ')}${more}${whom}?`);
  return questions;
}
