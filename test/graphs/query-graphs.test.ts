/** Which graphs a query reads: graphs and datasets by name, FROM, kinds of graphs, forks, overlays, the past. */
import assert from 'node:assert/strict';
import { type QueryOptions, type Store, terms } from '../../interfaces/library/index.js';
import { EX, knot, onBothStores, quad, ROOT, T } from '../service/time-support.js';
import { dataset, fork, label, overlay, setRow, writeOverlay, writeRegistry } from './support/registry-writes.js';

const P = `PREFIX ex: <${EX}> `;
const G = (name: string) => `${EX}${name}`;
const ALL = 'SELECT ?o { ?s ?p ?o }';

/** Rows of a SELECT as lines, sorted. */
async function rows(store: Store, query: string, options: QueryOptions = {}): Promise<string[]> {
  const answer = await store.select(P + query, options);
  const lines: string[] = [];
  for await (const row of answer.rows()) {
    lines.push(row.map((term) => term?.value.replace(EX, '').replace(ROOT, 'root') ?? '-').join(' '));
  }
  return lines.sort();
}

const members = async (store: Store, text: string, options: QueryOptions = {}) =>
  (await store.query(P + text, options)).labels;

onBothStores('NG-2: what is derived is read with its base where both are named', async (store) => {
  await knot(store, 'ex:a ex:p ex:b .');
  const derived = terms.quad(
    terms.namedNode(`${EX}a`),
    terms.namedNode(`${EX}q`),
    terms.namedNode(`${EX}b`),
    terms.namedNode(`${ROOT}#inferred`),
  );
  await writeRegistry(store, (stage) => {
    setRow(stage, `${ROOT}#inferred`);
    stage.assert([derived], stage.timestamp);
  });
  const ask = `ASK { ex:a ex:q ex:b }`;
  assert.equal(await store.ask(P + ask), false);
  const both = `ASK FROM <${ROOT}> FROM <${ROOT}#inferred> { ex:a ex:q ex:b . ex:a ex:p ex:b }`;
  assert.equal(await store.ask(P + both), true);
});

onBothStores('NG-3: an unknown graph is empty, never ROOT', async (store) => {
  await knot(store, 'ex:a ex:p 1 .');
  for (const options of [{ graph: G('unknown') }, { defaultGraphs: [G('unknown')] }, { namedGraphs: [G('unknown')] }]) {
    assert.equal(await store.ask('ASK { ?s ?p ?o }', options), false);
  }
  assert.equal(await store.ask('ASK FROM <urn:svc:dataset:frozen> { ?s ?p ?o }'), false);
  assert.equal(await store.ask(`ASK FROM NAMED <${ROOT}> { ?s ?p ?o }`), false);
});

onBothStores('NG-4: a triple in two graphs is one in their union, two in the graphs by themselves', async (store) => {
  await knot(store, 'ex:g1 { ex:a ex:p 1 } ex:g2 { ex:a ex:p 1 }');
  assert.deepEqual(await rows(store, 'SELECT (COUNT(*) AS ?n) FROM ex:g1 FROM ex:g2 { ?s ?p ?o }'), ['1']);
  const named = 'SELECT ?g FROM NAMED ex:g1 FROM NAMED ex:g2 { GRAPH ?g { ?s ?p ?o } }';
  assert.deepEqual(await rows(store, named), ['g1', 'g2']);
});

onBothStores('NG-5: paths stay in a graph, and walk a union', async (store) => {
  await knot(store, 'ex:g1 { ex:a ex:p ex:b } ex:g2 { ex:b ex:p ex:c }');
  assert.deepEqual(await rows(store, 'SELECT ?x { GRAPH ex:g1 { ex:a ex:p+ ?x } }'), ['b']);
  assert.deepEqual(await rows(store, 'SELECT ?x FROM ex:g1 FROM ex:g2 { ex:a ex:p+ ?x }'), ['b', 'c']);
  await dataset(store, G('ds'), [G('g1'), G('g2')]);
  assert.deepEqual(await rows(store, 'SELECT ?x { ex:a ex:p+ ?x }', { graph: G('ds') }), ['b', 'c']);
});

