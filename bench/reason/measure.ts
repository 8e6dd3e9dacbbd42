/** Graph algorithms on a stored graph, in a process of its own: CPU time of each, the least of several runs. */

import { betweenness } from '../../engine/reason/graph/algorithms/betweenness.js';
import { components } from '../../engine/reason/graph/algorithms/components.js';
import { coreNumbers } from '../../engine/reason/graph/algorithms/core-numbers.js';
import { louvain } from '../../engine/reason/graph/algorithms/louvain.js';
import { pageRank } from '../../engine/reason/graph/algorithms/page-rank.js';
import { shortestPath } from '../../engine/reason/graph/algorithms/shortest-path.js';
import { triangleCounts } from '../../engine/reason/graph/algorithms/triangles.js';
import { buildProjection } from '../../engine/reason/graph/build.js';
import { type GraphLimits, MemoryBound } from '../../engine/reason/graph/memory-bound.js';
import { Pace } from '../../engine/reason/graph/pace.js';
import type { Projection } from '../../engine/reason/graph/projection.js';
import { reportOn } from '../../engine/reason/graph/report.js';
import { inDegrees } from '../../engine/reason/graph/run.js';
import { openLmdbEngine } from '../../engine/storage/lmdb-store/open.js';
import { ROOT_ONLY } from '../../engine/storage/seam/rows.js';
import type { StorageSnapshot } from '../../engine/storage/seam/scan.js';

export interface AlgorithmsTask {
  readonly task: 'reason-algorithms';
  readonly store: string;
  readonly rounds: number;
}

export interface AlgorithmFigures {
  readonly name: string;
  /** CPU time, of the first run and the least. */
  readonly firstMs: number;
  readonly leastMs: number;
  /** What was found, for comparison with peers. */
  readonly found: string;
}

const TOLERANCE = 1e-8;
const SAMPLES = 16;
const BYTES_MAX = 8 * 2 ** 30;

function cpuMs(): number {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1000;
}

async function timed(name: string, rounds: number, work: () => Promise<string>): Promise<AlgorithmFigures> {
  const times: number[] = [];
  let found = '';
  for (let round = 0; round < rounds; round++) {
    const begin = cpuMs();
    found = await work();
    times.push(cpuMs() - begin);
  }
  return { name, firstMs: times[0] as number, leastMs: Math.min(...times), found };
}

export async function measureAlgorithms({ store, rounds }: AlgorithmsTask): Promise<{ figures: AlgorithmFigures[] }> {
  const engine = await openLmdbEngine(store);
  const snapshot = engine.snapshot();
  const limitsOf = () => ({ pace: new Pace({}), memory: new MemoryBound(BYTES_MAX) });
  const project = () => buildProjection(snapshot, ROOT_ONLY, {}, limitsOf());
  const figures = [
    await timed('projection', rounds, async () => {
      const { nodes, edges } = await project();
      return `${nodes} nodes, ${edges} edges`;
    }),
  ];
  for (const [name, work] of Object.entries(works(snapshot, await project(), limitsOf()))) {
    figures.push(await timed(name, rounds, work));
  }
  snapshot.close();
  await engine.close();
  return { figures };
}

/** Each by the name that tables show. */
function works(
  snapshot: StorageSnapshot,
  projection: Projection,
  limits: GraphLimits,
): Record<string, () => Promise<string>> {
  const { pace } = limits;
  const degrees = inDegrees({ ...projection, in: projection.out });
  const hub = degrees.indexOf(degrees.reduce((most, degree) => Math.max(most, degree), 0));
  const walk = { seeds: [], damping: 0.85, iterationsMax: 200, tolerance: TOLERANCE };
  return {
    'PageRank to 1e-8': async () => {
      const { ranks, iterations } = await pageRank(projection, walk, limits);
      return `${iterations} iterations, greatest ${ranks.reduce((a, b) => Math.max(a, b), 0).toPrecision(6)}`;
    },
    'weak components': async () => `${(await components(projection, pace)).sizes.length}`,
    // No node has this number, so all that can be reached is.
    'BFS from the hub': async () => `${(await shortestPath(projection, hub, unreachable(projection), pace)) === null}`,
    'Louvain, one level': async () => {
      const { sizes, modularity, passes } = await louvain(projection, limits);
      return `${sizes.length} communities, modularity ${modularity.toFixed(4)}, ${passes} passes`;
    },
    'core numbers': async () => `greatest ${(await coreNumbers(projection, pace)).reduce((a, b) => Math.max(a, b), 0)}`,
    triangles: async () => `${(await triangleCounts(projection, pace)).reduce((a, b) => a + b, 0) / 3}`,
    'betweenness, 16 sources': async () => {
      const sums = await betweenness(projection, { samples: SAMPLES, randomSeed: 1 }, pace);
      return `greatest ${sums.reduce((a, b) => Math.max(a, b), 0).toPrecision(6)}`;
    },
    report: async () => `${(await reportOn(snapshot, projection, {}, limits)).communities} communities`,
  };
}

/** A node without an in-edge. */
function unreachable({ in: { starts } }: Projection): number {
  let node = 0;
  while (starts[node] !== starts[node + 1]) node++;
  return node;
}
