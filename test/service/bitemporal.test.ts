/** The worked examples of the bitemporal model, by their names, on a store in memory and on a store file. */
import assert from 'node:assert/strict';
import { type TimeOptions, terms } from '../../interfaces/library/index.js';
import { EX, ex, factsAt, historyOf, knot, LABEL, onBothStores, quad, T, trace } from './time-support.js';

onBothStores('BT-1: an open fact that is asserted again stays as it is; the transaction is written', async (store) => {
  const first = await knot(store, 'ex:a ex:p 1 .', { timestamp: T(1) });
  const again = await knot(store, 'ex:a ex:p 1 .', { timestamp: T(2), validFrom: '2025-01-01T00:00:00Z' });
  assert.deepEqual([first.quadsRead, again.quadsRead, again.quadsAdded], [1, 1, 0]);
  assert.deepEqual(await historyOf(store, 'a'), ['assert ex:p 1 tx1 [T1,)']);
  assert.equal(store.transactions().length, 2);
});

onBothStores('BT-2: asserted, retracted, asserted again', async (store) => {
  await knot(store, 'ex:a ex:p 1 .', { timestamp: T(1) });
  const { tx, retracted } = await store.retract(`${EX}a`, { timestamp: T(3) });
  assert.deepEqual([tx, retracted], [2, 1]);
  await knot(store, 'ex:a ex:p 1 .', { timestamp: T(5) });
  assert.deepEqual(await historyOf(store, 'a'), [
    'assert ex:p 1 tx1 [T1,T3)',
    'retract ex:p 1 tx2 [T1,)',
    'assert ex:p 1 tx3 [T5,)',
  ]);
  assert.equal(store.stats().factsCurrent, 1);
});

onBothStores('BT-3: times are normalised', async (store) => {
  const { validFrom } = await knot(store, 'ex:a ex:p 1 .', { validFrom: '2026-03-01T02:30:00.999+02:00' });
  assert.equal(validFrom, '2026-03-01T00:30:00Z');
  const written = await store.transact(
    { assert: [quad('a', 'p', 2)] },
    { validFrom: '2026-03-01T02:30:00.999+02:00', timestamp: '2026-06-01' },
  );
  assert.deepEqual([written.validFrom, written.timestamp], ['2026-03-01T00:30:00Z', '2026-06-01T00:00:00Z']);
});

onBothStores('BT-4: malformed times change nothing', async (store) => {
  await knot(store, 'ex:a ex:p 1 .');
  const before = await trace(store);
  for (const validFrom of ['2026-02-30T00:00:00Z', 'yesterday']) {
    await assert.rejects(knot(store, 'ex:a ex:p 2 .', { validFrom }), { code: 'invalid_request' });
    await assert.rejects(store.transact({ assert: [quad('a', 'p', 2)] }, { validFrom }), { code: 'invalid_request' });
  }
  assert.deepEqual(await trace(store), before);
});

onBothStores('BT-5: the matrix of reads', async (store) => {
  await knot(store, 'ex:h ex:cores 4 .', { timestamp: T(1) });
  const { tx, retracted, asserted } = await store.set(`${EX}h`, `${EX}cores`, { int: 8 }, { timestamp: T(4) });
  assert.deepEqual([tx, retracted, asserted], [2, 1, 1]);
  const cases: [TimeOptions, string][] = [
    [{}, '8'],
    [{ validAt: T(2) }, '4'],
    [{ validAt: T(4) }, '8'],
    [{ tx: 1 }, '4'],
    [{ tx: 1, validAt: T(2) }, '4'],
    [{ tx: 1, validAt: T(6) }, '4'],
    [{ tx: 2, validAt: T(2) }, '4'],
    [{ tx: 2, validAt: T(6) }, '8'],
    [{ tx: 2 }, '8'],
    [{ validAt: '2025-06-01' }, ''],
    [{ tx: 0 }, ''],
  ];
  for (const [time, wanted] of cases) {
    const lines = wanted === '' ? [] : [`ex:h ex:cores ${wanted}`];
    assert.deepEqual(factsAt(store, time), lines, JSON.stringify(time));
    const answer = await store.query(`SELECT ?o { <${EX}h> <${EX}cores> ?o }`, time);
    assert.ok(answer.kind === 'select');
    const found: string[] = [];
    for await (const [value] of answer.rows()) found.push(value?.value ?? '');
    assert.deepEqual(found, wanted === '' ? [] : [wanted], `SPARQL ${JSON.stringify(time)}`);
  }
});

