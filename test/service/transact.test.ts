/** Transactions of the library: changes, drafts, the RDF/JS store, and what bad input gets. */
import assert from 'node:assert/strict';
import { EventEmitter, once } from 'node:events';
import { Readable } from 'node:stream';
import type { RDF } from '../../engine/rdf/terms.js';
import { type Change, type Draft, type Quad, type Store, terms } from '../../interfaces/library/index.js';
import { DATE, MALFORMED_TIMES } from '../malformed-times.js';
import { EX, ex, factsAt, historyOf, knot, onBothStores, quad, T, trace } from './time-support.js';

onBothStores('a change retracts first, then asserts, over several graphs, in one transaction', async (store) => {
  await store.transact({ assert: [quad('a', 'p', 1), quad('a', 'p', 2, 'g')] }, { timestamp: T(1), source: 'first' });
  const result = await store.transact(
    {
      retract: [quad('a', 'p', 1), quad('a', 'p', 2, 'g'), quad('not', 'there', 1)],
      assert: [quad('a', 'p', 1), quad('a', 'p', 3), quad('b', 'p', 4, 'h')],
    },
    { timestamp: T(2), validFrom: T(3), actor: 'ana' },
  );
  assert.deepEqual(result, {
    tx: 2,
    timestamp: T(2),
    validFrom: T(3),
    asserted: 2,
    retracted: 1,
    findings: [],
  });
  assert.deepEqual(await historyOf(store, 'a'), ['assert ex:p 1 tx1 [T1,)', 'assert ex:p 3 tx2 [T3,)']);
  assert.deepEqual(await historyOf(store, 'a', { graph: `${EX}g` }), [
    'assert ex:p 2 tx1 [T1,T2)',
    'retract ex:p 2 tx2 [T1,)',
  ]);
  assert.deepEqual(store.transactions(), [
    { id: 1, timestamp: T(1), actor: null, source: 'first', authenticated: null, quadsAdded: 2, quadsRetracted: 0 },
    // With the row that keeps ex:g registered.
    { id: 2, timestamp: T(2), actor: 'ana', source: null, authenticated: null, quadsAdded: 3, quadsRetracted: 1 },
  ]);
});

onBothStores('quads come from iterables and streams of every kind', async (store) => {
  async function* later() {
    yield quad('async', 'p', 1);
  }
  function* now() {
    yield quad('sync', 'p', 1);
  }
  const inputs: Change['assert'][] = [
    later(),
    now(),
    new Set([quad('set', 'p', 1)]),
    Readable.from([quad('stream', 'p', 1)]),
  ];
  for (const assert of inputs) await store.transact({ assert });
  // An RDF/JS stream that is no more than an emitter.
  const emitter = new EventEmitter();
  const emitted = store.transact({ assert: emitter as never });
  emitter.emit('data', quad('emitted', 'p', 1));
  emitter.emit('end');
  emitter.emit('close');
  await emitted;
  const cut = new EventEmitter();
  const written = store.transact({ assert: cut as never });
  cut.emit('data', quad('cut', 'p', 1));
  cut.emit('close');
  await assert.rejects(written, { code: 'source_unreadable' });
  assert.deepEqual(
    factsAt(store),
    ['async', 'emitted', 'set', 'stream', 'sync'].map((name) => `ex:${name} ex:p 1`),
  );
});

onBothStores('nothing to write is no transaction, unless it is asked for', async (store) => {
  assert.equal((await store.transact({ assert: [] })).tx, 0);
  assert.equal((await store.transact(() => undefined)).tx, 0);
  assert.equal((await store.transact({ retract: [quad('a', 'p', 1)] })).tx, 0);
  assert.deepEqual(store.transactions(), []);
  assert.equal((await store.transact({ assert: [] }, { recordEmpty: true, timestamp: T(1) })).tx, 1);
  assert.equal(store.transactions().length, 1);
});

