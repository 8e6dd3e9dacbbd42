/** Joins that close cycles by intersecting lists, against a search by hand; and where the planner puts them. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { HashJoinOperator } from '../../engine/query/execute/join/hash-join.js';
import { LeapfrogJoinOperator } from '../../engine/query/execute/join/leapfrog-join.js';
import { explain } from '../../engine/query/query.js';
import { MemoryBudget } from '../../engine/query/runtime/memory.js';
import type { Operator } from '../../engine/query/runtime/operator.js';
import { RowsInput, rowsOf } from './operator-support.js';
import { PREFIXES, sortedAnswer, storeOf } from './support.js';

const MEBIBYTE = 2 ** 20;
const mix = (value: number) => (Math.imul(value ^ (value >>> 15), 0x9e3779b1) ^ (value >>> 7)) >>> 0;
const sparse = (value: number) => (0xf0n << 56n) + BigInt(value) * 1_000_000_007n;

interface Edges {
  readonly from: Uint32Array;
  readonly to: Uint32Array;
}

/** Edges sorted by their end, then their start, as an order of the store has them. */
function edges(count: number, nodes: number, seed: number, hub: number): Edges {
  const pairs = Array.from({ length: count }, (_, at) => {
    const value = mix(at * 77 + seed);
    return [at % 5 < hub ? 0 : value % nodes, mix(value) % nodes] as const;
  });
  pairs.sort((a, b) => a[1] - b[1] || a[0] - b[0]);
  return { from: Uint32Array.from(pairs, ([from]) => from), to: Uint32Array.from(pairs, ([, to]) => to) };
}

function inputOf(variables: readonly string[], { from, to }: Edges): RowsInput {
  return new RowsInput(variables, from.length, (row, column) =>
    sparse(((column === 0 ? from : to)[row] as number) + 1),
  );
}

/** The same by pairwise joins. */
function pairwise(input: RowsInput, lists: readonly RowsInput[], variable: string): Operator {
  const budget = new MemoryBudget(1024 * MEBIBYTE);
  return lists.reduce((joined: Operator, list) => {
    const certain = list.variables.filter((name) => joined.variables.includes(name));
    assert.ok(certain.length === list.variables.length - 1 || certain.includes(variable));
    return new HashJoinOperator(joined, list.again(), { certain, loose: [] }, budget);
  }, input.again());
}

const CASES = [
  { count: 0, nodes: 3, hub: 0 },
  { count: 1, nodes: 1, hub: 0 },
  { count: 60, nodes: 8, hub: 0 },
  { count: 3000, nodes: 300, hub: 0 },
  { count: 5000, nodes: 1000, hub: 2 },
  // Edges that stand there many times.
  { count: 200, nodes: 5, hub: 0 },
] as const;

test('intersections of two and three lists give what pairwise joins give', () => {
  for (const { count, nodes, hub } of CASES) {
    const graph = edges(count, nodes, 1, hub);
    const rows = inputOf(['c', 'a'], edges(Math.min(count, 700), nodes, 5, hub));
    const lists = [
      inputOf(['b', 'c'], graph),
      inputOf(['a', 'b'], graph),
      inputOf(['b', 'a'], edges(count, nodes, 9, hub)),
    ];
    for (const used of [lists.slice(0, 2), lists]) {
      if (used.length === 3 && count === 200) continue;
      // The middle list has its variable second, and ascends in it within each key all the same.
      const budget = new MemoryBudget(64 * MEBIBYTE);
      const keys = used.map((list) => list.variables.filter((name) => name !== 'b'));
      const join = new LeapfrogJoinOperator(rows.again(), used.map(sortedByVariable), { variable: 'b', keys }, budget);
      const found = rowsOf(join);
      assert.deepEqual(found.sort(), rowsOf(pairwise(rows, used, 'b')).sort(), `${count} edges, ${used.length} lists`);
      assert.equal(budget.usedBytes, 0);
    }
  }
});

function sortedByVariable(list: RowsInput): RowsInput {
  const order = Array.from({ length: list.size }, (_, row) => row);
  const column = list.variables.indexOf('b');
  order.sort((a, b) =>
    list.idAt(a, column) < list.idAt(b, column) ? -1 : list.idAt(a, column) > list.idAt(b, column) ? 1 : 0,
  );
  return new RowsInput(list.variables, list.size, (row, at) => list.idAt(order[row] as number, at));
}

test('lists that do not fit into memory are joined by way of the disk', () => {
  const graph = edges(120_000, 40_000, 3, 0);
  const rows = inputOf(['c', 'a'], edges(5000, 40_000, 8, 0));
  const lists = [inputOf(['b', 'c'], graph), inputOf(['a', 'b'], graph)].map(sortedByVariable);
  const expected = rowsOf(pairwise(rows, lists, 'b')).sort();
  for (const limitBytes of [2 * MEBIBYTE, 6 * MEBIBYTE, 10 * MEBIBYTE, 64 * MEBIBYTE]) {
    const budget = new MemoryBudget(limitBytes);
    const spec = { variable: 'b', keys: [['c'], ['a']] };
    const join = new LeapfrogJoinOperator(
      rows.again(),
      lists.map((list) => list.again()),
      spec,
      budget,
    );
    assert.deepEqual(rowsOf(join).sort(), expected, `${limitBytes} bytes`);
    assert.equal(budget.usedBytes, 0);
    budget.close();
  }
});

/** 40 nodes, each with edges to 14 of the others. */
const GRAPH = Array.from({ length: 40 }, (_, from) =>
  Array.from({ length: 14 }, (_edge, at) => `:n${from} :to :n${mix(from * 14 + at) % 40} .`).join(' '),
).join('\n');

const CYCLES = [
  'SELECT ?a ?b ?c { ?a :to ?b . ?b :to ?c . ?c :to ?a }',
  'SELECT (COUNT(*) AS ?n) { ?a :to ?b . ?b :to ?c . ?c :to ?a }',
  'SELECT ?a (COUNT(?b) AS ?n) { ?a :to ?b . ?b :to ?c . ?a :to ?c } GROUP BY ?a',
  'SELECT DISTINCT ?d { ?a :to ?b . ?b :to ?c . ?c :to ?d . ?d :to ?a }',
  'SELECT (COUNT(*) AS ?n) { ?a :to ?b . ?b :to ?c . ?c :to ?a . ?a :to ?d . ?b :to ?d . ?c :to ?d }',
];

test('triangles, cycles and cliques are closed by intersection, and have the same answers without', async () => {
  const snapshot = (await storeOf(GRAPH)).snapshot();
  let intersected = 0;
  for (const query of CYCLES) {
    const { text } = await explain(snapshot, PREFIXES + query);
    if (text.includes('intersectJoin')) intersected++;
    const without = await sortedAnswer(snapshot, query, { disabledRewrites: ['intersections'] });
    assert.deepEqual(await sortedAnswer(snapshot, query), without, `${query}\n${text}`);
  }
  assert.ok(intersected >= 4, `${intersected} of ${CYCLES.length}`);
  const first = await explain(snapshot, `${PREFIXES}${CYCLES[0]} LIMIT 1`);
  assert.doesNotMatch(first.text, /intersectJoin/, 'the first rows come sooner without');
  snapshot.close();
});
