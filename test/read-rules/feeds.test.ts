/** Cursors and subscriptions of who may read some graphs only: their own, and delivered by the rules of the moment. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ReadRules } from '../../engine/governance/read-rules.js';
import type { EventItem } from '../../engine/service/events/event-item.js';
import { PushWorker } from '../../engine/service/events/push-worker.js';
import { openStore, type ReadRule, type Store, terms } from '../../interfaces/library/index.js';
import { bodyOfAnswer } from '../service/answer-body.js';
import { named, run } from '../service/every-write.js';
import { StoreFolder } from '../storage/support/store-folder.js';

const EX = 'http://example.org/';
const [OPEN, TEAM, SECRET] = ['open', 'team', 'secret'].map((name) => EX + name) as [string, string, string];
const RULES: readonly ReadRule[] = [
  { principal: 'everyone', graphs: [OPEN] },
  { principal: `${EX}ana`, graphs: [TEAM] },
  { principal: `${EX}bea`, graphs: [TEAM] },
];
const HOOK = 'https://hooks.example.org/x';
const folder = new StoreFolder();

async function write(store: Store, name: string): Promise<void> {
  const about = (graph: string) =>
    terms.quad(
      terms.namedNode(EX + name),
      terms.namedNode(`${EX}p`),
      terms.namedNode(`${EX}o`),
      terms.namedNode(graph),
    );
  for (const graph of [OPEN, TEAM, SECRET]) await store.transact({ assert: [about(graph)] });
}

const graphsOf = (events: readonly EventItem[]): string[] => [
  ...new Set(events.map(({ payload }) => String(payload.graph).replace(EX, ''))),
];

for (const [kind, path] of [
  ['memory', ':memory:'],
  ['file', folder.fresh()],
] as const) {
  test(`cursors are their owner's: ${kind}`, async (t) => {
    const store = await openStore(path, { governance: { readRules: RULES } });
    t.after(() => store.close());
    await write(store, 'a');
    const [ana, bea, other] = [`${EX}ana`, `${EX}bea`, 'anonymous'].map((name) => store.readAs(name)) as [
      Store,
      Store,
      Store,
    ];
    await ana.events.commit('mine', 3);
    await store.events.commit('mine', 5);
    await other.events.commit('mine', 0);
    // Who may read the same has another name all the same.
    assert.equal((await ana.events.read({ consumer: 'mine' })).committedOffset, 3);
    assert.equal((await bea.events.read({ consumer: 'mine' })).committedOffset, 0);
    assert.equal((await other.events.read({ consumer: 'mine' })).committedOffset, 0);
    assert.equal((await store.events.read({ consumer: 'mine' })).committedOffset, 5);
    const { events } = await ana.events.read({ consumer: 'mine' });
    assert.ok(events.every(({ offset }) => offset > 3) && !graphsOf(events).includes('secret'));
    // It holds up pruning as every cursor does.
    assert.equal(await store.events.prune(new Date(Date.now() + 86_400_000)), 0);
  });

  test(`a subscription is delivered by the rules of its owner, those that have changed included: ${kind}`, async (t) => {
    const store = await openStore(kind === 'memory' ? path : folder.fresh(), { governance: { readRules: RULES } });
    t.after(() => store.close());
    const ana = store.readAs(`${EX}ana`);
    const other = store.readAs('anonymous');
    const input = { consumerId: 'c', webhookUrl: HOOK, since: 0 };
    assert.equal(await store.events.subscribe(input), 1);
    // Numbers of their own: those of others are not told.
    assert.equal(await ana.events.subscribe({ ...input, secret: 'x' }), 1);
    assert.equal(await other.events.subscribe(input), 1);
    await assert.rejects(ana.events.subscribe(input), { code: 'invalid_request', message: /already/ });
    await write(store, 'a');
    const posts: [string | undefined, string[]][] = [];
    let rules: ReadRules | null = new ReadRules(RULES);
    let now = Date.now();
    const worker = new PushWorker({
      events: store.events,
      eventsFor: (reader) => (rules === null ? store.events : store.as(rules.named(reader)).events) as never,
      now: () => now,
      push: async ({ reader, consumerId }, events) => {
        assert.equal(consumerId, 'c');
        posts.push([reader, graphsOf(events)]);
      },
    });
    const posted = async () => {
      posts.length = 0;
      now += 10_000;
      await worker.tick();
      return new Map(posts.map(([reader, graphs]) => [reader, graphs.filter((one) => one !== 'undefined').sort()]));
    };
    const all = ['open', 'secret', 'team'];
    assert.deepEqual(
      await posted(),
      new Map([
        [undefined, all],
        [`${EX}ana`, ['open', 'team']],
        ['anonymous', ['open']],
      ]),
    );
    rules = new ReadRules([{ principal: `${EX}ana`, graphs: [SECRET] }]);
    await write(store, 'b');
    assert.deepEqual(
      await posted(),
      new Map([
        [undefined, all],
        [`${EX}ana`, ['secret']],
      ]),
    );
    // Nothing for who may read nothing, and the cursor has followed.
    const listed = await store.events.subscriptions();
    assert.deepEqual(
      listed.map(({ reader, consumerId, committedOffset }) => [
        reader,
        consumerId,
        committedOffset === store.events.last,
      ]),
      [
        ['anonymous', 'c', true],
        [undefined, 'c', true],
        [`${EX}ana`, 'c', true],
      ],
    );
    const [own, ...more] = await ana.events.subscriptions();
    assert.deepEqual([own?.consumerId, own?.reader, own?.delivery.failures, more], ['c', undefined, 0, []]);
    // Each takes away its own; who reads all takes away anybody's.
    assert.equal(await ana.events.unsubscribe('c'), true);
    assert.equal(await ana.events.unsubscribe('c'), false);
    await assert.rejects(ana.events.unsubscribe('c', 'anonymous'), { code: 'authority_denied' });
    assert.equal(await store.events.unsubscribe('c', 'anonymous'), true);
    assert.equal(await store.events.unsubscribe('c'), true);
    assert.deepEqual(await store.events.subscriptions(), []);
    await worker.stop();
  });
}

test('operations go by who asks, also where several readers share a view', async (t) => {
  const store = await openStore(':memory:', { governance: { readRules: RULES } });
  t.after(() => store.close());
  await write(store, 'a');
  const rules = new ReadRules(RULES);
  const ask = async (name: string, reader: string, request: object) => {
    const authenticated = { principal: EX + reader, credential_id: reader, auth_class: 'named_bearer' } as const;
    const principal = rules.principal(authenticated);
    return bodyOfAnswer(await run(store, named(name), request, {}, principal)) as Promise<Record<string, never>>;
  };
  await ask('events_commit', 'ana', { consumer_id: 'x', offset: 2 });
  assert.equal((await ask('events', 'ana', { consumer: 'x' })).committed_offset, 2);
  assert.equal((await ask('events', 'bea', { consumer: 'x' })).committed_offset, 0);
  const create = { action: 'create', consumer_id: 's', webhook_url: HOOK };
  await ask('subscriptions', 'ana', create);
  await ask('subscriptions', 'bea', create);
  assert.equal((await ask('subscriptions', 'ana', { action: 'list' })).count, 1);
  await assert.rejects(ask('subscriptions', 'ana', { action: 'delete', consumer_id: 's', reader: `${EX}bea` }), {
    code: 'authority_denied',
  });
  assert.equal((await ask('subscriptions', 'ana', { action: 'delete', consumer_id: 's' })).found, true);
  assert.equal((await ask('subscriptions', 'bea', { action: 'list' })).count, 1);
});
