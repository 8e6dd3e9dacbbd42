/** What kernels of graph algorithms work on is given back when a request is cancelled half-way. */
import { equal, ok, rejects } from 'node:assert/strict';
import { test } from 'node:test';
import { threadMemory } from '../../../engine/kernels/thread-memory.js';
import { pageRank } from '../../../engine/reason/graph/algorithms/page-rank.js';
import { Pace } from '../../../engine/reason/graph/pace.js';

test('a cancelled PageRank gives its memory back', async () => {
  const nodes = 300_000;
  const starts = Uint32Array.from({ length: nodes + 1 }, (_, at) => 5 * at);
  const ends = Uint32Array.from({ length: 5 * nodes }, (_, at) => (at * 7919) % nodes);
  const graph = { nodes, edges: ends.length, in: { starts, ends }, out: { starts } };
  const before = threadMemory().liveBytes;
  const stop = new AbortController();
  const options = { seeds: [], damping: 0.85, iterationsMax: 50, tolerance: 0 };
  const ranked = pageRank(graph, options, new Pace({ signal: stop.signal }));
  ok(threadMemory().liveBytes > before);
  stop.abort();
  await rejects(ranked, { code: 'aborted' });
  equal(threadMemory().liveBytes, before);
});
