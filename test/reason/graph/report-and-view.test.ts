/** The report and the view of ROOT (semantics of reasoning, 10.3 and 10.4). */
import assert from 'node:assert/strict';
import type { Quad, Store } from '../../../interfaces/library/index.js';
import { EX, knot, onBothStores, quad } from '../../service/time-support.js';
import { modularityOf, pageRank } from './reference.js';
import { plain, randomEdges, writeEdges } from './support.js';

const short = (iri: string): string => iri.replace(EX, '').replace('https://svc.dev/ontology/', 'svc:');
const near = (actual: number, expected: number): void =>
  assert.ok(Math.abs(actual - expected) < 1e-5, `${actual}, not ${expected}`);

onBothStores('EX-10.3: hubs by PageRank, the one surprising connection, questions', async (store) => {
  await knot(
    store,
    `ex:a1 ex:rel ex:hubA, ex:a2 . ex:a2 ex:rel ex:hubA, ex:a3 . ex:a3 ex:rel ex:hubA .
     ex:b1 ex:rel ex:b2 . ex:b2 ex:rel ex:b3 . ex:b3 ex:rel ex:b1 . ex:a1 ex:bridge ex:b1 .`,
  );
  const report = await store.report();
  assert.deepEqual([report.nodes, report.edges, report.communities], [7, 9, 2]);
  near(report.modularity, 0.364198);
  const expected = { b1: 0.256442, b2: 0.252626, b3: 0.249382, hubA: 0.108883 };
  for (const [at, [name, rank]] of Object.entries(expected).entries()) {
    assert.equal(short(report.hubs[at]?.entity as string), name);
    near(report.hubs[at]?.pageRank as number, rank);
  }
  assert.equal(report.hubs[3]?.inDegree, 3);
  assert.deepEqual(
    report.surprisingConnections.map((one) =>
      [one.from, one.predicate, one.to, one.communityFrom, one.communityTo].map(short),
    ),
    [['a1', 'bridge', 'b1', 'svc:community_0', 'svc:community_1']],
  );
  assert.equal(report.surprisingConnections[0]?.bridgeRarity, 1);
  const { suggestedQuestions: all } = await store.report({ questions: 100 });
  assert.deepEqual(report.suggestedQuestions, all.slice(0, 8));
  const named = [['b1'], ['b2'], ['b3'], ['hubA'], ['a3'], ['a2'], ['a1'], ['a1', 'b1'], ['a1', 'a2', 'a3']];
  assert.equal(all.length, named.length);
  for (const [at, names] of named.entries()) {
    for (const name of names) assert.match(all[at] as string, new RegExp(`\\b${name}\\b`));
  }
  const few = await store.report({ hubs: 2, surprises: 0, questions: 1 });
  assert.deepEqual([few.hubs.length, few.surprisingConnections.length, few.suggestedQuestions.length], [2, 0, 1]);
  const filtered = await store.report({ predicate: `${EX}bridge` });
  assert.deepEqual([filtered.nodes, filtered.edges], [2, 1]);
});

/** Communities of a report as the projection of them tells. */
async function communityOf(store: Store): Promise<Map<string, number>> {
  const answer = await store.project({ algorithm: 'louvain', limit: 10_000 });
  assert.ok(answer.algorithm === 'louvain');
  return new Map(answer.communities.flatMap(({ entities }, number) => entities.map((iri) => [iri, number] as const)));
}

onBothStores(
  'surprising connections of random graphs: rarest first, then by rank, then by their IRIs',
  async (store) => {
    const edges = randomEdges(11, 60, 150);
    await writeEdges(store, edges);
    const { graph, iris } = plain(edges);
    const ranks = pageRank(graph);
    const communities = await communityOf(store);
    const report = await store.report({ surprises: 10_000 });
    const members = [...new Set(communities.values())].map((one) =>
      iris.flatMap((iri, number) => (communities.get(iri) === one ? [number] : [])),
    );
    near(
      report.modularity,
      modularityOf(
        members,
        graph.edges.filter(([a, b]) => a !== b),
      ),
    );
    const pair = (a: string, b: string): string =>
      [communities.get(a), communities.get(b)].sort((x, y) => (x as number) - (y as number)).join();
    const full = edges.map(({ from, to, predicate }) => ({ from: EX + from, to: EX + to, predicate: EX + predicate }));
    const bridges = full.filter(({ from, to }) => communities.get(from) !== communities.get(to));
    assert.ok(bridges.length > 20);
    const rarity = (one: { from: string; to: string }): number =>
      bridges.filter(({ from, to }) => pair(from, to) === pair(one.from, one.to)).length;
    const rank = ({ from, to }: { from: string; to: string }): number =>
      (ranks[iris.indexOf(from)] as number) + (ranks[iris.indexOf(to)] as number);
    const told = report.surprisingConnections;
    const key = (one: { from: string; to: string; predicate: string }): string =>
      `${one.from} ${one.predicate} ${one.to}`;
    assert.deepEqual(told.map(key).sort(), bridges.map(key).sort());
    for (const [at, one] of told.entries()) {
      assert.equal(one.bridgeRarity, rarity(one));
      assert.equal(one.communityFrom, `https://svc.dev/ontology/community_${communities.get(one.from)}`);
      const before = told[at - 1];
      if (before === undefined) continue;
      assert.ok(before.bridgeRarity <= one.bridgeRarity);
      if (before.bridgeRarity === one.bridgeRarity) assert.ok(rank(before) >= rank(one) - 1e-9);
    }
    // A list that is cut begins as the whole one.
    for (const surprises of [1, 5, 17]) {
      assert.deepEqual((await store.report({ surprises })).surprisingConnections, told.slice(0, surprises));
    }
  },
);

