/** Deliveries of a server: from its own process, to addresses that its configuration allows, with figures. */
import assert from 'node:assert/strict';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { type TestContext, test } from 'node:test';
import { json, startTestServer } from './support.js';

const TURTLE = '<http://ex.org/a> <http://ex.org/p> 1 .';

/** Gives the bodies that it was sent. */
async function receiver(t: TestContext) {
  const bodies: { subscription: string; events: { offset: number }[] }[] = [];
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      bodies.push(JSON.parse(Buffer.concat(chunks).toString()));
      response.writeHead(204).end();
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  t.after(() => server.close());
  return { bodies, url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/hook` };
}

async function until(isTrue: () => boolean | Promise<boolean>): Promise<void> {
  while (!(await isTrue())) await new Promise((resolve) => setTimeout(resolve, 50));
}

test('events are pushed to a subscription, and its state and figures are told', async (t) => {
  const { bodies, url } = await receiver(t);
  const server = await startTestServer(t, { subscriptions: { allow_private_targets: true } });
  const created = await json(
    await server.post('/subscriptions', { action: 'create', consumer_id: 'c', webhook_url: url, secret: 'hidden' }),
  );
  assert.deepEqual(created, { action: 'created', id: 1, consumer_id: 'c' });
  await server.post('/knot', { turtle: TURTLE });
  await until(() => bodies.length > 0);
  assert.deepEqual(
    bodies.map(({ subscription, events }) => [subscription, events.map(({ offset }) => offset)]),
    [['c', [1, 2]]],
  );
  const listed = async () => json(await server.post('/subscriptions', {}));
  await until(
    async () => ((await listed()).subscriptions as { committed_offset: number }[])[0]?.committed_offset === 2,
  );
  const { subscriptions, count, truncated } = await listed();
  assert.deepEqual([count, truncated], [1, false]);
  const [{ created_at, ...rest }] = subscriptions as [Record<string, unknown>];
  assert.match(String(created_at), /^\d{4}-/);
  assert.deepEqual(rest, {
    id: 1,
    consumer_id: 'c',
    types: null,
    group: null,
    mode: 'realtime',
    webhook_url: url,
    batch_size: 50,
    batch_window_s: 30,
    state: 'active',
    failures: 0,
    last_error: null,
    committed_offset: 2,
  });
  const figures = await (await server.get('/metrics')).text();
  assert.match(figures, /^svc_subscription_deliveries_total\{outcome="delivered"\} 1$/m);
  assert.match(figures, /^svc_subscription_events_total 2$/m);
  assert.deepEqual(await json(await server.post('/subscriptions', { action: 'delete', consumer_id: 'c' })), {
    action: 'deleted',
    consumer_id: 'c',
    found: true,
  });
  const unknown = await server.post('/subscriptions', { action: 'pause' });
  assert.deepEqual([unknown.status, /unknown subscriptions action/.test(await unknown.text())], [400, true]);
  const asked = { action: 'create', consumer_id: 'd', webhook_url: url, sparql_ask: 'ASK {}' };
  assert.equal((await server.post('/subscriptions', asked)).status, 400);
});

test('without leave no private address is reached, and the subscription says why', async (t) => {
  const { bodies, url } = await receiver(t);
  const server = await startTestServer(t);
  await server.post('/subscriptions', { action: 'create', consumer_id: 'c', webhook_url: url });
  await server.post('/knot', { turtle: TURTLE });
  const state = async () =>
    ((await json(await server.post('/subscriptions', {}))).subscriptions as Record<string, unknown>[])[0];
  await until(async () => (await state())?.state === 'failing');
  assert.match(String((await state())?.last_error), /127\.0\.0\.1 is a loopback, private or reserved address/);
  assert.deepEqual([(await state())?.committed_offset, bodies], [0, []]);
});
