/** What lies beside transactions at a follower: vectors, cursors, subscriptions, refusals, and that there is one who delivers. */

import assert from 'node:assert/strict';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { test } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import { promoteFollower } from '../../engine/follow/promote.js';
import type { Store } from '../../engine/service/store/store.js';
import { besideTold } from './beside-told.js';
import {
  assertSameAnswer,
  PRIMARY_KEYS,
  reached,
  startFollower,
  type TestFollower,
  TOKEN,
} from './following-support.js';
import { putTextVectors, vectorOf } from './put-text-vectors.js';
import { json, startTestServer, type TestServer } from './support.js';

const SHAPES = `@prefix sh: <http://www.w3.org/ns/shacl#> .
<urn:S> a sh:NodeShape ; sh:targetClass <urn:Refused> ; sh:property [ sh:path <urn:name> ; sh:minCount 1 ] .`;
const UPDATE = { 'Content-Type': 'application/sparql-update' };

async function update(server: Pick<TestServer, 'base'>, text: string): Promise<number> {
  const response = await fetch(`${server.base}/update`, { method: 'POST', headers: UPDATE, body: text });
  assert.equal(response.status, 200, await response.clone().text());
  return (await json(response)).tx_id as number;
}

/** Settles when both keep the same beside their transactions. */
async function sameBeside(primary: Store, follower: () => Store, timeoutMs = 20_000): Promise<void> {
  for (const until = performance.now() + timeoutMs; ; await pause(30)) {
    const [told, has] = [primary, follower()].map((store) => JSON.stringify(besideTold(store.open())));
    if (told === has) return;
    if (performance.now() > until) {
      assert.deepEqual(besideTold(follower().open()), besideTold(primary.open()));
    }
  }
}

async function searchesAlike(primary: TestServer, follower: TestFollower): Promise<void> {
  for (const at of [1n, 99n, 2n ** 40n]) {
    const body = { embedding: [...vectorOf(at)], limit: 20 };
    const ask = async (base: string) => {
      const headers = { 'Content-Type': 'application/json' };
      const response = await fetch(`${base}/search`, { method: 'POST', headers, body: JSON.stringify(body) });
      return `${response.status} ${await response.text()}`;
    };
    const [one, other] = [await ask(primary.base), await ask(follower.base)];
    assert.match(one, /^200 /);
    assert.equal(other, one);
  }
}

const NAMES = Array.from({ length: 40 }, (_, at) => `urn:s${at}`);

test('vectors are followed: those that are put, replaced, ended, dropped, and those of another model', async (t) => {
  const primary = await startTestServer(t, PRIMARY_KEYS);
  const { store } = primary.running;
  await update(primary, `INSERT DATA { ${NAMES.map((name) => `<${name}> <urn:p> "text of ${name}"`).join(' . ')} }`);
  await putTextVectors(store, NAMES.slice(0, 25));
  const follower = await startFollower(t, { primary: primary.base });
  const copy = () => follower.server().store;
  await sameBeside(store, copy);
  await searchesAlike(primary, follower);

  await t.test('while it follows', async () => {
    await putTextVectors(store, NAMES.slice(20));
    await update(primary, 'DELETE DATA { <urn:s3> <urn:p> "text of urn:s3" }');
    await update(primary, 'INSERT DATA { <urn:s4> <urn:p> "more" , "and more" . <urn:s30> <urn:p> "more" }');
    await putTextVectors(store, ['urn:s4', 'urn:s3']);
    await sameBeside(store, copy);
    await searchesAlike(primary, follower);
  });
  await t.test('what the primary did while it was away', async () => {
    await follower.stop();
    await update(primary, 'DELETE DATA { <urn:s5> <urn:p> "text of urn:s5" }');
    await update(primary, 'INSERT DATA { <urn:s30> <urn:p> "even more" . <urn:new> <urn:p> "new" }');
    await putTextVectors(store, ['urn:s30', 'urn:new']);
    await update(primary, 'DELETE DATA { <urn:new> <urn:p> "new" }');
    const again = await startFollower(t, { primary: primary.base, path: follower.path });
    await sameBeside(store, () => again.server().store);
    await searchesAlike(primary, again);
    assert.equal(again.starts(), 1);

    await store.replicate('dropVectors' as never, {} as never);
    await sameVectors(store, again);
    await putTextVectors(store, NAMES.slice(10, 15), 'another model');
    await sameVectors(store, again);
    await searchesAlike(primary, again);
    const refused = putTextVectors(again.server().store, ['urn:s1'], 'another model');
    await assert.rejects(refused, /is a follower of .*: it is written there, and only read here/);
    await again.stop();
  });
});

