/** Graph algorithms beside igraph, where Python has it. */
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { test } from 'node:test';
import { openStore } from '../../../interfaces/library/index.js';
import { plain, randomEdges, writeEdges } from './support.js';

const PYTHON = process.env.SVC_BENCH_PYTHON ?? 'python3';
const PROGRAM = `
import json, sys, igraph
given = json.load(sys.stdin)
graph = igraph.Graph(n=given["nodes"], edges=given["edges"], directed=True)
simple = graph.copy().simplify()
flat = graph.as_undirected().simplify()
corners = [0] * given["nodes"]
for triangle in flat.list_triangles():
    for node in triangle:
        corners[node] += 1
print(json.dumps({
    "pagerank": graph.pagerank(damping=0.85),
    "in_degree": graph.indegree(),
    "betweenness": simple.betweenness(),
    "kcore": flat.coreness(),
    "triangles": corners,
    "components": len(graph.connected_components(mode="weak")),
}))
`;

const isThere = spawnSync(PYTHON, ['-c', 'import igraph'], { stdio: 'ignore' }).status === 0;

test('random graphs as igraph sees them', { skip: isThere ? false : 'igraph is not there' }, async () => {
  for (const [seed, nodes, count] of [
    [1, 50, 80],
    [2, 200, 900],
    [3, 300, 400],
  ] as const) {
    const store = await openStore(':memory:');
    const edges = randomEdges(seed, nodes, count);
    await writeEdges(store, edges);
    const { graph, iris } = plain(edges);
    const { status, stdout, stderr } = spawnSync(PYTHON, ['-c', PROGRAM], {
      input: JSON.stringify(graph),
      encoding: 'utf8',
    });
    assert.equal(status, 0, stderr);
    const { components, ...values } = JSON.parse(stdout) as Record<string, number[]>;
    for (const [algorithm, expected] of Object.entries(values)) {
      const answer = await store.project({ algorithm, limit: 10_000, tolerance: 1e-12, maxIters: 1000 });
      assert.ok('results' in answer);
      for (const { entity, value } of answer.results) {
        const wanted = expected[iris.indexOf(entity)] as number;
        assert.ok(
          Math.abs(value - wanted) < 1e-6 * Math.max(1, wanted),
          `${algorithm} of ${entity}: ${value}, ${wanted}`,
        );
      }
    }
    const parts = await store.project({ algorithm: 'components', limit: 10_000 });
    assert.ok('components' in parts);
    assert.equal(parts.components.length, components);
    await store.close();
  }
});
