/** What searches along paths are made of: numbers of nodes, edges, bitmaps, the rows of each key; against plain maps. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Adjacency } from '../../engine/query/execute/paths/adjacency.js';
import { IntList } from '../../engine/query/execute/paths/int-list.js';
import { JoinKeys } from '../../engine/query/execute/paths/join-keys.js';
import { NodeTable } from '../../engine/query/execute/paths/node-table.js';
import { Work } from '../../engine/query/execute/paths/work.js';
import { BitSet } from '../../engine/query/execute/tables/bit-set.js';
import { MemoryBudget } from '../../engine/query/runtime/memory.js';

const MEBIBYTE = 2 ** 20;

function randoms(seed: number): (below: number) => number {
  let state = seed;
  return (below) => {
    state = (Math.imul(state, 1_103_515_245) + 12_345) >>> 0;
    return (state >>> 8) % below;
  };
}

/** Ids of several kinds: close together, far apart, above 2^63, equal in one half. */
function someIds(count: number, seed: number): Uint32Array {
  const random = randoms(seed);
  const ids = new Uint32Array(2 * count);
  for (let at = 0; at < count; at++) {
    const kind = random(4);
    ids[2 * at] = kind === 0 ? 1000 + random(500) : kind === 1 ? random(2 ** 24) * 256 : random(3000);
    ids[2 * at + 1] = [0x03000000, 0x03000000, 0xff000000, 0x04010000 + random(4)][kind] as number;
  }
  return ids;
}

const keyAt = (ids: Uint32Array, at: number) => `${ids[2 * at + 1]}:${ids[2 * at]}`;

for (const expected of [0, 10, 3000]) {
  test(`nodes have the numbers of their first appearance (${expected} rows expected)`, () => {
    const budget = new MemoryBudget(64 * MEBIBYTE);
    const nodes = new NodeTable(false, budget);
    const known = new Map<string, number>();
    for (let round = 0; round < 6; round++) {
      const count = [0, 1, 100, 4096, 4096, 333][round] as number;
      const ids = someIds(count, 7 + round);
      if (round === 3 && expected > 0) nodes.expectRows(expected);
      const selection = round === 4 ? Uint32Array.from({ length: 2048 }, (_, at) => 2 * at) : null;
      const rows = selection?.length ?? count;
      const out = new Int32Array(rows + 5).fill(-7);
      nodes.numberAll(ids, null, selection, rows, out, 5);
      for (let at = 0; at < rows; at++) {
        const row = selection === null ? at : (selection[at] as number);
        const key = keyAt(ids, row);
        if (!known.has(key)) known.set(key, known.size);
        assert.equal(out[5 + at], known.get(key));
        assert.equal(nodes.find(ids[2 * row] as number, ids[2 * row + 1] as number, 0, 0), known.get(key));
      }
      assert.ok(out.subarray(0, 5).every((value) => value === -7));
      assert.equal(nodes.count, known.size);
    }
    for (const [key, node] of known) assert.equal(keyAt(nodes.ids, node), key);
    const missing = someIds(500, 99);
    for (let at = 0; at < 500; at++) {
      const found = nodes.find(missing[2 * at] as number, missing[2 * at + 1] as number, 0, 0);
      assert.equal(found, known.get(keyAt(missing, at)) ?? -1);
    }
    nodes.release();
    assert.equal(budget.usedBytes, 0);
  });
}

test('with graphs a node is a term in one graph', () => {
  const budget = new MemoryBudget(64 * MEBIBYTE);
  const nodes = new NodeTable(true, budget);
  nodes.addGraph(17, 0x03000000);
  assert.ok(nodes.hasGraph(17, 0x03000000));
  assert.ok(!nodes.hasGraph(18, 0x03000000));
  const [ids, graphs] = [someIds(4096, 1), someIds(4096, 2)];
  for (let at = 0; at < 4096; at++) graphs[2 * at] = (graphs[2 * at] as number) % 7;
  const out = new Int32Array(4096);
  nodes.numberAll(ids, graphs, null, 4096, out, 0);
  const known = new Map<string, number>();
  for (let at = 0; at < 4096; at++) {
    const key = `${keyAt(graphs, at)} ${keyAt(ids, at)}`;
    if (!known.has(key)) known.set(key, known.size);
    assert.equal(out[at], known.get(key));
    assert.equal(keyAt(nodes.graphs, out[at] as number), keyAt(graphs, at));
  }
  nodes.release();
  assert.equal(budget.usedBytes, 0);
});

