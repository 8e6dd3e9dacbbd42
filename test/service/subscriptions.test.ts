/** Subscriptions and the worker that delivers to them (semantics of graphs, 10.4 and 10.5). */
import assert from 'node:assert/strict';
import { createHmac } from 'node:crypto';
import { createServer, type IncomingHttpHeaders } from 'node:http';
import type { AddressInfo } from 'node:net';
import { test } from 'node:test';
import type { EventItem } from '../../engine/service/events/event-item.js';
import { isPublicAddress } from '../../engine/service/events/push-address.js';
import { push } from '../../engine/service/events/push-request.js';
import { backoffSeconds, PushWorker } from '../../engine/service/events/push-worker.js';
import type { StoredSubscription, SubscriptionInput } from '../../engine/service/events/subscriptions.js';
import { openStore, type Store } from '../../interfaces/library/index.js';
import { onBothStores, quad } from './time-support.js';

const URL_ = 'https://hooks.example.org/x';

/** A worker whose clock and receivers are the test's. */
class Bench {
  readonly store: Store;
  readonly posts: { name: string; offsets: number[] }[] = [];
  readonly worker: PushWorker;
  answers: Record<string, (offsets: number[]) => Promise<void> | void> = {};
  nowMs = Date.now();

  constructor(store: Store) {
    this.store = store;
    this.worker = new PushWorker({
      events: store.events,
      now: () => this.nowMs,
      push: async (subscription: StoredSubscription, events: readonly EventItem[]) => {
        const offsets = events.map(({ offset }) => offset);
        this.posts.push({ name: subscription.consumerId, offsets });
        await this.answers[subscription.consumerId]?.(offsets);
      },
    });
  }

  /** Events: a predicate, then entities. */
  async write(count: number): Promise<void> {
    const from = this.store.events.last;
    for (let at = 0; at < count; at++) {
      await this.store.transact({ assert: [quad(`e${from + at}`, 'p', at)] });
    }
  }

  async after(seconds: number): Promise<void> {
    this.nowMs += 1000 * seconds;
    await this.worker.tick();
  }

  subscribe(input: Partial<SubscriptionInput> = {}): Promise<number> {
    return this.store.events.subscribe({ consumerId: 'c', webhookUrl: URL_, ...input });
  }

  cursor(name = 'c'): number {
    return this.store.events.cursor(`sub:${name}`);
  }
}

const fails = (): never => {
  throw new Error('it answered with status 500');
};

test('SB-1: what was refused comes again, from the same event, until it is taken', async () => {
  const bench = new Bench(await openStore(':memory:'));
  await bench.subscribe();
  await bench.write(2);
  let left = 2;
  bench.answers.c = () => (left-- > 0 ? fails() : undefined);
  await bench.after(0);
  await bench.after(1);
  assert.equal(bench.posts.length, 1, 'it waits 2 s after the first failure');
  await bench.after(1);
  assert.deepEqual((await bench.store.events.subscriptions())[0]?.delivery, {
    failures: 2,
    lastError: 'it answered with status 500',
  });
  await bench.after(3);
  assert.equal(bench.posts.length, 2, 'and 4 s after the second');
  assert.equal(bench.cursor(), 0);
  await bench.after(1);
  assert.deepEqual(
    bench.posts.map(({ offsets }) => offsets),
    [
      [1, 2, 3],
      [1, 2, 3],
      [1, 2, 3],
    ],
  );
  assert.equal(bench.cursor(), 3);
  assert.deepEqual((await bench.store.events.subscriptions())[0]?.delivery, { failures: 0, lastError: null });
  assert.deepEqual([1, 2, 8, 9, 400].map(backoffSeconds), [2, 4, 256, 300, 300]);
  await bench.store.close();
});

test('SB-2: a receiver that is dead or slow does not delay another', async () => {
  const bench = new Bench(await openStore(':memory:'));
  for (const consumerId of ['dead', 'slow', 'well']) await bench.subscribe({ consumerId });
  await bench.write(1);
  let release = (): void => undefined;
  bench.answers.dead = fails;
  bench.answers.slow = () =>
    new Promise((resolve) => {
      release = resolve;
    });
  const first = bench.after(0);
  while (bench.cursor('well') < 2) await new Promise((resolve) => setImmediate(resolve));
  await bench.write(1);
  await bench.after(0);
  assert.deepEqual([bench.cursor('dead'), bench.cursor('slow'), bench.cursor('well')], [0, 0, 3]);
  assert.equal(bench.posts.filter(({ name }) => name === 'slow').length, 1, 'one request at a time');
  bench.answers.slow = () => undefined;
  release();
  await first;
  assert.equal(bench.cursor('slow'), 3);
  await bench.store.close();
});

