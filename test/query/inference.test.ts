/** Subclass inference: which patterns expand, what each subject yields, what the answer says, what it costs. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ClassHierarchies } from '../../engine/query/inference/hierarchy.js';
import { executeQuery, explain } from '../../engine/query/query.js';
import type { MemoryEngine } from '../../engine/storage/memory/engine.js';
import { inFull, type ShortOptions } from './short-options.js';
import { loadText, PREFIXES, show, storeOf } from './support.js';

const RDFS = 'PREFIX rdfs: <http://www.w3.org/2000/01/rdf-schema#>\n';
const EXAMPLE = `:Web <http://www.w3.org/2000/01/rdf-schema#subClassOf> :Service .
:a a :Web . :b a :Service . :c a :Web, :Service .`;

async function asked(engine: MemoryEngine, text: string, options: ShortOptions = {}) {
  const snapshot = engine.snapshot();
  const result = await executeQuery(snapshot, PREFIXES + RDFS + text, inFull({ inference: true, ...options }));
  if (result.kind === 'ask') return { rows: [String(result.value)], inference: result.inference };
  assert.ok(result.kind === 'select');
  const rows: string[] = [];
  for await (const row of result.rows()) rows.push(row.map(show).join(' '));
  snapshot.close();
  return { rows: rows.sort(), inference: result.inference };
}

async function rows(engine: MemoryEngine, text: string, options: ShortOptions = {}): Promise<string[]> {
  return (await asked(engine, text, options)).rows;
}

test('EX-3.1', async () => {
  const store = await storeOf(`${EXAMPLE} :g { ${EXAMPLE} }`);
  const plain = 'SELECT ?s { ?s a :Service }';
  assert.deepEqual(await rows(store, plain), [':a', ':b', ':c']);
  assert.deepEqual(await rows(store, 'SELECT ?s { ?s a ?t FILTER(?t = :Service) }'), [':b', ':c']);
  assert.deepEqual(await rows(store, plain, { graph: 'http://example.org/g' }), [':b', ':c']);
  assert.deepEqual(await rows(store, plain, { inference: false }), [':b', ':c']);
});

test('only the default graph, and only while it is ROOT', async () => {
  const store = await storeOf(`${EXAMPLE} :g { ${EXAMPLE} }`);
  assert.deepEqual(await rows(store, 'SELECT ?s { GRAPH :g { ?s a :Service } }'), [':b', ':c']);
  assert.deepEqual(await rows(store, 'SELECT ?s { GRAPH ?g { ?s a :Service } }'), [':b', ':c']);
  assert.deepEqual(await rows(store, 'SELECT ?s FROM :g { ?s a :Service }'), [':b', ':c']);
  assert.deepEqual(await rows(store, 'SELECT ?s FROM <urn:svc:graph:root> { ?s a :Service }'), [':b', ':c']);
  const named = await asked(store, 'SELECT ?s { GRAPH :g { ?s a :Service } }');
  assert.equal(named.inference, null);
});

test('variables and paths are literal; in both modes a path over the hierarchy answers', async () => {
  const store = await storeOf(`${EXAMPLE} :x :of :a .`);
  assert.deepEqual(await rows(store, 'SELECT ?s { VALUES ?t { :Service } ?s a ?t }'), [':b', ':c']);
  assert.deepEqual(await rows(store, 'SELECT ?s { ?s ^:none|a :Service }'), [':b', ':c']);
  assert.deepEqual(await rows(store, 'SELECT ?x { ?x :of/a :Service }'), []);
  assert.deepEqual(await rows(store, 'SELECT ?x { ?x :of ?s . ?s a :Service }'), [':x']);
});

test('in every kind of group', async () => {
  const store = await storeOf(`${EXAMPLE} :d :n 1 . :a :n 2 .`);
  assert.deepEqual(
    await rows(store, 'SELECT ?s ?n { ?s :n ?n OPTIONAL { ?s a :Service BIND(1 AS ?k) } FILTER(BOUND(?k)) }'),
    [':a 2^integer'],
  );
  assert.deepEqual(await rows(store, 'SELECT ?s { { ?s a :Service } UNION { ?s :n 1 } }'), [':a', ':b', ':c', ':d']);
  assert.deepEqual(await rows(store, 'SELECT ?s { ?s :n ?n MINUS { ?s a :Service } }'), [':d']);
  assert.deepEqual(await rows(store, 'SELECT ?s { ?s :n ?n FILTER EXISTS { ?s a :Service } }'), [':a']);
  assert.deepEqual(await rows(store, 'SELECT ?s { ?s :n ?n FILTER NOT EXISTS { ?s a :Service } }'), [':d']);
  assert.deepEqual(await rows(store, 'SELECT ?s { ?s :n ?n { SELECT ?s { ?s a :Service } } }'), [':a']);
  assert.deepEqual(await rows(store, 'SELECT ?s (IF(EXISTS { ?s a :Service }, 1, 0) AS ?k) { ?s :n ?n }'), [
    ':a 1^integer',
    ':d 0^integer',
  ]);
});

test('each subject once: counts, constants, joins', async () => {
  const store = await storeOf(`${EXAMPLE} :c :n 1, 2 .`);
  assert.deepEqual(await rows(store, 'SELECT (COUNT(*) AS ?n) { ?s a :Service }'), ['3^integer']);
  assert.deepEqual(await rows(store, 'SELECT (COUNT(?s) AS ?n) { ?s a :Service }'), ['3^integer']);
  assert.deepEqual(await rows(store, 'SELECT (COUNT(*) AS ?n) { :c a :Service }'), ['1^integer']);
  assert.deepEqual(await rows(store, 'SELECT (COUNT(*) AS ?n) { [] a :Service }'), ['3^integer']);
  assert.deepEqual(await rows(store, 'SELECT ?n { :c :n ?n . :c a :Service }'), ['1^integer', '2^integer']);
  assert.deepEqual(await rows(store, 'SELECT ?s ?n { ?s a :Service ; :n ?n }'), [':c 1^integer', ':c 2^integer']);
  assert.deepEqual(await rows(store, 'ASK { :a a :Service }'), ['true']);
  assert.deepEqual(await rows(store, 'ASK { :Web a :Service }'), ['false']);
});

test('the answer tells what was applied or withheld, only where a class has classes below', async () => {
  const sub = '<http://www.w3.org/2000/01/rdf-schema#subClassOf>';
  const store = await storeOf(`${EXAMPLE} :Rest ${sub} :Web . :Web ${sub} :Rest . :Service ${sub} :Thing .`);
  const types = [
    { type: 'http://example.org/Service', subclasses: ['http://example.org/Rest', 'http://example.org/Web'] },
  ];
  const on = await asked(store, 'SELECT ?s { ?s a :Service }');
  assert.deepEqual(on.inference, { applied: true, types });
  const off = await asked(store, 'ASK { ?s a :Service }', { inference: false });
  assert.deepEqual(off.inference, { applied: false, withheldTypes: types, note: 'asserted types only' });
  const cyclic = await asked(store, 'SELECT ?s { ?s a :Rest }');
  assert.deepEqual(cyclic.rows, [':a', ':c']);
  assert.deepEqual(cyclic.inference, {
    applied: true,
    types: [{ type: 'http://example.org/Rest', subclasses: ['http://example.org/Web'] }],
  });
  assert.equal((await asked(store, 'SELECT ?s { ?s a :Unknown }')).inference, null);
  assert.equal((await asked(store, 'SELECT ?s { ?s a :Service }', { inference: undefined })).inference, null);
});

test('the hierarchy is read at the time of the query', async () => {
  const store = await storeOf(':a a :Web .');
  await loadText(
    store,
    `<http://example.org/Web> <http://www.w3.org/2000/01/rdf-schema#subClassOf> <http://example.org/Service> .`,
  );
  const hierarchies = new ClassHierarchies();
  const text = 'SELECT ?s { ?s a :Service }';
  assert.deepEqual(await rows(store, text, { hierarchies }), [':a']);
  assert.deepEqual(await rows(store, text, { hierarchies, tx: 1 }), []);
  assert.deepEqual(await rows(store, text, { hierarchies, validAt: 0 }), []);
  assert.deepEqual(await rows(store, text, { hierarchies }), [':a']);
});

test('a large hierarchy: deep, wide, with cycles; remembered until something is written', async () => {
  const lines = ['<urn:c1> <http://www.w3.org/2000/01/rdf-schema#subClassOf> <urn:c0> .'];
  for (let at = 2; at < 3000; at++) {
    lines.push(`<urn:c${at}> <http://www.w3.org/2000/01/rdf-schema#subClassOf> <urn:c${at >> 1}> .`);
    lines.push(`<urn:i${at}> a <urn:c${at}>, <urn:c${at >> 1}> .`);
  }
  lines.push('<urn:c0> <http://www.w3.org/2000/01/rdf-schema#subClassOf> <urn:c1> .');
  const store = await storeOf(lines.join('\n'));
  const hierarchies = new ClassHierarchies();
  assert.deepEqual(await rows(store, 'SELECT (COUNT(*) AS ?n) { ?s a <urn:c0> }', { hierarchies }), ['2998^integer']);
  assert.deepEqual(await rows(store, 'SELECT (COUNT(*) AS ?n) { ?s a <urn:c1499> }', { hierarchies }), ['3^integer']);
  assert.deepEqual(await rows(store, 'ASK { <urn:i2999> a <urn:c0> }', { hierarchies }), ['true']);
  const snapshot = store.snapshot();
  const scans = snapshot.scan.bind(snapshot);
  let opened = 0;
  snapshot.scan = (request) => {
    opened++;
    return scans(request);
  };
  const again = await executeQuery(snapshot, 'ASK { <urn:i2999> a <urn:c0> }', { inference: true, hierarchies });
  assert.ok(again.kind === 'ask' && again.value);
  assert.equal(opened, 1, 'the hierarchy is remembered, the question is one scan');
  const leaf = await executeQuery(snapshot, 'ASK { <urn:i2999> a <urn:c2999> }', { inference: true });
  assert.ok(leaf.kind === 'ask' && leaf.value && leaf.inference === null);
  snapshot.close();
});

test('few subjects are looked up, many are joined with the whole set', async () => {
  const lines = ['<urn:sub> <http://www.w3.org/2000/01/rdf-schema#subClassOf> <urn:top> .'];
  for (let at = 0; at < 5000; at++) lines.push(`<urn:i${at}> a <urn:sub> ; <urn:n> ${at % 1000}, ${at} .`);
  const store = await storeOf(lines.join('\n'));
  const plan = async (text: string) => {
    const snapshot = store.snapshot();
    const { plan } = await explain(snapshot, text, { inference: true });
    snapshot.close();
    return JSON.stringify(plan);
  };
  const few = 'SELECT ?s { ?s <urn:n> 4999 . ?s a <urn:top> }';
  assert.match(await plan(few), /"starJoin"/);
  assert.deepEqual(await rows(store, few), ['urn:i4999']);
  const many = 'SELECT (COUNT(*) AS ?n) { ?s <urn:n> ?n . ?s a <urn:top> }';
  assert.doesNotMatch(await plan(many), /"starJoin"/);
  assert.deepEqual(await rows(store, many), ['9000^integer']);
  assert.deepEqual(await rows(store, many, { disabledRewrites: ['index-joins'] }), ['9000^integer']);
});
