/** Declaring labels: what is stored, what stays, what is refused, and when a declaration expires. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ANYONE } from '../../../engine/base/principal.js';
import type { LabelInput } from '../../../engine/graphs/labels/parse-labels.js';
import { answerOperation } from '../../../engine/service/operations/definition/answer-operation.js';
import type { Authority } from '../../../engine/service/pipeline/authority.js';
import { WritePipeline } from '../../../engine/service/pipeline/pipeline.js';
import { WriteContext } from '../../../engine/service/writes/command.js';
import { createGraph } from '../../../engine/service/writes/create-graph.js';
import { labelGraph } from '../../../engine/service/writes/label-graph.js';
import { openMemoryEngine } from '../../../engine/storage/memory/engine.js';
import { openStore, type Store, terms } from '../../../interfaces/library/index.js';
import { body, configuration, type Json, openThreaded, operationOf, textOf } from '../../service/reads-support.js';
import { EX, onBothStores, ROOT, T, trace } from '../../service/time-support.js';
import { StoreFolder } from '../../storage/support/store-folder.js';

const G = `${EX}g`;
const META = 'urn:svc:graph:meta';
const folder = new StoreFolder();
const TRUST = { iri: `${EX}canon`, chain: `${EX}chain`, rank: 40 };

const labelsOf = async (store: Store, iri = G) => (await store.graph(iri))?.labels;
const NOTHING = { freshness: null, durability: null, trust: null, policy: null, kind: null };

/** Facts of the meta graph about a subject that hold at an instant, as `local-name value`. */
function meta(store: Store, subject: string, validAt?: string): string[] {
  const snapshot = store.snapshot(validAt === undefined ? {} : { validAt });
  try {
    const found: string[] = [];
    for (const { predicate, object } of snapshot
      .dataset()
      .match(terms.namedNode(subject), null, null, terms.namedNode(META))) {
      found.push(`${predicate.value.replace(/^.*\//, '')} ${object.value.replace(EX, 'ex:')}`);
    }
    return found.sort();
  } finally {
    snapshot.close();
  }
}

onBothStores('LB-2: relabelling an axis leaves the others as they are', async (store) => {
  await store.createGraph(G, { timestamp: T(1) });
  const first = await store.labelGraph(G, { freshness: 'fresh', policy: ['pii'] }, { timestamp: T(2), actor: 'ann' });
  assert.deepEqual([first.tx, first.axes], [2, ['freshness', 'policy']]);
  assert.deepEqual(await labelsOf(store), { ...NOTHING, freshness: 'fresh', policy: ['pii'] });
  await store.labelGraph(G, { freshness: 'stale' }, { timestamp: T(3) });
  assert.deepEqual(await labelsOf(store), { ...NOTHING, freshness: 'stale', policy: ['pii'] });
  assert.deepEqual(meta(store, G), ['freshness stale', 'policyClass pii']);
  assert.deepEqual(meta(store, G, T(2)), ['freshness fresh', 'policyClass pii'], 'the declaration before is history');
  const [, labelled] = store.transactions();
  assert.deepEqual([labelled?.source, labelled?.actor, labelled?.timestamp], ['graph-label', 'ann', T(2)]);
  const { events } = await store.events.read({ types: ['graph.labeled'] });
  assert.deepEqual(
    events.map(({ subject, payload }) => [subject, payload]),
    [
      [G, { graph: G, tx: 2, axes: ['freshness', 'policy'] }],
      [G, { graph: G, tx: 3, axes: ['freshness'] }],
    ],
  );
  assert.equal((await store.labelGraph(G, { freshness: 'stale' }, { timestamp: T(4) })).tx, 0, 'said already');
});

onBothStores('all axes, and the facts that they are', async (store) => {
  await store.createGraph(G);
  const labels = {
    freshness: 'recomputing',
    durability: 'soleRecord',
    trust: TRUST,
    policy: ['b', 'a', 'b'],
    kind: 'derived',
  };
  await store.labelGraph(G, labels, { timestamp: T(1) });
  assert.deepEqual(await labelsOf(store), { ...labels, policy: ['a', 'b'] });
  assert.deepEqual(meta(store, G), [
    'dataKind derived',
    'durability soleRecord',
    'freshness recomputing',
    'policyClass a',
    'policyClass b',
    'trust ex:canon',
  ]);
  assert.deepEqual(meta(store, TRUST.iri), ['inChain ex:chain', 'trustRank 40']);
  await store.labelGraph(G, { policy: [] }, { timestamp: T(2) });
  assert.deepEqual((await labelsOf(store))?.policy, [], 'no obligations, which is a declaration');
  assert.ok(meta(store, G).includes('policyNone true'));
  await store.labelGraph(G, { policy: ['c'] }, { timestamp: T(3) });
  assert.deepEqual(
    meta(store, G).filter((fact) => fact.startsWith('policy')),
    ['policyClass c'],
  );
  assert.deepEqual((await store.labelDrift()).drift, []);
});

