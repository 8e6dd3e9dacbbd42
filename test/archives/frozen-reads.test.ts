/** What is told of a graph while it is frozen: its state at an instant over HTTP, to whoever may read some graphs, and in the manifest. */
import assert from 'node:assert/strict';
import { rmSync } from 'node:fs';
import { test } from 'node:test';
import { openLmdbEngine } from '../../engine/storage/lmdb-store/open.js';
import { terms } from '../../interfaces/library/index.js';
import { json, startTestServer } from '../http/support.js';
import { EX, T } from '../service/time-support.js';
import { answersOf, failure, fillGraph, freshFolder, G, onBoth, rowsOf, withStore } from './support.js';

const ROOT = 'urn:svc:graph:root';
const STAMP = '2026-05-01T00:00:00Z';

function httpDate(instant: string): string {
  return new Date(instant).toUTCString();
}

test('mementos: a frozen graph at an instant is what it was before, ROOT too; by transaction it is refused', async (t) => {
  const server = await startTestServer(t);
  const graph = encodeURIComponent(G);
  const post = async (path: string, body: object): Promise<void> => {
    const answer = await server.post(path, body);
    assert.equal(answer.status, 200, `${path}: ${await answer.text()}`);
  };
  await post('/graph/create', { graph: G, timestamp: T(1) });
  await post('/knot', { turtle: `<${EX}a> <${EX}p> 1, 2 .`, graph: G, timestamp: T(1), source: 'load' });
  await post('/knot', { turtle: `<${EX}a> <${EX}p> 0 .`, timestamp: T(1) });
  await post('/set', { entity: `${EX}a`, predicate: `${EX}p`, value: { int: 7 }, timestamp: T(3) });
  await post('/knot', { turtle: `<${EX}a> <${EX}p> 3 .`, graph: G, timestamp: T(3) });
  await post('/retract/source', { source: 'load', repair: 'T-1', graph: G, apply: true, timestamp: T(4) });
  const paths = [
    `/rdf-graph-store?graph=${graph}`,
    '/rdf-graph-store?default',
    `/entity/${encodeURIComponent(`${EX}a`)}/ttl`,
  ];
  const read = async (): Promise<string[]> => {
    const found: string[] = [];
    for (const path of paths) {
      for (const instant of ['2025-06-01T00:00:00Z', T(1), T(2), T(3), T(4)]) {
        const answer = await server.get(path, { 'Accept-Datetime': httpDate(instant), Accept: 'text/turtle' });
        found.push(
          `${path} ${instant} ${answer.status} ${answer.headers.get('memento-datetime')}\n${await answer.text()}`,
        );
      }
    }
    return found;
  };
  const before = await read();
  const values = before.map((one) => [...one.matchAll(/"(\d)"/g)].map((match) => match[1]).join(' '));
  assert.deepEqual(values, ['', '1 2', '1 2', '1 2 3', '3', '', '0', '0', '7', '7', '', '0', '0', '7', '7']);
  await post('/graph/freeze', { graph: G, timestamp: STAMP });
  assert.deepEqual(await read(), before);
  for (const path of [`/entity/${encodeURIComponent(`${EX}a`)}?tx=2`, '/entity?tx=1&iri=urn:a']) {
    for (const headers of [{}, { 'Accept-Datetime': httpDate(T(2)) }] as Record<string, string>[]) {
      const answer = await server.get(path, { Accept: 'application/json', ...headers });
      assert.equal(answer.status, 400, path);
      assert.match(String(((await json(answer)) as { error: string }).error), /while graphs are frozen/);
    }
  }
  await post('/graph/thaw', { graph: G, timestamp: STAMP });
  assert.deepEqual(await read(), before);
});