onBothStores('set with a start: the old value ends and the new one begins at that instant', async (store) => {
  await knot(store, 'ex:h ex:cores 4 .', { timestamp: T(1) });
  const [h, cores] = [`${EX}h`, `${EX}cores`];
  const written = await store.set(h, cores, { int: 8 }, { timestamp: T(2), validFrom: T(4) });
  assert.deepEqual([written.tx, written.retracted, written.asserted, written.validFrom], [2, 1, 1, T(4)]);
  assert.deepEqual(await historyOf(store, 'h'), [
    'assert ex:cores 4 tx1 [T1,T4)',
    'retract ex:cores 4 tx2 [T1,)',
    'assert ex:cores 8 tx2 [T4,)',
  ]);
  const cases: [TimeOptions, string][] = [
    [{}, '8'],
    [{ validAt: T(2) }, '4'],
    [{ validAt: '2026-03-31T23:59:59Z' }, '4'],
    [{ validAt: T(4) }, '8'],
    [{ tx: 1, validAt: T(6) }, '4'],
    [{ tx: 2, validAt: T(3) }, '4'],
    [{ tx: 2, validAt: T(4) }, '8'],
  ];
  const check = (): void => {
    for (const [time, wanted] of cases) {
      assert.deepEqual(factsAt(store, time), [`ex:h ex:cores ${wanted}`], JSON.stringify(time));
    }
  };
  check();
  await store.fold();
  check();
  assert.deepEqual(await store.detectContradictions(h, cores), [], 'touching ends do not meet');
  // Back in time: what began after the instant has held at no instant.
  await store.set(h, cores, { int: 16 }, { timestamp: T(5), validFrom: T(3) });
  assert.deepEqual(factsAt(store, { validAt: T(6) }), ['ex:h ex:cores 16']);
  assert.deepEqual(factsAt(store, { tx: 2, validAt: T(6) }), ['ex:h ex:cores 8']);
  assert.deepEqual((await store.verify()).problems, []);
});

onBothStores('BT-6: a fact that begins in the future is current', async (store) => {
  await knot(store, 'ex:a ex:p 1 .', { timestamp: T(1), validFrom: '2030-01-01T00:00:00Z' });
  const fact = ['ex:a ex:p 1'];
  assert.deepEqual(factsAt(store), fact);
  assert.deepEqual(factsAt(store, { validAt: T(2) }), []);
  assert.deepEqual(factsAt(store, { validAt: '2031-01-01' }), fact);
});

onBothStores('BT-7: a retraction that is stamped before the start', async (store) => {
  await knot(store, 'ex:a ex:p 1 .', { timestamp: T(3) });
  await store.retract(`${EX}a`, { timestamp: T(1) });
  assert.deepEqual(factsAt(store), []);
  for (let month = 1; month <= 12; month++) assert.deepEqual(factsAt(store, { validAt: T(month) }), []);
  assert.deepEqual(factsAt(store, { tx: 1 }), ['ex:a ex:p 1']);
  assert.deepEqual(factsAt(store, { tx: 2 }), []);
});

onBothStores('BT-8: transactions are ordered by their ids', async (store) => {
  await knot(store, 'ex:a ex:p 1 .', { timestamp: T(5) });
  await knot(store, 'ex:b ex:p 1 .', { timestamp: T(1) });
  assert.deepEqual(factsAt(store, { tx: 1 }), ['ex:a ex:p 1']);
  assert.deepEqual(
    store.transactions().map(({ id, timestamp }) => [id, timestamp]),
    [
      [1, T(5)],
      [2, T(1)],
    ],
  );
});

async function ipPairs(store: Parameters<Parameters<typeof onBothStores>[1]>[0]): Promise<string[][]> {
  const pairs = await store.detectContradictions(`${EX}n`, `${EX}ip`);
  return pairs.map(({ facts }) => facts.map(({ value }) => value.value));
}

onBothStores('BT-9: values that hold at the same time are a pair, until one ends', async (store) => {
  await knot(store, 'ex:n ex:ip "192.0.2.1" .', { timestamp: T(1) });
  await knot(store, 'ex:n ex:ip "192.0.2.2" .', { timestamp: T(2) });
  assert.deepEqual(await ipPairs(store), [['192.0.2.1', '192.0.2.2']]);
  const whole: string[] = [];
  for await (const { entity, predicate } of store.contradictions({ allPredicates: true }))
    whole.push(`${entity.value} ${predicate.value}`);
  assert.deepEqual(whole, [`${EX}n ${EX}ip`]);
  await store.retract(`${EX}n`, { predicate: `${EX}ip`, value: '192.0.2.1', timestamp: T(2) });
  assert.deepEqual(await ipPairs(store), [], 'touching ends do not meet');
});

