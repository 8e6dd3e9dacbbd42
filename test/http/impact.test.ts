/** `/impact` is a read: where writes need a token, on a server that only reads, and within the time of a query. */
import assert from 'node:assert/strict';
import { join } from 'node:path';
import { test } from 'node:test';
import { json, startTestServer } from './support.js';

const E = 'http://example.org';
const TOKEN = 'a-token-that-is-long-enough';
const asked = { entity: `${E}/0`, remove: true };

test('nobody needs a token for it, and a server that only reads has it', async (t) => {
  const writing = await startTestServer(t, { server: { auth_token: TOKEN } });
  const turtle = `<${E}/0> <${E}/p> <${E}/1> . <${E}/1> <${E}/p> <${E}/2> . <${E}/2> <${E}/p> <${E}/0> .`;
  assert.equal((await writing.post('/knot', { turtle }, { Authorization: `Bearer ${TOKEN}` })).status, 200);
  const open = await writing.post('/impact', asked);
  const body = await json(open);
  assert.deepEqual([open.status, body.lost], [200, [`${E}/1`, `${E}/2`]]);
  const path = join(writing.folder, 'store.svc');
  for (const read_pool_size of [0, 1]) {
    const reading = await startTestServer(t, { server: { read_only: true, read_pool_size } }, { path });
    const log = await json(await reading.get('/transactions'));
    const answer = await reading.post('/impact', asked);
    assert.equal(answer.status, 200);
    assert.deepEqual(await json(answer), body, `with ${read_pool_size} threads`);
    assert.deepEqual(await json(await reading.get('/transactions')), log);
    assert.deepEqual((await json(await reading.post('/impact', { ...asked, remove: false }))).reached_count, 2);
  }
});

test('several at once beside writes: each is of one state', async (t) => {
  const server = await startTestServer(t);
  const chain = (from: number, to: number) =>
    Array.from({ length: to - from }, (_, at) => `<${E}/${from + at}> <${E}/p> <${E}/${from + at + 1}> .`).join('\n');
  assert.equal((await server.post('/knot', { turtle: chain(0, 20) })).status, 200);
  const writes = (async () => {
    for (let at = 20; at < 40; at++)
      assert.equal((await server.post('/knot', { turtle: chain(at, at + 1) })).status, 200);
  })();
  const reads = Array.from({ length: 30 }, async (_, at) => {
    const answer = await server.post('/impact', { ...asked, hops: 100, remove: at % 3 > 0, limit: 1 });
    const { reached_count: reached, lost_count: lost = 0 } = (await json(answer)) as Record<string, number>;
    const whole = (at % 3 > 0 ? lost : reached) as number;
    assert.ok(whole >= 20 && whole <= 40, String(whole));
    assert.equal(at % 3 > 0 ? reached : 0, 0);
  });
  await Promise.all([writes, ...reads]);
  assert.equal((await json(await server.post('/impact', { ...asked, hops: 100 }))).lost_count, 40);
  assert.equal(((await json(await server.get('/transactions?limit=100'))).transactions as unknown[]).length, 21);
});

test('a walk ends with the time of a query', async (t) => {
  const server = await startTestServer(t, { search: { query_timeout_ms: 1 } });
  const lines = Array.from({ length: 5000 }, (_, at) => `<${E}/${at}> <${E}/p> <${E}/${at + 1}> .`).join('\n');
  assert.equal((await server.post('/knot', { turtle: lines })).status, 200);
  const late = await server.post('/impact', { entity: `${E}/0`, hops: 10_000 });
  const body = await json(late);
  assert.deepEqual([late.status, body.code], [408, 'query_timeout']);
  assert.match(body.error as string, /search\.query_timeout_ms/);
});

test('what is supposed is completed by what follows from it, in threads of readers too', async (t) => {
  for (const read_pool_size of [0, 1]) {
    const server = await startTestServer(t, { server: { read_pool_size }, features: { owl: true } });
    const turtle = `<${E}/p> <http://www.w3.org/2002/07/owl#inverseOf> <${E}/q> .`;
    assert.equal((await server.post('/ontology', { action: 'load', name: 'o', turtle })).status, 200);
    assert.equal((await server.post('/knot', { turtle: `<${E}/a> <${E}/p> <${E}/b> .` })).status, 200);
    const { lost, reached_count: reached } = await json(
      await server.post('/impact', { entity: `${E}/b`, remove: true, predicates: [`${E}/q`] }),
    );
    assert.deepEqual([lost, reached], [[], 1], `its fact follows from another's, with ${read_pool_size} threads`);
  }
});