onBothStores('the view: nodes by degree, edges between them, labels, types', async (store) => {
  await knot(
    store,
    `@prefix prov: <http://www.w3.org/ns/prov#> .
     ex:Host rdfs:label "Machine" .
     ex:a a ex:Host, ex:Thing ; rdfs:label "Zed", "Ann" ; ex:runs ex:b, ex:c, ex:a ; <http://other.org/runs> ex:b ; ex:note "text" .
     ex:b a ex:Host ; ex:on ex:c ; ex:near ex:object-only .
     ex:c ex:count 3 .
     ex:lone ex:note "nothing else" .
     ex:episode a prov:Activity ; ex:about ex:c . ex:c prov:wasGeneratedBy ex:episode .
     [] ex:runs ex:c .`,
  );
  const view = await store.viewGraph();
  const shown = (nodes: typeof view.nodes) =>
    nodes.map(({ iri, label, type, degree }) => [short(iri), label, type && short(type), degree]);
  // a: b, c, itself; the two facts that run b have one label.
  assert.deepEqual(shown(view.nodes), [
    ['a', 'Ann', 'Host', 3],
    ['b', 'b', 'Host', 2],
    ['c', 'c', null, 2],
    ['Host', 'Machine', null, 0],
    ['lone', 'lone', null, 0],
  ]);
  assert.deepEqual(view.edges, [
    [0, 0, 'runs'],
    [0, 1, 'runs'],
    [0, 2, 'runs'],
    [1, 2, 'on'],
  ]);
  assert.deepEqual(
    view.types.map(({ iri, ...rest }) => ({ iri: short(iri), ...rest })),
    [{ iri: 'Host', label: 'Machine', count: 2 }],
  );
  assert.deepEqual([view.nodesOf, view.edgesOf], [5, 4]);
  const cut = await store.viewGraph({ limit: 2 });
  assert.deepEqual(shown(cut.nodes), shown(view.nodes).slice(0, 2));
  assert.deepEqual(
    [cut.edges, cut.nodesOf],
    [
      [
        [0, 0, 'runs'],
        [0, 1, 'runs'],
      ],
      5,
    ],
  );
  const hosts = await store.viewGraph({ type: `${EX}Thing` });
  assert.deepEqual(shown(hosts.nodes), [['a', 'Ann', 'Host', 1]]);
  const all = await store.viewGraph({ includeEpisodes: true });
  assert.deepEqual([all.nodesOf, all.nodes.find(({ iri }) => short(iri) === 'episode')?.degree], [6, 1]);
  assert.deepEqual(await store.viewGraph({ type: `${EX}never` }), {
    nodes: [],
    edges: [],
    types: [],
    nodesOf: 0,
    edgesOf: 0,
  });
});

onBothStores('a view of more than 4000 edges keeps those among the nodes that are ranked highest', async (store) => {
  const quads: Quad[] = [];
  for (let from = 0; from < 80; from++)
    for (let to = 0; to < 80; to++) quads.push(quad(`n${from + 10}`, 'p', `n${to + 10}`));
  for (let from = 0; from < 40; from++)
    for (let to = 0; to < 40; to++) quads.push(quad(`n${from + 10}`, 'q', `n${to + 10}`));
  await store.load({ quads });
  const view = await store.viewGraph();
  assert.deepEqual([view.nodes.length, view.edges.length, view.edgesOf], [80, 4000, 8000]);
  // What it holds is of terms, not of edges: 8,000 of them in a projection take more than half a megabyte.
  assert.deepEqual(await store.viewGraph({ memoryBytes: 64 * 1024 }), view);
  await assert.rejects(store.viewGraph({ memoryBytes: 1024 }), { code: 'query_complexity' });
  const shown = new Set(view.edges.map(([from, to, label]) => `${from} ${to} ${label}`));
  // The 40 nodes with q are ranked first: both kinds of edges between 44 nodes are 3536 or more, those of 60 would be too many.
  for (let from = 0; from < 44; from++) for (let to = 0; to < 44; to++) assert.ok(shown.has(`${from} ${to} p`));
  assert.ok(view.edges.every(([from, to]) => from < 60 && to < 60));
});