test('edges come in portions or all at once, and each node has its own', () => {
  const budget = new MemoryBudget(64 * MEBIBYTE);
  const random = randoms(5);
  const pairs = Array.from({ length: 20_000 }, () => [random(700), random(700)] as const);
  const expected = Array.from({ length: 700 }, (_, node) => pairs.flatMap(([from, to]) => (from === node ? [to] : [])));
  const add = (list: Adjacency, nodes: readonly number[] | null) => {
    const lists = [0, 1, 2].map(() => new IntList(budget)) as [IntList, IntList, IntList];
    const [members, from, to] = lists;
    for (const node of nodes ?? []) {
      assert.ok(!list.isKnown(node));
      members.push(node);
      list.expect(node);
    }
    const wanted = nodes === null ? null : new Set(nodes);
    for (const [start, end] of pairs) {
      if (wanted !== null && !wanted.has(start)) continue;
      from.push(start);
      to.push(end);
    }
    for (const step of list.add(members, 700, nodes === null, from, to, new Work())) assert.ok(step);
    for (const one of lists) one.release();
  };
  const check = (list: Adjacency, node: number) => {
    const found = [...list.targets.data.subarray(list.starts.data[node], list.ends.data[node])];
    assert.deepEqual(found, expected[node]);
    assert.equal(list.hasEdges(node), found.length > 0);
    assert.ok(list.isKnown(node));
  };
  const portions = new Adjacency(budget);
  for (const portion of [[3], [], [699, 0, 5], Array.from({ length: 200 }, (_, at) => 100 + at)]) {
    add(portions, portion);
    for (const node of portion) check(portions, node);
  }
  // Places that there is room for, and others.
  for (const node of [50, 698, 5000]) assert.ok(!portions.isKnown(node) && !portions.hasEdges(node));
  check(portions, 3);
  const all = new Adjacency(budget);
  add(all, null);
  all.markComplete();
  for (let node = 0; node < 700; node++) check(all, node);
  all.starts.reserve(900);
  all.ends.reserve(900);
  for (const node of [700, 899, 5000]) assert.ok(all.isKnown(node) && !all.hasEdges(node));
  portions.clear();
  all.clear();
  assert.equal(budget.usedBytes, 0);
});

test('a bitmap grows, and is emptied by what was put in', () => {
  const budget = new MemoryBudget(MEBIBYTE);
  const set = new BitSet(budget);
  const members = Int32Array.from([0, 31, 32, 1000, 4095]);
  for (const size of [1, 4096, 100]) {
    set.reserve(size);
    for (const member of members) if (member < size) set.add(member);
    assert.ok(members.every((member) => set.has(member) === member < size || size === 100));
    set.remove(members, members.length);
    assert.ok(members.every((member) => !set.has(member)) && !set.has(5000));
  }
  set.release();
  assert.equal(budget.usedBytes, 0);
});

test('rows are grouped by their start, in the order in which starts appear', () => {
  const budget = new MemoryBudget(MEBIBYTE);
  const nodes = new NodeTable(true, budget);
  const keys = new JoinKeys(budget);
  for (let graph = 0; graph < 3; graph++) nodes.addGraph(graph, 1);
  for (const [round, rows] of [1, 4096, 0, 77].entries()) {
    const random = randoms(11 + round);
    const column = (below: number) => {
      const ids = new Uint32Array(2 * rows);
      for (let row = 0; row < rows; row++) ids.set([random(below), 1], 2 * row);
      return ids;
    };
    // Graph 3 is not of the query.
    const columns = [column(4), column(50)] as const;
    keys.group({ rows, columns }, 0, 1, nodes);
    const expected = new Map<string, number[]>();
    for (let row = 0; row < rows; row++) {
      if (columns[0][2 * row] === 3) continue;
      const key = `${keyAt(columns[0], row)} ${keyAt(columns[1], row)}`;
      expected.set(key, [...(expected.get(key) ?? []), row]);
    }
    const found = Array.from({ length: keys.starts.length }, (_, place) => {
      const start = keys.starts.data[place] as number;
      return [`${keyAt(nodes.graphs, start)} ${keyAt(nodes.ids, start)}`, [...keys.rowsOf(place)]];
    });
    assert.deepEqual(found, [...expected]);
  }
  keys.close();
  nodes.release();
  assert.equal(budget.usedBytes, 0);
});