onBothStores('a draft reads the store with its changes so far', async (store) => {
  await store.transact({ assert: [quad('a', 'p', 1), quad('a', 'p', 2)] }, { timestamp: T(1) });
  let kept: Draft | null = null;
  const result = await store.transact(
    async (draft) => {
      kept = draft;
      assert.deepEqual([draft.tx, draft.timestamp, draft.count(ex('a'))], [2, T(2), 2]);
      assert.equal(draft.retract(quad('a', 'p', 1)), 1);
      assert.equal(draft.assert([quad('a', 'p', 3), quad('new', 'p', 4)], { validFrom: T(5) }), 2);
      assert.deepEqual(draft.counts, { asserted: 2, retracted: 1 });
      assert.deepEqual(
        [draft.count(ex('a')), draft.has(quad('a', 'p', 1)), draft.has(quad('new', 'p', 4))],
        [2, false, true],
      );
      const seen: string[] = [];
      for await (const one of draft.match(null, ex('p'))) {
        seen.push(`${one.subject.value.slice(EX.length)} ${one.object.value}`);
        draft.assert(quad(`later${seen.length}`, 'p', 9));
      }
      assert.deepEqual(seen.sort(), ['a 2', 'a 3', 'new 4'], 'a view that is read does not change');
      for await (const batch of draft.quads({ predicate: ex('p') }))
        draft.retract(batch.filter((one) => one.object.value === '9'));
      assert.equal(draft.count(), 3);
      // A stream that nobody reads to its end does not keep the transaction open.
      draft.match().once('data', () => undefined);
    },
    { timestamp: T(2) },
  );
  assert.deepEqual([result.asserted, result.retracted], [2, 1]);
  assert.deepEqual(await historyOf(store, 'new'), ['assert ex:p 4 tx2 [T5,)']);
  const over = kept as unknown as Draft;
  for (const use of [() => over.assert(quad('x', 'p', 1)), () => over.count(), () => over.match()]) {
    assert.throws(use, { code: 'invalid_request' });
  }
  await assert.rejects(over.quads().next(), { code: 'invalid_request' });
});

onBothStores('what the caller throws, at once or later, leaves nothing', async (store) => {
  await knot(store, 'ex:a ex:p 1 .');
  const before = await trace(store);
  async function* broken() {
    yield quad('b', 'p', 2);
    throw new Error('of the caller');
  }
  function* brokenNow() {
    yield quad('b', 'p', 2);
    throw new Error('of the caller');
  }
  const failing: Parameters<Store['transact']>[0][] = [
    { assert: broken() },
    { assert: brokenNow() },
    { retract: [quad('a', 'p', 1)], assert: Readable.from(broken()) },
    (draft) => {
      draft.assert(quad('b', 'p', 2));
      throw new Error('of the caller');
    },
    async (draft) => {
      draft.retract(quad('a', 'p', 1));
      await new Promise((resolve) => setImmediate(resolve));
      throw new Error('of the caller');
    },
  ];
  for (const change of failing) await assert.rejects(store.transact(change), /of the caller/);
  assert.deepEqual(await trace(store), before);
  assert.equal((await store.transact({ assert: [quad('b', 'p', 2)] })).tx, 2);
});

onBothStores('malformed changes, quads, times and options leave nothing', async (store) => {
  await knot(store, 'ex:a ex:p 1 .');
  const before = await trace(store);
  const changes: unknown[] = [
    null,
    undefined,
    5,
    'text',
    {},
    [],
    { assert: 5 },
    { assert: null },
    { assert: 'text' },
    { assert: quad('a', 'p', 2) },
  ];
  for (const change of changes) {
    await assert.rejects(store.transact(change as Change), { code: 'invalid_request' }, JSON.stringify(change));
  }
  const quads: unknown[] = [
    null,
    'quad',
    {},
    terms.quad(terms.namedNode('relative'), ex('p'), ex('o')),
    terms.quad(ex('s'), ex('p'), terms.literal('x', 'not a tag')),
    terms.quad(ex('s'), terms.blankNode('b') as never, ex('o')),
    terms.quad(ex('s'), ex('p'), ex('o'), terms.literal('g') as never),
    terms.quad(ex('s'), ex('p'), terms.variable?.('v') as never),
  ];
  for (const one of quads) {
    for (const change of [{ assert: [quad('b', 'p', 2), one] }, { retract: [quad('a', 'p', 1), one] }]) {
      await assert.rejects(store.transact(change as Change), { code: 'invalid_request' }, JSON.stringify(one));
    }
    await assert.rejects(
      store.transact((draft) => draft.assert([one as Quad])),
      { code: 'invalid_request' },
    );
  }
  const assertion = { assert: [quad('b', 'p', 2)] };
  const options: object[] = [
    { actor: 5 },
    { source: {} },
    { timestamp: 5 },
    { timestamp: new Date(Number.NaN) },
    { timestamp: new Date(8.64e15) },
    { validFrom: DATE },
    ...MALFORMED_TIMES.flatMap((time) => [{ timestamp: time }, { validFrom: time }]),
  ];
  for (const one of options)
    await assert.rejects(store.transact(assertion, one), { code: 'invalid_request' }, JSON.stringify(one));
  assert.deepEqual(await trace(store), before);
});

