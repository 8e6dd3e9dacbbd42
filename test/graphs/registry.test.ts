/** The graph registry: what registers a graph, what refuses, what takes it away, and which graphs a query sees. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { REGISTRY_GRAPH_IRI } from '../../engine/query/registry/system-graphs.js';
import { WritePipeline } from '../../engine/service/pipeline/pipeline.js';
import { openMemoryEngine } from '../../engine/storage/memory/engine.js';
import { type Store, terms } from '../../interfaces/library/index.js';
import { EX, knot, onBothStores, quad, ROOT, T, trace } from '../service/time-support.js';

const META = 'urn:svc:graph:meta';
const P = `PREFIX ex: <${EX}> `;

async function names(store: Store): Promise<string[]> {
  const { graphs } = await store.graphs();
  return graphs.map(({ iri, facts }) => `${iri.replace(EX, 'ex:')} ${facts}`);
}

/** Rows of a SELECT as lines, sorted. */
async function rows(store: Store, query: string): Promise<string[]> {
  const answer = await store.query(P + query);
  assert.ok(answer.kind === 'select');
  const lines: string[] = [];
  for await (const row of answer.rows()) lines.push(row.map((term) => term?.value.replace(EX, 'ex:') ?? '-').join(' '));
  return lines.sort();
}

async function ask(store: Store, query: string, graph?: string): Promise<boolean> {
  const answer = await store.query(P + query, { graph });
  assert.ok(answer.kind === 'ask');
  return answer.value;
}

const BUILT_IN = [`${META} 0`, `${ROOT} 0`];

onBothStores('an empty store has ROOT and the meta graph', async (store) => {
  assert.deepEqual(await names(store), BUILT_IN);
  assert.deepEqual(await rows(store, 'SELECT ?g { GRAPH ?g {} }'), []);
  assert.equal(await ask(store, `ASK { GRAPH <${ROOT}> {} }`), true);
  assert.equal(await ask(store, 'ASK { GRAPH ex:none {} }'), false);
  assert.equal(await store.graph(`${EX}none`), null);
});

onBothStores('writes register, DROP and MOVE take away, CLEAR and DELETE leave an empty graph', async (store) => {
  await store.update(`${P} INSERT DATA { GRAPH ex:a { ex:s ex:p 1 } GRAPH ex:b { ex:s ex:p 1 . ex:s ex:p 2 } }`);
  await knot(store, 'ex:c { ex:s ex:p 1 } ex:d { ex:s ex:p 1 }');
  await store.update(`${P} CREATE GRAPH ex:e`);
  assert.deepEqual(await names(store), ['ex:a 1', 'ex:b 2', 'ex:c 1', 'ex:d 1', 'ex:e 0', ...BUILT_IN]);
  assert.deepEqual(await rows(store, 'SELECT ?g { GRAPH ?g {} }'), ['ex:a', 'ex:b', 'ex:c', 'ex:d', 'ex:e']);
  await store.update(`${P} CLEAR GRAPH ex:a ; DELETE WHERE { GRAPH ex:b { ?s ?p ?o } } ; DROP GRAPH ex:c`);
  await store.transact({ retract: [quad('s', 'p', 1, 'd')] });
  assert.deepEqual(await names(store), ['ex:a 0', 'ex:b 0', 'ex:d 0', 'ex:e 0', ...BUILT_IN]);
  assert.deepEqual(await rows(store, 'SELECT ?g { GRAPH ?g {} }'), ['ex:a', 'ex:b', 'ex:d', 'ex:e']);
  assert.deepEqual(await rows(store, 'SELECT ?g ?s { GRAPH ?g { ?s ?p ?o } }'), []);
  await store.update(
    `${P} MOVE ex:e TO ex:f ; DROP GRAPH ex:a ; DROP GRAPH ex:b ; INSERT DATA { GRAPH ex:b { ex:s ex:p 3 } }`,
  );
  assert.deepEqual(await names(store), ['ex:b 1', 'ex:d 0', 'ex:f 0', ...BUILT_IN]);
  await store.update('DROP NAMED');
  assert.deepEqual(await names(store), BUILT_IN);
  // What was there is still there to be read in the past.
  const snapshot = store.snapshot({ tx: 2 });
  assert.equal(snapshot.count(null, null, null, terms.namedNode(`${EX}b`)), 2);
  snapshot.close();
});

onBothStores('rows of the registry are no data: all graphs, counts and exports pass over them', async (store) => {
  await store.update(`${P} CREATE GRAPH ex:e ; INSERT DATA { ex:s ex:p 1 . GRAPH ex:g { ex:s ex:p 1 } }`);
  const { quadsCurrent, graphs } = store.stats();
  assert.deepEqual([quadsCurrent, graphs], [2, 2]);
  const snapshot = store.snapshot();
  assert.equal(snapshot.count(), 2);
  assert.equal(snapshot.count(terms.namedNode(`${EX}e`)), 0);
  assert.equal([...snapshot.dataset()].length, 2);
  assert.deepEqual(
    snapshot.graphs().map(({ value }) => value),
    [ROOT, `${EX}g`],
  );
  snapshot.close();
  let document = '';
  for await (const chunk of store.export('nquads')) document += Buffer.from(chunk).toString();
  assert.equal(document.trim().split('\n').length, 2);
  assert.deepEqual(await rows(store, 'SELECT ?g { GRAPH ?g { ?s ?p ?o } }'), ['ex:g']);
  document = '';
  for await (const chunk of store.export('turtle', { graph: `${EX}e` })) document += Buffer.from(chunk).toString();
  assert.equal(document, '', 'an empty graph can be exported');
});