onBothStores('DS-2: members that are not registered give nothing until they are', async (store) => {
  await knot(store, 'ex:a { ex:s ex:p 1 }');
  await label(store, G('a'), { freshness: 'fresh' });
  await dataset(store, G('ds'), [G('none'), G('a')]);
  const text = 'SELECT ?o FROM ex:ds { ?s ?p ?o }';
  const asked = async () => (await members(store, text)) as { freshness: { value: string; coverage: string } };
  assert.deepEqual(await rows(store, text), ['1']);
  assert.deepEqual((await asked()).freshness, { value: 'fresh', coverage: 'full' });
  await knot(store, 'ex:none { ex:s ex:p 2 }');
  assert.deepEqual(await rows(store, text), ['1', '2']);
  assert.deepEqual((await asked()).freshness, { value: 'fresh', coverage: 'partial' });
  assert.deepEqual(await rows(store, 'SELECT ?g ?o FROM NAMED ex:ds { GRAPH ?g { ?s ?p ?o } }'), ['a 1', 'none 2']);
  assert.deepEqual(await rows(store, 'SELECT ?o { GRAPH ex:ds { ?s ?p ?o } }'), []);
  await store.update(`DROP GRAPH <${G('a')}>`);
  assert.deepEqual(await rows(store, text), ['2']);
  await dataset(store, G('ds'), [G('other')]);
  assert.deepEqual(await rows(store, ALL, { graph: G('ds') }), []);
});

onBothStores('DS-3, DS-4, DS-5: graphs of a kind join the default graph, unless the text says FROM', async (store) => {
  await knot(store, 'ex:s ex:p 0 . ex:g { ex:s ex:p 1 } ex:h { ex:s ex:p 2 }');
  await label(store, G('h'), { kind: 'archive' });
  assert.deepEqual(await rows(store, ALL, { includeKinds: ['archive'] }), ['0', '2']);
  const labels = (await members(store, ALL, { includeKinds: ['archive'] })) as { kind: unknown };
  assert.deepEqual(labels.kind, { value: ['archive'], coverage: 'partial' });
  assert.deepEqual(await rows(store, ALL, { includeKinds: ['archive'], graph: G('g') }), ['1', '2']);
  assert.deepEqual(await rows(store, ALL, { includeKinds: [] }), ['0']);
  assert.deepEqual(await rows(store, 'SELECT ?o FROM ex:g { ?s ?p ?o }', { includeKinds: ['archive'] }), ['1']);
  const unknown = { code: 'invalid_request', message: /there is no kind 'Archive'/ };
  await assert.rejects(store.select(ALL, { includeKinds: ['Archive'] }), unknown);
  assert.deepEqual(await rows(store, ALL, { includeKinds: ['mine'], extraKinds: ['mine'] }), ['0']);
  await label(store, G('g'), { kind: 'archive' });
  assert.deepEqual(await rows(store, ALL, { includeKinds: ['archive'] }), ['0', '1', '2']);
});

onBothStores('quarantine joins by its own kind only, overlays never', async (store) => {
  const quarantine = 'urn:svc:quarantine:1';
  await knot(store, 'ex:s ex:p 0 .');
  await writeRegistry(store, (stage) => {
    setRow(stage, quarantine);
    stage.assert([
      terms.quad(terms.namedNode(G('s')), terms.namedNode(G('p')), terms.literal('q'), terms.namedNode(quarantine)),
    ]);
  });
  await label(store, quarantine, { kind: 'operational' });
  assert.deepEqual(await rows(store, ALL, { includeKinds: ['operational'] }), ['0']);
  await label(store, quarantine, { kind: 'quarantine' });
  assert.deepEqual(await rows(store, ALL, { includeKinds: ['quarantine'] }), ['0', 'q']);
  assert.deepEqual(await rows(store, 'SELECT ?g { GRAPH ?g { ?s ?p ?o } }'), []);
});

onBothStores('FK-2, FK-3: a fork is read by its name, alone, unless it is dropped', async (store) => {
  await knot(store, 'ex:s ex:p 0 .');
  await fork(store, 'f', 'open');
  await knot(store, 'ex:s ex:p 1 .', { graph: 'urn:svc:fork:f' });
  assert.deepEqual(await rows(store, ALL, { fork: 'f' }), ['1']);
  await assert.rejects(store.select(ALL, { fork: 'f', graph: G('g') }), /pass either 'fork' or 'graph', not both/);
  await assert.rejects(
    store.select(ALL, { fork: 'f', includeKinds: ['archive'] }),
    /'fork' or 'include_kinds', not both/,
  );
  await assert.rejects(store.select(ALL, { fork: 'x' }), { code: 'not_found_in_store', message: 'no such fork: x' });
  await fork(store, 'f', 'promoted');
  assert.deepEqual(await rows(store, ALL, { fork: 'f' }), ['1']);
  await fork(store, 'f', 'dropped');
  await assert.rejects(store.select(ALL, { fork: 'f' }), /the fork f is dropped/);
  assert.deepEqual(await rows(store, ALL, { graph: 'urn:svc:fork:f' }), ['1']);
});

