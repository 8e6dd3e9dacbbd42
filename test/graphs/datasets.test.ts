/** Datasets: what is stored of them, in which order they are shown, what is refused, and what the past knows. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { DATASETS, FROZEN_DATASET } from '../../engine/query/registry/dataset-rows.js';
import { plainRow, quadsOfRow, readRow } from '../../engine/query/registry/graph-rows.js';
import { openLmdbEngine } from '../../engine/storage/lmdb-store/open.js';
import { lookInto } from '../../engine/storage/seam/rows.js';
import { openStore, type Store, terms } from '../../interfaces/library/index.js';
import { body, openThreaded } from '../service/reads-support.js';
import { EX, knot, onBothStores, ROOT, T, trace } from '../service/time-support.js';
import { StoreFolder } from '../storage/support/store-folder.js';

const DS = `${EX}ds`;
const [A, B, C] = [`${EX}a`, `${EX}b`, `${EX}c`];
const META = 'urn:svc:graph:meta';
const folder = new StoreFolder();

async function withGraphs(store: Store): Promise<void> {
  await store.createGraph(A, { timestamp: T(1) });
  await knot(store, `GRAPH <${B}> { ex:s ex:p 1 }`, { timestamp: T(1) });
}

/** What the meta graph says now, one line each. */
async function metaFacts(store: Store): Promise<string[]> {
  const answer = await store.select(`SELECT ?s ?p ?o { GRAPH <${META}> { ?s ?p ?o } }`);
  const lines: string[] = [];
  for await (const row of answer.rows()) lines.push(row.map((term) => term?.value.replace(/^.*[#/]/, '')).join(' '));
  return lines.sort();
}

async function eventsOf(store: Store): Promise<string[]> {
  const { events } = await store.events.read({ limit: 1000 });
  return events
    .filter(({ type }) => /^(dataset|fork|graph)\./.test(type))
    .map(({ type, subject, payload }) => `${type} ${subject} ${JSON.stringify(payload)}`);
}

onBothStores('a dataset is created, shown, listed, replaced, removed', async (store) => {
  await withGraphs(store);
  const made = await body(store, 'datasets', {
    action: 'create',
    name: DS,
    members: [B, { graph: ROOT, ord: 2 }, { graph: A, ord: 1 }],
    timestamp: T(2),
    actor: 'ana',
  });
  assert.deepEqual(made, { created: DS, members: 3, unregistered: [] });
  const [last] = store.transactions({ since: 2 });
  assert.deepEqual([last?.source, last?.actor], ['dataset', 'ana']);
  assert.deepEqual(await body(store, 'datasets', { action: 'show', name: DS }), {
    name: DS,
    members: [
      { graph: A, ord: 1 },
      { graph: ROOT, ord: 2 },
      { graph: B, ord: null },
    ],
  });
  assert.deepEqual(await body(store, 'datasets', {}), { datasets: [DS], count: 1, truncated: false });
  assert.deepEqual(await metaFacts(store), [
    'ds includesGraph a',
    'ds includesGraph b',
    'ds includesGraph urn:svc:graph:root',
    'ds type Dataset',
  ]);
  const graph = await store.graph(B);
  assert.equal(graph?.class, 'committed');
  await body(store, 'datasets', { action: 'create', name: DS, members: [A] });
  assert.deepEqual(await metaFacts(store), ['ds includesGraph a', 'ds type Dataset']);
  const before = store.transactions().length;
  await body(store, 'datasets', { action: 'create', name: DS, members: [A] });
  assert.equal(store.transactions().length, before, 'the same members again change nothing');
  assert.deepEqual(await body(store, 'datasets', { action: 'remove', name: DS }), { removed: true });
  assert.deepEqual(await body(store, 'datasets', { action: 'remove', name: DS }), { removed: false });
  assert.deepEqual(await metaFacts(store), []);
  assert.deepEqual(await body(store, 'datasets', { action: 'list' }), { datasets: [], count: 0, truncated: false });
  assert.deepEqual(
    (await eventsOf(store)).filter((line) => line.startsWith('dataset')),
    [
      `dataset.created ${DS} {"name":"${DS}","members":3}`,
      `dataset.created ${DS} {"name":"${DS}","members":1}`,
      `dataset.removed ${DS} {"name":"${DS}","members":1}`,
    ],
  );
});

onBothStores('DS-1: two members of one rank are refused, and the list stays', async (store) => {
  await withGraphs(store);
  const before = await trace(store);
  const members = [
    { graph: A, ord: 1 },
    { graph: B, ord: 1 },
  ];
  await assert.rejects(body(store, 'datasets', { action: 'create', name: DS, members }), {
    code: 'invalid_request',
    message: `the members <${A}> and <${B}> have the same ord: 1`,
  });
  assert.deepEqual(await body(store, 'datasets', { action: 'list' }), { datasets: [], count: 0, truncated: false });
  assert.deepEqual(await trace(store), before);
});

onBothStores(
  'DS-2: a member that is not registered is refused by its name, or taken when that is allowed',
  async (store) => {
    await withGraphs(store);
    const none = 'http://x/none';
    const before = await trace(store);
    await assert.rejects(body(store, 'datasets', { action: 'create', name: DS, members: [none, A] }), {
      code: 'not_found_in_store',
      message: `unknown graph: ${none}`,
    });
    assert.deepEqual(await trace(store), before);
    const request = { action: 'create', name: DS, members: [none, A], allow_unregistered: true };
    assert.deepEqual(await body(store, 'datasets', request), { created: DS, members: 2, unregistered: [none] });
    assert.equal(await store.graph(none), null, 'a member of a dataset is not registered by that');
  },
);

onBothStores('what is refused leaves nothing behind', async (store) => {
  await withGraphs(store);
  await store.createDataset({ name: `${EX}other`, members: [A] });
  const before = await trace(store);
  const refusals: [request: object, message: RegExp][] = [
    [{ members: [A] }, /^missing 'name' parameter$/],
    [{ name: DS }, /at least one member/],
    [{ name: DS, members: [] }, /at least one member/],
    [{ name: DS, members: [A, A] }, /stands in the list twice$/],
    [{ name: DS, members: [A, { graph: A, ord: 1 }] }, /stands in the list twice$/],
    [{ name: DS, members: [`${EX}other`] }, /^the member <.*other> is a dataset/],
    [{ name: DS, members: [DS] }, /is a dataset/],
    [{ name: DS, members: [FROZEN_DATASET] }, /is a dataset/],
    [{ name: DS, members: [5] }, /^members\[0\] is 5; expected an IRI/],
    [{ name: DS, members: [{ ord: 1 }] }, /^members\[0\] is/],
    [{ name: DS, members: [{ graph: A, rank: 1 }] }, /^members\[0\] is/],
    [{ name: DS, members: [{ graph: A, ord: 1.5 }] }, /'ord' is 1.5; expected an integer/],
    [{ name: DS, members: ['not an iri'] }, /^members\[0\] is/],
    [{ name: A, members: [B] }, /it is a registered graph$/],
    [{ name: ROOT, members: [B] }, /it is ROOT$/],
    [{ name: 'urn:svc:dataset:mine', members: [B] }, /built in/],
    [{ name: FROZEN_DATASET, members: [B] }, /built in/],
    [{ name: 'urn:svc:fork:x', members: [B] }, /given by the service/],
    [{ name: `${EX}g#inferred`, members: [B] }, /holds derived facts/],
    [{ name: META, members: [B] }, /meta graph/],
  ];
  for (const [request, message] of refusals) {
    await assert.rejects(
      body(store, 'datasets', { action: 'create', ...request }),
      { message },
      JSON.stringify(request),
    );
  }
  await assert.rejects(body(store, 'datasets', { action: 'remove', name: FROZEN_DATASET }), /built in/);
  await assert.rejects(body(store, 'datasets', { action: 'show', name: `${EX}none` }), { code: 'not_found_in_store' });
  await assert.rejects(body(store, 'datasets', { action: 'merge' }), /unknown datasets action 'merge'/);
  assert.deepEqual(await trace(store), before);
});

onBothStores('the name of a dataset is no graph that could be written', async (store) => {
  await withGraphs(store);
  await store.createDataset({ name: DS, members: [A] });
  const before = await trace(store);
  const refused = { code: 'invalid_request', message: /name of a dataset/ };
  await assert.rejects(store.createGraph(DS), refused);
  await assert.rejects(store.update(`INSERT DATA { GRAPH <${DS}> { <${EX}s> <${EX}p> 1 } }`), refused);
  await assert.rejects(knot(store, `GRAPH <${DS}> { ex:s ex:p 1 }`), refused);
  await assert.rejects(knot(store, 'ex:s ex:p 1 .', { graph: DS }), refused);
  await assert.rejects(
    store.transact({
      assert: [terms.quad(terms.namedNode(A), terms.namedNode(B), terms.namedNode(C), terms.namedNode(DS))],
    }),
    refused,
  );
  const document = { text: `<${EX}s> <${EX}p> 1 .`, format: 'turtle' } as const;
  await assert.rejects(store.writeGraph('put', DS, [document]), { code: 'not_found' });
  assert.deepEqual(await trace(store), before);
});

onBothStores('a member known by its facts alone gets a row, which no event tells of', async (store) => {
  await withGraphs(store);
  const events = (await eventsOf(store)).length;
  await store.createDataset({ name: DS, members: [B] });
  await store.update(`DELETE WHERE { GRAPH <${B}> { ?s ?p ?o } }`);
  assert.equal((await store.graph(B))?.facts, 0);
  assert.deepEqual((await eventsOf(store)).slice(events), [`dataset.created ${DS} {"name":"${DS}","members":1}`]);
});

onBothStores('lists and members come in pages', async (store) => {
  await withGraphs(store);
  for (const name of ['3', '1', '2']) await store.createDataset({ name: EX + name, members: [A, B] });
  assert.deepEqual(await body(store, 'dataset_list', { limit: 2 }), {
    datasets: [`${EX}1`, `${EX}2`],
    count: 2,
    truncated: true,
  });
  assert.deepEqual(await body(store, 'dataset_list', { limit: 2, offset: 2 }), {
    datasets: [`${EX}3`],
    count: 1,
    truncated: false,
  });
  assert.deepEqual(await body(store, 'dataset_list', { name: `${EX}1`, limit: 1 }), {
    name: `${EX}1`,
    members: [{ graph: A, ord: null }],
    count: 1,
    truncated: true,
  });
});

test('rows of the past: what was in a dataset as of a transaction', async () => {
  const path = folder.fresh();
  const store = await openStore(path);
  await withGraphs(store);
  const first = await store.createDataset({ name: DS, members: [A] });
  const second = await store.createDataset({ name: DS, members: [{ graph: B, ord: 1 }, A] });
  const third = await store.removeDataset(DS);
  await store.close();
  const engine = await openLmdbEngine(path, { readOnly: true, create: false, baseNamespace: undefined });
  const membersAt = (tx: number) =>
    lookInto(engine.snapshot(), (snapshot) =>
      DATASETS.all(snapshot, { kind: 'asOf', tx }).map(({ members }) => members.map(({ graph }) => graph)),
    );
  assert.deepEqual([first.tx - 1, first.tx, second.tx, third.tx].map(membersAt), [[], [[A]], [[B, A]], []]);
  await engine.close();
});

onBothStores('the dataset of frozen graphs has no row: it is what is frozen now', async (store) => {
  await withGraphs(store);
  const show = () => body(store, 'datasets', { action: 'show', name: FROZEN_DATASET });
  assert.deepEqual(await show(), { name: FROZEN_DATASET, members: [] });
  assert.deepEqual(await body(store, 'datasets', {}), { datasets: [], count: 0, truncated: false });
});

test('urn:svc:dataset:frozen lists the graphs whose rows say that they are frozen', async () => {
  const path = folder.fresh();
  const engine = await openLmdbEngine(path, { readOnly: false, create: true, baseNamespace: undefined });
  const stage = engine.stage({});
  for (const iri of [B, A]) stage.assert(quadsOfRow({ ...plainRow(iri), lifecycle: 'frozen' }));
  await stage.commit().durable;
  assert.equal(
    lookInto(engine.snapshot(), (snapshot) => readRow(snapshot, A)?.lifecycle),
    'frozen',
  );
  await engine.close();
  const store = await openStore(path);
  assert.deepEqual(await store.datasetNames(), [FROZEN_DATASET]);
  assert.deepEqual(await store.datasetMembers(FROZEN_DATASET), [
    { graph: A, ord: null },
    { graph: B, ord: null },
  ]);
  await store.close();
});

test('a server thread creates, shows and removes one as well', async () => {
  const store = await openThreaded();
  try {
    await withGraphs(store);
    await body(store, 'datasets', { action: 'create', name: DS, members: [A, B] });
    assert.deepEqual(await body(store, 'dataset_list', {}), { datasets: [DS], count: 1, truncated: false });
    await body(store, 'datasets', { action: 'remove', name: DS });
    assert.deepEqual(await store.datasetNames(), []);
  } finally {
    await store.close();
  }
});