test('SB-3: a batch is delivered when it is full, or old enough', async () => {
  const bench = new Bench(await openStore(':memory:'));
  await bench.subscribe({ mode: 'batch', batchSize: 1000, batchWindowS: 60 });
  await bench.write(3);
  bench.nowMs = Date.now();
  await bench.after(10);
  assert.deepEqual(bench.posts, []);
  await bench.after(51);
  assert.deepEqual(bench.posts, [{ name: 'c', offsets: [1, 2, 3, 4] }]);
  bench.nowMs = Date.now();
  await bench.subscribe({ consumerId: 'full', mode: 'batch', batchSize: 3 });
  await bench.write(2);
  await bench.after(0);
  assert.equal(bench.posts.length, 1);
  await bench.write(1);
  await bench.after(0);
  assert.deepEqual(bench.posts.at(-1), { name: 'full', offsets: [5, 6, 7] });
  await bench.store.close();
});

test('SB-4: without a match nothing is posted, and the cursor follows', async () => {
  const bench = new Bench(await openStore(':memory:'));
  await bench.subscribe({ types: ['write.refused'] });
  await bench.write(3);
  await bench.after(0);
  assert.deepEqual(bench.posts, []);
  assert.equal(bench.cursor(), 4);
  await bench.store.close();
});

test('SB-5: a subscription begins at the end of the log, or where it says', async () => {
  const bench = new Bench(await openStore(':memory:'));
  await bench.write(11);
  assert.equal(bench.store.events.last, 12);
  await bench.subscribe({ consumerId: 'new' });
  await bench.subscribe({ consumerId: 'all', since: 0 });
  await bench.write(1);
  await bench.after(0);
  const all = Array.from({ length: 13 }, (_, at) => at + 1);
  assert.deepEqual(
    bench.posts.toSorted((a, b) => a.offsets.length - b.offsets.length),
    [
      { name: 'new', offsets: [13] },
      { name: 'all', offsets: all },
    ],
  );
  await bench.store.close();
});

test('at most 500 events go at once, in order, and a cursor that is moved meanwhile stays where it was put', async () => {
  const bench = new Bench(await openStore(':memory:'));
  await bench.subscribe({ types: ['entity.added'] });
  await bench.store.transact({ assert: Array.from({ length: 1200 }, (_, at) => quad(`n${at}`, 'p', at)) });
  bench.answers.c = async (offsets) => {
    if (offsets.length === 201) await bench.store.events.commit('sub:c', 1101);
  };
  await bench.after(0);
  assert.deepEqual(
    bench.posts.map(({ offsets }) => [offsets[0], offsets.at(-1)]),
    [
      [2, 501],
      [502, 1001],
      [1002, 1201],
    ],
  );
  await bench.store.events.commit('sub:c', 1191);
  await bench.after(0);
  assert.deepEqual(bench.posts.at(-1)?.offsets.length, 10);
  await bench.store.close();
});

onBothStores('a subscription has its defaults, and is listed without its secret', async (store) => {
  const { events } = store;
  assert.equal(await events.subscribe({ consumerId: 'c', webhookUrl: URL_, secret: 's', types: [] }), 1);
  const [listed] = await events.subscriptions();
  assert.ok(listed !== undefined && !JSON.stringify(listed).includes('"s"'));
  const { createdAt, ...rest } = listed;
  assert.ok(Math.abs(createdAt - Date.now() / 1000) < 60);
  assert.deepEqual(rest, {
    consumerId: 'c',
    webhookUrl: URL_,
    types: null,
    group: null,
    mode: 'realtime',
    batchSize: 50,
    batchWindowS: 30,
    id: 1,
    committedOffset: 0,
    delivery: { failures: 0, lastError: null },
  });
  await assert.rejects(events.subscribe({ consumerId: 'c', webhookUrl: URL_ }), { message: /'c' already/ });
  assert.equal(await events.unsubscribe('c'), true);
  assert.equal(await events.unsubscribe('c'), false);
  await events.commit('sub:c', 7);
  assert.equal(await events.subscribe({ consumerId: 'c', webhookUrl: URL_ }), 2, 'numbers are not used again');
  assert.equal((await events.subscriptions())[0]?.committedOffset, 7, 'the old cursor');
  const refused: [Partial<SubscriptionInput>, RegExp][] = [
    [{ consumerId: '' }, /consumer_id/],
    [{ webhookUrl: '' }, /webhook_url/],
    [{ webhookUrl: 'ftp://h/x' }, /http/],
    [{ webhookUrl: '/x' }, /http/],
    [{ webhookUrl: 'http://user:swordfish@h/x' }, /user and password/],
    [{ mode: 'later' }, /mode is "later"/],
    [{ batchSize: 0 }, /batch_size is 0/],
    [{ batchSize: 1.5 }, /batch_size is 1.5/],
    [{ batchWindowS: -1 }, /batch_window_s is -1/],
    [{ since: -1 }, /since is -1/],
    [{ secret: '' }, /secret/],
  ];
  for (const [input, message] of refused) {
    const given = { consumerId: 'd', webhookUrl: URL_, ...input };
    await assert.rejects(events.subscribe(given), (error: Error) => {
      assert.match(error.message, message);
      assert.ok(!error.message.includes('swordfish'), 'a password is not repeated');
      return true;
    });
  }
  assert.equal((await events.subscriptions()).length, 1);
});

