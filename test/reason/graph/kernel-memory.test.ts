/**
 * What kernels of graph algorithms work on counts towards the memory of a question, and is given back when it is answered,
 * refused or cancelled half-way.
 */
import { equal, ok, rejects } from 'node:assert/strict';
import { test } from 'node:test';
import { threadMemory } from '../../../engine/kernels/thread-memory.js';
import { louvain } from '../../../engine/reason/graph/algorithms/louvain.js';
import { pageRank } from '../../../engine/reason/graph/algorithms/page-rank.js';
import { type GraphLimits, MemoryBound } from '../../../engine/reason/graph/memory-bound.js';
import { Pace } from '../../../engine/reason/graph/pace.js';
import type { Projection } from '../../../engine/reason/graph/projection.js';
import { onBothStores, quad } from '../../service/time-support.js';

const NODES = 300_000;
const EDGES = 5 * NODES;
const PAGE_RANK_BYTES = 4 * (2 * (NODES + 1) + EDGES) + 8 * 4 * NODES;

/** Five edges into each node; as adjacencies of both ways, since the algorithms read no names. */
function regularGraph(): Projection {
  const starts = Uint32Array.from({ length: NODES + 1 }, (_, at) => 5 * at);
  const ends = Uint32Array.from({ length: EDGES }, (_, at) => (at * 7919) % NODES);
  const way = { starts, ends };
  return { nodes: NODES, edges: EDGES, in: way, out: way } as Projection;
}

const WALK = { seeds: [], damping: 0.85, iterationsMax: 50, tolerance: 0 };
const WORKS: Readonly<Record<string, (graph: Projection, limits: GraphLimits) => Promise<unknown>>> = {
  pagerank: (graph, limits) => pageRank(graph, WALK, limits),
  louvain,
};

for (const [name, work] of Object.entries(WORKS)) {
  test(`${name}: memory is given back when it is cancelled`, async () => {
    const graph = regularGraph();
    const before = threadMemory().liveBytes;
    const stop = new AbortController();
    const limits = { pace: new Pace({ signal: stop.signal }), memory: new MemoryBound(PAGE_RANK_BYTES * 4) };
    const working = work(graph, limits);
    ok(threadMemory().liveBytes > before);
    stop.abort();
    await rejects(working, { code: 'aborted' });
    equal(threadMemory().liveBytes, before);
    // Nothing of it counts any more.
    limits.memory.check(PAGE_RANK_BYTES * 4);
  });

  test(`${name}: memory is given back when there is not enough of it`, async () => {
    const graph = regularGraph();
    const before = threadMemory().liveBytes;
    const limits = { pace: new Pace({}), memory: new MemoryBound(PAGE_RANK_BYTES - 1) };
    await rejects(work(graph, limits), { code: 'query_complexity', message: /query\.memory_budget_mb/ });
    equal(threadMemory().liveBytes, before);
    limits.memory.check(PAGE_RANK_BYTES - 1);
  });
}

test('a PageRank needs what its arrays need', async () => {
  const memory = new MemoryBound(PAGE_RANK_BYTES);
  await pageRank(regularGraph(), { ...WALK, iterationsMax: 1 }, { pace: new Pace({}), memory });
  memory.check(PAGE_RANK_BYTES);
});

onBothStores('a projection that is kept counts, and so does what works on it', async (store) => {
  await store.load({ quads: Array.from({ length: 3000 }, (_, at) => quad(`n${at}`, 'p', `n${(at * 7 + 1) % 3000}`)) });
  const few = { memoryBytes: 200_000 };
  const refusal = { code: 'query_complexity', message: /query\.memory_budget_mb/ };
  await rejects(store.project(few), refusal);
  await store.project();
  equal((await store.project(few)).algorithm, 'stats', 'it is kept');
  for (const algorithm of ['pagerank', 'louvain'] as const)
    await rejects(store.project({ algorithm, ...few }), refusal);
  await rejects(store.report(few), refusal);
  await rejects(store.project({ memoryBytes: 20_000 }), refusal);
  ok(await store.project({ algorithm: 'pagerank', memoryBytes: 400_000 }));
});
