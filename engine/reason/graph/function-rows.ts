/** What an algorithm says of all nodes, as the rows of a function of queries. */

import type { FunctionColumn, FunctionRows } from '../../query/functions/table-function.js';
import { terms } from '../../rdf/terms.js';
import type { StorageSnapshot } from '../../storage/seam/scan.js';
import { betweenness } from './algorithms/betweenness.js';
import { components } from './algorithms/components.js';
import { coreNumbers } from './algorithms/core-numbers.js';
import { leiden } from './algorithms/leiden.js';
import { louvain } from './algorithms/louvain.js';
import { pageRank } from './algorithms/page-rank.js';
import type { Partition } from './algorithms/partition.js';
import { shortestPath } from './algorithms/shortest-path.js';
import { triangleCounts } from './algorithms/triangles.js';
import type { GraphLimits } from './memory-bound.js';
import type { Projection } from './projection.js';
import { type AlgorithmOptions, algorithmOf, DAMPING, ITERATIONS_MAX, TOLERANCE } from './request.js';
import { communityIri, inDegrees } from './run.js';

type Columns = Readonly<Record<string, FunctionColumn>>;

/** The options were checked. A path that is not there, or whose ends are no nodes, has no rows. */
export async function functionRows(
  snapshot: StorageSnapshot,
  projection: Projection,
  options: AlgorithmOptions,
  limits: GraphLimits,
): Promise<FunctionRows> {
  const algorithm = algorithmOf(options.algorithm);
  const { pace } = limits;
  switch (algorithm) {
    case 'stats':
      return rowsOf(1, { nodes: integers([projection.nodes]), edges: integers([projection.edges]) });
    case 'in_degree':
      return ofNodes(projection, { in_degree: integers(inDegrees(projection)) });
    case 'kcore':
      return ofNodes(projection, { core: integers(await coreNumbers(projection, pace)) });
    case 'triangles':
      return ofNodes(projection, { triangles: integers(await triangleCounts(projection, pace)) });
    case 'betweenness': {
      const { samples, randomSeed = 0 } = options;
      return ofNodes(projection, { score: doubles(await betweenness(projection, { samples, randomSeed }, pace)) });
    }
    case 'pagerank':
    case 'ppr': {
      const { damping = DAMPING, maxIters: iterationsMax = ITERATIONS_MAX, tolerance = TOLERANCE } = options;
      const given = [...new Set(options.seeds)].map((iri) => projection.names.nodeOf(snapshot, iri));
      const seeds = given.filter((node) => node !== null);
      const { ranks } = await pageRank(projection, { seeds, damping, iterationsMax, tolerance }, limits);
      return ofNodes(projection, { score: doubles(ranks) });
    }
    case 'components': {
      const partition = await components(projection, pace);
      return ofNodes(projection, { component: integers(partition.groupOf), size: sizes(partition) });
    }
    case 'louvain':
      return communities(projection, await louvain(projection, limits));
    case 'leiden':
      return communities(projection, await leiden(projection, pace));
    case 'shortest_path': {
      const { from = '', to = '' } = options;
      const [first, last] = [from, to].map((iri) => projection.names.nodeOf(snapshot, iri));
      const known = first !== null && first !== undefined && last !== null && last !== undefined;
      const path = known ? ((await shortestPath(projection, first, last, pace)) ?? []) : [];
      const positions = path.map((_, position) => position);
      return rowsOf(path.length, {
        entity: { kind: 'ids', ids: projection.names.idsOf(path) },
        position: integers(positions),
      });
    }
  }
}

function communities(projection: Projection, partition: Partition): FunctionRows {
  const named = Array.from(partition.sizes, (_, community) => terms.namedNode(communityIri(community)));
  const community: FunctionColumn = { kind: 'terms', terms: named, places: partition.groupOf };
  return ofNodes(projection, { community, size: sizes(partition) });
}

function sizes({ groupOf, sizes: ofGroup }: Partition): FunctionColumn {
  return integers(Uint32Array.from(groupOf, (group) => ofGroup[group] as number));
}

function ofNodes({ nodes, names }: Projection, columns: Columns): FunctionRows {
  const all = Uint32Array.from({ length: nodes }, (_, node) => node);
  return rowsOf(nodes, { entity: { kind: 'ids', ids: names.idsOf(all) }, ...columns });
}

function rowsOf(rows: number, columns: Columns): FunctionRows {
  return { rows, columns: new Map(Object.entries(columns)) };
}

function integers(values: ArrayLike<number>): FunctionColumn {
  return { kind: 'integers', values };
}

function doubles(values: Float64Array): FunctionColumn {
  return { kind: 'doubles', values };
}
