/** Names compared with entities by their vectors, too (semantics of reasoning, 8.1 and 8.2). */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { textOfName } from '../../../engine/service/episodes/near-names.js';
import { openStore, type Store } from '../../../interfaces/library/index.js';
import { startTestServer } from '../../http/support.js';
import { fakeService, sendJson } from '../../search/embeddings/fake-service.js';
import { EX, knot } from '../time-support.js';
import { gone, ownProvider } from './own-provider.js';

const PREFIXES = `@prefix ex: <${EX}> . @prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> .`;
const AT_DEFAULT = { topK: 3, threshold: 0.85 };
const GRAPH = `ex:traefik rdfs:label "Traefik" . ex:dwayne rdfs:label "dwayne" .
  ex:proxy ex:note "reverse proxy edge router" . ex:lake ex:note "mountain lake" .`;

async function storeOf(provider = ownProvider()): Promise<Store> {
  const store = await openStore(':memory:', { embeddings: { provider } });
  await knot(store, GRAPH);
  await store.embedBackfill();
  return store;
}

test('what is embedded of a name: itself, and its properties that are texts, in their order', () => {
  assert.equal(textOfName('Traefik'), 'Traefik');
  assert.equal(
    textOfName('Traefik', { kind: 'proxy', port: 80, description: 'edge' }),
    'Traefik. kind: proxy. description: edge',
  );
});

test('EX-8.1 with embeddings: names as without, and entities that are near by meaning', async () => {
  const provider = ownProvider();
  const store = await storeOf(provider);
  assert.deepEqual(await store.resolve('traefic', AT_DEFAULT), [
    { iri: `${EX}traefik`, score: 0.942857, matchedOn: 'canonical_name:jaro_winkler:0.94' },
  ]);
  assert.deepEqual(await store.resolve('duane', AT_DEFAULT), []);
  // Equal texts have the cosine 1, as equal names have the score 1: the name is named.
  assert.deepEqual(await store.resolve('traefik', AT_DEFAULT), [
    { iri: `${EX}traefik`, score: 1, matchedOn: 'canonical_name:jaro_winkler:1.00' },
  ]);
  assert.deepEqual(await store.resolve('reverse proxy router', AT_DEFAULT), [
    { iri: `${EX}proxy`, score: 0.866025, matchedOn: 'embedding:0.87' },
  ]);
  assert.deepEqual(await store.resolve('reverse proxy router', { topK: 3, threshold: 0.9 }), []);
  const [known] = await store.resolve('edge router', { ...AT_DEFAULT, properties: { reverse: 'proxy', port: 80 } });
  assert.deepEqual(known, { iri: `${EX}proxy`, score: 1, matchedOn: 'embedding:1.00' });
  assert.equal(provider.calls.at(-1)?.[0], 'edge router. reverse: proxy');
  await store.close();
});

test('a provider that fails leaves names alone, and is told', async () => {
  const store = await storeOf(ownProvider((_, call) => (call > 1 ? gone() : undefined)));
  const failures: string[] = [];
  const onFailure = ({ message }: Error) => failures.push(message);
  const found = await store.resolve('traefic', { ...AT_DEFAULT, onFailure });
  assert.deepEqual(
    found.map(({ iri }) => iri),
    [`${EX}traefik`],
  );
  assert.deepEqual(failures, ['the provider is gone']);
  await store.close();
});

