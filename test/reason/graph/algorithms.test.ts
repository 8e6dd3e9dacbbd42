/** Graph algorithms against their definitions (semantics of reasoning, 10.1 and 10.2): the examples by their ids, and random graphs. Length: one case a rule. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { openStore, type Store } from '../../../interfaces/library/index.js';
import { EX, knot, onBothStores, quad } from '../../service/time-support.js';
import { StoreFolder } from '../../storage/support/store-folder.js';
import * as reference from './reference.js';
import { plain, randomEdges, shuffled, writeEdges } from './support.js';

const folder = new StoreFolder();
const short = (iri: string): string => iri.replace(EX, '').replace('https://svc.dev/ontology/', 'svc:');
const near = (actual: number, expected: number, where: string): void =>
  assert.ok(Math.abs(actual - expected) < 1e-5, `${where}: ${actual}, not ${expected}`);

/** Who met whom in a karate club (Zachary, 1977). */
const KARATE =
  `1-2 1-3 2-3 1-4 2-4 3-4 1-5 1-6 1-7 5-7 6-7 1-8 2-8 3-8 4-8 1-9 3-9 3-10 1-11 5-11 6-11 1-12 1-13 4-13 1-14 2-14
  3-14 4-14 6-17 7-17 1-18 2-18 1-20 2-20 1-22 2-22 24-26 25-26 3-28 24-28 25-28 3-29 24-30 27-30 2-31 9-31 1-32 25-32 26-32
  29-32 3-33 9-33 15-33 16-33 19-33 21-33 23-33 24-33 30-33 31-33 32-33 9-34 10-34 14-34 15-34 16-34 19-34 20-34 21-34 23-34
  24-34 27-34 28-34 29-34 30-34 31-34 32-34 33-34`
    .split(/\s+/)
    .map((pair) => pair.split('-') as [string, string]);

type Options = NonNullable<Parameters<Store['project']>[0]>;

async function ranking(store: Store, options: Options): Promise<readonly (readonly [name: string, value: number])[]> {
  const answer = await store.project({ limit: 10_000, ...options });
  assert.ok('results' in answer);
  return answer.results.map(({ entity, value }) => [short(entity), value]);
}

async function checkRanks(store: Store, expected: Readonly<Record<string, number>>, options: Options = {}) {
  const ranks = await ranking(store, { algorithm: 'pagerank', ...options });
  assert.deepEqual(
    ranks.map(([name]) => name),
    Object.keys(expected).sort((a, b) => (expected[b] as number) - (expected[a] as number)),
  );
  for (const [name, rank] of ranks) near(rank, expected[name] as number, name);
}

async function groups(store: Store, algorithm: 'components' | 'louvain' | 'leiden', options: Options = {}) {
  const answer = await store.project({ algorithm, limit: 10_000, ...options });
  if (answer.algorithm === 'components') return answer.components.map(({ entities }) => entities.map(short));
  assert.ok(answer.algorithm === algorithm && 'communities' in answer);
  for (const [at, { community }] of answer.communities.entries()) {
    assert.equal(short(community as string), `svc:community_${(options.offset ?? 0) + at}`);
  }
  return answer.communities.map(({ entities }) => entities.map(short));
}

async function modularity(store: Store): Promise<number> {
  const answer = await store.project({ algorithm: 'louvain' });
  assert.ok(answer.algorithm === 'louvain');
  return answer.modularity;
}

async function path(store: Store, from: string, to: string): Promise<string[] | null> {
  const answer = await store.project({ algorithm: 'shortest_path', from: EX + from, to: EX + to });
  assert.ok(answer.algorithm === 'shortest_path');
  return answer.path?.map(short) ?? null;
}