onBothStores('ROOT, the meta graph, companions and graphs without a row can be labelled', async (store) => {
  await store.update(`INSERT DATA { GRAPH <${G}> { <a:s> <a:p> 1 } }`);
  for (const iri of [ROOT, META, G]) {
    await store.labelGraph(iri, { kind: 'operational' });
    assert.equal((await labelsOf(store, iri))?.kind, 'operational', iri);
  }
  assert.deepEqual(
    (await store.graphs()).graphs.map(({ iri }) => iri),
    [G, META, ROOT].sort(),
  );
  await store.update(`DROP GRAPH <${G}>`);
  assert.equal(await store.graph(G), null);
});

onBothStores('LB-3: what is misspelt refuses the whole declaration', async (store) => {
  await store.createGraph(G);
  await store.labelGraph(G, { freshness: 'fresh', trust: TRUST });
  const before = await trace(store);
  const wrong: readonly [object, RegExp][] = [
    [{ freshness: 'FRESH' }, /'freshness' is "FRESH"; expected one of fresh, recomputing, stale/],
    [{ freshness: 'stale', kind: 'bogus' }, /'kind' is "bogus"/],
    [{ durability: 'solerecord' }, /'durability'/],
    [{ trust: { iri: TRUST.iri, rank: 40 } }, /'trust.chain' is missing/],
    [{ trust: { ...TRUST, rank: 1.5 } }, /'trust.rank' is 1.5/],
    [{ trust: { ...TRUST, rank: '40' } }, /'trust.rank'/],
    [{ trust: { ...TRUST, iri: 'canon' } }, /'trust.iri' is "canon"; expected an absolute IRI/],
    [{ trust: TRUST.iri }, /'trust' is/],
    [{ policy: ['pii', 'no export'] }, /'policy\[1\]' is "no export"/],
    [{ policy: ['pii', ''] }, /'policy\[1\]'/],
    [{ policy: ['pi\ni'] }, /'policy\[0\]'/],
    [{ policy: ['pi\u0007i'] }, /'policy\[0\]'/],
    [{ policy: [1] }, /'policy\[0\]' is 1/],
    [{ policy: 'pii' }, /'policy' is "pii"; expected a list/],
    [{ policy: null }, /'policy' is null/],
    [{ kind: null }, /'kind' is null/],
    [{}, /names at least one of/],
  ];
  for (const [labels, message] of wrong) {
    await assert.rejects(store.labelGraph(G, labels as LabelInput), { code: 'invalid_request', message });
  }
  assert.deepEqual(await trace(store), before, 'nothing of it is there');
  assert.equal((await store.labelGraph(G, { kind: 'lab' }, { extraKinds: ['lab'] })).axes.length, 1);
});

onBothStores('a trust IRI keeps its chain and rank', async (store) => {
  await store.createGraph(G);
  await store.createGraph(`${EX}h`);
  await store.labelGraph(G, { trust: TRUST }, { timestamp: T(1), validTo: T(2) });
  const before = await trace(store);
  for (const trust of [
    { ...TRUST, rank: 41 },
    { ...TRUST, chain: `${EX}other` },
  ]) {
    await assert.rejects(store.labelGraph(`${EX}h`, { trust, kind: 'derived' }), {
      code: 'invalid_request',
      message:
        /'trust.iri' <http:\/\/example.org\/canon> has rank 40 in the chain <http:\/\/example.org\/chain>, not rank 4/,
    });
  }
  assert.deepEqual(await trace(store), before);
  await store.labelGraph(`${EX}h`, { trust: TRUST });
  assert.deepEqual((await labelsOf(store, `${EX}h`))?.trust, TRUST);
  await store.labelGraph(G, { trust: { iri: `${EX}low`, chain: TRUST.chain, rank: -3 } });
  assert.equal((await labelsOf(store))?.trust?.rank, -3);
});

