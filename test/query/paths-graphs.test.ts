/**
 * Paths on graphs of thousands of nodes, of many shapes, in both stores: answers against plain searches
 * over maps, and the work that they cost.
 */

import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { type Quad, terms } from '../../engine/rdf/terms.js';
import { openLmdbEngine } from '../../engine/storage/lmdb-store/open.js';
import { openMemoryEngine } from '../../engine/storage/memory/engine.js';
import type { StorageEngine } from '../../engine/storage/seam/engine.js';
import type { StorageSnapshot } from '../../engine/storage/seam/scan.js';
import { answer, sortedAnswer } from './support.js';

type Edge = readonly [from: number, predicate: string, to: number, graph?: string];

const folder = mkdtempSync(join(tmpdir(), 'svc-path-graphs-'));
after(() => rmSync(folder, { recursive: true }));
let files = 0;

const STORES: readonly (readonly [string, () => Promise<StorageEngine>])[] = [
  ['memory', async () => openMemoryEngine()],
  ['file', () => openLmdbEngine(join(folder, `store${files++}.db`))],
];

const named = (name: string) => terms.namedNode(`http://example.org/${name}`);

function* quads(edges: Iterable<Edge>): Generator<Quad> {
  for (const [from, predicate, to, graph] of edges) {
    const place = graph === undefined ? terms.defaultGraph() : named(graph);
    yield terms.quad(named(`n${from}`), named(predicate), named(`n${to}`), place);
  }
}

async function withGraph(
  open: () => Promise<StorageEngine>,
  edges: Iterable<Edge>,
  use: (snapshot: StorageSnapshot, engine: StorageEngine) => Promise<void>,
): Promise<void> {
  const engine = await open();
  await (await engine.stageLoad([{ kind: 'quads', quads: quads(edges), name: 'data' }], {}, {})).commit().durable;
  const snapshot = engine.snapshot();
  try {
    await use(snapshot, engine);
  } finally {
    snapshot.close();
    await engine.close();
  }
}

function randoms(seed: number): (below: number) => number {
  let state = seed;
  return (below) => {
    state = (Math.imul(state, 1_103_515_245) + 12_345) >>> 0;
    return (state >>> 8) % below;
  };
}

function randomEdges(nodes: number, count: number, seed: number, predicates: readonly string[]): Edge[] {
  const random = randoms(seed);
  const seen = new Map<string, Edge>();
  for (let at = 0; at < count; at++) {
    const edge = [random(nodes), predicates[random(predicates.length)] as string, random(nodes)] as const;
    seen.set(edge.join(' '), edge);
  }
  return [...seen.values()];
}

/** Successors by one predicate, or by its inverse. */
function successors(edges: readonly Edge[], predicate: string, backward = false): Map<number, number[]> {
  const found = new Map<number, number[]>();
  for (const [s, p, o] of edges) {
    if (p !== predicate) continue;
    const [from, to] = backward ? [o, s] : [s, o];
    found.set(from, [...(found.get(from) ?? []), to]);
  }
  return found;
}

/** What a node leads to in one step or more, where each step goes through all of the maps in turn. */
function reachOf(start: number, steps: readonly Map<number, number[]>[]): Set<number> {
  const found = new Set<number>();
  let open = [start];
  while (open.length > 0) {
    let next = open;
    for (const step of steps) next = [...new Set(next.flatMap((node) => step.get(node) ?? []))];
    open = next.filter((node) => !found.has(node));
    for (const node of open) found.add(node);
  }
  return found;
}

const shown = (nodes: Iterable<number>) => [...nodes].map((node) => `:n${node}`).sort();

const SHAPES: readonly (readonly [string, number, number])[] = [
  ['sparse', 3000, 2400],
  ['critical', 3000, 4000],
  ['dense', 1500, 30_000],
];