onBothStores('EX-10.1: PageRank of a chain, with seeds, and of parallel edges', async (store) => {
  await knot(store, 'ex:a ex:p ex:b . ex:b ex:p ex:c .');
  await checkRanks(store, { a: 0.184417, b: 0.341171, c: 0.474412 });
  await checkRanks(store, { a: 0.388727, b: 0.330418, c: 0.280855 }, { seeds: [`${EX}a`] });
  await store.transact({
    retract: [quad('b', 'p', 'c')],
    assert: [quad('a', 'q', 'b'), quad('a', 'p', 'c')],
  });
  await checkRanks(store, { a: 0.25974, b: 0.406926, c: 0.333333 });
  assert.deepEqual(await ranking(store, { algorithm: 'in_degree' }), [
    ['b', 2],
    ['c', 1],
    ['a', 0],
  ]);
});

onBothStores('EX-10.2: two triangles and a bridge', async (store) => {
  await knot(
    store,
    'ex:n1 ex:p ex:n2 . ex:n2 ex:p ex:n3 . ex:n3 ex:p ex:n1, ex:n4 . ex:n4 ex:p ex:n5 . ex:n5 ex:p ex:n6 . ex:n6 ex:p ex:n4 .',
  );
  assert.deepEqual(await groups(store, 'louvain'), [
    ['n1', 'n2', 'n3'],
    ['n4', 'n5', 'n6'],
  ]);
  near(await modularity(store), 0.357143, 'modularity');
  assert.deepEqual(await groups(store, 'components'), [['n1', 'n2', 'n3', 'n4', 'n5', 'n6']]);
  assert.deepEqual(await path(store, 'n1', 'n6'), ['n1', 'n2', 'n3', 'n4', 'n5', 'n6']);
  assert.equal(await path(store, 'n6', 'n1'), null);
  assert.deepEqual(await path(store, 'n2', 'n2'), ['n2']);
});

/** All that is computed of a graph, as numbers of nodes. */
async function checkAll(store: Store, edges: Parameters<typeof plain>[0], where: string, graph?: string) {
  const { graph: expected, iris } = plain(edges);
  const numbers = new Map(iris.map((iri, number) => [iri, number]));
  const numberOf = (iri: string): number => numbers.get(iri) as number;
  const asked = graph === undefined ? {} : { graph };
  const values = async (options: Options): Promise<number[]> => {
    const answer = await store.project({ limit: 10_000, ...asked, ...options });
    assert.ok('results' in answer, where);
    const list: number[] = [];
    for (const { entity, value } of answer.results) list[numberOf(entity)] = value;
    assert.equal(answer.results.length, iris.length, where);
    for (const [at, { entity, value }] of answer.results.slice(1).entries()) {
      const before = answer.results[at] as { readonly entity: string; readonly value: number };
      const isSorted = before.value > value || (before.value === value && numberOf(before.entity) < numberOf(entity));
      assert.ok(isSorted, `${where}: ${options.algorithm} by value, then by IRI`);
    }
    return list;
  };
  const close = (actual: readonly number[], wanted: readonly number[], what: string): void => {
    for (const [at, value] of wanted.entries()) near(actual[at] as number, value, `${where}, ${what} of ${iris[at]}`);
  };
  const { nodes } = expected;
  assert.deepEqual(await store.project(asked), { algorithm: 'stats', nodes, edges: edges.length }, where);
  assert.deepEqual(await values({ algorithm: 'in_degree' }), reference.inDegrees(expected), where);
  assert.deepEqual(await values({ algorithm: 'kcore' }), reference.coreNumbers(expected), where);
  assert.deepEqual(await values({ algorithm: 'triangles' }), reference.triangles(expected), where);
  close(await values({ algorithm: 'betweenness' }), reference.betweenness(expected), 'betweenness');
  close(await values({ algorithm: 'pagerank' }), reference.pageRank(expected), 'rank');
  const seeds = [0, Math.min(2, nodes - 1), 0];
  const options = { damping: 0.5, tolerance: 1e-12, iterations: 7 };
  close(
    await values({
      algorithm: 'ppr',
      seeds: seeds.map((at) => iris[at] as string),
      damping: 0.5,
      tolerance: 1e-12,
      maxIters: 7,
    }),
    reference.pageRank(expected, { seeds, ...options }),
    'rank with seeds',
  );
  const named = (groups: readonly (readonly number[])[]) =>
    groups.map((group) => group.map((at) => short(iris[at] as string)));
  assert.deepEqual(await groups(store, 'components', asked), named(reference.components(expected)), where);
  const communities = reference.louvain(expected);
  assert.deepEqual(await groups(store, 'louvain', asked), named(communities.groups), where);
  const answer = await store.project({ algorithm: 'louvain', ...asked });
  near('modularity' in answer ? answer.modularity : Number.NaN, communities.modularity, `${where}, modularity`);
  for (const [from, to] of [
    [0, nodes - 1],
    [nodes - 1, 0],
    [nodes >> 1, 0],
  ] as const) {
    const found = await store.project({ algorithm: 'shortest_path', from: iris[from], to: iris[to], ...asked });
    assert.ok(found.algorithm === 'shortest_path');
    assert.deepEqual(found.path?.map(numberOf) ?? null, reference.shortestPath(expected, from, to), where);
  }
}