onBothStores('LB-5: an end that is not later than the timestamp, or no instant', async (store) => {
  await store.createGraph(G);
  const before = await trace(store);
  for (const validTo of [T(2), T(1), '2026-02-01T01:00:00+01:00']) {
    await assert.rejects(store.labelGraph(G, { kind: 'derived' }, { timestamp: T(2), validTo }), {
      code: 'invalid_request',
      message: /'valid_to' is .*, which is not later than the timestamp/,
    });
  }
  for (const validTo of ['2027-01-01', 'tomorrow', '2027-02-30T00:00:00Z']) {
    await assert.rejects(store.labelGraph(G, { kind: 'derived' }, { timestamp: T(2), validTo }), {
      message: /valid_to/,
    });
  }
  assert.deepEqual(await trace(store), before);
});

onBothStores('nobody writes the meta graph but by declaring', async (store) => {
  const fact = terms.quad(terms.namedNode(G), terms.namedNode(`${EX}p`), terms.literal('1'), terms.namedNode(META));
  const before = await trace(store);
  const refused = { code: 'invalid_request', message: /<urn:svc:graph:meta> can not be written: it is the meta graph/ };
  await assert.rejects(store.transact({ assert: [fact] }), refused);
  await assert.rejects(
    store.transact((draft) => void draft.assert(fact)),
    refused,
  );
  assert.deepEqual(await trace(store), before);
});

test('authority is asked about the meta graph, not about the graph that is labelled', async () => {
  const engine = openMemoryEngine();
  const asked: unknown[] = [];
  const authority: Authority = {
    allows({ options }) {
      const graph = 'graph' in options ? options.graph : null;
      asked.push(graph);
      return graph === META
        ? { kind: 'refused', code: 'authority_denied', message: 'not yours', findings: [] }
        : { kind: 'accepted', findings: [] };
    },
  };
  const pipeline = new WritePipeline(engine, { authority });
  const given = { name: 'labelGraph', request: {}, documents: [], principal: ANYONE, control: {} };
  const context = new WriteContext(engine, pipeline, given);
  await createGraph.run(context, { iri: G }, {});
  await assert.rejects(labelGraph.run(context, { graph: G, labels: { kind: 'derived' } }, {}), {
    code: 'authority_denied',
  });
  assert.deepEqual(asked, [G, META]);
  await engine.close();
});

test('the threads of a server: the writer declares, a reader lists; who may read a graph sees its labels', async () => {
  const store = await openThreaded();
  try {
    await store.createGraph(G);
    await store.createGraph(`${EX}h`);
    await body(store, 'graph_label', { graph: G, timestamp: T(1), trust: TRUST, freshness: 'fresh' });
    await assert.rejects(body(store, 'graph_label', { graph: G, timestamp: T(1), freshness: 'FRESH' }), {
      code: 'invalid_request',
    });
    const context = { store, configuration, control: {}, documents: [], representation: 'body' };
    const chunks = await answerOperation(operationOf('graphs'), {}, context);
    const listed = JSON.parse(await textOf(chunks));
    assert.deepEqual(listed.graphs[0].labels, { ...NOTHING, trust: TRUST, freshness: 'fresh' });
    const narrowed = store.as({ ...ANYONE, readable: [G] });
    const { graphs } = await narrowed.graphs();
    assert.deepEqual(graphs.find(({ iri }) => iri === G)?.labels, { ...NOTHING, trust: TRUST, freshness: 'fresh' });
    assert.equal(
      graphs.some(({ iri }) => iri === `${EX}h`),
      false,
    );
  } finally {
    await store.close();
  }
});

onBothStores('LB-6: graphs that are not registered', async (store) => {
  await store.update('INSERT DATA { <a:s> <a:p> 1 }');
  const before = await trace(store);
  const { terms: count } = store.stats();
  const unknown = [`${EX}none`, 'urn:svc:graph:registry', 'urn:svc:dataset:x', 'no iri'];
  for (const iri of unknown) {
    await assert.rejects(store.labelGraph(iri, { kind: 'derived' }), {
      code: 'not_found_in_store',
      message: /^unknown graph: /,
    });
  }
  assert.deepEqual(await trace(store), before);
  assert.equal(store.stats().terms, count, 'nothing is interned');
  assert.deepEqual(meta(store, `${EX}none`), []);
});