for (const [store, open] of STORES) {
  for (const [shape, nodes, count] of SHAPES) {
    test(`random graphs, ${shape} (${store})`, async () => {
      const edges = randomEdges(nodes, count, nodes + count, ['p', 'q']);
      const [p, q, inverse] = [successors(edges, 'p'), successors(edges, 'q'), successors(edges, 'p', true)];
      await withGraph(open, edges, async (snapshot) => {
        const same = async (query: string, expected: Iterable<number>) =>
          assert.deepEqual(await sortedAnswer(snapshot, query), shown(expected), query);
        for (const start of [0, 1, 77, nodes - 1]) {
          await same(`SELECT ?x { :n${start} :p+ ?x }`, reachOf(start, [p]));
          await same(`SELECT ?x { ?x :p+ :n${start} }`, reachOf(start, [inverse]));
          await same(`SELECT ?x { :n${start} (:p/:q)+ ?x }`, reachOf(start, [p, q]));
          await same(`SELECT ?x { :n${start} :p* ?x }`, reachOf(start, [p]).add(start));
        }
        for (let at = 0; at < 40; at++) {
          const [from, to] = [(at * 97) % nodes, at % 9 === 0 ? (at * 97) % nodes : (at * 389 + 5) % nodes];
          const ask = async (path: string, steps: readonly Map<number, number[]>[]) =>
            assert.deepEqual(
              await answer(snapshot, `ASK { :n${from} ${path} :n${to} }`),
              [String(reachOf(from, steps).has(to))],
              `:n${from} ${path} :n${to}`,
            );
          await ask(':p+', [p]);
          await ask('(:p/:q)+', [p, q]);
          await ask('(:p/(:q|:none))+', [p, q]);
        }
        const starts = Array.from({ length: 60 }, (_, at) => (at * 41) % nodes);
        const reaches = new Map(starts.map((start) => [start, reachOf(start, [p])]));
        const values = starts.map((start) => `:n${start}`).join(' ');
        const total = [...reaches.values()].reduce((sum, reach) => sum + reach.size, 0);
        const counted = await answer(snapshot, `SELECT (COUNT(*) AS ?n) { VALUES ?x { ${values} } ?x :p+ ?y }`);
        assert.deepEqual(counted, [`${total}^integer`]);
        const back = starts.filter((start) => reaches.get(start)?.has(start));
        await same(`SELECT ?x { VALUES ?x { ${values} } ?x :p+ ?x }`, back);
        const pairs = starts.map((start, at) => [start, starts[(at + 1) % starts.length] as number] as const);
        const related = pairs.filter(([from, to]) => reaches.get(from)?.has(to));
        const rows = pairs.map(([from, to]) => `(:n${from} :n${to})`).join(' ');
        await same(
          `SELECT ?x { VALUES (?x ?y) { ${rows} } ?x :p+ ?y }`,
          related.map(([from]) => from),
        );
      });
    });
  }

  test(`joins of many starts share their searches in a dense graph (${store})`, async () => {
    const edges = [
      ...randomEdges(400, 30_000, 3, ['p']),
      // A way into the dense part, and one out of it.
      ...Array.from({ length: 300 }, (_, at): Edge => [500 + at, 'p', at === 299 ? 0 : 501 + at]),
      ...Array.from({ length: 100 }, (_, at): Edge => [at === 0 ? 7 : 899 + at, 'p', 900 + at]),
      ...Array.from({ length: 1000 }, (_, at): Edge => [2000 + at, 'start', at]),
    ];
    const p = successors(edges, 'p');
    const expected = Array.from({ length: 1000 }, (_, start) => reachOf(start, [p]));
    await withGraph(open, edges, async (snapshot) => {
      const total = expected.reduce((sum, reach) => sum + reach.size, 0);
      for (const disabledRewrites of [[], ['hash-joins', 'join-order']]) {
        const query = 'SELECT (COUNT(*) AS ?n) { ?s :start ?x . ?x :p+ ?y }';
        assert.deepEqual(await answer(snapshot, query, { disabledRewrites }), [`${total}^integer`]);
        const cycles = 'SELECT (COUNT(*) AS ?n) { ?s :start ?x . ?x :p+ ?x }';
        const cyclic = expected.filter((reach, start) => reach.has(start)).length;
        assert.deepEqual(await answer(snapshot, cycles, { disabledRewrites }), [`${cyclic}^integer`]);
        const groups = await sortedAnswer(
          snapshot,
          'SELECT ?x (COUNT(?y) AS ?n) { ?s :start ?x . ?x :p+ ?y } GROUP BY ?x',
          { disabledRewrites },
        );
        const sizes = expected.flatMap((reach, start) => (reach.size > 0 ? [`:n${start} ${reach.size}^integer`] : []));
        assert.deepEqual(groups, sizes.sort());
      }
    });
  });

  test(`walks in many graphs at once never mix (${store})`, async () => {
    const random = randoms(9);
    const edges = Array.from({ length: 4000 }, (): Edge => [random(60), 'p', random(60), `g${random(40)}`]);
    const distinct = [...new Map(edges.map((edge) => [edge.join(' '), edge])).values()];
    await withGraph(open, distinct, async (snapshot) => {
      const graphs = [...new Set(distinct.map(([, , , graph]) => graph as string))];
      const reachIn = (graph: string, start: number) =>
        reachOf(start, [
          successors(
            distinct.filter((edge) => edge[3] === graph),
            'p',
          ),
        ]);
      const expected = graphs.flatMap((graph) => [...reachIn(graph, 5)].map((node) => `:${graph} :n${node}`));
      assert.deepEqual(await sortedAnswer(snapshot, 'SELECT ?g ?x { GRAPH ?g { :n5 :p+ ?x } }'), expected.sort());
      const joined = graphs.flatMap((graph) =>
        [3, 4].flatMap((start) => [...reachIn(graph, start)].map((node) => `:${graph} :n${start} :n${node}`)),
      );
      for (const disabledRewrites of [[], ['hash-joins', 'join-order']]) {
        const values = graphs.flatMap((graph) => [3, 4].map((start) => `(:${graph} :n${start})`)).join(' ');
        const query = `SELECT ?g ?x ?y { VALUES (?g ?x) { ${values} } GRAPH ?g { ?x :p+ ?y } }`;
        assert.deepEqual(await sortedAnswer(snapshot, query, { disabledRewrites }), joined.sort());
      }
    });
  });

  test(`edges that were closed, added and staged later count in their time (${store})`, async () => {
    const edges = Array.from({ length: 3000 }, (_, at): Edge => [at, 'p', at + 1]);
    await withGraph(open, edges, async (_, engine) => {
      const change = engine.stage({ timestamp: 5000, validFrom: 5000 });
      change.retract([...quads([[1500, 'p', 1501]])]);
      change.assert([
        ...quads([
          [10, 'p', 2900],
          [2999, 'p', 9000],
        ]),
      ]); // prettier-ignore
      await change.commit().durable;
      const snapshot = engine.snapshot();
      const count = async (tx?: number) =>
        answer(snapshot, 'SELECT (COUNT(*) AS ?n) { :n0 :p+ ?x }', tx === undefined ? {} : { tx });
      assert.deepEqual(await count(), [`${1500 + 101 + 1}^integer`]);
      assert.deepEqual(await count(1), ['3000^integer']);
      snapshot.close();
    });
  });
}