onBothStores('BT-9: closed history counts', async (store) => {
  await knot(store, 'ex:n ex:ip "192.0.2.1" .', { timestamp: T(1) });
  await knot(store, 'ex:n ex:ip "192.0.2.2" .', { timestamp: T(2) });
  await store.retract(`${EX}n`, { predicate: `${EX}ip`, value: '192.0.2.1', timestamp: T(3) });
  assert.deepEqual(await ipPairs(store), [['192.0.2.1', '192.0.2.2']]);
  const [pair] = await store.detectContradictions(`${EX}n`, `${EX}ip`);
  assert.deepEqual(
    pair?.facts.map(({ tx, validFrom, validTo }) => [tx, validFrom, validTo]),
    [
      [1, T(1), T(3)],
      [2, T(2), null],
    ],
  );
});

onBothStores('BT-10: a named graph does not contradict ROOT', async (store) => {
  await knot(store, 'ex:n ex:ip "192.0.2.1" . ex:g { ex:n ex:ip "192.0.2.2" }');
  assert.deepEqual(await ipPairs(store), []);
  for await (const pair of store.contradictions({ allPredicates: true })) assert.fail(pair.entity.value);
});

const INVENTORY = { snapshotKey: 'inv', replaceSnapshot: true } as const;
const HOST_A = 'ex:a a ex:Host ; rdfs:label "a" .';
const HOST_B = 'ex:b a ex:Host ; rdfs:label "b" .';
const labelOf = (name: string) => [ex(name), terms.namedNode(LABEL), null, null] as const;

onBothStores(
  'BT-11: a replacement closes what is gone, and keeps a label that another producer needs',
  async (store) => {
    await knot(store, HOST_A + HOST_B, { ...INVENTORY, timestamp: T(1) });
    await knot(store, 'ex:svc ex:runsOn ex:b .', { source: 'ops', timestamp: T(1) });
    const second = await knot(store, HOST_A, { ...INVENTORY, timestamp: T(2) });
    assert.deepEqual([second.tx, second.quadsRead, second.quadsAdded, second.quadsRetracted], [3, 2, 0, 1]);
    const type = 'http://www.w3.org/1999/02/22-rdf-syntax-ns#type';
    assert.deepEqual(await historyOf(store, 'b'), [
      `assert ${type} ex:Host tx1 [T1,T2)`,
      'assert rdfs:label "b" tx1 [T1,)',
      `retract ${type} ex:Host tx3 [T1,)`,
    ]);
    assert.deepEqual(await historyOf(store, 'a'), [
      `assert ${type} ex:Host tx1 [T1,)`,
      'assert rdfs:label "a" tx1 [T1,)',
    ]);
    assert.deepEqual(
      store.transactions().map(({ source }) => source),
      ['snapshot:inv', 'ops', 'snapshot:inv'],
    );
    await store.retract(`${EX}svc`, { timestamp: T(3) });
    const third = await knot(store, HOST_A, { ...INVENTORY, timestamp: T(4) });
    assert.equal(third.quadsRetracted, 1);
    const snapshot = store.snapshot();
    assert.equal(snapshot.count(...labelOf('b')), 0, 'the label closes with the last reference');
    snapshot.close();
  },
);

onBothStores('BT-12: partitions of a repository are one producer', async (store) => {
  const post = (key: string, text: string) => knot(store, text, { snapshotKey: key, replaceSnapshot: true });
  const labels = () => {
    const snapshot = store.snapshot();
    const count = snapshot.count(...labelOf('b'));
    snapshot.close();
    return count;
  };
  await post('code:repo1:p1', HOST_B);
  await post('code:repo1:p2', 'ex:svc ex:runsOn ex:b .');
  await post('code:repo1:p1', '');
  assert.equal(labels(), 0, 'an edge of the same repository does not keep it');
  const partition = store.snapshot();
  assert.equal(partition.count(ex('svc')), 1, 'what another partition asserted stays');
  partition.close();
  await post('code:repo1:p1', HOST_B);
  await post('code:repo10:p1', 'ex:other ex:runsOn ex:b .');
  await post('code:repo1:p1', '');
  assert.equal(labels(), 1, 'repo10 is another repository than repo1');
  await post('code:repo1', '');
  assert.equal(labels(), 1, 'and the key of the repository does not own what a partition asserted');
});

