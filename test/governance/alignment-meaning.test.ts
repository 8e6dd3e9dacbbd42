/** Alignment by meaning (semantics of reasoning, 7 and 8.1): labels whose vectors are near, beside those that are alike. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { openStore, type Store } from '../../interfaces/library/index.js';
import { startTestServer } from '../http/support.js';
import { fakeService, sendJson } from '../search/embeddings/fake-service.js';
import { gone, ownProvider } from '../service/embedding/own-provider.js';

const EX = 'http://ex/';
const ROOT = 'urn:svc:graph:root';
const LEFT = `${EX}left`;
const RDFS = 'http://www.w3.org/2000/01/rdf-schema#';
const labelled = (names: Readonly<Record<string, string>>) =>
  Object.entries(names)
    .map(([name, label]) => `<${EX}${name}> <${RDFS}label> "${label}" .`)
    .join('\n');
const OURS = labelled({ l1: 'router edge proxy', l2: 'Traefik', l3: 'quiet pond' });
const THEIRS = labelled({ r1: 'proxy edge router', r2: 'traefik', r3: 'mountain lake' });

async function filled(provider = ownProvider()): Promise<Store> {
  const store = await openStore(':memory:', { embeddings: { provider } });
  await store.createGraph(LEFT);
  await store.load({ text: OURS, format: 'turtle' }, { graph: LEFT });
  await store.load({ text: THEIRS, format: 'turtle' });
  return store;
}

const pairs = (found: Awaited<ReturnType<Store['proposeAlignment']>>) =>
  found.mappings.map(({ left, right, score, matchedOn }) => [left.slice(10), right.slice(10), score, matchedOn]);

const BY_NAME = ['l2', 'r2', 1, 'canonical_name:jaro_winkler:1.00'];

test('entities that are near in meaning are proposed beside those that are alike by name', async (t) => {
  const store = await filled();
  t.after(() => store.close());
  // Without vectors, names alone.
  assert.deepEqual(pairs(await store.proposeAlignment(LEFT, ROOT)), [BY_NAME]);
  await store.embedBackfill();
  const found = await store.proposeAlignment(LEFT, ROOT);
  assert.deepEqual(pairs(found), [['l1', 'r1', 1, 'embedding:1.00'], BY_NAME]);
  assert.deepEqual(
    [found.mappings[0]?.leftLabel, found.mappings[0]?.rightLabel],
    ['router edge proxy', 'proxy edge router'],
  );
  // What is decided is proposed no more, whatever it was found by.
  await store.load({ text: `<${EX}l1> <http://www.w3.org/2002/07/owl#sameAs> <${EX}r1> .`, format: 'turtle' });
  assert.deepEqual(pairs(await store.proposeAlignment(LEFT, ROOT)), [BY_NAME]);
});

test('a provider that fails leaves names, and the answer says why', async (t) => {
  const store = await filled(ownProvider((_, call) => (call > 1 ? gone() : undefined)));
  t.after(() => store.close());
  await store.embedBackfill();
  const failures: string[] = [];
  const found = await store.proposeAlignment(LEFT, ROOT, { onFailure: ({ message }) => failures.push(message) });
  assert.deepEqual([pairs(found), failures], [[BY_NAME], ['the provider is gone']]);
});

test('the route tells of it, from a thread that reads', async (t) => {
  let fails = false;
  const { url } = await fakeService(t, 8, (response) => fails && sendJson(response, { error: 'no' }, 400));
  const server = await startTestServer(t, { embedding: { provider: 'http', url, model: 'fake', dimension: 8 } });
  await server.post('/graph/create', { graph: LEFT });
  await server.post('/knot', { turtle: OURS, graph: LEFT });
  await server.post('/knot', { turtle: THEIRS });
  assert.equal((await server.post('/embed_backfill', {})).status, 200);
  const propose = async () =>
    (await (await server.post('/align/propose', { left: LEFT, right: ROOT })).json()) as {
      mappings: { matched_on: string }[];
      embeddings?: { error: string };
    };
  const found = await propose();
  assert.deepEqual(
    found.mappings.map((one) => one.matched_on),
    ['embedding:1.00', 'canonical_name:jaro_winkler:1.00'],
  );
  assert.equal(found.embeddings, undefined);
  fails = true;
  const without = await propose();
  assert.deepEqual(
    without.mappings.map((one) => one.matched_on),
    ['canonical_name:jaro_winkler:1.00'],
  );
  assert.match(without.embeddings?.error ?? '', /./);
});