onBothStores('OV-1: the view of an overlay is read as the default graph', async (store) => {
  await knot(store, 'ex:a ex:p 1, 2 .', { timestamp: T(1) });
  const ov = G('ov');
  await overlay(store, ov, ROOT);
  const before = await writeOverlay(store, ov, { asserted: [quad('a', 'p', 3)] });
  const after = await writeOverlay(store, ov, { gone: [quad('a', 'p', 1)] });
  const text = 'SELECT ?o { ex:a ex:p ?o }';
  assert.deepEqual(await rows(store, text, { overlay: ov }), ['2', '3']);
  assert.deepEqual(await rows(store, text, { overlay: ov, precedence: 'governed' }), ['1', '2', '3']);
  assert.deepEqual(await rows(store, text), ['1', '2']);
  assert.deepEqual(await rows(store, 'SELECT ?o { GRAPH ex:ov { ex:a ex:p ?o } }'), ['3']);
  assert.deepEqual(await rows(store, 'SELECT ?g ?o { GRAPH ?g { ?s ?p ?o } }'), []);
  assert.deepEqual(await rows(store, 'SELECT ?g { GRAPH ?g {} }'), []);
  assert.deepEqual(await rows(store, 'SELECT ?o FROM <urn:svc:graph:root> { ex:a ex:p ?o }', { overlay: ov }), [
    '1',
    '2',
  ]);
  assert.deepEqual(await rows(store, text, { overlay: ov, tx: before }), ['1', '2', '3']);
  assert.deepEqual(await rows(store, text, { overlay: ov, tx: after }), ['2', '3']);
  assert.deepEqual(await rows(store, text, { overlay: ov, validAt: '2026-02-01' }), ['2', '3']);
  await assert.rejects(
    store.select(text, { overlay: ov, tx: 1 }),
    /there is no overlay <http:\/\/example.org\/ov> at transaction 1/,
  );
  await assert.rejects(store.select(text, { overlay: G('none') }), /there is no overlay/);
  await assert.rejects(store.select(text, { overlay: ROOT }), /is no overlay/);
  await assert.rejects(store.select(text, { overlay: ov, graph: G('g') }), /pass either 'overlay' or 'graph'/);
  await assert.rejects(store.select(text, { overlay: ov, fork: 'f' }), /not both/);
  await assert.rejects(store.select(text, { overlay: ov, includeKinds: [] }), /not both/);
  await assert.rejects(store.select(text, { precedence: 'nearest' }), /'precedence' is said of an 'overlay' only/);
  await assert.rejects(store.select(text, { overlay: ov, precedence: 'x' as 'nearest' }), /there is no 'x'/);
  await label(store, ROOT, { freshness: 'fresh' });
  const labels = (await members(store, text, { overlay: ov })) as { freshness: unknown };
  assert.deepEqual(labels.freshness, { value: 'fresh', coverage: 'partial' });
});

onBothStores('joins, paths, counts and classes over the view of an overlay', async (store) => {
  await knot(store, 'ex:a ex:p ex:b ; a ex:C . ex:b ex:p ex:c ; a ex:C . ex:D rdfs:subClassOf ex:C .');
  const ov = G('ov');
  await overlay(store, ov, ROOT);
  await writeOverlay(store, ov, { asserted: [quad('c', 'p', 'd'), quad('d', 'p', 'e')], gone: [quad('b', 'p', 'c')] });
  const asked = (text: string) => rows(store, text, { overlay: ov });
  assert.deepEqual(await asked('SELECT ?x { ex:a ex:p+ ?x }'), ['b']);
  assert.deepEqual(await asked('SELECT ?x { ex:c ex:p+ ?x }'), ['d', 'e']);
  assert.deepEqual(await asked('SELECT ?x ?y { ?x ex:p ?y . ?y ex:p ?z }'), ['c d']);
  assert.deepEqual(await asked('SELECT (COUNT(*) AS ?n) { ?x ex:p ?y }'), ['3']);
  assert.deepEqual(await asked('SELECT ?p (COUNT(*) AS ?n) { ?x ?p ?y } GROUP BY ?p ORDER BY ?p'), [
    'http://www.w3.org/1999/02/22-rdf-syntax-ns#type 2',
    'http://www.w3.org/2000/01/rdf-schema#subClassOf 1',
    'p 3',
  ]);
  assert.deepEqual(await asked('SELECT ?x { ?x a ex:C ; ex:p ?y }'), ['a']);
  assert.deepEqual(await asked('SELECT DISTINCT ?p { ?x ?p ?y } LIMIT 10').then(({ length }) => length), 3);
  assert.deepEqual(await asked('SELECT ?x { ?x ex:p ?y FILTER NOT EXISTS { ?y ex:p ?z } }'), ['a', 'd']);
  const explained = await store.explain(`${P}SELECT ?x { ?x ex:p ?y . ?y ex:p ?z }`, { overlay: ov, analyze: true });
  assert.equal(explained.rows, 1);
});

