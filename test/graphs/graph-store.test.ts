/** The graph store's operations, with the threads of a server: what they write, what stays, what they refuse. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { answerOperation } from '../../engine/service/operations/definition/answer-operation.js';
import type { Store } from '../../interfaces/library/index.js';
import { body, configuration, type Json, openThreaded, operationOf } from '../service/reads-support.js';
import { EX, historyOf, onBothStores, T, trace } from '../service/time-support.js';

const G = `${EX}g`;
const ROOT = 'urn:svc:graph:root';
const ONE = `<${EX}a> <${EX}p> 1 .`;
const TWO = `<${EX}a> <${EX}p> 2 .`;

async function answered(store: Store, name: string, request: unknown, representation = 'body') {
  const context = { store, configuration, control: {}, documents: [], representation };
  const answer = await answerOperation(operationOf(name), request, context);
  const parts: Uint8Array[] = [];
  for await (const part of answer) parts.push(part);
  return { text: Buffer.concat(parts).toString(), notes: answer.notes, mediaType: answer.mediaType };
}

async function withThreads(work: (store: Store) => Promise<void>): Promise<void> {
  const store = await openThreaded();
  try {
    await work(store);
  } finally {
    await store.close();
  }
}

const refused = (code: string, message?: RegExp) => (error: Json) => {
  assert.equal(error.code, code, error.stack);
  if (message !== undefined) assert.match(error.message, message);
  return true;
};

test('GS-1: put two, put one of them, read, delete, read', () =>
  withThreads(async (store) => {
    const first = await answered(store, 'graph_replace', { graph: G, turtle: `${ONE} ${TWO}`, timestamp: T(1) });
    assert.deepEqual([first.notes.created, first.notes.tx], [true, 1]);
    const second = await answered(store, 'graph_replace', { graph: G, turtle: ONE, timestamp: T(2) });
    assert.deepEqual([second.notes.created, second.notes.tx], [false, 2]);
    assert.deepEqual(await historyOf(store, 'a', { graph: G }), [
      'assert ex:p 1 tx1 [T1,)',
      'assert ex:p 2 tx1 [T1,T2)',
      'retract ex:p 2 tx2 [T1,)',
    ]);
    const read = await answered(store, 'graph_read', { graph: G }, 'ntriples');
    assert.equal(read.text, `<${EX}a> <${EX}p> "1"^^<http://www.w3.org/2001/XMLSchema#integer> .\n`);
    assert.equal(read.mediaType, 'application/n-triples');
    const gone = await answered(store, 'graph_delete', { graph: G, timestamp: T(3) });
    assert.deepEqual([gone.notes.created, gone.notes.tx], [false, 3]);
    await assert.rejects(
      answered(store, 'graph_read', { graph: G }, 'turtle'),
      refused('not_found', /^unknown graph: /),
    );
    const past = await answered(store, 'graph_read', { graph: G, valid_at: T(2) }, 'ntriples');
    assert.equal(past.text, read.text, 'the past is still there');
    assert.deepEqual(
      store.transactions().map(({ source }) => source),
      ['graph-store:put', 'graph-store:put', 'graph-store:delete'],
    );
    // The name again goes on with the same history.
    await answered(store, 'graph_merge', { graph: G, turtle: TWO, timestamp: T(4) });
    assert.equal((await historyOf(store, 'a', { graph: G })).length, 5);
  }));

onBothStores('an empty document leaves a registered empty graph', async (store) => {
  assert.deepEqual(await body(store, 'graph_replace', { graph: G, turtle: '' }), {
    graph: G,
    tx_id: 1,
    created: true,
    asserted: 0,
    retracted: 0,
  });
  assert.deepEqual(await body(store, 'graph_read', { graph: G }), { graph: G, rdf: '', triples: 0 });
  assert.equal((await body(store, 'graph_merge', { graph: G, turtle: ONE })).created, false);
  const emptied = await body(store, 'graph_replace', { graph: G, turtle: '# nothing' });
  assert.deepEqual([emptied.created, emptied.asserted, emptied.retracted], [false, 0, 1]);
  assert.equal((await body(store, 'graph_read', { graph: G })).triples, 0);
  assert.deepEqual(await body(store, 'graph_replace', { graph: G, turtle: '' }), {
    graph: G,
    tx_id: 0,
    created: false,
    asserted: 0,
    retracted: 0,
  });
  assert.equal((await body(store, 'graph_delete', { graph: G })).tx_id, 4);
  await assert.rejects(body(store, 'graph_delete', { graph: G }), refused('not_found'));
});

onBothStores('post adds; what is there stays as it is; ROOT is emptied, never gone', async (store) => {
  assert.equal((await body(store, 'graph_merge', { default: true, turtle: ONE, timestamp: T(1) })).created, false);
  const again = await body(store, 'graph_merge', { default: true, turtle: `${ONE} ${TWO}`, timestamp: T(2) });
  assert.deepEqual([again.tx_id, again.asserted], [2, 1]);
  assert.deepEqual(await historyOf(store, 'a'), ['assert ex:p 1 tx1 [T1,)', 'assert ex:p 2 tx2 [T2,)']);
  assert.equal((await body(store, 'graph_read', { graph: ROOT })).triples, 2);
  assert.equal((await body(store, 'graph_delete', { default: true })).retracted, 2);
  assert.equal((await body(store, 'graph_read', { default: true })).triples, 0);
});

onBothStores('relative references resolve against the graph; blank nodes are those of the document', async (store) => {
  await body(store, 'graph_replace', { graph: `${EX}dir/doc`, turtle: '<#it> <other> _:b .' });
  const { rdf } = await body(store, 'graph_read', { graph: `${EX}dir/doc` });
  assert.match(rdf, /<http:\/\/example\.org\/dir\/doc#it> <http:\/\/example\.org\/dir\/other> _:d[0-9a-f]{16}-b/);
  const kept = { graph: G, turtle: `_:b <${EX}p> 1 .`, blank_node_scope: 'store' };
  await body(store, 'graph_replace', kept);
  assert.match((await body(store, 'graph_read', { graph: G })).rdf, /^_:b /m);
});

const REFUSED: readonly (readonly [graph: string, code: string])[] = [
  ['http://x/g#inferred', 'graph_not_writable'],
  ['urn:svc:graph:meta', 'graph_not_writable'],
  ['urn:svc:graph:registry', 'graph_not_writable'],
  [`urn:svc:share:${'0'.repeat(64)}`, 'invalid_request'],
  [`urn:svc:quarantine:${'0'.repeat(64)}`, 'invalid_request'],
  ['urn:svc:fork:a', 'invalid_request'],
  ['urn:svc:import:a', 'invalid_request'],
  ['urn:svc:alignment:a', 'invalid_request'],
  ['urn:svc:graph:a', 'invalid_request'],
  ['urn:svc:dataset:frozen', 'not_found'],
  ['relative', 'invalid_request'],
  ['http://x/with space', 'invalid_request'],
];

onBothStores('graphs that the graph store does not write, by their codes; nothing is left', async (store) => {
  await body(store, 'graph_replace', { graph: G, turtle: ONE });
  const before = await trace(store);
  for (const [graph, code] of REFUSED) {
    for (const [name, more] of [
      ['graph_replace', { turtle: TWO }],
      ['graph_merge', { turtle: TWO }],
      ['graph_delete', {}],
    ] as const) {
      await assert.rejects(body(store, name, { graph, ...more }), refused(code), `${name} ${graph}`);
    }
  }
  for (const request of [{}, { graph: G, default: true }]) {
    await assert.rejects(body(store, 'graph_read', request), refused('invalid_request', /exactly one/));
    await assert.rejects(body(store, 'graph_delete', request), refused('invalid_request', /exactly one/));
  }
  await assert.rejects(body(store, 'graph_replace', { graph: G, turtle: `${ONE} <broken` }), refused('parse_error'));
  await assert.rejects(body(store, 'graph_read', { graph: 'urn:svc:dataset:frozen' }), refused('not_found'));
  await assert.rejects(body(store, 'graph_read', { graph: `${EX}none` }), refused('not_found'));
  assert.deepEqual(await trace(store), before);
  assert.equal((await body(store, 'graph_read', { graph: 'urn:svc:graph:meta' })).triples, 0);
});

test('a large graph is replaced and read in a thread, a few facts of it change', () =>
  withThreads(async (store) => {
    const lines = Array.from({ length: 10_000 }, (_, at) => `<${EX}s${at}> <${EX}p> ${at} .`);
    await answered(store, 'graph_replace', { graph: G, turtle: lines.join('\n') });
    const changed = [...lines.slice(0, 9_990), `<${EX}new> <${EX}p> 1 .`];
    const { text } = await answered(store, 'graph_replace', { graph: G, turtle: changed.join('\n') });
    assert.deepEqual(JSON.parse(text), { graph: G, tx_id: 2, created: false, asserted: 1, retracted: 10 });
    const read = await answered(store, 'graph_read', { graph: G }, 'ntriples');
    const shown = read.text.trim().split('\n');
    assert.deepEqual([shown.length, [...shown].sort()], [9_991, shown], 'sorted, each once');
  }));

onBothStores('graphs and graph_create: the wire shapes, pages, filters', async (store) => {
  const created = await body(store, 'graph_create', { graph: `${EX}derived`, extra: 1 });
  assert.deepEqual(
    { ...created, g: 0 },
    {
      g: 0,
      graph: `${EX}derived`,
      class: 'committed',
      created: true,
      ignored_fields: ['extra'],
    },
  );
  const again = await body(store, 'graph_create', { graph: `${EX}derived` });
  assert.deepEqual([again.created, again.g], [false, created.g]);
  await body(store, 'graph_merge', { default: true, turtle: ONE });
  const none = { freshness: null, durability: null, trust: null, policy: null, kind: null };
  const list = await body(store, 'graphs', {});
  assert.deepEqual(list, {
    graphs: [
      {
        graph: `${EX}derived`,
        class: 'committed',
        source: 'graph_create',
        lifecycle: null,
        parent: null,
        facts: 0,
        labels: none,
      },
      {
        graph: 'urn:svc:graph:meta',
        class: 'committed',
        source: null,
        lifecycle: null,
        parent: null,
        facts: 0,
        labels: none,
      },
      {
        graph: ROOT,
        class: 'committed',
        source: null,
        lifecycle: null,
        parent: null,
        facts: 1,
        labels: none,
      },
    ],
    count: 3,
    truncated: false,
  });
  const page = await body(store, 'graphs', { limit: 1, offset: 1 });
  assert.deepEqual([page.graphs[0].graph, page.count, page.truncated], ['urn:svc:graph:meta', 1, true]);
  const named = async (request: unknown) => (await body(store, 'graphs', request)).graphs.map((one: Json) => one.graph);
  assert.deepEqual(await named({ kind: 'operational' }), []);
  assert.deepEqual(await named({ kind: 'archive' }), []);
  assert.deepEqual(await named({ lifecycle: 'frozen' }), []);
  assert.deepEqual(await named({ kind: 'operational', lifecycle: 'frozen' }), []);
  await assert.rejects(body(store, 'graphs', { kind: 'Archive' }), refused('invalid_request', /'kind' is "Archive"/));
  await assert.rejects(body(store, 'graphs', { lifecycle: 'thawed' }), refused('invalid_request', /'lifecycle'/));
  for (const graph of ['relative', 'http://x/g#inferred', 'urn:svc:dataset:d', 'urn:svc:graph:registry']) {
    await assert.rejects(body(store, 'graph_create', { graph }), refused('invalid_request'), graph);
  }
});