for (const kind of ['memory', 'file']) {
  test(`LB-4: a declaration expires between two reads (${kind})`, async () => {
    let now = Date.parse(T(3)) / 1000;
    const path = kind === 'memory' ? ':memory:' : folder.fresh();
    const store = await openStore(path, { now: () => now });
    try {
      await store.createGraph(G);
      await store.labelGraph(G, { freshness: 'fresh', policy: ['pii'] }, { timestamp: T(1) });
      await store.labelGraph(G, { freshness: 'stale', kind: 'archive' }, { timestamp: T(2), validTo: T(4) });
      assert.deepEqual(await labelsOf(store), { ...NOTHING, freshness: 'stale', policy: ['pii'], kind: 'archive' });
      assert.deepEqual(meta(store, G), ['policyClass pii'], 'a fact with an end from birth is not current');
      assert.deepEqual(meta(store, G, T(3)), ['dataKind archive', 'freshness stale', 'policyClass pii']);
      assert.deepEqual(meta(store, G, T(4)), ['policyClass pii']);
      assert.equal((await store.graphs({ kind: 'archive' })).graphs.length, 1);
      now = Date.parse(T(4)) / 1000 - 1;
      assert.equal((await labelsOf(store))?.freshness, 'stale');
      now++;
      assert.deepEqual(await labelsOf(store), { ...NOTHING, policy: ['pii'] }, 'and the one before does not come back');
      assert.equal((await store.graphs({ kind: 'archive' })).graphs.length, 0);
      assert.deepEqual((await store.labelDrift()).drift, []);
      // Another end is another declaration; the newest counts, though the one before would last longer.
      await store.labelGraph(G, { policy: ['a'] }, { timestamp: T(4), validTo: T(9) });
      await store.labelGraph(G, { policy: ['b'] }, { timestamp: T(4), validTo: T(6) });
      assert.equal((await store.labelGraph(G, { policy: ['b'] }, { timestamp: T(4), validTo: T(6) })).tx, 0);
      assert.deepEqual((await labelsOf(store))?.policy, ['b']);
      now = Date.parse(T(7)) / 1000;
      assert.equal((await labelsOf(store))?.policy, null);
      await store.labelGraph(G, { policy: ['c'] }, { timestamp: T(7) });
      assert.deepEqual((await labelsOf(store))?.policy, ['c'], 'an open declaration ends what would still last');
      if (kind === 'file') {
        await store.fold();
        assert.deepEqual((await store.verify()).problems, []);
        assert.deepEqual((await labelsOf(store))?.policy, ['c']);
      }
      assert.deepEqual((await store.labelDrift()).drift, []);
    } finally {
      await store.close();
    }
  });
}

onBothStores('the operation: its answer, what it refuses, and the list', async (store) => {
  await store.createGraph(G, { timestamp: T(1) });
  const answer = await body(store, 'graph_label', {
    graph: G,
    timestamp: T(2),
    kind: 'archive',
    valid_to: '2999-01-01T00:00:00Z',
    extra: 1,
  });
  assert.deepEqual(answer, { tx_id: 2, ignored_fields: ['extra'] });
  const again = await body(store, 'graph_label', { graph: G, timestamp: T(2), trust: TRUST, actor: 'ann' });
  assert.deepEqual(again, { tx_id: 3 });
  const listed = (await body(store, 'graphs', { kind: 'archive' })) as Json;
  assert.deepEqual(listed.graphs, [
    {
      graph: G,
      class: 'committed',
      source: 'graph_create',
      lifecycle: null,
      parent: null,
      facts: 0,
      labels: { ...NOTHING, kind: 'archive', trust: TRUST },
    },
  ]);
  for (const request of [
    { graph: G, kind: 'archive' },
    { timestamp: T(2), kind: 'archive' },
    { graph: G, timestamp: T(2), policy: [1] },
    { graph: G, timestamp: T(2), trust: { iri: TRUST.iri, chain: TRUST.chain } },
    { graph: G, timestamp: 'soon', kind: 'archive' },
  ]) {
    await assert.rejects(body(store, 'graph_label', request), { code: 'invalid_request' }, JSON.stringify(request));
  }
  await assert.rejects(body(store, 'graphs', { kind: 'Archive' }), { code: 'invalid_request' });
});