const CHAIN = 100_000;

test('a chain of a hundred thousand nodes and a star: no recursion, each block read a few times at most', async () => {
  const edges = function* (): Generator<Edge> {
    for (let at = 0; at < CHAIN; at++) yield [at, 'next', at + 1];
    for (let at = 0; at < 20_000; at++) yield [CHAIN + 5, 'ray', at];
  };
  const [, [, openFile]] = STORES as [unknown, (typeof STORES)[number]];
  await withGraph(openFile, edges(), async (snapshot) => {
    const count = async (group: string) => {
      const before = snapshot.counters.blocksRead;
      const [found] = await answer(snapshot, `SELECT (COUNT(*) AS ?n) { ${group} }`);
      return [Number.parseInt(found as string, 10), snapshot.counters.blocksRead - before] as const;
    };
    const blocks = Math.ceil(CHAIN / 4096);
    const [chain, chainBlocks] = await count(':n0 :next+ ?x');
    assert.equal(chain, CHAIN);
    assert.ok(chainBlocks < 4000, `${chainBlocks} blocks were read`);
    assert.equal((await count(`?x :next* :n${CHAIN}`))[0], CHAIN + 1);
    assert.equal((await count('?x :next+ ?x'))[0], 0);
    assert.equal((await count(`:n1 :next+ :n${CHAIN}`))[0], 1);
    // A frontier of all rays is looked up at once, not node by node.
    const [rays, rayBlocks] = await count(`:n${CHAIN + 5} :ray/:next? ?x`);
    assert.ok(rays > 0 && rayBlocks <= 20_000);
    const [star, starBlocks] = await count(`:n${CHAIN + 5} (:ray|:next)+ ?x`);
    assert.equal(star, CHAIN + 1);
    assert.ok(starBlocks <= 8 * blocks, `${starBlocks} blocks were read`);
  });
});

test('with a term at each end, searches from both read a small part of a graph in which all is near', async () => {
  const edges = randomEdges(8000, 160_000, 17, ['p']);
  const [, [, openFile]] = STORES as [unknown, (typeof STORES)[number]];
  await withGraph(openFile, edges, async (snapshot) => {
    const before = snapshot.counters.rowsScanned;
    for (let at = 0; at < 5; at++) {
      assert.deepEqual(await answer(snapshot, `ASK { :n${at} :p+ :n${7000 + at} }`), ['true']);
    }
    const rows = snapshot.counters.rowsScanned - before;
    assert.ok(rows < edges.length / 4, `${rows} of ${edges.length} rows were read in five searches`);
  });
});