onBothStores('random graphs against the definitions, in any order of writing', async (store) => {
  for (const [seed, [nodes, count]] of [
    [1, 1],
    [3, 4],
    [8, 12],
    [12, 40],
    [25, 30],
    [25, 60],
    [40, 160],
    [60, 90],
    [12, 300],
  ].entries()) {
    const graph = `http://example.org/graph/${seed}`;
    const edges = shuffled(randomEdges(seed + 1, nodes as number, count as number), seed);
    await writeEdges(store, edges, graph);
    await checkAll(store, edges, `seed ${seed}`, graph);
  }
});

onBothStores('Leiden: cliques in a ring, a known optimum, connected communities of random graphs', async (store) => {
  const cliques = 'abcdef'.split('').map((name) => [1, 2, 3, 4, 5].map((number) => `${name}${number}`));
  const inside = cliques.flatMap((clique) =>
    clique.flatMap((from, at) => clique.slice(at + 1).map((to) => [from, to] as const)),
  );
  const ring = cliques.map(
    (clique, at) => [clique[0] as string, (cliques[(at + 1) % 6] as string[])[1] as string] as const,
  );
  const graph = (name: string) => `${EX}graph/${name}`;
  const named = (pairs: readonly (readonly [string, string])[]) =>
    pairs.map(([from, to]) => ({ from, to, predicate: 'p' }));
  await writeEdges(store, shuffled(named([...inside, ...ring]), 3), graph('ring'));
  assert.deepEqual(await groups(store, 'leiden', { graph: graph('ring') }), cliques);
  await writeEdges(store, named(KARATE), graph('karate'));
  const club = await store.project({ algorithm: 'leiden', graph: graph('karate') });
  assert.ok(club.algorithm === 'leiden');
  // The greatest modularity that there is is 0.41979.
  assert.ok(club.modularity > 0.41 && club.modularity < 0.4198, String(club.modularity));
  for (const seed of [1, 2, 3, 4, 5, 6]) {
    const edges = randomEdges(100 + seed, 40, 50 + 20 * seed);
    await writeEdges(store, edges, graph(String(seed)));
    const answer = await store.project({ algorithm: 'leiden', graph: graph(String(seed)), limit: 1000 });
    const once = await store.project({ algorithm: 'louvain', graph: graph(String(seed)), limit: 1000 });
    assert.ok(answer.algorithm === 'leiden' && once.algorithm === 'louvain');
    const { graph: expected, iris } = plain(edges);
    const members = answer.communities.map(({ entities }) => entities.map((iri) => iris.indexOf(iri)));
    const kept = expected.edges.filter(([a, b]) => a !== b);
    near(answer.modularity, reference.modularityOf(members, kept), `seed ${seed}`);
    assert.ok(answer.modularity > once.modularity - 0.02, `seed ${seed}: ${answer.modularity}, ${once.modularity}`);
    for (const some of members) {
      const own = new Map(some.map((node, at) => [node, at]));
      const within = kept.flatMap(([a, b]) =>
        own.has(a) && own.has(b) ? [[own.get(a), own.get(b)] as [number, number]] : [],
      );
      assert.equal(reference.components({ nodes: some.length, edges: within }).length, 1, `seed ${seed} is connected`);
    }
  }
});