onBothStores('BT-13: a renamed entity has its new label only', async (store) => {
  await knot(store, 'ex:b rdfs:label "old" .', { ...INVENTORY, timestamp: T(1) });
  await knot(store, 'ex:svc ex:runsOn ex:b .', { source: 'ops' });
  await knot(store, 'ex:b rdfs:label "new" .', { ...INVENTORY, timestamp: T(2) });
  assert.deepEqual(await historyOf(store, 'b'), [
    'assert rdfs:label "old" tx1 [T1,T2)',
    'assert rdfs:label "new" tx3 [T2,)',
    'retract rdfs:label "old" tx3 [T1,)',
  ]);
});

onBothStores('BT-14: a replacement that is back-dated closes at its timestamp', async (store) => {
  await knot(store, 'ex:a ex:p 1 .', { ...INVENTORY, timestamp: T(1) });
  await knot(store, 'ex:a ex:p 2 .', { ...INVENTORY, timestamp: T(2), validFrom: '2020-01-01T00:00:00Z' });
  assert.deepEqual(await historyOf(store, 'a'), [
    'assert ex:p 1 tx1 [T1,T2)',
    'retract ex:p 1 tx2 [T1,)',
    'assert ex:p 2 tx2 [2020-01-01T00:00:00Z,)',
  ]);
});

onBothStores('BT-15: setting one of several values', async (store) => {
  await knot(store, 'ex:s ex:boss ex:a, ex:b .', { timestamp: T(1) });
  const set = () => store.set(`${EX}s`, `${EX}boss`, { iri: `${EX}b` }, { timestamp: T(2), actor: 'ana' });
  const first = await set();
  assert.deepEqual([first.tx, first.retracted, first.asserted], [2, 1, 0]);
  const again = await set();
  assert.deepEqual([again.tx, again.retracted, again.asserted], [0, 0, 0]);
  assert.deepEqual(await historyOf(store, 's'), [
    'assert ex:boss ex:a tx1 [T1,T2)',
    'assert ex:boss ex:b tx1 [T1,)',
    'retract ex:boss ex:a tx2 [T1,)',
  ]);
  assert.deepEqual(
    store.transactions({ since: 1 }).map(({ source, actor }) => [source, actor]),
    [['set', 'ana']],
  );
});

onBothStores('BT-16: a bare string where IRIs are is refused, a stated one is not', async (store) => {
  await knot(store, 'ex:s ex:boss ex:a, ex:b .', { timestamp: T(1) });
  const before = await trace(store);
  await assert.rejects(store.set(`${EX}s`, `${EX}boss`, `${EX}c`), (error: Error & { code?: string }) => {
    assert.equal(error.code, 'invalid_request');
    assert.match(error.message, /\{"iri": "http:\/\/example\.org\/c"\}/);
    return true;
  });
  assert.deepEqual(await trace(store), before);
  const { retracted, asserted } = await store.set(`${EX}s`, `${EX}boss`, { str: `${EX}c` });
  assert.deepEqual([retracted, asserted], [2, 1]);
  assert.deepEqual(factsAt(store), ['ex:s ex:boss "ex:c"']);
});

onBothStores('BT-17: what a source asserted and does not own is not taken back', async (store) => {
  await knot(store, 'ex:a ex:p 1 .', { source: 'ops' });
  await knot(store, 'ex:a ex:p 1, 2 . ex:b ex:p 3 .', { source: 'bad-run' });
  const before = await trace(store);
  const preview = await store.retractSource('bad-run', { repair: 'TICKET-7' });
  assert.deepEqual(
    [preview.planned, preview.entities, preview.applied, preview.tx, preview.retracted, preview.remaining],
    [2, 2, false, null, null, undefined],
  );
  assert.deepEqual(
    preview.sample.map(({ entity, predicate, value }) => [entity.value, predicate.value, value.value]),
    [
      [`${EX}a`, `${EX}p`, '2'],
      [`${EX}b`, `${EX}p`, '3'],
    ],
  );
  await assert.rejects(store.retractSource('bad-run', { repair: 'TICKET-7', apply: true, expect: 3 }), {
    code: 'invalid_request',
    message: 'expected 3 facts, plan has 2; nothing was changed',
  });
  assert.deepEqual(await trace(store), before);
  const applied = await store.retractSource('bad-run', { repair: 'TICKET-7', apply: true, expect: 2 });
  assert.deepEqual([applied.tx, applied.retracted, applied.remaining], [3, 2, 0]);
  assert.deepEqual(factsAt(store), ['ex:a ex:p 1']);
  assert.equal(store.transactions().at(-1)?.source, 'repair:TICKET-7');
  const nothing = await store.retractSource('bad-run', { repair: 'TICKET-7', apply: true, expect: 0 });
  assert.deepEqual(
    [nothing.applied, nothing.planned, nothing.tx, nothing.retracted, nothing.remaining],
    [true, 0, 0, 0, 0],
  );
});
