/** The event log (semantics of graphs, section 10): what is logged, in which order, and how it is read. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { SMALL_ROWS } from '../../engine/service/events/changed-rows.js';
import { openStore, type Store, terms } from '../../interfaces/library/index.js';
import { StoreFolder } from '../storage/support/store-folder.js';
import { allEvents, GateRefusal, lines, refusing } from './events-support.js';
import { EX, knot, onBothStores, quad, ROOT, T } from './time-support.js';

const folder = new StoreFolder();
const BASE = 'http://svc.local/ontology/';
const EPISODE = { source: 'episode:deploy 42', timestamp: T(1) } as const;

onBothStores('EV-1: the events of a first episode come in their order, and once', async (store) => {
  const document = 'ex:n a ex:C ; ex:r ex:m .';
  await knot(store, document, EPISODE);
  assert.deepEqual(await lines(store), [
    `1 episode.ingested ${BASE}episode_deploy_42 root`,
    '2 type.new ex:C root',
    '3 predicate.new ex:r root',
    '4 entity.added ex:n root',
    '5 edge.added ex:n ex:r ex:m root new new',
  ]);
  const { events } = await store.events.read({ limit: 1 });
  assert.deepEqual(events[0], {
    schema: 'svc.event/v1',
    offset: 1,
    type: 'episode.ingested',
    ts: T(1),
    subject: `${BASE}episode_deploy_42`,
    group_id: null,
    tx_id: 1,
    payload: { graph: ROOT, name: 'deploy 42', facts: 2 },
  });
  await knot(store, document, EPISODE);
  assert.equal((await store.events.read({ since: 5 })).events.length, 0);
});

test('EV-2: a refused write leaves one event and no transaction', async () => {
  for (const kind of ['memory', 'file']) {
    const policy = refusing('x'.repeat(600));
    const store = await openStore(kind === 'memory' ? ':memory:' : folder.fresh(), {
      gates: [policy.gate],
      now: () => 0,
    });
    await knot(store, 'ex:a ex:p 1 .');
    const before = store.transactions();
    policy.isOn = true;
    await assert.rejects(
      knot(store, 'ex:a ex:p 2 , 3 .', { source: 'test', actor: 'ann', graph: `${EX}g` }),
      GateRefusal,
    );
    await assert.rejects(store.transact({ assert: [quad('a', 'p', 9)], retract: [quad('a', 'p', 1)] }), GateRefusal);
    assert.deepEqual(store.transactions(), before);
    const { events } = await store.events.read({ types: ['write.refused'] });
    assert.deepEqual(events, [
      {
        schema: 'svc.event/v1',
        offset: 3,
        type: 'write.refused',
        ts: '1970-01-01T00:00:00Z',
        subject: `${EX}g`,
        group_id: null,
        tx_id: 1,
        payload: {
          gate: 'policy',
          graph: `${EX}g`,
          actor: 'ann',
          source: 'test',
          reason: 'x'.repeat(500),
          refused_datums: 2,
        },
      },
      {
        schema: 'svc.event/v1',
        offset: 4,
        type: 'write.refused',
        ts: '1970-01-01T00:00:00Z',
        subject: ROOT,
        group_id: null,
        tx_id: 1,
        payload: {
          gate: 'policy',
          graph: ROOT,
          actor: null,
          source: null,
          reason: 'x'.repeat(500),
          refused_datums: 2,
        },
      },
    ]);
    policy.isOn = false;
    await knot(store, 'ex:b ex:p 1 .');
    assert.deepEqual(await lines(store, 4), ['5 entity.added ex:b root']);
    assert.deepEqual(await store.events.refusals(), [{ gate: 'policy', refused: 2 }]);
    await store.close();
  }
});

async function twelveEvents(store: Store): Promise<void> {
  // The predicate, then eleven entities.
  for (let i = 1; i <= 11; i++) await store.transact({ assert: [quad(`e${i}`, 'p', i)] });
}

onBothStores('EV-3: an empty page stays where it began, and lag counts what no filter wants', async (store) => {
  await twelveEvents(store);
  const page = await store.events.read({ since: 7, types: ['write.refused'] });
  assert.deepEqual(page, { events: [], nextOffset: 7, lag: 5 });
  assert.deepEqual(await store.events.read({ since: 40 }), { events: [], nextOffset: 40, lag: 0 });
});

onBothStores('EV-4: a consumer goes on after what it has committed', async (store) => {
  await twelveEvents(store);
  assert.deepEqual(await store.events.commit('c', 5), { consumerId: 'c', committedOffset: 5 });
  const page = await store.events.read({ consumer: 'c', limit: 3 });
  assert.deepEqual(
    [page.events.map(({ offset }) => offset), page.nextOffset, page.lag, page.committedOffset],
    [[6, 7, 8], 8, 4, 5],
  );
  await store.events.commit('c', 2);
  assert.equal((await store.events.read({ consumer: 'c' })).events[0]?.offset, 3);
  const since = await store.events.read({ consumer: 'c', since: 11 });
  assert.deepEqual([since.events.length, since.committedOffset], [1, undefined]);
  const unknown = await store.events.read({ consumer: 'nobody', limit: 1 });
  assert.deepEqual([unknown.nextOffset, unknown.committedOffset], [1, 0]);
  await store.events.commit('c', 1000);
  assert.deepEqual(await store.events.read({ consumer: 'c' }), {
    events: [],
    nextOffset: 1000,
    lag: 0,
    committedOffset: 1000,
  });
});

onBothStores('EV-5: the payload names the graph that was written', async (store) => {
  await store.createGraph(`${EX}g`);
  assert.deepEqual(
    (await allEvents(store)).map(({ payload }) => payload),
    [{ graph: `${EX}g`, tx: 1 }],
  );
  await knot(store, 'ex:a ex:dep ex:b .', { graph: `${EX}g` });
  assert.deepEqual(await lines(store, 1), [
    '2 predicate.new ex:dep ex:g',
    '3 entity.added ex:a ex:g',
    '4 edge.added ex:a ex:dep ex:b ex:g new new',
  ]);
});

onBothStores('what was seen once is not new again, and graphs count apart', async (store) => {
  await knot(store, 'ex:a a ex:C ; ex:dep ex:b .');
  await store.retract(`${EX}a`);
  await knot(store, 'ex:a a ex:C ; ex:dep ex:b . GRAPH ex:g { ex:b a ex:C . ex:x ex:dep ex:b }');
  assert.deepEqual(await lines(store), [
    '1 type.new ex:C root',
    '2 predicate.new ex:dep root',
    '3 entity.added ex:a root',
    '4 edge.added ex:a ex:dep ex:b root new new',
    '5 entity.updated ex:a root',
    '6 edge.retracted ex:a ex:dep ex:b root old old',
    '7 entity.updated ex:a root',
    '8 entity.added ex:b ex:g',
    '9 entity.added ex:x ex:g',
    '10 edge.added ex:a ex:dep ex:b root old old',
    '11 edge.added ex:x ex:dep ex:b ex:g new new',
    '12 graph.created ex:g ex:g',
  ]);
});

onBothStores('changes of literals are told by their entities alone', async (store) => {
  await knot(store, 'ex:a ex:p 1 .');
  await store.set(`${EX}a`, `${EX}p`, { int: 2 });
  await store.set(`${EX}a`, `${EX}p`, { int: 2 });
  assert.deepEqual(await lines(store), [
    '1 predicate.new ex:p root',
    '2 entity.added ex:a root',
    '3 entity.updated ex:a root',
  ]);
});

onBothStores('a group that a transaction names is that of its events', async (store) => {
  await knot(store, 'ex:a ex:groupId "ops" ; ex:dep ex:b .');
  await knot(store, 'ex:c ex:dep ex:b .');
  const { events } = await store.events.read({ group: 'ops' });
  assert.deepEqual([...new Set(events.map(({ tx_id }) => tx_id))], [1]);
  assert.equal(events.length, 4);
  assert.equal((await store.events.read({ group: 'other' })).events.length, 0);
});

onBothStores('graphs that come and go are told, once, after what is in them', async (store) => {
  await store.update(`INSERT DATA { GRAPH <${EX}g> { <${EX}a> <${EX}p> 1 } }`);
  await store.update(`INSERT DATA { GRAPH <${EX}g> { <${EX}a> <${EX}p> 2 } }`);
  await store.update(`CREATE GRAPH <${EX}h> ; DROP GRAPH <${EX}h>`);
  await store.update(`CREATE GRAPH <${EX}h>`);
  await store.update(`CLEAR GRAPH <${EX}g>`);
  await store.update(`DROP GRAPH <${EX}g>`);
  assert.deepEqual(await lines(store), [
    '1 predicate.new ex:p ex:g',
    '2 entity.added ex:a ex:g',
    '3 graph.created ex:g ex:g',
    '4 entity.updated ex:a ex:g',
    '5 graph.created ex:h ex:h',
    '6 entity.updated ex:a ex:g',
    '7 graph.removed ex:g ex:g',
  ]);
});

onBothStores('a load tells of the graphs that it makes, behind what it says in them', async (store) => {
  await knot(store, 'ex:a ex:p 1 . GRAPH ex:h { ex:a ex:p 1 } GRAPH ex:g { ex:a ex:p 1 . ex:b ex:p 2 }');
  await knot(store, 'GRAPH ex:g { ex:a ex:p 3 } GRAPH ex:i { ex:a ex:p 1 }');
  await knot(store, 'GRAPH ex:i { ex:a ex:p 1 }');
  assert.deepEqual(
    (await lines(store)).filter((line) => line.includes('graph.')),
    ['6 graph.created ex:g ex:g', '7 graph.created ex:h ex:h', '10 graph.created ex:i ex:i'],
  );
  const { events } = await store.events.read({ since: 9, limit: 1 });
  assert.deepEqual(events[0]?.payload, { graph: `${EX}i`, tx: 2 });
});

test('a load of many rows tells of the graphs that it makes', async () => {
  const store = await openStore(folder.fresh());
  await store.createGraph(`${EX}g3`);
  const count = SMALL_ROWS + 100;
  const rows = Array.from({ length: count }, (_, at) => `<${EX}s${at}> <${EX}p> "${at}" <${EX}g${at % 5}> .`);
  await store.load({ text: rows.join('\n'), format: 'nquads' });
  const created = await allEvents(store, 10_000, ['graph.created']);
  assert.deepEqual(
    created.map(({ offset, subject }) => [offset, String(subject).replace(EX, '')]),
    [
      [1, 'g3'],
      [count + 3, 'g0'],
      [count + 4, 'g1'],
      [count + 5, 'g2'],
      [count + 6, 'g4'],
    ],
  );
  await store.close();
});

onBothStores('an episode that shares the IRI of another is ingested under the one that it has', async (store) => {
  await store.writeEpisode({ name: 'ep g' });
  await store.writeEpisode({ name: 'ep_g' });
  await store.writeEpisode({ name: 'ep_g', body: 'more' });
  await knot(store, 'ex:a ex:p 1 .', { source: 'episode:of others' });
  const ingested = await allEvents(store, 100, ['episode.ingested']);
  const labelled = store.match(
    null,
    terms.namedNode('http://www.w3.org/2000/01/rdf-schema#label'),
    terms.literal('ep_g'),
  );
  let activity = '';
  for await (const { subject } of labelled) activity = subject.value;
  assert.match(String(activity), /episode_ep_g_[0-9a-f]{8}$/);
  assert.deepEqual(
    ingested.map(({ subject }) => subject),
    [`${BASE}episode_ep_g`, activity, activity, `${BASE}episode_of_others`],
  );
});

onBothStores('pages of any size give the same events', async (store) => {
  await knot(store, 'ex:a a ex:C , ex:D ; ex:dep ex:b , ex:c . ex:b ex:dep ex:a . GRAPH ex:g { ex:a ex:q ex:z }');
  await store.update(`DELETE WHERE { <${EX}a> ?p ?o }`);
  await store.createGraph(`${EX}new`);
  const whole = await allEvents(store);
  assert.deepEqual(
    whole.map(({ offset }) => offset),
    whole.map((_, at) => at + 1),
  );
  for (const limit of [1, 2, 3, 7]) assert.deepEqual(await allEvents(store, limit), whole);
  for (const type of new Set(whole.map((event) => event.type))) {
    for (const limit of [1, 2, 100]) {
      assert.deepEqual(
        await allEvents(store, limit, [type]),
        whole.filter((event) => event.type === type),
      );
    }
  }
  assert.deepEqual((await store.events.read({ since: 3, limit: 1 })).events, [whole[3]]);
});

test('a file keeps its events and cursors, and offsets go on', async () => {
  const path = folder.fresh();
  const first = await openStore(path);
  await knot(first, 'ex:a ex:dep ex:b .');
  await first.events.commit('c', 2);
  const before = await allEvents(first);
  await first.close();
  const second = await openStore(path);
  assert.deepEqual(await allEvents(second), before);
  assert.equal((await second.events.read({ consumer: 'c' })).committedOffset, 2);
  await second.fold();
  assert.deepEqual(await allEvents(second), before);
  await second.transact({ assert: [quad('a', 'dep', 'c')] });
  assert.deepEqual(await lines(second, 3), [
    '4 entity.updated ex:a root',
    '5 edge.added ex:a ex:dep ex:c root old new',
  ]);
  assert.deepEqual((await second.verify()).problems, []);
  await second.close();
});

onBothStores('what is asked of the log is checked', async (store) => {
  await assert.rejects(store.events.read({ since: -1 }), { code: 'invalid_request', message: /since is -1/ });
  await assert.rejects(store.events.read({ limit: 1.5 }), { code: 'invalid_request', message: /limit is 1.5/ });
  await assert.rejects(store.events.commit(' ', 1), { code: 'invalid_request', message: /consumer_id/ });
  await assert.rejects(store.events.commit('c', 1.5), { code: 'invalid_request', message: /offset is 1.5/ });
  await assert.rejects(store.events.commit('\ud800', 1), { code: 'invalid_request' });
  await store.transact({ assert: [quad('a', 'p', 1)], retract: [] }, { timestamp: T(1) });
  assert.equal((await store.events.read({ limit: 0 })).events.length, 1);
});