onBothStores('old events are pruned, never those that a consumer has not seen; offsets go on', async (store) => {
  const { events } = store;
  const soon = new Date(Date.now() + 600_000);
  for (let at = 0; at < 4; at++)
    await store.transact({ assert: [quad(`e${at}`, 'p', at)] }, { timestamp: '2001-01-01' });
  assert.equal(await events.prune(new Date(Date.now() - 600_000)), 0, 'by the clock, not by time labels');
  await events.commit('behind', 2);
  await events.commit('ahead', 4);
  await events.subscribe({ consumerId: 's', webhookUrl: URL_, since: 1 });
  assert.equal(await events.prune(soon), 1);
  await events.unsubscribe('s');
  assert.equal(await events.prune(soon), 2);
  assert.deepEqual(
    (await events.read()).events.map(({ offset }) => offset),
    [3, 4, 5],
  );
  await events.commit('behind', 100);
  await events.commit('ahead', 100);
  assert.equal(await events.prune(soon), 5);
  assert.deepEqual(await events.read({ since: 0 }), { events: [], nextOffset: 0, lag: 5 });
  await store.transact({ assert: [quad('e9', 'p', 9)] });
  assert.deepEqual(
    (await events.read()).events.map(({ offset, type }) => [offset, type]),
    [[6, 'entity.added']],
  );
});

test('addresses that are not public are told in every form', () => {
  const closed = [
    ...['127.0.0.1', '127.9.9.9', '10.1.2.3', '172.16.0.1', '172.31.255.255', '192.168.1.1', '169.254.169.254'],
    ...['0.0.0.0', '100.64.0.1', '224.0.0.1', '255.255.255.255', '198.18.0.1', '192.0.2.1'],
    ...['::1', '::', 'fe80::1', 'fe80::1%eth0', 'fc00::1', 'fd12::1', 'ff02::1', '2001:db8::1', '2002:7f00:1::'],
    ...['::ffff:127.0.0.1', '::ffff:7f00:1', '::ffff:8.8.8.8', '::127.0.0.1', '64:ff9b::a00:1', 'localhost', ''],
  ];
  for (const address of closed) assert.equal(isPublicAddress(address), false, address);
  for (const address of ['8.8.8.8', '172.32.0.1', '100.128.0.1', '2606:4700::1111', '2a00:1450:4001::1']) {
    assert.equal(isPublicAddress(address), true, address);
  }
});

test('a delivery is a signed POST; redirects, other answers and private addresses are failures', async (t) => {
  const got: { headers: IncomingHttpHeaders; body: string; url: string | undefined }[] = [];
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      got.push({ headers: request.headers, body: Buffer.concat(chunks).toString(), url: request.url });
      if (request.url === '/slow') return;
      if (request.url === '/moved') response.writeHead(302, { Location: '/taken' }).end();
      else if (request.url === '/long') response.writeHead(200).end(Buffer.alloc(1 << 20));
      else response.writeHead(request.url === '/taken' ? 204 : 500).end();
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  t.after(() => {
    server.closeAllConnections();
    server.close();
  });
  const { port } = server.address() as AddressInfo;
  const event = { schema: 'svc.event/v1', offset: 7, type: 'entity.added' } as EventItem;
  const signal = new AbortController().signal;
  const to = (path: string, host = '127.0.0.1', allowPrivate = true, timeoutMs = 5000) =>
    push(
      { consumerId: 'c', secret: 'key', webhookUrl: `http://${host}:${port}${path}` },
      [event, { ...event, offset: 9 }],
      {
        allowPrivate,
        signal,
        timeoutMs,
      },
    );
  await to('/taken');
  const [{ headers, body }] = got as [(typeof got)[number]];
  assert.deepEqual(JSON.parse(body), { subscription: 'c', events: [event, { ...event, offset: 9 }] });
  assert.equal(headers['content-type'], 'application/json');
  assert.equal(headers['x-svc-delivery'], '7-9');
  assert.equal(headers['x-svc-signature'], `sha256=${createHmac('sha256', 'key').update(body).digest('hex')}`);
  assert.equal(headers.authorization, undefined);
  await to('/long');
  await assert.rejects(to('/moved'), /status 302/);
  await assert.rejects(to('/broken'), /status 500/);
  await assert.rejects(to('/slow', '127.0.0.1', true, 50), /no answer within/);
  const before = got.length;
  for (const host of ['127.0.0.1', 'localhost', '[::1]', '[::ffff:127.0.0.1]', '2130706433', '0x7f.1']) {
    await assert.rejects(to('/taken', host, false), /loopback, private or reserved/, host);
  }
  assert.equal(got.length, before, 'nobody was connected to');
});
