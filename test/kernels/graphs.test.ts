/** Steps of graph algorithms: kernel = twin, to the last bit. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { Areas } from './areas.js';
import * as moving from './twins/move-nodes.js';
import * as ranking from './twins/rank-nodes.js';
import { RUNS } from './values.js';

const areas = new Areas();
const { kernels, memory } = areas;

const NODES_MAX = 12;

/** A few nodes, with edges among them, loops and parallel ones too. */
const graph = fc.integer({ min: 1, max: NODES_MAX }).chain((nodes) => {
  const node = fc.nat({ max: nodes - 1 });
  return fc.record({ nodes: fc.constant(nodes), edges: fc.array(fc.tuple(node, node), { maxLength: 40 }) });
});
const shares = fc.array(fc.double({ min: 0, max: 1, noNaN: true }), { minLength: NODES_MAX, maxLength: NODES_MAX });

function doubles(values: readonly number[]): number {
  const address = areas.area(8 * values.length);
  memory.doublesAt(address, values.length).set(values);
  return address;
}

/** Where the entries of each node begin in a list of all. */
function startsOf(lists: readonly (readonly number[])[]): number[] {
  const starts = [0];
  for (const list of lists) starts.push((starts.at(-1) as number) + list.length);
  return starts;
}

test('shareRanks, pullRanks: kernel = twin', () => {
  fc.assert(
    fc.property(graph, shares, shares, shares, fc.nat(), ({ nodes, edges }, some, others, third, cut) => {
      const lists = (end: 0 | 1, other: 0 | 1): number[][] =>
        Array.from({ length: nodes }, (_, node) =>
          edges.filter((edge) => edge[end] === node).map((edge) => edge[other]),
        );
      const [ranks, restart, last] = [some.slice(0, nodes), others.slice(0, nodes), third.slice(0, nodes)];
      areas.run(() => {
        const shared = ranking.shareRanks(nodes, edges, ranks);
        const [ranksAt, sharesAt, nextAt] = [doubles(ranks), doubles(last), doubles(last)];
        assert.equal(kernels.shareRanks(areas.words(startsOf(lists(0, 1))), ranksAt, nodes, sharesAt), shared.dangling);
        assert.deepEqual([...memory.doublesAt(sharesAt, nodes)], shared.shares);
        const incoming = lists(1, 0);
        const [starts, ends] = [areas.words(startsOf(incoming)), areas.words(incoming.flat())];
        const [restartAt, middle] = [doubles(restart), cut % (nodes + 1)];
        const pull = (from: number, to: number): number =>
          kernels.pullRanks(starts, ends, sharesAt, restartAt, 0.25, 0.85, from, to, ranksAt, nextAt);
        const step = { ranks, shares: shared.shares, restart, restarted: 0.25, damping: 0.85 };
        const { next, change } = ranking.pullRanks(edges, step);
        assert.equal(pull(0, nodes), change);
        assert.deepEqual([...memory.doublesAt(nextAt, nodes)], next);
        memory.doublesAt(nextAt, nodes).set(last);
        pull(middle, nodes);
        assert.deepEqual([...memory.doublesAt(nextAt, nodes)], [...last.slice(0, middle), ...next.slice(middle)]);
      });
    }),
    { numRuns: RUNS },
  );
});

test('moveNodes: kernel = twin over many passes, communities that empty and labels that are used again among them', () => {
  fc.assert(
    fc.property(
      graph,
      fc.array(fc.nat(), { minLength: NODES_MAX, maxLength: NODES_MAX }),
      ({ nodes, edges }, given) => {
        const neighbours = Array.from({ length: nodes }, (_, node) =>
          edges.flatMap(([a, b]) => (a === b ? [] : a === node ? [b] : b === node ? [a] : [])),
        );
        // Any partition to begin with, under slots whose labels are in another order.
        const slots = given.slice(0, nodes).map((slot) => slot % nodes);
        const labels = Array.from({ length: nodes }, (_, slot) => (slot * 7) % nodes);
        const distinct = new Set(labels).size === nodes ? labels : labels.map((_, slot) => nodes - 1 - slot);
        const free = Array.from({ length: nodes }, (_, slot) => slot).filter((slot) => !slots.includes(slot));
        const twin: moving.Moving = {
          neighbours,
          slots: [...slots],
          labels: [...distinct],
          free: [...free],
          nextLabel: nodes,
        };
        areas.run(() => {
          const pairs = Array.from({ length: nodes }, (_, slot) => [
            neighbours.reduce((sum, list, node) => sum + (slots[node] === slot ? list.length : 0), 0),
            0,
          ]);
          const at = {
            slots: areas.words(slots),
            pairs: areas.words(pairs.flat()),
            labels: doubles(distinct),
            free: areas.words([...free, ...slots.slice(free.length)]),
          };
          const [near, gains] = [areas.area(4 * (nodes + 1)), areas.area(8 * (nodes + 1))];
          const lists = [areas.words(startsOf(neighbours)), areas.words(neighbours.flat())];
          const state = areas.words([
            ...lists,
            at.slots,
            at.pairs,
            at.labels,
            near,
            gains,
            at.free,
            free.length,
            0,
            0,
            0,
            0,
            0,
          ]);
          memory.doublesAt(state + 40, 2).set([nodes, neighbours.flat().length]);
          for (let pass = 0; pass < 6; pass++) {
            const middle = (given[pass] as number) % (nodes + 1);
            for (const [from, to] of [
              [0, middle],
              [middle, nodes],
            ] as const) {
              assert.equal(kernels.moveNodes(state, from, to), moving.moveNodes(twin, from, to));
            }
            assert.deepEqual(areas.readWords(at.slots, nodes), twin.slots);
            const labelled = [...new Set(twin.slots)];
            const found = memory.doublesAt(at.labels, nodes);
            assert.deepEqual(
              labelled.map((slot) => found[slot]),
              labelled.map((slot) => twin.labels[slot]),
            );
            const sums = areas.readWords(at.pairs, 2 * nodes);
            const expected = twin.slots.reduce<number[]>(
              (all, slot, node) => {
                all[2 * slot] = (all[2 * slot] as number) + (neighbours[node] as number[]).length;
                return all;
              },
              Array.from({ length: 2 * nodes }, () => 0),
            );
            assert.deepEqual(sums, expected);
          }
        });
      },
    ),
    { numRuns: 2 * RUNS },
  );
});