test('hints of an episode: nodes with their descriptions, but itself and what it is distinct from', async () => {
  const provider = ownProvider();
  const store = await storeOf(provider);
  const resolution = { topK: 3, threshold: 0.85 };
  const nodes = [
    { name: 'edge router', type: 'App', description: 'reverse proxy edge router' },
    { name: 'alp water', type: 'Lake' },
  ];
  const { hints } = await store.writeEpisode({ name: 'e', nodes }, { resolution: { ...resolution, threshold: 0.8 } });
  assert.deepEqual(hints, [
    { node: 'edge router', candidates: [{ iri: `${EX}proxy`, score: 0.904534, matchedOn: 'embedding:0.90' }] },
  ]);
  assert.deepEqual(provider.calls.at(-1), ['edge router. description: reverse proxy edge router', 'alp water']);
  const distinct = [{ name: 'edge router 2', description: 'reverse proxy edge router', distinctFrom: [`${EX}proxy`] }];
  const second = await store.writeEpisode({ name: 'e2', nodes: distinct }, { resolution });
  assert.ok(second.hints.every(({ candidates }) => candidates.every(({ iri }) => iri !== `${EX}proxy`)));
  await assert.rejects(
    store.writeEpisode(
      { name: 'e3', nodes: [{ name: 'lake', description: 'mountain lake' }] },
      { resolution: { topK: 3, threshold: 0.7, strict: true } },
    ),
    { code: 'invalid_request', message: /"lake" may be <http:\/\/example\.org\/lake> \(score 0\.\d+\)/ },
  );
  await store.close();
});

test('in strict mode a provider that fails refuses the episode; else names alone are compared', async () => {
  const store = await storeOf(ownProvider((_, call) => (call > 1 ? gone() : undefined)));
  const episode = { name: 'e', nodes: [{ name: 'traefic' }] };
  const strict = { topK: 3, threshold: 0.85, strict: true };
  await assert.rejects(store.writeEpisode(episode, { resolution: strict }), { code: 'embedding_unavailable' });
  const { hints } = await store.writeEpisode(episode, { resolution: AT_DEFAULT });
  assert.equal(hints[0]?.candidates[0]?.iri, `${EX}traefik`);
  await store.close();
});

test('over HTTP, by a reader thread: the score of the vector, and why names alone were compared', async (t) => {
  let fails = false;
  const service = await fakeService(t, 16, (response) => fails && sendJson(response, {}, 400));
  const server = await startTestServer(t, {
    embedding: { provider: 'http', url: service.url, model: 'words', dimension: 16 },
  });
  await server.post('/knot', { turtle: `<${EX}proxy> <${EX}note> "reverse proxy edge router" .` });
  await server.post('/embed_backfill', {});
  const resolve = async () =>
    (await server.post('/resolve', { name: 'router', properties: { reverse: 'proxy' } })).json();
  const found = (await resolve()) as Record<string, unknown>;
  assert.deepEqual(found, {
    has_matches: true,
    count: 1,
    candidates: [{ iri: `${EX}proxy`, score: 0.866025, matched_on: 'embedding:0.87' }],
    vector_scope: { kind: 'whole_store' },
  });
  fails = true;
  const { count, embeddings } = (await resolve()) as { count: number; embeddings: { error: string } };
  assert.equal(count, 0);
  assert.match(embeddings.error, /it answered 400/);
});

test('a table of names is embedded by one call, and a type narrows what is near before it is cut', async (t) => {
  const service = await fakeService(t, 16);
  const server = await startTestServer(t, {
    embedding: { provider: 'http', url: service.url, model: 'words', dimension: 16 },
  });
  const crowd = Array.from({ length: 40 }, (_, at) => `ex:rumour${at} ex:note "reverse proxy edge router tool" .`).join(
    ' ',
  );
  await server.post('/knot', { turtle: `${PREFIXES} ${GRAPH} ${crowd} ex:proxy a ex:Tool .` });
  await server.post('/embed_backfill', {});
  const calls = service.asked.length;
  const queries = {
    a: { query: 'traefik' },
    none: { query: '' },
    b: { query: 'reverse proxy edge router tool', type: `${EX}Tool`, limit: 1 },
    c: { query: 'reverse proxy edge router tool', limit: 3 },
  };
  const body = (await (await server.post('/reconcile', { queries })).json()) as Record<
    string,
    { result: { id: string }[] }
  >;
  assert.deepEqual(Object.keys(body), ['a', 'none', 'b', 'c']);
  assert.deepEqual(
    ['a', 'none', 'b'].map((key) => body[key]?.result.map(({ id }) => id)),
    [[`${EX}traefik`], [], [`${EX}proxy`]],
  );
  assert.equal(body.c?.result.length, 3);
  assert.deepEqual(
    service.asked.slice(calls).map((one) => one.body.input),
    [['traefik', 'reverse proxy edge router tool', 'reverse proxy edge router tool']],
  );
});