onBothStores('R59: with a transaction, registration, classes and members are those of then', async (store) => {
  await knot(store, 'ex:a { ex:s ex:p 1 }');
  await knot(store, 'ex:b { ex:s ex:p 2 }');
  const first = await dataset(store, G('ds'), [G('a')]);
  await dataset(store, G('ds'), [G('a'), G('b')]);
  const dropped = (await store.update(`DROP GRAPH <${G('a')}>`)).tx;
  const free = 'SELECT ?g ?o { GRAPH ?g { ?s ?p ?o } }';
  assert.deepEqual(await rows(store, ALL, { graph: G('ds') }), ['2']);
  assert.deepEqual(await rows(store, ALL, { graph: G('ds'), tx: first }), ['1']);
  assert.deepEqual(await rows(store, ALL, { graph: G('ds'), tx: dropped - 1 }), ['1', '2']);
  assert.deepEqual(await rows(store, ALL, { graph: G('ds'), tx: dropped }), ['2']);
  assert.deepEqual(await rows(store, ALL, { graph: G('ds'), tx: 1 }), []);
  assert.deepEqual(await rows(store, free), ['b 2']);
  assert.deepEqual(await rows(store, free, { tx: 1 }), ['a 1']);
  assert.deepEqual(await rows(store, free, { tx: dropped - 1 }), ['a 1', 'b 2']);
  assert.deepEqual(await rows(store, 'SELECT ?g { GRAPH ?g {} }', { tx: 1 }), ['a']);
  assert.deepEqual(await rows(store, 'SELECT ?g { GRAPH ?g {} }'), ['b']);
  assert.equal(await store.ask(`ASK { GRAPH <${G('a')}> {} }`, { tx: dropped - 1 }), true);
  assert.equal(await store.ask(`ASK { GRAPH <${G('b')}> {} }`, { tx: 1 }), false);
  assert.equal(await store.ask(`ASK { GRAPH <${G('a')}> {} }`), false);
  // Reads by valid time alone stay as of now.
  assert.deepEqual(await rows(store, ALL, { graph: G('ds'), validAt: '2099-01-01' }), ['2']);
  await label(store, G('b'), { freshness: 'stale', kind: 'archive' });
  const labels = (await members(store, ALL, { graph: G('ds'), tx: dropped - 1 })) as { freshness: unknown };
  assert.deepEqual(labels.freshness, { value: 'stale', coverage: 'partial' }, 'labels are those of now');
  assert.deepEqual(await rows(store, ALL, { includeKinds: ['archive'], tx: 1 }), [], 'b was not registered then');
  assert.deepEqual(await rows(store, ALL, { includeKinds: ['archive'], tx: 2 }), ['2']);
  await assert.rejects(store.select(ALL, { tx: 99 }), /there is no transaction 99 yet: the latest is/);
});

onBothStores('a plan that is kept is not used for other graphs', async (store) => {
  await knot(store, 'ex:a { ex:s ex:p 1 } ex:b { ex:s ex:p 2 }');
  await dataset(store, G('ds'), [G('a')]);
  const from = 'SELECT ?o FROM ex:ds { ex:s ex:p ?o }';
  for (let time = 0; time < 3; time++) assert.deepEqual(await rows(store, from), ['1']);
  await dataset(store, G('ds'), [G('b')]);
  for (let time = 0; time < 3; time++) assert.deepEqual(await rows(store, from), ['2']);
  for (const graph of ['a', 'b', 'a', 'b']) {
    assert.deepEqual(await rows(store, 'SELECT ?o { ex:s ex:p ?o }', { graph: G(graph) }), [graph === 'a' ? '1' : '2']);
  }
  for (const [name, seen] of [
    ['a', '1'],
    ['b', '2'],
    ['c', ''],
  ] as const) {
    const constant = `SELECT ?o { GRAPH ex:${name} { ex:s ex:p ?o } }`;
    assert.deepEqual(await rows(store, constant), seen === '' ? [] : [seen]);
  }
});