test('the same facts give the same answers, whatever wrote them, before and after a restart', async () => {
  const edges = randomEdges(77, 60, 240);
  const everything = async (store: Store) => {
    const answers: unknown[] = [];
    for (const algorithm of [
      'stats',
      'in_degree',
      'pagerank',
      'components',
      'louvain',
      'kcore',
      'triangles',
      'betweenness',
      'leiden',
    ]) {
      answers.push(await store.project({ algorithm, limit: 1000 }));
    }
    answers.push(await store.project({ algorithm: 'betweenness', samples: 10, randomSeed: 3, limit: 1000 }));
    return [...answers, await store.report({})];
  };
  const [first, second] = [folder.fresh(), folder.fresh()];
  const one = await openStore(first);
  await writeEdges(one, edges);
  const before = await everything(one);
  await one.close();
  const again = await openStore(first);
  assert.deepEqual(await everything(again), before);
  // Folding and compacting number the same rows otherwise.
  await again.fold();
  assert.deepEqual(await everything(again), before);
  await again.close();
  const other = await openStore(second);
  await other.load({ quads: shuffled(edges, 5).map(({ from, to, predicate }) => quad(from, predicate, to)) });
  await writeEdges(other, [{ from: 'gone', to: 'zz', predicate: 'p0' }]);
  await other.transact({ retract: [quad('gone', 'p0', 'zz')] });
  assert.deepEqual(await everything(other), before);
  await other.close();
  const memory = await openStore(':memory:');
  await writeEdges(memory, shuffled(edges, 9));
  assert.deepEqual(await everything(memory), before);
  await memory.close();
});

onBothStores('no edges, one node, loops alone, parallel edges alone', async (store) => {
  assert.deepEqual(await store.project(), { algorithm: 'stats', nodes: 0, edges: 0 });
  assert.deepEqual(await ranking(store, { algorithm: 'pagerank' }), []);
  assert.deepEqual(await groups(store, 'louvain'), []);
  assert.deepEqual(await groups(store, 'components'), []);
  const empty = await store.report();
  assert.deepEqual(empty, {
    nodes: 0,
    edges: 0,
    communities: 0,
    modularity: 0,
    hubs: [],
    surprisingConnections: [],
    suggestedQuestions: [],
  });
  await knot(store, 'ex:a ex:p ex:a ; ex:q ex:a .');
  assert.deepEqual(await store.project(), { algorithm: 'stats', nodes: 1, edges: 2 });
  assert.deepEqual(await groups(store, 'louvain'), [['a']]);
  assert.equal(await modularity(store), 0);
  assert.deepEqual(await ranking(store, { algorithm: 'in_degree' }), [['a', 2]]);
  assert.deepEqual(await ranking(store, { algorithm: 'kcore' }), [['a', 0]]);
  await knot(store, 'ex:b ex:p ex:c ; ex:q ex:c ; ex:r ex:c .');
  const edges = ['p', 'q'].map((predicate) => ({ from: 'a', to: 'a', predicate }));
  await checkAll(
    store,
    [...edges, ...['p', 'q', 'r'].map((predicate) => ({ from: 'b', to: 'c', predicate }))],
    'parallel',
  );
});