/** Generations are counted by each store for itself; `besideTold` does not tell them. */
async function sameVectors(primary: Store, follower: TestFollower): Promise<void> {
  await sameBeside(primary, () => follower.server().store);
}

test('cursors, subscriptions, refusals and pruning are followed, and refused at the follower by name', async (t) => {
  const primary = await startTestServer(t, PRIMARY_KEYS);
  const { store } = primary.running;
  await update(primary, 'INSERT DATA { <urn:a> <urn:p> 1 }');
  await store.events.commit('before', 1);
  const follower = await startFollower(t, { primary: primary.base });
  const copy = () => follower.server().store;
  await sameBeside(store, copy);
  await store.events.commit('before', 2);
  await store.events.commit('after', 1);
  const hook = { consumerId: 'hook', webhookUrl: 'http://127.0.0.1:9/', mode: 'batch', batchWindowS: 1e9, secret: 's' };
  await store.events.subscribe(hook);
  await primary.post('/shapes', { action: 'load', name: 's', turtle: SHAPES });
  const refused = await primary.post('/knot', { turtle: '<urn:b> a <urn:Refused> .' });
  assert.equal(refused.status, 400);
  assert.equal(store.open().events.stored(0, 100).at(-1)?.type, 'write.refused');
  await sameBeside(store, copy);
  await assertSameAnswer(primary.base, follower.base, '/subscriptions');
  await assertSameAnswer(primary.base, follower.base, '/events?limit=100');
  await store.events.unsubscribe('hook');
  await update(primary, 'INSERT DATA { <urn:a> <urn:p> 2 }');
  for (const name of ['before', 'after']) await store.events.commit(name, store.events.last);
  await store.events.prune(new Date(Date.now() + 60_000));
  assert.ok(store.open().events.state().floor > 0);
  await sameBeside(store, copy);
  await assert.rejects(copy().events.commit('mine', 1), /is a follower of/);
  await assert.rejects(copy().events.subscribe({ ...hook, consumerId: 'mine' }), /is a follower of/);
});

test('a promotion goes on with subscriptions: each event is delivered once, by one server at a time', async (t) => {
  const seen: number[] = [];
  const target = createServer((request, response) => {
    let body = '';
    request.on('data', (data) => {
      body += data;
    });
    request.on('end', () => {
      for (const { offset } of (JSON.parse(body) as { events: { offset: number }[] }).events) seen.push(offset);
      response.end('ok');
    });
  });
  await new Promise<void>((resolve) => target.listen(0, '127.0.0.1', resolve));
  t.after(() => target.close());
  const webhookUrl = `http://127.0.0.1:${(target.address() as AddressInfo).port}/`;
  const keys = { ...PRIMARY_KEYS, subscriptions: { allow_private_targets: true } };
  const primary = await startTestServer(t, keys);
  const { store } = primary.running;
  await store.events.subscribe({ consumerId: 'hook', webhookUrl, since: 0 });
  const tx = await update(primary, 'INSERT DATA { <urn:a> <urn:p> 1 , 2 }');
  const follower = await startFollower(t, { primary: primary.base, keys });
  await reached(follower, tx);
  const delivered = async (server: Store) => {
    for (const until = performance.now() + 30_000; ; await pause(50)) {
      const [hook] = await server.events.subscriptions();
      if (hook?.committedOffset === server.events.last) return;
      assert.ok(performance.now() < until, JSON.stringify(hook));
    }
  };
  await delivered(store);
  await sameBeside(store, () => follower.server().store);
  await follower.stop();
  await promoteFollower(follower.path, { token: TOKEN, force: false }, {});
  // The old one stays up, fenced.
  const heir = await startTestServer(t, keys, { path: follower.path });
  await update(heir, 'INSERT DATA { <urn:a> <urn:p> 3 }');
  await delivered(heir.running.store);
  const all = heir.running.store.events.last;
  assert.deepEqual(
    seen,
    Array.from({ length: all }, (_, at) => at + 1),
  );
});
