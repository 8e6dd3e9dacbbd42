/** The RDF/JS query interface: its methods by their own types, streams, bindings. */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { test } from 'node:test';
import type { RDF } from '../../engine/rdf/terms.js';
import { bindingsFactory, openStore, type Store, SvcError, terms } from '../../interfaces/library/index.js';

const EX = 'http://example.org/';
const iri = (name: string) => terms.namedNode(EX + name);
const variable = (name: string) => terms.variable?.(name) as RDF.Variable;

async function filled(): Promise<Store> {
  const store = await openStore(':memory:');
  await store.load({ text: `@prefix : <${EX}> . :a :p :b . :b :p :c . :c :q 1 .`, format: 'turtle' });
  return store;
}

const TEXT = `SELECT ?s ?o ?none WHERE { ?s <${EX}p> ?o } ORDER BY ?s`;

test('a store is a StringSparqlQueryable of every kind of result', async () => {
  const store = await filled();
  const queryable: RDF.StringSparqlQueryable<RDF.SparqlResultSupport> = store;
  const stream: RDF.ResultStream<RDF.Bindings> = await queryable.queryBindings(TEXT);
  const seen: string[] = [];
  stream.on('data', (bindings: RDF.Bindings) => seen.push(`${bindings.get('s')?.value} ${bindings.size}`));
  await once(stream, 'end');
  assert.deepEqual(seen, [`${EX}a 2`, `${EX}b 2`]);
  assert.equal(await queryable.queryBoolean('ASK { ?s ?p 1 }'), true);
  const quads = await queryable.queryQuads(`CONSTRUCT { ?o <${EX}of> ?s } WHERE { ?s <${EX}p> ?o }`);
  const made: string[] = [];
  quads.on('data', ({ subject, graph }: RDF.Quad) => made.push(`${subject.value} ${graph.termType}`));
  await once(quads, 'end');
  assert.deepEqual(made.sort(), [`${EX}b DefaultGraph`, `${EX}c DefaultGraph`]);
  assert.equal(await queryable.queryVoid(`INSERT DATA { <${EX}x> <${EX}p> 2 }`), undefined);
  assert.equal(await queryable.queryBoolean('ASK { ?s ?p 2 }'), true);
  await store.close();
});

test('streams are async iterables, and give their snapshot back when they end, fail or are left', async () => {
  const store = await filled();
  let rows = 0;
  for await (const bindings of await store.queryBindings(TEXT)) {
    assert.equal(bindings.type, 'bindings');
    rows++;
  }
  assert.equal(rows, 2);
  for await (const _ of await store.queryBindings(TEXT)) break;
  const unread = await store.queryBindings(TEXT);
  unread.destroy();
  await once(unread, 'close');
  const controller = new AbortController();
  const cancelled = await store.queryBindings(TEXT, { signal: controller.signal });
  controller.abort();
  cancelled.resume();
  const [error] = (await once(cancelled, 'error')) as [unknown];
  assert.ok(error instanceof SvcError && error.code === 'aborted');
  await new Promise((resolve) => setImmediate(resolve));
  assert.equal(store.stats().snapshots.open, 0);
  await store.close();
});

const rejected = (code: string, message: RegExp) => (error: unknown) =>
  error instanceof SvcError && error.code === code && message.test(error.message);

test('a form of query by its own method only', async () => {
  const store = await filled();
  const other = rejected('invalid_request', /does not answer this form/);
  await assert.rejects(store.queryBindings('ASK {}'), other);
  await assert.rejects(store.queryBindings('DESCRIBE <urn:x>'), other);
  await assert.rejects(store.queryQuads(TEXT), other);
  await assert.rejects(store.queryBoolean(TEXT), other);
  await assert.rejects(store.queryBoolean('no query'), rejected('parse_error', /./));
  assert.equal(store.stats().snapshots.open, 0);
  await store.close();
});

test('the context: base IRI, time of the query, language, and the options of store.query', async () => {
  const store = await filled();
  assert.equal(await store.queryBoolean('ASK { <a> <p> <b> }', { baseIRI: EX }), true);
  const noon = new Date('2020-02-02T12:00:00.123Z');
  const at = await store.queryBindings('SELECT (NOW() AS ?now) {}', { queryTimestamp: noon });
  for await (const row of at) assert.equal(row.get('now')?.value, '2020-02-02T12:00:00.123Z');
  assert.equal(await store.queryBoolean(`ASK { ?s <${EX}p> ?o }`, { parameters: { s: iri('c') } }), false);
  assert.equal(await store.queryBoolean('ASK { ?s ?p ?o }', { tx: 0 }), false);
  await store.queryBoolean('ASK {}', { queryFormat: { language: 'SPARQL', version: '1.2' } });
  const graphql = { queryFormat: { language: 'graphql', version: '1.1' } };
  await assert.rejects(store.queryBoolean('{ a }', graphql), rejected('unsupported', /graphql/));
  await assert.rejects(
    store.queryBoolean('ASK {}', { queryTimestamp: new Date(Number.NaN) }),
    rejected('invalid_request', /valid Date/),
  );
  await store.close();
});

test('bindings never change', () => {
  const one = bindingsFactory.bindings([
    [variable('a'), iri('x')],
    [variable('b'), terms.literal('y', 'en')],
  ]);
  assert.equal(one.size, 2);
  assert.ok(one.has('a') && one.has(variable('b')) && !one.has('c'));
  assert.equal(one.get(variable('a'))?.value, `${EX}x`);
  const set = one.set('c', iri('z')).set(variable('a'), iri('w'));
  assert.deepEqual([one.size, set.size, set.get('a')?.value], [2, 3, `${EX}w`]);
  assert.ok(set.delete('c').set('a', iri('x')).equals(one));
  assert.ok(one.delete('none').equals(one) && one.delete('none') !== one);
  assert.deepEqual(
    [...one.keys()].map(({ termType, value }) => `${termType} ${value}`),
    ['Variable a', 'Variable b'],
  );
  assert.deepEqual(
    [...one.values()].map(({ value }) => value),
    [`${EX}x`, 'y'],
  );
  const pairs: string[] = [];
  one.forEach((value, key) => {
    pairs.push(`${key.value}=${value.value}`);
  });
  assert.deepEqual(pairs, [`a=${EX}x`, 'b=y']);
  assert.deepEqual(
    [...one].map(([key]) => key.value),
    ['a', 'b'],
  );
  assert.equal(one.filter((value) => value.termType === 'Literal').size, 1);
  assert.equal(one.map(() => iri('q')).get('b')?.value, `${EX}q`);
  assert.ok(!one.equals(set) && !one.equals(undefined) && !one.equals(one.set('b', terms.literal('y'))));
  assert.ok(bindingsFactory.fromBindings(one).equals(one));
  assert.ok(bindingsFactory.bindings().size === 0);
});

test('bindings merge', () => {
  const one = bindingsFactory.bindings([[variable('a'), iri('x')]]);
  const other = bindingsFactory.bindings([
    [variable('a'), iri('x')],
    [variable('b'), iri('y')],
  ]);
  const third = one.set('a', iri('z'));
  assert.equal(one.merge(other)?.size, 2);
  assert.equal(third.merge(other), undefined);
  const merged = third.mergeWith(
    (self, given, key) => terms.literal(`${self.value} ${given.value} ${key.value}`),
    other,
  );
  assert.equal(merged.get('a')?.value, `${EX}z ${EX}x a`);
  assert.equal(merged.size, 2);
});