onBothStores('the registry graph can not be written by anybody', async (store) => {
  await store.update(`${P} CREATE GRAPH ex:e`);
  const before = await trace(store);
  const registry = terms.namedNode(REGISTRY_GRAPH_IRI);
  const row = terms.quad(terms.namedNode(`${EX}x`), terms.namedNode(`${EX}p`), terms.literal('1'), registry);
  const refused = { code: 'invalid_request', message: /<urn:svc:graph:registry> can not be written/ };
  await assert.rejects(store.transact({ assert: [row] }), refused);
  await assert.rejects(
    store.transact((draft) => void draft.assert(row)),
    refused,
  );
  for (const text of [
    `INSERT DATA { GRAPH <${REGISTRY_GRAPH_IRI}> { ex:a ex:p 1 } }`,
    `DROP SILENT GRAPH <${REGISTRY_GRAPH_IRI}>`,
    `DELETE WHERE { GRAPH <${REGISTRY_GRAPH_IRI}> { ?s ?p ?o } }`,
  ]) {
    await assert.rejects(store.update(P + text), refused, text);
  }
  assert.deepEqual(await trace(store), before);
});

onBothStores('NG-1: companions are refused as targets', async (store) => {
  const before = await trace(store);
  const graph = 'http://x/g#inferred';
  const refused = { code: 'invalid_request', message: /can not be written: it holds derived facts/ };
  await assert.rejects(
    store.load({ text: '<http://x/a> <http://x/b> 1 .', format: 'turtle' }, { graph, registeredOnly: true }),
    refused,
  );
  await assert.rejects(store.update(`INSERT DATA { GRAPH <${graph}> { <http://x/a> <http://x/b> 1 } }`), refused);
  await assert.rejects(store.createGraph(graph), refused);
  assert.deepEqual(await trace(store), before);
});

onBothStores('NG-3: an unknown graph is an empty default graph', async (store) => {
  await knot(store, 'ex:a ex:p 1 .');
  assert.equal(await ask(store, 'ASK { ?s ?p ?o }', 'http://x/unknown'), false);
});

onBothStores('NG-4: a triple in two members of a default graph is one solution', async (store) => {
  await knot(store, 'ex:g1 { ex:a ex:p ex:b } ex:g2 { ex:a ex:p ex:b }');
  assert.deepEqual(await rows(store, 'SELECT (COUNT(*) AS ?n) FROM ex:g1 FROM ex:g2 { ?s ?p ?o }'), ['1']);
  const named = 'SELECT ?g FROM NAMED ex:g1 FROM NAMED ex:g2 { GRAPH ?g { ?s ?p ?o } }';
  assert.deepEqual(await rows(store, named), ['ex:g1', 'ex:g2']);
});

onBothStores('NG-5: a path stays within its graph, and walks the union of a default graph', async (store) => {
  await knot(store, 'ex:g1 { ex:a ex:p ex:b } ex:g2 { ex:b ex:p ex:c }');
  assert.deepEqual(await rows(store, 'SELECT ?x { GRAPH ex:g1 { ex:a ex:p+ ?x } }'), ['ex:b']);
  assert.deepEqual(await rows(store, 'SELECT ?x FROM ex:g1 FROM ex:g2 { ex:a ex:p+ ?x }'), ['ex:b', 'ex:c']);
});

onBothStores('knot writes registered graphs only; an unknown one is not even interned', async (store) => {
  const text = `<${EX}a> <${EX}p> 1 .`;
  const load = (graph: string, more = {}) =>
    store.load({ text, format: 'turtle' }, { graph, registeredOnly: true, ...more });
  const before = await trace(store);
  for (const more of [{}, { snapshotKey: 'k', replaceSnapshot: true }]) {
    await assert.rejects(load('http://x/typo', more), {
      code: 'not_found_in_store',
      message: 'unknown graph: http://x/typo — create and register it first via graph_create',
    });
    await assert.rejects(load(META, more), { code: 'invalid_request' });
    await assert.rejects(load('urn:svc:dataset:frozen', more), { code: 'invalid_request' });
  }
  assert.deepEqual(await trace(store), before);
  await store.createGraph(`${EX}g`, { timestamp: T(1) });
  assert.equal((await load(`${EX}g`)).quadsAdded, 1);
  assert.equal((await load(ROOT)).quadsAdded, 1);
});