onBothStores('what is an edge: IRIs at both ends, one graph, filters, nothing that was persisted', async (store) => {
  await knot(
    store,
    `ex:a a ex:T ; ex:p ex:b, "text", 1, [ ex:p ex:c ] ; ex:q ex:c . ex:b ex:p ex:c ; rdfs:label "b" . _:x ex:p ex:a .
     GRAPH ex:g { ex:x ex:p ex:y . }`,
  );
  const stats = async (options: Options) => {
    const answer = await store.project(options);
    return 'nodes' in answer ? [answer.nodes, answer.edges] : null;
  };
  // a - T, a - b, a - c, b - c: blank nodes are no nodes.
  assert.deepEqual(await stats({}), [4, 4]);
  assert.deepEqual(await stats({ type: `${EX}T` }), [4, 3]);
  assert.deepEqual(await stats({ predicate: `${EX}p` }), [3, 2]);
  assert.deepEqual(await stats({ type: `${EX}T`, predicate: `${EX}p` }), [2, 1]);
  assert.deepEqual(await stats({ predicate: `${EX}never` }), [0, 0]);
  assert.deepEqual(await stats({ type: `${EX}never` }), [0, 0]);
  assert.deepEqual(await stats({ graph: `${EX}g` }), [2, 1]);
  assert.deepEqual(await stats({ graph: 'urn:svc:graph:root' }), [4, 4]);
  await store.persistAlgorithm({ algorithm: 'louvain' });
  await store.persistAlgorithm({ algorithm: 'pagerank' });
  assert.deepEqual(await stats({}), [4, 4]);
  assert.deepEqual(await stats({ predicate: 'https://svc.dev/ontology/memberOfCommunity' }), [0, 0]);
  // A projection is of now.
  await store.transact({ retract: [quad('b', 'p', 'c')] });
  assert.deepEqual(await stats({}), [4, 3]);
});

onBothStores('pages of rankings and groups say when there is more', async (store) => {
  await knot(store, 'ex:a ex:p ex:b . ex:c ex:p ex:d . ex:e ex:p ex:f, ex:g .');
  const all = await ranking(store, { algorithm: 'in_degree' });
  const pages: (readonly [string, number])[] = [];
  for (const offset of [0, 3, 6, 9]) {
    const answer = await store.project({ algorithm: 'in_degree', limit: 3, offset });
    assert.ok('results' in answer);
    assert.equal(answer.truncated, offset + 3 < 7);
    pages.push(...answer.results.map(({ entity, value }) => [short(entity), value] as const));
  }
  assert.deepEqual(pages, all);
  for (const algorithm of ['components', 'louvain'] as const) {
    assert.deepEqual(
      [...(await groups(store, algorithm, { limit: 2 })), ...(await groups(store, algorithm, { limit: 2, offset: 2 }))],
      await groups(store, algorithm),
    );
  }
  // The largest first, then by the first IRI; communities by their first IRIs.
  assert.deepEqual(await groups(store, 'components'), [
    ['e', 'f', 'g'],
    ['a', 'b'],
    ['c', 'd'],
  ]);
  assert.deepEqual(await groups(store, 'louvain'), [
    ['a', 'b'],
    ['c', 'd'],
    ['e', 'f', 'g'],
  ]);
});

test('of a group of many the first thousand members are listed, and their number', async () => {
  const store = await openStore(':memory:');
  const leaves = Array.from({ length: 1500 }, (_, at) => `l${String(at).padStart(4, '0')}`);
  await store.load({ quads: leaves.map((leaf) => quad('a', 'p', leaf)) });
  const answer = await store.project({ algorithm: 'components' });
  assert.ok(answer.algorithm === 'components');
  assert.equal(answer.components[0]?.size, 1501);
  assert.deepEqual(answer.components[0]?.entities.map(short), ['a', ...leaves.slice(0, 999)]);
  await store.close();
});

onBothStores('a sample of all sources is exact, and the same seed gives the same sample', async (store) => {
  await writeEdges(store, randomEdges(4, 30, 90));
  const exact = await ranking(store, { algorithm: 'betweenness' });
  assert.deepEqual(await ranking(store, { algorithm: 'betweenness', samples: 1000 }), exact);
  const sample = (randomSeed: number) => ranking(store, { algorithm: 'betweenness', samples: 8, randomSeed });
  assert.deepEqual(await sample(1), await sample(1));
  assert.notDeepEqual(await sample(1), await sample(2));
});

