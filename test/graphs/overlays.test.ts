/**
 * Overlays through the operations and the library: their rules, their views, and that nobody else sees anything of them.
 *
 * Length: each rule on both stores, and each way of writing that must not write an overlay.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ANYONE } from '../../engine/base/principal.js';
import { GraphRegistration } from '../../engine/query/registry/registration.js';
import { tombstonesOf } from '../../engine/query/registry/system-graphs.js';
import { GateRefusal } from '../../engine/service/gates/gates.js';
import { WritePipeline } from '../../engine/service/pipeline/pipeline.js';
import { WriteContext } from '../../engine/service/writes/command.js';
import { createOverlay, writeOverlay } from '../../engine/service/writes/overlays.js';
import { openMemoryEngine } from '../../engine/storage/memory/engine.js';
import type { OverlayOp, Precedence, Store, ValueInput } from '../../interfaces/library/index.js';
import { openStore } from '../../interfaces/library/index.js';
import { body, document, type Json } from '../service/reads-support.js';
import { EX, knot, onBothStores, ROOT, T } from '../service/time-support.js';

const OV = `${EX}ov`;
const A = `${EX}a`;
const P = `${EX}p`;

const write = (store: Store, op: OverlayOp, object: ValueInput, overlay = OV) =>
  body(store, 'overlay_write', { overlay, op, subject: A, predicate: P, object }).then(({ tx_id: tx }) => tx as number);

async function composed(store: Store, precedence?: Precedence, overlay = OV): Promise<Json[]> {
  const request = precedence === undefined ? { overlay } : { overlay, precedence };
  const { triples, count, truncated } = await body(store, 'overlay_compose', request);
  assert.deepEqual([count, truncated], [triples.length, false]);
  return triples;
}

const objects = async (store: Store, precedence?: Precedence): Promise<Json[]> =>
  (await composed(store, precedence)).map(({ object }) => object);

async function asked(store: Store, text: string): Promise<Json[]> {
  const { rows } = await body(store, 'read', { query: text });
  return rows.map((row: Json) => Object.values(row)[0]);
}

const refused = (code: string, message: RegExp) => (error: Json) => {
  assert.equal(error.code, code, error.stack);
  assert.match(error.message, message);
  return true;
};

async function begin(store: Store): Promise<void> {
  await knot(store, 'ex:a ex:p 1 , 2 .', { timestamp: T(1) });
  const made = await body(store, 'overlay_create', { overlay: OV, timestamp: T(2) });
  assert.deepEqual([made.parent_branch, made.overlay, made.parent], [0, OV, ROOT]);
  assert.ok(made.g > 0);
}

onBothStores('OV-1: tombstone one value, assert another: nearest, governed, ROOT, the graph itself', async (store) => {
  await begin(store);
  assert.equal(await write(store, 'tombstone', { int: 1 }), 3);
  assert.equal(await write(store, 'assert', { int: 3 }), 4);
  assert.deepEqual(await composed(store), [
    { subject: A, predicate: P, object: 2, from: 'parent' },
    { subject: A, predicate: P, object: 3, from: 'overlay' },
  ]);
  assert.deepEqual(await objects(store, 'nearest'), [2, 3]);
  assert.deepEqual(
    (await composed(store, 'governed')).map(({ object, from }) => [object, from]),
    [
      [1, 'parent'],
      [2, 'parent'],
      [3, 'overlay'],
    ],
  );
  const values = 'SELECT ?o { ?s ?p ?o } ORDER BY ?o';
  assert.deepEqual(await asked(store, values), [1, 2]);
  assert.deepEqual(await asked(store, `SELECT ?o { GRAPH <${OV}> { ?s ?p ?o } }`), [3]);
  assert.deepEqual(await asked(store, 'SELECT ?o { GRAPH ?g { ?s ?p ?o } }'), []);
  assert.deepEqual(
    store.transactions().map(({ source }) => source),
    [null, 'overlay-create', 'overlay-tombstone', 'overlay'],
  );
});

onBothStores('OV-2: a tombstone that is taken back', async (store) => {
  await begin(store);
  await write(store, 'tombstone', { int: 1 });
  assert.deepEqual(await objects(store), [2]);
  assert.ok((await write(store, 'retract', { int: 1 })) > 0);
  assert.deepEqual(await objects(store), [1, 2]);
});

onBothStores('OV-3: asserted, then tombstoned: the last write decides, either way', async (store) => {
  await begin(store);
  await write(store, 'assert', { int: 3 });
  await write(store, 'tombstone', { int: 3 });
  assert.deepEqual(await objects(store), [1, 2]);
  assert.deepEqual(await objects(store, 'governed'), [1, 2]);
  await write(store, 'assert', { int: 3 });
  assert.deepEqual(await objects(store), [1, 2, 3]);
  await write(store, 'tombstone', { int: 1 });
  await write(store, 'assert', { int: 1 });
  const both = await composed(store);
  assert.deepEqual(
    both.map(({ object, from }) => [object, from]),
    [
      [1, 'overlay'],
      [2, 'parent'],
      [3, 'overlay'],
    ],
    'what both have is the nearest one',
  );
  const [governed] = await composed(store, 'governed');
  assert.deepEqual(governed, { subject: A, predicate: P, object: 1, from: 'parent' });
});

onBothStores('OV-4: bound once', async (store) => {
  await begin(store);
  const created = await store.createOverlay(OV);
  assert.deepEqual([created.created, created.tx, created.parent, created.parentNumber], [false, 0, ROOT, 0]);
  assert.equal((await body(store, 'overlay_create', { overlay: OV, parent_branch: ROOT })).parent_branch, 0);
  await store.createGraph(`${EX}g`);
  await assert.rejects(
    body(store, 'overlay_create', { overlay: OV, parent_branch: `${EX}g` }),
    refused('invalid_request', /is bound to <urn:svc:graph:root>, and not to <http:\/\/example.org\/g>/),
  );
  assert.equal((await store.graph(OV))?.parent, ROOT);
});

onBothStores('operations that say what the overlay says already write no transaction', async (store) => {
  await begin(store);
  assert.equal(await write(store, 'retract', { int: 1 }), 0, "a fact of the parent is not the overlay's");
  assert.equal(await write(store, 'retract', { str: 'never heard of' }), 0);
  assert.ok((await write(store, 'tombstone', { int: 1 })) > 0);
  assert.equal(await write(store, 'tombstone', { int: 1 }), 0);
  assert.ok((await write(store, 'assert', { int: 3 })) > 0);
  assert.equal(await write(store, 'assert', { int: 3 }), 0);
  assert.ok((await write(store, 'retract', { int: 3 })) > 0);
  assert.equal(await write(store, 'retract', { int: 3 }), 0);
  assert.ok((await write(store, 'tombstone', { int: 99 })) > 0, 'the parent need not have it');
});

onBothStores('objects in every form; a bare string is a literal', async (store) => {
  await begin(store);
  const forms: readonly [ValueInput, Json][] = [
    [`${EX}text`, { value: `${EX}text`, datatype: 'http://www.w3.org/2001/XMLSchema#string' }],
    ['plain', 'plain'],
    [{ iri: `${EX}b` }, `${EX}b`],
    [{ iri: '_:stored' }, '_:stored'],
    [{ str: 'x y' }, 'x y'],
    [{ float: 1.5 }, 1.5],
    [{ bool: true }, true],
    [
      { value: 'chat', lang: 'fr' },
      { value: 'chat', lang: 'fr' },
    ],
    [
      { value: '2026-01-01', datatype: 'http://www.w3.org/2001/XMLSchema#date' },
      { value: '2026-01-01', datatype: 'http://www.w3.org/2001/XMLSchema#date' },
    ],
  ];
  for (const [object] of forms) await write(store, 'assert', object);
  const shown = new Set((await objects(store)).map((object) => JSON.stringify(object)));
  for (const [, object] of forms) assert.ok(shown.has(JSON.stringify(object)), JSON.stringify(object));
  for (const object of [1, true, null, [], { int: 1, str: 'x' }, { iri: 'not absolute' }] as never[]) {
    await assert.rejects(write(store, 'assert', object), { code: 'invalid_request' }, JSON.stringify(object));
  }
});

onBothStores('what can not be an overlay, a parent, or written', async (store) => {
  await begin(store);
  await store.createGraph(`${EX}g`);
  await store.update(`INSERT DATA { GRAPH <${EX}gone> { <${A}> <${P}> 1 } }`);
  await store.update(`DROP GRAPH <${EX}gone>`);
  const before = store.transactions().length;
  const create = (overlay: string, parent?: string) =>
    body(store, 'overlay_create', parent === undefined ? { overlay } : { overlay, parent_branch: parent });
  const cases: readonly [string, string | undefined, string, RegExp][] = [
    [`${EX}g`, undefined, 'invalid_request', /is a committed graph/],
    [ROOT, undefined, 'invalid_request', /is a committed graph/],
    ['urn:svc:graph:meta', undefined, 'invalid_request', /meta graph/],
    [`${EX}g#inferred`, undefined, 'invalid_request', /derived facts/],
    ['urn:svc:dataset:d', undefined, 'invalid_request', /dataset/],
    ['urn:svc:fork:f', undefined, 'invalid_request', /given by the service/],
    [`urn:svc:quarantine:${'1'.repeat(64)}`, undefined, 'invalid_request', /share on its way in/],
    [tombstonesOf(OV), undefined, 'invalid_request', /what an overlay takes away/],
    ['not absolute', undefined, 'invalid_request', /overlay/],
    [`${EX}gone`, undefined, 'invalid_request', /was a committed graph, and has a history/],
    [`${EX}new`, `${EX}none`, 'not_found_in_store', /unknown graph/],
    [`${EX}new`, OV, 'invalid_request', /is an overlay itself/],
    [`${EX}new`, `${EX}new`, 'invalid_request', /over itself/],
    [`${EX}new`, tombstonesOf(OV), 'not_found_in_store', /unknown graph/],
    [`${EX}new`, 'urn:svc:graph:registry', 'not_found_in_store', /unknown graph/],
  ];
  for (const [overlay, parent, code, message] of cases) {
    await assert.rejects(create(overlay, parent), refused(code, message), `${overlay} over ${parent}`);
  }
  for (const overlay of [`${EX}g`, `${EX}nothing`, ROOT, tombstonesOf(OV)]) {
    await assert.rejects(write(store, 'assert', 'x', overlay), refused('invalid_request', /no overlay/), overlay);
    await assert.rejects(composed(store, 'nearest', overlay), refused('invalid_request', /no overlay/), overlay);
  }
  await assert.rejects(write(store, 'replace' as OverlayOp, 'x'), { code: 'invalid_request' });
  await assert.rejects(composed(store, 'best' as Precedence), { code: 'invalid_request' });
  await assert.rejects(store.composeOverlay(OV, { precedence: 'best' as Precedence }), { code: 'invalid_request' });
  assert.equal(store.transactions().length, before, 'nothing was written');
});

test('a frozen parent is refused', async () => {
  const engine = openMemoryEngine();
  const pipeline = new WritePipeline(engine);
  await pipeline.transact((stage, registry) => {
    const snapshot = stage.snapshot();
    registry.register(snapshot, `${EX}cold`, { lifecycle: 'frozen', source: 'cold' });
    snapshot.close();
  }, {});
  const call = { what: '', options: {}, documents: [], principal: ANYONE, control: {} };
  const request = { overlay: OV };
  const context = new WriteContext(engine, pipeline, { ...call, name: 'createOverlay', request });
  await assert.rejects(
    createOverlay.run(context, request, { parent: `${EX}cold` }),
    refused('state_conflict', /is frozen/),
  );
  await engine.close();
});

onBothStores('no other way writes an overlay or its tombstones', async (store) => {
  await begin(store);
  await write(store, 'tombstone', { int: 1 });
  await write(store, 'assert', { int: 3 });
  const before = store.transactions().length;
  const triple = `<${A}> <${P}> 9`;
  for (const graph of [OV, tombstonesOf(OV)]) {
    const updates = [
      `INSERT DATA { GRAPH <${graph}> { ${triple} } }`,
      `DELETE WHERE { GRAPH <${graph}> { ?s ?p ?o } }`,
      `CLEAR GRAPH <${graph}>`,
      `DROP GRAPH <${graph}>`,
      `COPY DEFAULT TO <${graph}>`,
      `MOVE <${graph}> TO <${EX}x>`,
    ];
    for (const update of updates) await assert.rejects(store.update(update), { code: 'invalid_request' }, update);
    const quads = { text: `<${A}> <${P}> "9" <${graph}> .`, format: 'nquads' } as const;
    await assert.rejects(store.load(quads), { code: 'invalid_request' }, graph);
    const large = { ...quads, text: `${quads.text}\n${'# padding\n'.repeat(200_000)}` };
    await assert.rejects(store.load(large), { code: 'invalid_request' }, `${graph}, by the bulk loader`);
    await assert.rejects(store.load({ text: `${triple} .`, format: 'turtle' }, { graph }), { code: 'invalid_request' });
    for (const method of ['put', 'post'] as const) {
      await assert.rejects(
        store.writeGraph(method, graph, [{ text: `${triple} .`, format: 'turtle' }]),
        refused('graph_not_writable', /overlay/),
      );
    }
    await assert.rejects(store.writeGraph('delete', graph, []), refused('graph_not_writable', /overlay/));
    await assert.rejects(store.createGraph(graph), { code: 'invalid_request' }, graph);
  }
  assert.equal(store.transactions().length, before, 'nothing was written');
  await store.update('CLEAR ALL ; DROP ALL');
  assert.deepEqual(await composed(store), [{ subject: A, predicate: P, object: 3, from: 'overlay' }]);
});

onBothStores('tombstones are no graph of any list or count', async (store) => {
  await begin(store);
  await write(store, 'tombstone', { int: 1 });
  await write(store, 'tombstone', { iri: `${EX}only-here` });
  const { graphs } = await store.graphs();
  assert.deepEqual(
    graphs.map(({ iri, class: kind, parent, source, facts }) => [iri, kind, parent, source, facts]),
    [
      [OV, 'overlay', ROOT, 'overlay_create', 0],
      ['urn:svc:graph:meta', 'committed', null, null, 0],
      [ROOT, 'committed', null, null, 2],
    ],
  );
  assert.equal(await store.graph(tombstonesOf(OV)), null);
  const { quadsCurrent, graphs: counted } = store.stats();
  assert.deepEqual([quadsCurrent, counted], [2, 1]);
  const snapshot = store.snapshot();
  assert.deepEqual(
    snapshot.graphs().map(({ value }) => value),
    [ROOT],
  );
  assert.equal(snapshot.count(), 2);
  snapshot.close();
  let exported = '';
  for await (const chunk of store.export('nquads')) exported += Buffer.from(chunk).toString();
  assert.equal(exported.trim().split('\n').length, 2);
  const description = await document(store, 'void', { base_url: 'http://localhost' }, 'turtle');
  assert.ok(description.text.includes('void:Dataset') || description.text.includes('void#'), description.text);
  assert.ok(!description.text.includes('tombstones') && !description.text.includes(OV));
  assert.deepEqual(await asked(store, 'SELECT DISTINCT ?g { GRAPH ?g { ?s ?p ?o } }'), []);
  assert.deepEqual(await asked(store, 'SELECT ?g { GRAPH ?g {} }'), []);
  assert.deepEqual(await asked(store, `SELECT ?s { GRAPH <${tombstonesOf(OV)}> { ?s ?p ?o } }`), [A, A]);
  const { changes } = await body(store, 'changes', { since: 2 });
  assert.deepEqual(changes, []);
});

onBothStores('no events; what is new to the store is new to it when somebody else says it', async (store) => {
  await begin(store);
  const before = (await store.events.read({ since: 0, limit: 1000 })).events.length;
  const change = { op: 'assert', subject: A, predicate: `${EX}fresh`, object: { iri: `${EX}b` } } as const;
  await store.writeOverlay(OV, change);
  await store.writeOverlay(OV, { ...change, op: 'tombstone' });
  await store.writeOverlay(OV, change);
  assert.equal((await store.events.read({ since: 0, limit: 1000 })).events.length, before);
  await knot(store, 'ex:c ex:fresh ex:d .');
  const told = (await store.events.read({ since: before, limit: 1000 })).events;
  assert.deepEqual(
    told.map(({ type, subject }) => [type, subject]),
    [
      ['predicate.new', `${EX}fresh`],
      ['entity.added', `${EX}c`],
      ['edge.added', `${EX}c`],
    ],
  );
  const { payload } = told[2] as { payload: Json };
  assert.deepEqual([payload.subject_preexisting, payload.object_preexisting], [false, false]);
});

onBothStores('shapes do not judge an overlay; ROOT they do', async (store) => {
  await begin(store);
  await store.loadShapes(
    'one',
    `@prefix sh: <http://www.w3.org/ns/shacl#> . <${EX}S> a sh:NodeShape ; sh:targetSubjectsOf <${P}> ; sh:property [ sh:path <${EX}needed> ; sh:minCount 1 ] .`,
  );
  const change = { op: 'assert', subject: `${EX}bad`, predicate: P, object: 'x' } as const;
  assert.ok((await store.writeOverlay(OV, change)).tx > 0);
  await assert.rejects(knot(store, 'ex:bad ex:p "x" .'), GateRefusal);
});

test('authority is asked about writes of overlays, and gates see nothing of them', async () => {
  const engine = openMemoryEngine();
  const asked: unknown[] = [];
  const seen: number[] = [];
  let open = true;
  const pipeline = new WritePipeline(engine, {
    authority: {
      allows: ({ command, options }) => {
        asked.push([command?.name, options.source]);
        if (open) return { kind: 'accepted', findings: [] };
        return { kind: 'refused', code: 'authority_denied', message: 'not you', findings: [] };
      },
    },
    gates: [
      {
        name: 'policy',
        judge: ({ changes }) => {
          seen.push(changes.graphs.length, [...changes.rows()].length);
          return { kind: 'accepted', findings: [] };
        },
      },
    ],
  });
  const call = { what: '', options: {}, documents: [], principal: ANYONE, control: {} };
  const inContext = (name: string, request: object) => new WriteContext(engine, pipeline, { ...call, name, request });
  const made = { overlay: OV };
  await createOverlay.run(inContext('createOverlay', made), made, {});
  const request = { overlay: OV, change: { op: 'assert', subject: A, predicate: P, object: 'x' } } as const;
  seen.length = 0;
  await writeOverlay.run(inContext('writeOverlay', request), request, {});
  assert.deepEqual(seen, [0, 0]);
  open = false;
  await assert.rejects(writeOverlay.run(inContext('writeOverlay', request), request, {}), { code: 'authority_denied' });
  assert.deepEqual(asked, [
    ['createOverlay', 'overlay-create'],
    ['writeOverlay', 'overlay'],
    ['writeOverlay', 'overlay'],
  ]);
  await engine.close();
});

onBothStores('a parent that is dropped is empty under its overlays, until it comes back', async (store) => {
  const g = `${EX}g`;
  await store.update(`INSERT DATA { GRAPH <${g}> { <${A}> <${P}> 1 , 2 } }`);
  const made = await body(store, 'overlay_create', { overlay: OV, parent_branch: g });
  assert.ok(made.parent_branch > 0);
  await write(store, 'tombstone', { int: 1 });
  await write(store, 'assert', { int: 3 });
  await store.update(`DROP GRAPH <${g}>`);
  assert.deepEqual(await objects(store), [3]);
  assert.ok((await write(store, 'assert', { int: 4 })) > 0, 'it can be written all the same');
  await store.writeGraph('put', g, [{ text: `<${A}> <${P}> 1 , 5 .`, format: 'turtle' }]);
  assert.deepEqual(await objects(store), [3, 4, 5]);
  await store.writeGraph('delete', g, []);
  assert.deepEqual(await objects(store, 'governed'), [3, 4]);
});

onBothStores(
  'pages: in order, complete, none twice, over subjects with few triples and with very many',
  async (store) => {
    const lines: string[] = [];
    for (let at = 0; at < 150; at++) lines.push(`ex:s${at} ex:p ${at} ; ex:q ex:o${at % 7} .`);
    for (let at = 0; at < 1500; at++) lines.push(`ex:s50x ex:p ${at} ; ex:q "v${at}" .`);
    await knot(store, lines.join('\n'));
    await body(store, 'overlay_create', { overlay: OV });
    for (let at = 0; at < 40; at++) {
      const subject = `${EX}s${5 * at}`;
      const object = { int: 5 * at };
      await store.writeOverlay(OV, { op: at % 2 === 0 ? 'tombstone' : 'assert', subject, predicate: P, object });
      await store.writeOverlay(OV, { op: 'assert', subject: `${EX}s50x`, predicate: `${EX}q`, object: `w${at}` });
    }
    for (const precedence of ['nearest', 'governed'] as const) {
      const { triples: all } = await store.composeOverlay(OV, { precedence });
      const key = ({ subject, predicate, object }: (typeof all)[number]) =>
        [subject, predicate, object].map(({ value }) => value).join('\u0000');
      assert.equal(new Set(all.map(key)).size, all.length);
      assert.equal(all.length, precedence === 'nearest' ? 3340 - 15 + 5 : 3340 + 5, precedence);
      const texts = all.map(({ subject, predicate }) => `${subject.value}\u0000${predicate.value}`);
      assert.deepEqual(texts, [...texts].sort());
      for (const limit of [1, 7, 1000]) {
        for (const offset of [0, 1, 190, 191, 2999, 3320, all.length - 1, all.length, all.length + 5]) {
          const page = await store.composeOverlay(OV, { precedence, limit, offset });
          assert.deepEqual(page.triples, all.slice(offset, offset + limit), `${precedence} ${offset} ${limit}`);
          assert.equal(page.truncated, offset + limit < all.length);
        }
      }
    }
    const controller = new AbortController();
    controller.abort();
    await assert.rejects(store.composeOverlay(OV, { signal: controller.signal }), /abort/i);
  },
);

test('who may read an overlay and its parent reads the view; its tombstones come with it', async () => {
  const store = await openStore(':memory:');
  await begin(store);
  await write(store, 'tombstone', { int: 1 });
  const reader = store.as({ ...ANYONE, readable: [ROOT, OV] });
  assert.deepEqual((await reader.composeOverlay(OV)).triples.length, 1);
  const stranger = store.as({ ...ANYONE, readable: [ROOT] });
  await assert.rejects(stranger.composeOverlay(OV), { code: 'invalid_request' });
  await store.close();
});

test('a registration that announces one overlay writes no other', async () => {
  const engine = openMemoryEngine();
  const pipeline = new WritePipeline(engine);
  await pipeline.transact((stage, registry) => {
    const snapshot = stage.snapshot();
    registry.register(snapshot, OV, { class: 'overlay', parent: ROOT });
    registry.register(snapshot, `${EX}other`, { class: 'overlay', parent: ROOT });
    snapshot.close();
  }, {});
  const stage = engine.stage({ timestamp: 0, validFrom: 0 });
  const registry = new GraphRegistration(stage);
  registry.writesOverlay(`${EX}other`);
  const { quad } = await import('../service/time-support.js');
  stage.assert([quad('a', 'p', 1, 'ov')]);
  assert.throws(() => registry.settle(), /is an overlay/);
  stage.discard();
  await engine.close();
});