onBoth('documents and patterns that name a frozen graph have its rows', async (store) => {
  const [graph, a] = [terms.namedNode(G), terms.namedNode(`${EX}a`)];
  const read = async (): Promise<unknown> => {
    const documents: string[] = [];
    for (const format of ['ntriples', 'turtle', 'nquads', 'trig'] as const) {
      let text = '';
      for await (const bytes of store.export(format, { graph: G })) text += Buffer.from(bytes).toString();
      documents.push(text);
    }
    const counts: number[] = [];
    const matched: string[] = [];
    for (const time of [{}, { validAt: T(2) }, { validAt: '2020-01-01' }]) {
      const snapshot = store.snapshot(time);
      for (const subject of [null, a]) counts.push(snapshot.count(subject, null, null, graph));
      for await (const { object } of snapshot.match(a, null, null, graph)) matched.push(object.value);
      for (const quad of snapshot.dataset().match(null, null, null, graph)) assert.ok(snapshot.has(quad));
      snapshot.close();
    }
    return { documents, counts, matched: matched.sort() };
  };
  const before = (await read()) as { readonly counts: number[]; readonly documents: string[] };
  assert.deepEqual(before.counts, [3, 2, 4, 3, 0, 0]);
  assert.ok(before.documents.every((text) => text.includes('"x"@en')));
  await store.freezeGraph(G);
  assert.deepEqual(await read(), before);
  await store.thawGraph(G);
  assert.deepEqual(await read(), before);
});

test('a document of a frozen graph whose archive is gone is refused, not empty', async () => {
  const { path } = freshFolder();
  const { archive } = await withStore(path, async (store) => {
    await fillGraph(store);
    return store.freezeGraph(G);
  });
  rmSync(archive);
  await withStore(path, async (store) => {
    const exported = async (): Promise<void> => {
      for await (const bytes of store.export('turtle', { graph: G })) assert.fail(`${bytes.length} bytes`);
    };
    assert.equal((await failure(exported())).code, 'unavailable');
    const snapshot = store.snapshot();
    assert.throws(() => snapshot.count(null, null, null, terms.namedNode(G)), { code: 'unavailable' });
    snapshot.close();
  });
});

onBoth('whoever may read some graphs sees a frozen one of them with its facts and its archive', async (store) => {
  await store.update(`INSERT DATA { GRAPH <${EX}other> { <${EX}a> <${EX}p> 1 } }`);
  const answers = await answersOf(store);
  const { sha256 } = await store.freezeGraph(G, { timestamp: T(5) });
  await store.freezeGraph(`${EX}other`, { timestamp: T(6) });
  for (const readable of [[G], [ROOT, G]]) {
    const reader = store.as({ authenticated: null, readable });
    assert.deepEqual(await answersOf(reader as typeof store), answers);
    const listed = (await reader.graphs({ lifecycle: 'frozen' })).graphs;
    assert.deepEqual(
      listed.map(({ iri, facts, archive }) => [iri, facts, archive?.sha256, archive?.frozenAt, archive?.error]),
      [[G, 3, sha256, T(5), null]],
    );
    assert.equal((await reader.graph(G))?.facts, 3);
    assert.equal(await reader.graph(`${EX}other`), null);
    assert.equal((await failure(reader.query('ASK {}', { tx: 1 }))).httpStatus, 400);
  }
  // Who reads neither of them is told of none.
  const stranger = store.as({ authenticated: null, readable: [ROOT] });
  assert.deepEqual((await stranger.graphs({ lifecycle: 'frozen' })).graphs, []);
  const registry = `SELECT ?s ?o { GRAPH <urn:svc:graph:registry> { ?s ?p ?o } }`;
  assert.deepEqual(
    (await rowsOf(stranger as typeof store, registry)).filter((row) => row.includes('freeze')),
    [],
  );
  await store.thawGraph(G);
  assert.equal((await store.as({ authenticated: null, readable: [G] }).graph(G))?.facts, 3);
});

test('the manifest of a pack has the labels that were declared when it was written, without what had expired', async () => {
  const { folder, path } = freshFolder();
  const trust = { iri: 'urn:t:canon', chain: 'urn:t:chain', rank: 4 };
  const manifests = await withStore(path, async (store) => {
    await fillGraph(store);
    await store.labelGraph(G, { freshness: 'stale', trust, policy: ['pii', 'no-export'] }, { timestamp: T(1) });
    await store.labelGraph(G, { kind: 'reference' }, { timestamp: T(1), validTo: T(2) });
    const { archive } = await store.freezeGraph(G);
    await store.createGraph(`${EX}plain`);
    return [archive, (await store.packGraph(`${EX}plain`, `${folder}/plain.db`)).path];
  });
  const engine = await openLmdbEngine(path, { readOnly: true });
  const [labelled, plain] = manifests.map((one) => engine.packs.manifest(one).labels);
  await engine.close();
  const undeclared = { freshness: null, durability: null, trust: null, policy: null, kind: null };
  assert.deepEqual(labelled, { ...undeclared, freshness: 'stale', trust, policy: ['no-export', 'pii'] });
  assert.deepEqual(plain, undeclared);
});