onBothStores('seeds that are no nodes are told; where none is, the restart is uniform', async (store) => {
  await knot(store, 'ex:a ex:p ex:b . ex:b ex:p ex:c .');
  const some = await store.project({ algorithm: 'ppr', seeds: [`${EX}zz`, `${EX}a`, `${EX}a`] });
  assert.ok(some.algorithm === 'pagerank');
  assert.deepEqual([some.personalized, some.unknownSeeds], [true, [`${EX}zz`]]);
  near(some.results[0]?.value as number, 0.388727, 'a');
  const none = await store.project({ algorithm: 'pagerank', seeds: [`${EX}zz`] });
  assert.ok(none.algorithm === 'pagerank');
  assert.deepEqual([none.personalized, none.unknownSeeds], [true, [`${EX}zz`]]);
  near(none.results[0]?.value as number, 0.474412, 'c');
});

onBothStores('requests that make no sense are refused by name', async (store) => {
  await knot(store, 'ex:a ex:p ex:b .');
  const refused = async (options: Options, message: RegExp) =>
    assert.rejects(store.project(options), (error: Error & { code?: string }) => {
      assert.match(error.message, message);
      return ['invalid_request', 'not_found_in_store'].includes(error.code as string);
    });
  await refused(
    { algorithm: 'zz' },
    /^unknown algorithm 'zz' \(stats, in_degree, pagerank, ppr, components, louvain, shortest_path, /,
  );
  await refused({ algorithm: 'toString' }, /^unknown algorithm/);
  await refused({ algorithm: 'shortest_path', from: `${EX}a` }, /^missing 'to' parameter$/);
  await refused({ algorithm: 'shortest_path', to: `${EX}a` }, /^missing 'from' parameter$/);
  await refused({ algorithm: 'shortest_path', from: `${EX}a`, to: `${EX}zz` }, /'to': entity not found: .*zz/);
  await refused({ graph: `${EX}zz` }, /^unknown graph: http:\/\/example\.org\/zz$/);
  await refused({ graph: 'no iri' }, /'graph': <no iri>/);
  await refused({ type: 'no iri' }, /'type': <no iri>/);
  await refused({ algorithm: 'pagerank', damping: 1.5 }, /'damping' is 1\.5/);
  await refused({ algorithm: 'pagerank', maxIters: 0 }, /'max_iters' is 0/);
  await refused({ algorithm: 'pagerank', tolerance: Number.NaN }, /'tolerance' is NaN/);
  await refused({ algorithm: 'betweenness', samples: 0 }, /'samples' is 0/);
  await refused({ algorithm: 'in_degree', limit: 1.5 }, /'?limit/);
  assert.deepEqual((await store.project({ algorithm: 'community' })).algorithm, 'louvain');
});

onBothStores('work that takes too long or too much is stopped', async (store) => {
  await store.load({ quads: Array.from({ length: 3000 }, (_, at) => quad(`n${at}`, 'p', `n${(at * 7 + 1) % 3000}`)) });
  const stopped = new AbortController();
  stopped.abort();
  await assert.rejects(store.project({ signal: stopped.signal }), { code: 'aborted' });
  const later = new AbortController();
  const work = store.project({ algorithm: 'betweenness', signal: later.signal });
  setImmediate(() => later.abort());
  await assert.rejects(work, { code: 'aborted' });
  await assert.rejects(store.project({ memoryBytes: 10_000 }), (error: Error & { code?: string }) => {
    assert.match(error.message, /query\.memory_budget_mb/);
    return error.code === 'query_complexity';
  });
  // What was stopped leaves nothing behind that is wrong.
  assert.deepEqual(await store.project(), { algorithm: 'stats', nodes: 3000, edges: 3000 });
});
