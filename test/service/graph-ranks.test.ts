/** Ranks around seeds are those of power iteration also where a hub has more edges than a walk may go along. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { pageRank } from '../../engine/reason/graph/algorithms/page-rank.js';
import { MemoryBound } from '../../engine/reason/graph/memory-bound.js';
import { Pace } from '../../engine/reason/graph/pace.js';
import { NodeNames, type Projection } from '../../engine/reason/graph/projection.js';
import { ranksFrom } from '../../engine/service/search/graph-ranks.js';
import { makeId, TAG, type TermId } from '../../engine/storage/ids/layout.js';
import { columnOf } from '../../engine/storage/seam/rows.js';
import { graphOf } from '../reason/graph/edges.js';

const LEAVES = 300_000;
const HUB = 0;
const BESIDE = LEAVES + 1;
const limits = () => ({ pace: new Pace({}), memory: new MemoryBound() });
const idOf = (node: number): TermId => makeId(TAG.iri, 0, BigInt(node + 1));

/** A hub with an edge to each leaf; every tenth leaf has one on to the node beside, and that one to the hub. */
function star(): Projection {
  const edges: [number, number][] = [];
  for (let leaf = 1; leaf <= LEAVES; leaf++) edges.push([HUB, leaf]);
  for (let leaf = 10; leaf <= LEAVES; leaf += 10) edges.push([leaf, BESIDE]);
  edges.push([BESIDE, HUB]);
  const graph = graphOf(LEAVES + 2, edges);
  const ids = columnOf(Array.from({ length: graph.nodes }, (_, node) => idOf(node)));
  const edgePredicates = new Uint32Array(graph.edges);
  return { ...graph, edgePredicates, predicates: [idOf(graph.nodes)], names: new NodeNames(ids, null), bytes: 0 };
}

test('a hub with more edges than a walk goes along is ranked as power iteration ranks it', async () => {
  const graph = star();
  for (const damping of [0.5, 0.85]) {
    const seeds = [
      { entity: idOf(HUB), weight: 1 },
      { entity: idOf(7), weight: 0.5 },
    ];
    const found = await ranksFrom(graph, seeds, limits(), damping);
    const walk = { seeds: [HUB, 7], weights: [1, 0.5], damping, iterationsMax: 1000, tolerance: 1e-13 };
    const { ranks } = await pageRank(graph, walk, limits());
    // What all leaves together bring to the node beside is what a walk that leaves out a hub's edges would miss.
    for (const node of [HUB, 7, 10, 11, BESIDE]) {
      const { rank } = found.of(idOf(node)) ?? { rank: 0 };
      assert.ok(Math.abs(rank - (ranks[node] as number)) < 1e-5, `${damping}, node ${node}: ${rank}, ${ranks[node]}`);
    }
    assert.ok((ranks[BESIDE] as number) > 1e-2);
  }
});
