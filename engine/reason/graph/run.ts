/** What `/project` answers: an algorithm over a projection, and the part of its result that a page shows. */

import { SVC_NS } from '../../query/registry/system-graphs.js';
import type { StorageSnapshot } from '../../storage/seam/scan.js';
import { betweenness } from './algorithms/betweenness.js';
import { components } from './algorithms/components.js';
import { coreNumbers } from './algorithms/core-numbers.js';
import { leiden } from './algorithms/leiden.js';
import { louvain } from './algorithms/louvain.js';
import { pageRank } from './algorithms/page-rank.js';
import { membersOf, type Partition } from './algorithms/partition.js';
import { shortestPath } from './algorithms/shortest-path.js';
import { triangleCounts } from './algorithms/triangles.js';
import type { GraphLimits } from './memory-bound.js';
import { type Projection, requiredNode } from './projection.js';
import { rankedNodes } from './ranking.js';
import {
  type AlgorithmOptions,
  algorithmOf,
  checkAlgorithm,
  DAMPING,
  ITERATIONS_MAX,
  invalid,
  TOLERANCE,
} from './request.js';

const LIMIT = 20;
const LIMIT_MAX = 10_000;
/** Members of a group that an answer lists. */
const MEMBERS_MAX = 1000;

export interface RankedEntity {
  readonly entity: string;
  readonly value: number;
}

export interface Group {
  /** IRIs in order, the first 1,000 of them. */
  readonly entities: readonly string[];
  /** Of all. */
  readonly size: number;
  /** Of a community. */
  readonly community?: string | undefined;
}

interface Listed {
  /** True when there are more entries. */
  readonly truncated: boolean;
}

export type AlgorithmAnswer =
  | { readonly algorithm: 'stats'; readonly nodes: number; readonly edges: number }
  | ({
      readonly algorithm: 'in_degree' | 'betweenness' | 'kcore' | 'triangles';
      readonly results: readonly RankedEntity[];
    } & Listed)
  | ({
      readonly algorithm: 'pagerank';
      readonly results: readonly RankedEntity[];
      /** Seeds were given. */
      readonly personalized: boolean;
      /** Those of them that the projection does not have. */
      readonly unknownSeeds: readonly string[];
    } & Listed)
  | ({ readonly algorithm: 'components'; readonly components: readonly Group[] } & Listed)
  | ({
      readonly algorithm: 'louvain' | 'leiden';
      readonly communities: readonly Group[];
      readonly modularity: number;
    } & Listed)
  | {
      readonly algorithm: 'shortest_path';
      readonly from: string;
      readonly to: string;
      /** Both ends included; null = there is none. */
      readonly path: readonly string[] | null;
    };

/** What an algorithm says of every node. */
export type NodeValues =
  | { readonly kind: 'communities'; readonly partition: Partition }
  | { readonly kind: 'ranks'; readonly ranks: Float64Array };

export interface AlgorithmResult {
  readonly answer: AlgorithmAnswer;
  /** Of algorithms whose result can be persisted. */
  readonly values: NodeValues | null;
}

export function communityIri(community: number): string {
  return `${SVC_NS}community_${community}`;
}

/** Throws `invalid_request` for a request that makes no sense, `not_found_in_store` for ends of a path that are not there. */
export async function runAlgorithm(
  snapshot: StorageSnapshot,
  projection: Projection,
  options: AlgorithmOptions,
  limits: GraphLimits,
): Promise<AlgorithmResult> {
  checkAlgorithm(options);
  const page = new Page(snapshot, projection, options);
  const algorithm = algorithmOf(options.algorithm);
  const { pace } = limits;
  const only = (answer: AlgorithmAnswer): AlgorithmResult => ({ answer, values: null });
  switch (algorithm) {
    case 'stats':
      return only({ algorithm, nodes: projection.nodes, edges: projection.edges });
    case 'in_degree':
      return only({ algorithm, ...page.ranking(inDegrees(projection)) });
    case 'kcore':
      return only({ algorithm, ...page.ranking(await coreNumbers(projection, pace)) });
    case 'triangles':
      return only({ algorithm, ...page.ranking(await triangleCounts(projection, pace)) });
    case 'betweenness': {
      const { samples, randomSeed = 0 } = options;
      return only({ algorithm, ...page.ranking(await betweenness(projection, { samples, randomSeed }, pace)) });
    }
    case 'pagerank':
    case 'ppr':
      return runPageRank(page, options, limits);
    case 'components':
      return only({ algorithm, ...page.components(await components(projection, pace)) });
    case 'louvain': {
      const { modularity, ...partition } = await louvain(projection, limits);
      const answer = { algorithm, ...page.communities(partition), modularity };
      return { answer, values: { kind: 'communities', partition } };
    }
    case 'leiden': {
      const { modularity, ...partition } = await leiden(projection, pace);
      return only({ algorithm, ...page.communities(partition), modularity });
    }
    case 'shortest_path': {
      const { from = '', to = '' } = options;
      const ends = [from, to].map((iri, at) => requiredNode(projection, snapshot, iri, at === 0 ? 'from' : 'to'));
      const path = await shortestPath(projection, ends[0] as number, ends[1] as number, pace);
      const iris = path === null ? null : projection.names.irisOf(snapshot, path);
      return only({ algorithm, from, to, path: iris });
    }
  }
}

