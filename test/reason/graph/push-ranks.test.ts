/** Ranks around some seeds: those of power iteration, and no more work than they are worth. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { pageRank } from '../../../engine/reason/graph/algorithms/page-rank.js';
import { pushRanks, rankOf } from '../../../engine/reason/graph/algorithms/push-ranks.js';
import { MemoryBound } from '../../../engine/reason/graph/memory-bound.js';
import { Pace } from '../../../engine/reason/graph/pace.js';
import { RUNS } from '../../kernels/values.js';
import { type Edge, graphOf } from './edges.js';

const limits = { pace: new Pace({}), memory: new MemoryBound() };

const cases = fc.integer({ min: 1, max: 20 }).chain((nodes) => {
  const node = fc.nat({ max: nodes - 1 });
  const seed = fc.record({ node, weight: fc.double({ min: 0.01, max: 1, noNaN: true }) });
  return fc.record({
    nodes: fc.constant(nodes),
    edges: fc.array(fc.tuple(node, node), { maxLength: 60 }),
    seeds: fc.array(seed, { minLength: 1, maxLength: 5 }),
    damping: fc.constantFrom(0, 0.5, 0.85),
  });
});

test('on graphs of any form it gives what power iteration gives', async () => {
  const property = fc.asyncProperty(cases, async ({ nodes, edges, seeds, damping }) => {
    const graph = graphOf(nodes, edges);
    const walk = {
      seeds: seeds.map(({ node }) => node),
      weights: seeds.map(({ weight }) => weight),
      damping,
    };
    const { ranks } = await pageRank(graph, { ...walk, tolerance: 1e-12, iterationsMax: 1000 }, limits);
    const pushed = pushRanks(graph, { ...walk, tolerance: 1e-9, edgesMax: 1e6 });
    assert.ok(pushed !== null);
    for (const [node, rank] of ranks.entries()) {
      assert.ok(Math.abs(rankOf(pushed, node) - rank) < 1e-7, `node ${node}: ${rankOf(pushed, node)}, ${rank}`);
    }
  });
  await fc.assert(property, { numRuns: RUNS });
});

test('a seed with more edges than are worth a walk is for power iteration, and what stands alike ranks alike', () => {
  const leaves = 300_000;
  const star = Array.from({ length: leaves }, (_, at): Edge => [0, at + 1]);
  const graph = graphOf(leaves + 3, [...star, [leaves + 1, leaves + 2]]);
  const walk = { seeds: [0, leaves + 1], weights: [1, 1], damping: 0.5, tolerance: 1e-6 };
  assert.equal(pushRanks(graph, { ...walk, edgesMax: 200_000 }), null);
  assert.ok(pushRanks(graph, { ...walk, edgesMax: 20_000_000 }) !== null);
  const small = graphOf(101, star.slice(0, 100));
  const alike = pushRanks(small, { seeds: [0], weights: [1], damping: 0.5, tolerance: 1e-6, edgesMax: 200_000 });
  assert.ok(alike !== null);
  assert.equal(alike.nodes.length, 101);
  assert.equal(new Set(alike.ranks.subarray(1)).size, 1);
});