onBothStores('the library makes graphs by writing to them, unless it is told not to', async (store) => {
  await store.load({ text: '<http://x/a> <http://x/b> 1 .', format: 'turtle' }, { graph: `${EX}loaded` });
  await store.transact({ assert: [quad('s', 'p', 1, 'asserted')] });
  assert.deepEqual(await names(store), ['ex:asserted 1', 'ex:loaded 1', ...BUILT_IN]);
});

onBothStores('a registered graph: number, source and time; again, it is not created', async (store) => {
  const first = await store.createGraph(`${EX}g`, { timestamp: T(1), actor: 'ana' });
  assert.deepEqual([first.created, first.tx, first.asserted], [true, 1, 0]);
  assert.ok(first.number > 0);
  const again = await store.createGraph(`${EX}g`, { timestamp: T(2) });
  assert.deepEqual([again.created, again.tx, again.number], [false, 0, first.number]);
  assert.deepEqual(await store.graph(`${EX}g`), {
    iri: `${EX}g`,
    class: 'committed',
    parent: null,
    source: 'graph_create',
    lifecycle: null,
    labels: { freshness: null, durability: null, trust: null, policy: null, kind: null },
    materialization: null,
    createdAt: Date.parse(T(1)) / 1000,
    facts: 0,
  });
  const [transaction] = store.transactions();
  assert.deepEqual([transaction?.source, transaction?.actor], ['graph-create', 'ana']);
  await knot(store, 'ex:h { ex:a ex:p 1 }');
  assert.equal((await store.createGraph(`${EX}h`)).created, false, 'facts register a graph');
  assert.deepEqual(await store.createGraph(ROOT).then(({ created, number }) => [created, number]), [false, 0]);
  for (const iri of ['relative', 'http://x/a b', META, 'urn:svc:dataset:x', `urn:svc:quarantine:${'0'.repeat(64)}`]) {
    await assert.rejects(store.createGraph(iri), { code: 'invalid_request' }, iri);
  }
});

onBothStores('pages of the list neither overlap nor skip, and follow every change', async (store) => {
  const names = Array.from({ length: 7 }, (_, at) => `${EX}g${at}`);
  await store.update(names.map((name) => `CREATE GRAPH <${name}>`).join(' ; '));
  const pages: string[] = [];
  for (let offset = 0; ; offset += 4) {
    const { graphs, truncated } = await store.graphs({ limit: 4, offset });
    pages.push(...graphs.map(({ iri }) => iri));
    if (!truncated) break;
  }
  assert.deepEqual(pages, [...names, META, ROOT]);
  await store.update(`DROP GRAPH <${names[3]}>`);
  assert.equal((await store.graphs()).graphs.length, 8);
});

onBothStores('a kept plan of GRAPH ?g follows the registry', async (store) => {
  const counts: number[] = [];
  for (let turn = 0; turn < 6; turn++) {
    await store.update(`CREATE GRAPH <${EX}g${turn}>`);
    counts.push((await rows(store, 'SELECT ?g { GRAPH ?g {} }')).length);
    assert.equal(await ask(store, `ASK { GRAPH <${EX}g${turn}> {} }`), true);
    assert.equal(await ask(store, `ASK { GRAPH <${EX}g${turn + 1}> {} }`), false);
  }
  assert.deepEqual(counts, [1, 2, 3, 4, 5, 6]);
});

test('overlays and quarantine: never bound freely, read by their IRI; facts of an overlay are refused', async () => {
  const engine = openMemoryEngine();
  const pipeline = new WritePipeline(engine);
  const quarantine = `urn:svc:quarantine:${'1'.repeat(64)}`;
  await pipeline.transact((stage, registry) => {
    const snapshot = stage.snapshot();
    registry.register(snapshot, `${EX}over`, { class: 'overlay', parent: ROOT });
    registry.register(snapshot, quarantine);
    registry.register(snapshot, `${EX}plain`);
    snapshot.close();
  }, {});
  const { executeParsed } = await import('../../engine/query/query.js');
  const { parseQuery } = await import('../../engine/query/parse/parse.js');
  const ids = async (text: string): Promise<number> => {
    const snapshot = engine.snapshot();
    const answer = await executeParsed(parseQuery(text), snapshot, {});
    assert.ok(answer.kind === 'select');
    let count = 0;
    for await (const batch of answer.batches) count += batch.rows;
    snapshot.close();
    return count;
  };
  assert.equal(await ids('SELECT ?g { GRAPH ?g {} }'), 1);
  assert.equal(await ids(`SELECT * { GRAPH <${EX}over> {} }`), 1);
  assert.equal(await ids(`SELECT * { GRAPH <${quarantine}> {} }`), 1);
  assert.equal(await ids(`SELECT ?g FROM NAMED <${EX}over> { GRAPH ?g {} }`), 1);
  const refused = { code: 'invalid_request', message: /is an overlay/ };
  await assert.rejects(
    pipeline.transact((stage) => stage.assert([quad('s', 'p', 1, 'over')]), {}),
    refused,
  );
  await engine.close();
});
