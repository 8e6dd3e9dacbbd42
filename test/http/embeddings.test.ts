/** What a server does about embeddings: `/embed_backfill`, the backfill at the start, figures, a provider that fails. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { fakeService, sendJson } from '../search/embeddings/fake-service.js';
import { startTestServer, type TestServer } from './support.js';

const DIMENSION = 16;
const TURTLE = Array.from({ length: 10 }, (_, at) => `<urn:e:${at}> <urn:name> "item ${at}" .`).join('\n');

const keysOf = (url: string, more: object = {}) => ({
  embedding: { provider: 'http', url, model: 'small', dimension: DIMENSION, embed_batch_size: 4, ...more },
});

async function answer(response: Response): Promise<Record<string, unknown>> {
  assert.equal(response.status, 200);
  return (await response.json()) as Record<string, unknown>;
}

async function metric(server: TestServer, name: string): Promise<string | undefined> {
  const text = await (await server.get('/metrics')).text();
  return text.split('\n').find((line) => line.startsWith(`${name} `));
}

test('without a provider: 200, and an error that says what to configure', async (t) => {
  const server = await startTestServer(t);
  const body = await answer(await server.post('/embed_backfill', {}));
  assert.equal(body.status, 'error');
  assert.match(String(body.error), /^no embedding provider configured/);
  assert.equal(await metric(server, 'svc_embeddings_remaining'), undefined);
});

test('a backfill by request, its figures, and nothing left to do', async (t) => {
  const service = await fakeService(t, DIMENSION);
  const server = await startTestServer(t, keysOf(service.url));
  await answer(await server.post('/knot', { turtle: TURTLE }));
  const done = { status: 'ok', entities_embedded: 10, remaining: 0, failed: 0 };
  assert.deepEqual(await answer(await server.post('/embed_backfill', {})), done);
  assert.deepEqual(await answer(await server.post('/embed_backfill', {})), { ...done, entities_embedded: 0 });
  assert.equal(await metric(server, 'svc_embeddings{outcome="embedded"}'), 'svc_embeddings{outcome="embedded"} 10');
  assert.equal(await metric(server, 'svc_embeddings_remaining'), 'svc_embeddings_remaining 0');
  assert.deepEqual(
    service.asked.map(({ body }) => body.input.length),
    [4, 4, 2],
  );
});

test('a provider that fails half way: what was done stays, and the answer says how far', async (t) => {
  const service = await fakeService(t, DIMENSION, (response, _, attempt) =>
    attempt === 2 ? sendJson(response, { data: [] }) : false,
  );
  const server = await startTestServer(t, keysOf(service.url));
  await answer(await server.post('/knot', { turtle: TURTLE }));
  const { error, ...counts } = await answer(await server.post('/embed_backfill', {}));
  assert.match(String(error), /0 vectors for 4 texts/);
  assert.deepEqual(counts, { status: 'error', entities_embedded: 4, remaining: 6, failed: 4 });
  assert.equal(await metric(server, 'svc_embeddings_remaining'), 'svc_embeddings_remaining 6');
  const rest = await answer(await server.post('/embed_backfill', {}));
  assert.deepEqual(rest, { status: 'ok', entities_embedded: 6, remaining: 0, failed: 0 });
});

test('the backfill needs the bearer of writes, and no server that only reads does it', async (t) => {
  const service = await fakeService(t, DIMENSION);
  const token = 'a-token-of-more-than-sixteen';
  const server = await startTestServer(t, { ...keysOf(service.url), server: { auth_token: token } });
  assert.equal((await server.post('/embed_backfill', {})).status, 401);
  await answer(await server.post('/embed_backfill', {}, { Authorization: `Bearer ${token}` }));
});

test('auto_embed: what requests write has vectors soon', async (t) => {
  const service = await fakeService(t, DIMENSION);
  const server = await startTestServer(t, keysOf(service.url, { auto_embed: true }));
  await answer(await server.post('/knot', { turtle: TURTLE }));
  await answer(await server.post('/episode', { name: 'e', nodes: [{ name: 'Traefik', type: 'App' }] }));
  await server.running.store.embedded();
  assert.ok(service.asked.flatMap(({ body }) => body.input).includes('Traefik. type: App'));
  const body = await answer(await server.post('/embed_backfill', {}));
  assert.deepEqual(body, { status: 'ok', entities_embedded: 0, remaining: 0, failed: 0 });
});

test('--embed-backfill embeds from the start on, and stops the start without a provider', async (t) => {
  await assert.rejects(startTestServer(t, {}, { embedBackfill: true }), {
    code: 'configuration',
    message: /--embed-backfill needs an embedding provider/,
  });
  const service = await fakeService(t, DIMENSION);
  const reading = { ...keysOf(service.url), server: { read_only: true } };
  await assert.rejects(startTestServer(t, reading, { embedBackfill: true }));
  const server = await startTestServer(t, keysOf(service.url), { embedBackfill: true });
  // An empty store has nothing to embed: the line tells of it all the same.
  while (!server.lines.some((line) => line.startsWith('embed backfill: '))) {
    await new Promise((resolve) => setImmediate(resolve));
  }
  assert.ok(server.lines.includes('embed backfill: embedded 0, remaining 0, failed 0\n'));
});

test('a provider that can not be opened stops the start, and names its key', async (t) => {
  const keys = keysOf('http://127.0.0.1:1', { api_key_env: 'SVC_NO_SUCH_VARIABLE' });
  await assert.rejects(startTestServer(t, keys), {
    code: 'configuration',
    message: /embedding\.api_key_env: the variable SVC_NO_SUCH_VARIABLE .* is not set/,
  });
});