onBothStores('malformed times of every other call', async (store) => {
  await knot(store, 'ex:a ex:p 1 .');
  const before = await trace(store);
  const a = `${EX}a`;
  for (const time of MALFORMED_TIMES) {
    const calls: (() => unknown)[] = [
      () => knot(store, 'ex:a ex:p 2 .', { timestamp: time }),
      () => knot(store, 'ex:a ex:p 2 .', { validFrom: time }),
      () => knot(store, 'ex:a ex:p 2 .', { timestamp: time, snapshotKey: 'k', replaceSnapshot: true }),
      () => store.set(a, `${EX}p`, { int: 2 }, { timestamp: time }),
      () => store.retract(a, { timestamp: time }),
      () => store.retractSource('x', { repair: 'r', timestamp: time }),
      () => store.transact((draft) => draft.assert(quad('b', 'p', 1), { validFrom: time })),
      () => store.snapshot({ validAt: time }),
      () => store.dataset({ validAt: time }),
      () => store.query('ASK {}', { validAt: time }),
      () => store.unravel({ validAt: time }),
    ];
    for (const call of calls) await assert.rejects(async () => call(), { code: 'invalid_request' }, `${time} ${call}`);
  }
  for (const tx of [-1, 1.5, Number.NaN, '1']) {
    for (const call of [
      () => store.snapshot({ tx: tx as number }),
      () => store.query('ASK {}', { tx: tx as number }),
      () => store.unravel({ tx: tx as number }),
      () => store.transactions({ since: tx as number }),
      () => store.transactions({ limit: tx as number }),
    ]) {
      await assert.rejects(async () => call(), { code: 'invalid_request' }, `${String(tx)} ${call}`);
    }
  }
  assert.deepEqual(await trace(store), before);
  assert.deepEqual(factsAt(store, { validAt: DATE }), [], 'a day alone is its midnight');
});

onBothStores('signals that fire early, while quads come, and in the middle', async (store) => {
  await knot(store, 'ex:a ex:p 1 .');
  const before = await trace(store);
  const early = AbortSignal.abort();
  await assert.rejects(store.transact({ assert: [quad('b', 'p', 2)] }, { signal: early }), { code: 'aborted' });
  await assert.rejects(store.set(`${EX}a`, `${EX}p`, { int: 2 }, { signal: early }), { code: 'aborted' });
  await assert.rejects(store.retract(`${EX}a`, { signal: early }), { code: 'aborted' });
  const waiting = new AbortController();
  const silent = { [Symbol.asyncIterator]: () => ({ next: () => new Promise<never>(() => undefined) }) };
  const stuck = store.transact({ assert: silent }, { signal: waiting.signal });
  const meanwhile = await store.transact({ retract: [quad('not', 'there', 1)] });
  assert.equal(meanwhile.tx, 0, 'a source that says nothing holds nobody up');
  waiting.abort();
  await assert.rejects(stuck, { code: 'aborted' });
  const midway = new AbortController();
  function* many() {
    for (let at = 0; at < 20_000; at++) {
      if (at === 10_000) midway.abort();
      yield quad(`s${at}`, 'p', at);
    }
  }
  await assert.rejects(store.transact({ assert: many() }, { signal: midway.signal }), { code: 'aborted' });
  assert.deepEqual(await trace(store), before);
});

onBothStores('concurrent callers each get a transaction, in the order of their calls', async (store) => {
  const results = await Promise.all(
    Array.from({ length: 40 }, (_, at) =>
      store.transact({ assert: [quad(`s${at}`, 'p', at), quad('shared', 'p', 0)] }),
    ),
  );
  assert.deepEqual(
    results.map(({ tx, asserted }) => [tx, asserted]),
    results.map((_, at) => [at + 1, at === 0 ? 2 : 1]),
  );
  assert.equal(store.stats().factsCurrent, 41);
  assert.equal(store.stats().transactions, 40);
});