async function runPageRank(page: Page, options: AlgorithmOptions, limits: GraphLimits): Promise<AlgorithmResult> {
  const { projection, snapshot } = page;
  const given = [...new Set(options.seeds)];
  const nodes = given.map((iri) => projection.names.nodeOf(snapshot, iri));
  const { damping = DAMPING, maxIters: iterationsMax = ITERATIONS_MAX, tolerance = TOLERANCE } = options;
  const seeds = nodes.filter((node) => node !== null);
  const { ranks } = await pageRank(projection, { seeds, damping, iterationsMax, tolerance }, limits);
  const answer = {
    algorithm: 'pagerank',
    personalized: given.length > 0,
    ...page.ranking(ranks),
    unknownSeeds: given.filter((_, at) => nodes[at] === null),
  } as const;
  return { answer, values: { kind: 'ranks', ranks } };
}

export function inDegrees({ nodes, in: { starts } }: Projection): Uint32Array {
  const degrees = new Uint32Array(nodes);
  for (let node = 0; node < nodes; node++) degrees[node] = (starts[node + 1] as number) - (starts[node] as number);
  return degrees;
}

/** The part of a result that is asked for. */
class Page {
  readonly #from: number;
  readonly #to: number;

  constructor(
    readonly snapshot: StorageSnapshot,
    readonly projection: Projection,
    { limit = LIMIT, offset = 0 }: AlgorithmOptions,
  ) {
    for (const [name, value] of Object.entries({ limit, offset })) {
      if (!Number.isInteger(value)) throw invalid(`'${name}' is ${value}; expected a whole number`);
    }
    if (offset < 0) throw invalid(`'offset' is ${offset}; expected a number that is not below 0`);
    this.#from = offset;
    this.#to = offset + Math.min(Math.max(limit, 1), LIMIT_MAX);
  }

  ranking(values: ArrayLike<number>) {
    const nodes = rankedNodes(values, this.#from, this.#to);
    const iris = this.projection.names.irisOf(this.snapshot, nodes);
    const results = nodes.map((node, at) => ({ entity: iris[at] as string, value: values[node] as number }));
    return { results, truncated: values.length > this.#to };
  }

  /** By size, the greatest first; then by their first nodes. */
  components(partition: Partition) {
    const groups = rankedNodes(partition.sizes, this.#from, this.#to);
    return { components: this.#shown(partition, groups), truncated: partition.sizes.length > this.#to };
  }

  /** By their first nodes. */
  communities(partition: Partition) {
    const count = partition.sizes.length;
    const to = Math.min(count, this.#to);
    const groups = Array.from({ length: Math.max(0, to - this.#from) }, (_, at) => this.#from + at);
    const shown = this.#shown(partition, groups).map((group, at) => ({
      community: communityIri(groups[at] as number),
      ...group,
    }));
    return { communities: shown, truncated: count > this.#to };
  }

  #shown(partition: Partition, groups: readonly number[]): Group[] {
    const members = membersOf(partition, groups, MEMBERS_MAX);
    return groups.map((group) => {
      const entities = this.projection.names.irisOf(this.snapshot, members.get(group) ?? []);
      return { entities, size: partition.sizes[group] as number };
    });
  }
}
