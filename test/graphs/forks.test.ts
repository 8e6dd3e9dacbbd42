/** Forks of ROOT: what is copied, who may write it, what becomes of it, what is refused. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { TermId } from '../../engine/storage/ids/layout.js';
import { openLmdbEngine } from '../../engine/storage/lmdb-store/open.js';
import { readRows } from '../../engine/storage/seam/rows.js';
import type { TimeSlice } from '../../engine/storage/seam/scan.js';
import { openStore, type Store, terms } from '../../interfaces/library/index.js';
import { openThreaded } from '../service/reads-support.js';
import { EX, ex, factsAt, historyOf, knot, onBothStores, quad, ROOT, T, trace } from '../service/time-support.js';
import { StoreFolder } from '../storage/support/store-folder.js';

const FORK = (name: string) => `urn:svc:fork:${name}`;
const META = 'urn:svc:graph:meta';
const folder = new StoreFolder();

async function factsIn(store: Store, graph: string): Promise<string[]> {
  const answer = await store.select(`SELECT ?s ?o { GRAPH <${graph}> { ?s <${EX}p> ?o } }`);
  const lines: string[] = [];
  for await (const row of answer.rows()) lines.push(row.map((term) => term?.value.replace(EX, '')).join(' '));
  return lines.sort();
}

async function eventsOf(store: Store): Promise<string[]> {
  const { events } = await store.events.read({ limit: 1000 });
  return events.map(({ type, subject, tx_id: tx }) => `${type} ${subject?.replace(EX, 'ex:')} tx${tx}`);
}

const inRoot = (store: Store, insert: string) => store.update(`PREFIX ex: <${EX}> INSERT DATA { ${insert} }`);
const inFork = (store: Store, name: string, insert: string) =>
  store.update(`PREFIX ex: <${EX}> INSERT DATA { GRAPH <${FORK(name)}> { ${insert} } }`);
const outOfFork = (store: Store, name: string, gone: string) =>
  store.update(`PREFIX ex: <${EX}> DELETE DATA { GRAPH <${FORK(name)}> { ${gone} } }`);

onBothStores('FK-1: ROOT gains y, the fork gains z, and ROOT has all three after the promotion', async (store) => {
  await knot(store, 'ex:x ex:p 1 .', { timestamp: T(1) });
  const made = await store.createFork({ tx: 1, name: 'f' }, { timestamp: T(2), actor: 'ana' });
  assert.deepEqual([made.name, made.graph, made.facts, made.tx], ['f', FORK('f'), 1, 2]);
  await inRoot(store, 'ex:y ex:p 1');
  await inFork(store, 'f', 'ex:z ex:p 1');
  assert.deepEqual(await factsIn(store, FORK('f')), ['x 1', 'z 1']);
  const promoted = await store.promoteFork('f', { timestamp: T(5) });
  assert.deepEqual([promoted.tx, promoted.asserted, promoted.retracted], [5, 1, 0]);
  assert.deepEqual(factsAt(store), ['ex:x ex:p 1', 'ex:y ex:p 1', 'ex:z ex:p 1']);
  assert.deepEqual(await factsIn(store, FORK('f')), ['x 1', 'z 1'], 'it stays readable');
  const sources = store.transactions().map(({ source, actor }) => [source, actor]);
  assert.deepEqual([sources[1], sources[4]?.[0]], [['fork:f', 'ana'], 'fork-promote:f']);
  const events = await eventsOf(store);
  assert.deepEqual(
    events.filter((line) => /tx[25]$/.test(line)),
    ['fork.created f tx2', 'entity.added ex:z tx5', 'fork.promoted f tx5'],
  );
});

onBothStores(
  'a copy begins where the facts of ROOT begin, one row each, and its graph is registered',
  async (store) => {
    await knot(store, 'ex:a ex:p 1 .', { timestamp: T(1), validFrom: '2025-01-01T00:00:00Z' });
    await knot(store, 'ex:a ex:p 2 .', { timestamp: T(2) });
    await store.set(`${EX}a`, `${EX}p`, { int: 3 }, { timestamp: T(3) });
    const made = await store.createFork({ tx: 2 }, { timestamp: T(4) });
    assert.deepEqual([made.name, made.facts], ['fork-2', 2]);
    assert.deepEqual(await historyOf(store, 'a', { graph: FORK('fork-2') }), [
      'assert ex:p 1 tx4 [2025-01-01T00:00:00Z,)',
      'assert ex:p 2 tx4 [T2,)',
    ]);
    const row = await store.graph(FORK('fork-2'));
    assert.deepEqual([row?.class, row?.source, row?.facts], ['committed', 'fork', 2]);
    assert.deepEqual(await store.forks(), [{ name: 'fork-2', tx: 2, createdTx: 4, status: 'open', createdAt: T(4) }]);
    const meta = await store.select(`SELECT ?p ?o { GRAPH <${META}> { <${FORK('fork-2')}> ?p ?o } }`);
    const facts: string[] = [];
    for await (const found of meta.rows())
      facts.push(found.map((term) => term?.value.replace(/^.*[#/]/, '')).join(' '));
    assert.deepEqual(facts.sort(), ['forkTx 2', 'type Fork']);
  },
);

onBothStores('a fork of nothing is empty and can be written', async (store) => {
  await knot(store, 'ex:a ex:p 1 .');
  const made = await store.createFork({ tx: 0 });
  assert.deepEqual([made.facts, (await store.graph(FORK('fork-0')))?.facts], [0, 0]);
  await inFork(store, 'fork-0', 'ex:b ex:p 1');
  assert.deepEqual(await store.promoteFork('fork-0').then(({ asserted }) => asserted), 1);
  assert.deepEqual(factsAt(store), ['ex:a ex:p 1', 'ex:b ex:p 1']);
});

onBothStores('FK-3: the name of a fork that has ended is not used again', async (store) => {
  await knot(store, 'ex:a ex:p 1 .');
  await store.createFork({ tx: 1, name: 'f' });
  await store.dropFork('f', { timestamp: T(6) });
  assert.deepEqual((await eventsOf(store)).at(-1), 'fork.dropped f tx3');
  const before = await trace(store);
  await assert.rejects(store.createFork({ tx: 1, name: 'f' }), {
    code: 'invalid_request',
    message: "there is a fork 'f' already (dropped), and names of forks are not used again",
  });
  const conflict = { code: 'state_conflict' };
  await assert.rejects(store.dropFork('f'), conflict);
  await assert.rejects(store.promoteFork('f'), {
    ...conflict,
    message: "the fork 'f' can not be promoted: it was dropped",
  });
  assert.deepEqual(await trace(store), before);
  assert.deepEqual(await factsIn(store, FORK('f')), ['a 1']);
});

onBothStores('a fork that has ended refuses every write', async (store) => {
  await knot(store, 'ex:a ex:p 1 .');
  for (const [name, end] of [
    ['dropped', 'dropFork'],
    ['promoted', 'promoteFork'],
  ] as const) {
    await store.createFork({ tx: 1, name });
    await inFork(store, name, 'ex:open ex:p 1');
    await store[end](name);
    const before = await trace(store);
    const refused = { code: 'state_conflict', message: new RegExp(`the fork was ${name}$`) };
    const graph = FORK(name);
    const document = { text: `<${EX}s> <${EX}p> 1 .`, format: 'turtle' } as const;
    const large = () => ({ kind: 'bytes', bytes: stream(document.text), name: 'large', format: 'turtle' }) as const;
    const stray = terms.quad(ex('s'), ex('p'), ex('o'), terms.namedNode(graph));
    const writes: (() => Promise<unknown>)[] = [
      () => inFork(store, name, 'ex:b ex:p 1'),
      () => outOfFork(store, name, 'ex:a ex:p 1'),
      () => store.update(`DROP GRAPH <${graph}>`),
      () => store.update(`CLEAR GRAPH <${graph}>`),
      () => knot(store, 'ex:b ex:p 1 .', { graph }),
      () => knot(store, 'ex:b ex:p 1 .', { graph, registeredOnly: true }),
      () => knot(store, 'ex:b ex:p 1 .', { graph, snapshotKey: 'k', replaceSnapshot: true }),
      () => knot(store, `GRAPH <${graph}> { ex:b ex:p 1 }`),
      () => store.load(large(), { graph }),
      () => store.writeGraph('put', graph, [document]),
      () => store.writeGraph('post', graph, [large()]),
      () => store.writeGraph('delete', graph, []),
      () => store.transact({ assert: [stray] }),
      () => store.writeEpisode({ name: 'e', graph, nodes: [{ name: 'n', type: `<${EX}Thing>` }] }),
    ];
    for (const [at, write] of writes.entries()) await assert.rejects(write(), refused, `${name} ${at}`);
    assert.deepEqual(await trace(store), before);
  }
});

async function* stream(text: string): AsyncGenerator<Uint8Array> {
  yield Buffer.from(text);
}

onBothStores('what no fork can be, or no comparison, is refused and leaves nothing', async (store) => {
  await knot(store, 'ex:a ex:p 1 .');
  const before = await trace(store);
  for (const name of ['', 'a b', 'a/b', 'ä', 'x'.repeat(129), 'main']) {
    await assert.rejects(store.createFork({ tx: 1, name }), { code: 'invalid_request' }, name);
  }
  await assert.rejects(store.createFork({ tx: 2 }), { code: 'invalid_request', message: /the latest is 1$/ });
  for (const tx of [-1, 1.5, '1'])
    await assert.rejects(store.createFork({ tx: tx as number }), { code: 'invalid_request' });
  await assert.rejects(store.dropFork('none'), { code: 'not_found_in_store', message: 'no such fork: none' });
  await assert.rejects(store.promoteFork('none'), { message: 'no such fork: none' });
  await assert.rejects(store.forkDiff('main', 'none'), { message: 'no such fork: none' });
  await assert.rejects(store.createGraph(FORK('mine')), { code: 'invalid_request' });
  assert.deepEqual(await trace(store), before);
});

onBothStores('a comparison names what only one side has, added first, a page at a time', async (store) => {
  await knot(store, 'ex:a ex:p 1, 2 . ex:b ex:p 1 .');
  await store.createFork({ tx: 1, name: 'f' });
  await outOfFork(store, 'f', 'ex:a ex:p 1 . ex:b ex:p 1');
  await inFork(store, 'f', 'ex:c ex:p 1 . ex:a ex:p 3');
  await inRoot(store, 'ex:d ex:p 1');
  const show = async (options = {}) => {
    const { added, removed, changes, truncated } = await store.forkDiff('main', 'f', options);
    const lines = changes.map(({ op, subject, object }) => `${op} ${subject.value.replace(EX, '')} ${object.value}`);
    return { added, removed, lines, truncated };
  };
  const lines = ['added a 3', 'added c 1', 'removed a 1', 'removed b 1', 'removed d 1'];
  assert.deepEqual(await show(), { added: 2, removed: 3, lines, truncated: false });
  assert.deepEqual(await show({ limit: 2, offset: 1 }), {
    added: 2,
    removed: 3,
    lines: lines.slice(1, 3),
    truncated: true,
  });
  const back = await store.forkDiff('f', 'main');
  assert.deepEqual([back.added, back.removed], [3, 2]);
  const same = await store.forkDiff('f', 'f');
  assert.deepEqual([same.added, same.removed, same.changes.length], [0, 0, 0]);
});

onBothStores('nothing to promote: no transaction of ROOT, and the fork is promoted', async (store) => {
  await knot(store, 'ex:a ex:p 1 .');
  await store.createFork({ tx: 1, name: 'f' });
  const { tx, asserted, retracted } = await store.promoteFork('f');
  assert.deepEqual([tx, asserted, retracted], [0, 0, 0]);
  assert.equal((await store.forks())[0]?.status, 'promoted');
  assert.equal((await eventsOf(store)).at(-1), 'fork.promoted f tx3');
});

const SHAPES = `@prefix sh: <http://www.w3.org/ns/shacl#> . @prefix ex: <${EX}> .
ex:S a sh:NodeShape ; sh:targetSubjectsOf ex:p ; sh:property [ sh:path ex:p ; sh:maxCount 1 ] .`;

onBothStores('a promotion that shapes refuse writes nothing and leaves the fork open', async (store) => {
  await knot(store, 'ex:a ex:p 1 .');
  await store.createFork({ tx: 1, name: 'f' });
  await outOfFork(store, 'f', 'ex:a ex:p 1');
  await inFork(store, 'f', 'ex:a ex:p 2');
  await store.loadShapes('s', SHAPES);
  await inRoot(store, 'ex:b ex:p 1');
  await store.update(`PREFIX ex: <${EX}> DELETE DATA { ex:a ex:p 1 }; INSERT DATA { ex:a ex:p 5 }`);
  const before = await trace(store);
  await assert.rejects(store.promoteFork('f'), { code: 'refused_shacl' });
  assert.deepEqual(await trace(store), before);
  assert.equal((await store.forks())[0]?.status, 'open');
  await store.update(`PREFIX ex: <${EX}> DELETE DATA { ex:a ex:p 5 }`);
  assert.deepEqual(await store.promoteFork('f').then(({ asserted, retracted }) => [asserted, retracted]), [1, 0]);
  assert.deepEqual(factsAt(store), ['ex:a ex:p 2', 'ex:b ex:p 1']);
});

onBothStores('shapes do not judge a copy of what is there, but what is written into it', async (store) => {
  await knot(store, 'ex:a ex:p 1, 2 .');
  await store.loadShapes('s', SHAPES);
  await store.createFork({ tx: 1, name: 'f' });
  await assert.rejects(inFork(store, 'f', 'ex:b ex:p 1, 2'), { code: 'refused_shacl' });
});

onBothStores('a removal that ROOT made as well, an addition that it has as well', async (store) => {
  await knot(store, 'ex:a ex:p 1, 2 .', { timestamp: T(1) });
  await store.createFork({ tx: 1, name: 'f' }, { timestamp: T(2) });
  await outOfFork(store, 'f', 'ex:a ex:p 1, 2');
  await inFork(store, 'f', 'ex:a ex:p 2, 3');
  await store.update(`PREFIX ex: <${EX}> DELETE DATA { ex:a ex:p 1 }; INSERT DATA { ex:a ex:p 3 }`);
  const { tx, asserted, retracted } = await store.promoteFork('f');
  assert.deepEqual([tx, asserted, retracted], [0, 0, 0]);
  assert.deepEqual(factsAt(store), ['ex:a ex:p 2', 'ex:a ex:p 3']);
});

const emptied = [
  ['DROP GRAPH', (store: Store, graph: string) => store.update(`DROP GRAPH <${graph}>`)],
  ['DELETE of the graph store', (store: Store, graph: string) => store.writeGraph('delete', graph, [])],
] as const;

for (const [name, drop] of emptied) {
  onBothStores(`${name} on an open fork takes all of the copy away: its promotion does so in ROOT`, async (store) => {
    await knot(store, 'ex:a ex:p 1, 2 . ex:b ex:p 1 .');
    await store.createFork({ tx: 1, name: 'f' });
    await inFork(store, 'f', 'ex:z ex:p 1');
    await inRoot(store, 'ex:y ex:p 1');
    await drop(store, FORK('f'));
    assert.equal(await store.graph(FORK('f')), null);
    assert.equal((await store.forks())[0]?.status, 'open', 'the fork is ended by its own operations alone');
    const read = await store.select(`SELECT ?o { ?s <${EX}p> ?o }`, { fork: 'f' });
    for await (const row of read.rows()) assert.fail(`an empty fork has ${row}`);
    await assert.rejects(store.createFork({ tx: 1, name: 'f' }), { code: 'invalid_request' });
    const { asserted, retracted } = await store.promoteFork('f');
    assert.deepEqual([asserted, retracted], [0, 3]);
    assert.deepEqual(factsAt(store), ['ex:y ex:p 1'], 'what ROOT has learned since stays');
    assert.equal((await store.forks())[0]?.status, 'promoted');
    assert.deepEqual((await store.verify()).problems, []);
  });

  onBothStores(`after ${name} an open fork may be written again, and its history goes on`, async (store) => {
    await knot(store, 'ex:a ex:p 1, 2 . ex:b ex:p 1 .');
    await store.createFork({ tx: 1, name: 'f' });
    await drop(store, FORK('f'));
    await inFork(store, 'f', 'ex:a ex:p 1, 3');
    await knot(store, `GRAPH <${FORK('f')}> { ex:b ex:p 1 }`);
    assert.equal((await store.graph(FORK('f')))?.facts, 3);
    const { asserted, retracted } = await store.promoteFork('f');
    assert.deepEqual([asserted, retracted], [1, 1]);
    assert.deepEqual(factsAt(store), ['ex:a ex:p 1', 'ex:a ex:p 3', 'ex:b ex:p 1']);
  });
}

onBothStores('an addition keeps the start of its validity', async (store) => {
  await knot(store, 'ex:a ex:p 1 .', { timestamp: T(1) });
  await store.createFork({ tx: 1, name: 'f' }, { timestamp: T(2) });
  await knot(store, 'ex:b ex:p 1 .', { graph: FORK('f'), timestamp: T(3), validFrom: '2025-06-01T00:00:00Z' });
  await store.promoteFork('f', { timestamp: T(9) });
  assert.deepEqual(await historyOf(store, 'b'), ['assert ex:p 1 tx4 [2025-06-01T00:00:00Z,)']);
});

test('a fork is called by 1 to 128 characters, or after its transaction', async () => {
  const store = await openStore(':memory:');
  await knot(store, 'ex:a ex:p 1 .');
  for (const name of ['x', 'A.b_c-9', '9'.repeat(128)])
    assert.equal((await store.createFork({ tx: 1, name })).name, name);
  assert.equal((await store.createFork({ tx: 1 })).name, 'fork-1');
  for (const name of ['', ' x', 'a/b', '9'.repeat(129)]) {
    await assert.rejects(store.createFork({ tx: 1, name }), /^SvcError: the name of a fork is 1 to 128/);
  }
  await store.close();
});

test('a copy that is cancelled leaves nothing, and the name is free', async () => {
  const store = await openStore(folder.fresh());
  const triples = Array.from({ length: 20_000 }, (_, i) => quad(`s${i}`, 'p', i));
  await store.transact({ assert: triples });
  const before = await trace(store);
  const stop = new AbortController();
  stop.abort();
  await assert.rejects(store.createFork({ tx: 1, name: 'f' }, { signal: stop.signal }), { code: 'aborted' });
  assert.deepEqual(await trace(store), before);
  assert.equal((await store.createFork({ tx: 1, name: 'f' })).facts, 20_000);
  assert.deepEqual((await store.verify()).problems, []);
  await store.close();
});

test('a promotion reads the blocks of what changed since the fork was made, not the fork', async () => {
  const path = folder.fresh();
  const store = await openStore(path);
  const triples = Array.from({ length: 60_000 }, (_, i) => quad(`s${i}`, 'p', i));
  await store.transact({ assert: triples });
  const { tx: createdTx } = await store.createFork({ tx: 1, name: 'f' });
  await outOfFork(store, 'f', 'ex:s7 ex:p 7');
  await inFork(store, 'f', 'ex:new ex:p 7');
  await store.fold();
  await store.close();
  const engine = await openLmdbEngine(path, { readOnly: true, create: false, baseNamespace: undefined });
  const snapshot = engine.snapshot();
  const graph = snapshot.encode(terms.namedNode(FORK('f'))) as TermId;
  const rowsSince = (time: TimeSlice) => {
    const request = {
      graphs: { kind: 'one', graph },
      pattern: {},
      order: 'SPOG',
      time,
      columns: ['s', 'txFrom'],
    } as const;
    return [...readRows(snapshot, request)].reduce((sum, { rows }) => sum + rows, 0);
  };
  const since = createdTx + 1;
  assert.deepEqual(
    [rowsSince({ kind: 'all', openedSince: since }), rowsSince({ kind: 'all', closedSince: since })],
    [1, 1],
  );
  assert.ok(snapshot.counters.blocksRead <= 4, `${snapshot.counters.blocksRead} blocks`);
  snapshot.close();
  await engine.close();
  const again = await openStore(path);
  const { asserted, retracted } = await again.promoteFork('f');
  assert.deepEqual([asserted, retracted, again.stats().factsCurrent], [1, 1, 60_000]);
  await again.close();
});

test('a server thread forks, compares and promotes as well', async () => {
  const store = await openThreaded();
  try {
    await knot(store, 'ex:a ex:p 1 .');
    await store.createFork({ tx: 1, name: 'f' });
    await inFork(store, 'f', 'ex:b ex:p 1');
    assert.equal((await store.forkDiff('main', 'f')).added, 1);
    assert.equal((await store.promoteFork('f')).asserted, 1);
    assert.deepEqual(await factsIn(store, ROOT), ['a 1', 'b 1']);
  } finally {
    await store.close();
  }
});