onBothStores('writes inside a write, closing inside a write, and writing after closing are refused', async (store) => {
  await assert.rejects(
    store.transact(() => store.transact({ assert: [quad('a', 'p', 1)] })),
    { code: 'invalid_request' },
  );
  await assert.rejects(
    store.transact(() => store.close()),
    { code: 'invalid_request' },
  );
  assert.equal(store.closed, false);
  const begun = store.transact({ assert: [quad('a', 'p', 1)] });
  await store.close();
  assert.equal((await begun).tx, 1, 'what was begun is finished');
  const a = `${EX}a`;
  const calls: (() => unknown)[] = [
    () => store.transact({ assert: [] }),
    () => store.set(a, a, 'x'),
    () => store.retract(a),
    () => store.retractSource('x', { repair: 'r' }),
    () => store.history(a),
    () => store.unravel({ tx: 1 }),
    () => store.detectContradictions(a, a),
    () => store.transactions(),
  ];
  for (const call of calls) await assert.rejects(async () => call(), { code: 'store_closed' }, String(call));
  const [error] = await once(store.import(Readable.from([])), 'error');
  assert.equal(error.code, 'store_closed');
});

onBothStores('RDF/JS store: each call is one transaction and tells its end by an event', async (store) => {
  const face: RDF.Store<Quad> = store;
  assert.equal(typeof face.import, 'function');
  const quads = [
    quad('a', 'p', 1),
    quad('a', 'p', 2),
    quad('b', 'p', 1, 'g'),
    terms.quad(terms.blankNode('x'), ex('p'), ex('o')),
  ];
  await once(store.import(Readable.from(quads)), 'end');
  assert.equal(store.transactions().length, 1);
  await once(store.remove(Readable.from([quads[3] as Quad, quad('not', 'there', 1)])), 'end');
  assert.equal(store.stats().quadsCurrent, 3, 'a blank node is known by its label');
  await once(store.removeMatches(ex('a'), null, null, terms.defaultGraph()), 'end');
  assert.deepEqual(factsAt(store), []);
  await once(store.deleteGraph(`${EX}g`), 'end');
  assert.equal(store.stats().quadsCurrent, 0);
  assert.deepEqual(
    store.transactions().map(({ quadsAdded, quadsRetracted }) => [quadsAdded, quadsRetracted]),
    [
      [4, 0],
      [0, 1],
      [0, 2],
      [0, 1],
    ],
  );
  await once(store.deleteGraph(terms.defaultGraph()), 'end');
  await once(store.removeMatches(), 'end');
  assert.equal(store.transactions().length, 4, 'nothing to remove');
  const bad: (() => EventEmitter)[] = [
    () => store.import(Readable.from([quad('a', 'p', 1), 'no quad' as never])),
    () => store.import(null as never),
    () =>
      store.remove(
        new Readable({
          objectMode: true,
          read: () => {
            throw new Error('of the stream');
          },
        }) as never,
      ),
    () => store.deleteGraph(terms.literal('g') as never),
  ];
  for (const call of bad) {
    const [error] = await once(call(), 'error');
    assert.ok(error instanceof Error);
  }
  assert.equal(store.stats().quadsCurrent, 0);
});

onBothStores('a signal that fires at any turn of a write: all of it, or nothing', async (store) => {
  const count = 10_000;
  const many = (round: number) => Array.from({ length: count }, (_, at) => quad(`r${round}s${at % 100}`, 'p', at));
  let [written, aborted] = [0, 0];
  for (let turns = 0; turns < 12; turns++) {
    const controller = new AbortController();
    const write = store.transact({ assert: many(turns) }, { signal: controller.signal });
    const outcome = write.then(
      () => 'written',
      (error: { code?: string }) => error.code,
    );
    for (let turn = 0; turn < turns; turn++) await new Promise((resolve) => setImmediate(resolve));
    controller.abort();
    const told = await outcome;
    assert.ok(told === 'written' || told === 'aborted', told);
    if (told === 'written') written++;
    else aborted++;
    assert.equal(store.stats().factsCurrent, written * count, `after ${turns} turns`);
    assert.equal(store.transactions().length, written);
  }
  assert.ok(aborted > 0);
});
