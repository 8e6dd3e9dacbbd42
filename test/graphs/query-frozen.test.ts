/** Frozen graphs in queries: they are read from the store that they lie in, wherever they are named, and say what they said before. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { openStore, type QueryOptions, type Store } from '../../interfaces/library/index.js';
import { EX, knot, T } from '../service/time-support.js';
import { StoreFolder } from '../storage/support/store-folder.js';
import { dataset, engineOf, label, setRow, writeRegistry } from './support/registry-writes.js';

const folder = new StoreFolder();
const P = `PREFIX ex: <${EX}> `;
const G = (name: string) => `${EX}${name}`;

async function rows(store: Store, query: string, options: QueryOptions = {}): Promise<string[]> {
  const answer = await store.select(P + query, options);
  const lines: string[] = [];
  for await (const row of answer.rows()) lines.push(row.map((term) => term?.value.replace(EX, '') ?? '-').join(' '));
  return lines.sort();
}

/** A store with graphs a, b, c; b has a past. */
async function filled(): Promise<Store> {
  const store = await openStore(folder.fresh());
  await knot(
    store,
    `ex:r ex:p ex:x . ex:a { ex:x ex:p ex:y . ex:x a ex:C }
     ex:b { ex:y ex:p ex:z . ex:x ex:p ex:y . ex:y ex:p ex:gone } ex:c { ex:z ex:p ex:w }`,
    { timestamp: T(1) },
  );
  await store.update(`${P}DELETE DATA { GRAPH ex:b { ex:y ex:p ex:gone } }`, { timestamp: T(3) });
  await dataset(store, G('ds'), [G('a'), G('b'), G('c')]);
  await label(store, G('b'), { freshness: 'fresh', kind: 'operational' });
  return store;
}

/** As a freeze leaves it: the facts lie in another file, and the row says where. */
async function freeze(store: Store, ...names: readonly string[]): Promise<void> {
  const path = folder.fresh();
  await store.backup(path);
  engineOf(store).attach('pack', path);
  for (const name of names) {
    await store.update(`${P}DELETE WHERE { GRAPH ex:${name} { ?s ?p ?o } }`);
    await writeRegistry(store, (stage) => setRow(stage, G(name), { lifecycle: 'frozen', source: 'pack' }));
  }
}

const QUESTIONS: readonly (readonly [string, QueryOptions?])[] = [
  ['SELECT * { ?s ?p ?o }', { graph: G('b') }],
  ['SELECT * { ?s ?p ?o }', { graph: G('ds') }],
  ['SELECT * { ?s ?p ?o }', { graph: G('ds'), validAt: T(2) }],
  ['SELECT * { ?s ?p ?o }', { graph: G('b'), validAt: T(2) }],
  ['SELECT (COUNT(*) AS ?n) { ?s ?p ?o }', { graph: G('ds') }],
  ['SELECT ?p (COUNT(*) AS ?n) { ?s ?p ?o } GROUP BY ?p', { graph: G('ds') }],
  ['SELECT (COUNT(DISTINCT ?o) AS ?n) { ?s ex:p ?o }', { graph: G('ds') }],
  ['SELECT * FROM ex:a FROM ex:b { ?s ex:p ?m . ?m ex:p ?o }'],
  ['SELECT * FROM ex:b { ?s ex:p ?m . ?m ex:p ?o }'],
  ['SELECT * FROM ex:ds { ?s a ex:C ; ex:p ?o }'],
  ['SELECT * FROM ex:ds { ex:x ex:p+ ?o }'],
  ['SELECT * FROM ex:ds { ?s ex:p* ?o }'],
  ['SELECT * FROM ex:b { ex:x ex:p+ ?o }'],
  ['SELECT * { GRAPH ex:b { ?s ?p ?o } }'],
  ['SELECT * { GRAPH ex:b { ex:x ex:p+ ?o } }'],
  ['SELECT * { GRAPH ex:b { ?s ex:p ?m } GRAPH ex:c { ?m ex:p ?o } }'],
  ['SELECT * { ?r ex:p ?s . GRAPH ex:b { ?s ex:p ?o } }'],
  ['SELECT ?g { VALUES ?g { ex:b } GRAPH ex:b {} }'],
  ['SELECT * FROM NAMED ex:a FROM NAMED ex:b { GRAPH ?g { ?s ?p ?o } }'],
  ['SELECT * FROM NAMED ex:ds { GRAPH ?g { ?s ex:p ?o } }'],
  ['SELECT * FROM NAMED ex:b { GRAPH ?g { ?s ex:p ?o } }'],
  ['SELECT * FROM NAMED ex:b { GRAPH ex:b { ?s ex:p ?o } }'],
  ['SELECT * FROM NAMED ex:b FROM NAMED ex:c { GRAPH ?g { ?s ex:p ?m } GRAPH ?h { ?m ex:p ?o } }'],
  ['SELECT * FROM NAMED ex:a FROM NAMED ex:b { GRAPH ?g { ex:x ex:p+ ?o } }'],
  ['SELECT ?g FROM NAMED ex:ds { GRAPH ?g {} }'],
  ['SELECT ?g (COUNT(*) AS ?n) FROM NAMED ex:ds { GRAPH ?g { ?s ?p ?o } } GROUP BY ?g'],
  ['SELECT * FROM ex:ds { ?s ?p ?o FILTER NOT EXISTS { ?o ex:p ?z } }'],
  ['SELECT * FROM ex:ds { ?s ex:p ?o OPTIONAL { ?o ex:p ?z } } ORDER BY ?s ?o'],
  ['SELECT DISTINCT ?o FROM ex:ds { ?s ex:p ?o } LIMIT 2 OFFSET 50'],
];

test('frozen graphs answer as before, wherever they are named', async () => {
  for (const frozen of [['b'], ['a', 'b'], ['a', 'b', 'c']]) {
    const store = await filled();
    const before: string[][] = [];
    for (const [text, options] of QUESTIONS) before.push(await rows(store, text, options));
    assert.ok(before.filter(({ length }) => length > 0).length > QUESTIONS.length - 2);
    await freeze(store, ...frozen);
    for (const [at, [text, options]] of QUESTIONS.entries()) {
      // Once planned, once from the plan that was kept.
      for (const _ of [1, 2]) assert.deepEqual(await rows(store, text, options), before[at], `${text} ${frozen}`);
    }
    await store.close();
  }
});

test('FZ: frozen graphs are read by name, by the frozen dataset and as archives, and not unasked', async () => {
  const store = await filled();
  const all = 'SELECT ?o { ?s ex:p ?o }';
  assert.deepEqual(await rows(store, all, { graph: 'urn:svc:dataset:frozen' }), [], 'nothing is frozen');
  assert.deepEqual(await rows(store, all, { includeKinds: ['operational'] }), ['x', 'y', 'z']);
  await freeze(store, 'b');
  assert.deepEqual(await rows(store, all), ['x']);
  assert.deepEqual(await rows(store, 'SELECT ?g { GRAPH ?g { ?s ex:p ?o } }'), ['a', 'c']);
  assert.deepEqual(await rows(store, 'SELECT ?g { GRAPH ?g {} }'), ['a', 'c']);
  assert.deepEqual(await rows(store, all, { graph: 'urn:svc:dataset:frozen' }), ['y', 'z']);
  assert.deepEqual(await rows(store, 'SELECT ?g ?o FROM NAMED <urn:svc:dataset:frozen> { GRAPH ?g { ?s ex:p ?o } }'), [
    'b y',
    'b z',
  ]);
  assert.deepEqual(await rows(store, all, { includeKinds: ['archive'] }), ['x', 'y', 'z']);
  assert.deepEqual(await rows(store, all, { includeKinds: ['operational'] }), ['x'], 'its kind is archive now');
  const { labels } = await store.query('ASK { ?s ?p ?o }', { graph: G('b') });
  assert.deepEqual((labels as { kind: unknown }).kind, { value: ['archive'], coverage: 'full' });
  assert.deepEqual((labels as { freshness: unknown }).freshness, { value: 'fresh', coverage: 'full' });
  for (const name of ['a', 'b', 'c', 'b']) {
    // Plans of graphs that are here serve no graph that is not.
    const found = await rows(store, `SELECT ?o { GRAPH ex:${name} { ?s ex:p ?o } }`);
    assert.deepEqual(found, { a: ['y'], b: ['y', 'z'], c: ['w'] }[name]);
  }
  await store.close();
});

test('a plan over a graph is made anew when the graph freezes', async () => {
  const store = await filled();
  const texts = ['SELECT ?o { GRAPH ex:b { ex:y ex:p ?o } }', 'SELECT ?o FROM ex:b { ex:y ex:p ?o }'];
  for (const text of texts) for (const _ of [1, 2]) assert.deepEqual(await rows(store, text), ['z']);
  await freeze(store, 'b');
  for (const text of texts) for (const _ of [1, 2]) assert.deepEqual(await rows(store, text), ['z']);
  await store.close();
});
