/** The examples of the semantics of reasoning, 2.6, by their numbers, and what its section 2.2 says of actions; over HTTP and in the library. */
import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { json, startTestServer, type TestServer } from '../../http/support.js';
import { ENGINES, withOwl } from './support.js';

const PREFIXES =
  '@prefix ex: <http://ex/> . @prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> . @prefix owl: <http://www.w3.org/2002/07/owl#> . ';
const ANIMALS = `${PREFIXES}ex:Dog rdfs:subClassOf ex:Mammal . ex:Mammal rdfs:subClassOf ex:Animal .`;
const ZEROS = {
  subclass_inferences: 0,
  sub_property_inferences: 0,
  equivalent_class_inferences: 0,
  equivalent_property_inferences: 0,
  inverse_inferences: 0,
  symmetric_inferences: 0,
  transitive_inferences: 0,
  domain_range_inferences: 0,
  total: 0,
  asserted: 0,
  retracted: 0,
};

const start = (t: TestContext, owl: object = {}): Promise<TestServer> =>
  startTestServer(t, { features: { owl: true }, owl });

async function ask(server: TestServer, pattern: string): Promise<boolean> {
  const query = `ASK { ${pattern.replace(/ex:(\w+)/g, '<http://ex/$1>')} }`;
  return (await json(await server.post('/query', { query }, { Accept: 'application/sparql-results+json' })))
    .boolean as boolean;
}

async function ontology(server: TestServer, request: object): Promise<Record<string, unknown>> {
  const response = await server.post('/ontology', request);
  const body = await json(response);
  assert.equal(response.status, 200, JSON.stringify(body));
  return body;
}

const knot = async (server: TestServer, text: string): Promise<Response> =>
  server.post('/knot', { turtle: PREFIXES + text });

test('EX-2.1 subclasses: two facts follow, and go with what they follow from', async (t) => {
  for (const reactive of [true, false]) {
    const server = await start(t, { reactive_materialize: reactive });
    await knot(server, 'ex:fido a ex:Dog .');
    const loaded = await ontology(server, { action: 'load', name: 'animals', turtle: ANIMALS });
    const two = { ...ZEROS, subclass_inferences: 2, total: 2 };
    assert.deepEqual(loaded.materialized, { ...two, asserted: 2 });
    assert.deepEqual(await ontology(server, { action: 'materialize' }), {
      action: 'materialize',
      ontologies: 1,
      materialized: two,
    });
    assert.equal(await ask(server, 'ex:fido a ex:Animal'), true);
    await server.post('/retract', {
      entity: 'http://ex/fido',
      predicate: 'http://www.w3.org/1999/02/22-rdf-syntax-ns#type',
      value: { iri: 'http://ex/Dog' },
    });
    const again = await ontology(server, { action: 'materialize' });
    assert.deepEqual(again.materialized, { ...ZEROS, retracted: reactive ? 0 : 2 });
    assert.equal(await ask(server, 'ex:fido a ex:Animal'), false);
  }
});

test('EX-2.2 a range is followed when the fact is written', async (t) => {
  const server = await start(t);
  await ontology(server, { action: 'load', name: 'o', turtle: `${PREFIXES}ex:runsOn rdfs:range ex:Host .` });
  await knot(server, 'ex:s ex:runsOn ex:h .');
  assert.equal(await ask(server, 'ex:h a ex:Host'), true);
  const { transactions } = await json(await server.get('/transactions'));
  const sources = (transactions as { source: string; actor: string }[]).map(({ source, actor }) => [source, actor]);
  assert.deepEqual(sources.at(-1), ['owl:materialize', 'owl']);
});

test('EX-2.3 a fact is restated under the super property', async (t) => {
  const server = await start(t);
  await ontology(server, { action: 'load', name: 'o', turtle: `${PREFIXES}ex:calls rdfs:subPropertyOf ex:touches .` });
  await knot(server, 'ex:f ex:calls ex:g .');
  assert.equal(await ask(server, 'ex:f ex:touches ex:g'), true);
});

test('actions: the answers of 2.2, versions in the history, events, and what is refused', async (t) => {
  const server = await start(t);
  const none = await ontology(server, { action: 'materialize' });
  assert.deepEqual([none.ontologies, none.materialized, typeof none.note], [0, null, 'string'], 'nothing is loaded');
  await ontology(server, { action: 'load', name: 'o', turtle: ANIMALS, timestamp: '2026-01-01T00:00:00Z' });
  await ontology(server, { action: 'load', name: 'p', turtle: `${PREFIXES}ex:a owl:inverseOf ex:b .` });
  for (const request of [{}, { action: 'list' }]) {
    const { ontologies, count, truncated } = await ontology(server, request);
    const [first, second] = ontologies as { name: string; loaded_at: string; axioms: Record<string, number> }[];
    assert.deepEqual([first?.name, first?.loaded_at, second?.name], ['o', '2026-01-01T00:00:00Z', 'p']);
    assert.deepEqual([first?.axioms.subclass_of, first?.axioms.total_triples, second?.axioms.inverse_of], [2, 2, 1]);
    assert.deepEqual([count, truncated], [2, false]);
  }
  assert.deepEqual(await ontology(server, { action: 'remove', name: 'p' }), {
    action: 'remove',
    name: 'p',
    removed: true,
  });
  assert.equal((await ontology(server, { action: 'remove', name: 'p' })).removed, false);
  const { events } = await json(await server.get('/events?types=ontology.loaded,ontology.removed'));
  assert.deepEqual(
    (events as { type: string; subject: string; payload: object }[]).map(({ type, subject }) => [type, subject]),
    [
      ['ontology.loaded', 'o'],
      ['ontology.loaded', 'p'],
      ['ontology.removed', 'p'],
    ],
  );
  for (const [request, said] of [
    [{ action: 'drop' }, /unknown ontology action 'drop' \(list, load, materialize, remove\)/],
    [{ action: 'load', name: 'x', turtle: 'ex:a ex:b' }, /line 1, column 1: undefined prefix/],
    [{ action: 'load', turtle: ANIMALS }, /missing 'name'/],
    [{ action: 'load', name: 'x' }, /missing 'turtle'/],
    [{ action: 'remove' }, /missing 'name'/],
  ] as const) {
    const response = await server.post('/ontology', request);
    assert.equal(response.status, 400);
    assert.match(String((await json(response)).error), said);
  }
  assert.equal((await ontology(server, {})).count, 1, 'what was refused is not stored');
});

test('without the feature every action is a 400 that names it', async (t) => {
  const server = await startTestServer(t);
  for (const action of [undefined, 'list', 'load', 'materialize', 'remove']) {
    const response = await server.post('/ontology', { action, name: 'o', turtle: ANIMALS });
    assert.equal(response.status, 400, action);
    assert.match(String((await json(response)).error), /'owl'/);
  }
  const version = await json(await server.get('/version'));
  assert.equal((version.features as Record<string, boolean>).owl, false);
});

test('the bearer is needed for what writes, not for the list; a reader may not load', async (t) => {
  const server = await startTestServer(t, {
    features: { owl: true },
    server: { auth_token: 'a-token-of-this-server' },
  });
  const status = async (request: object) => (await server.post('/ontology', request)).status;
  assert.deepEqual(
    [await status({}), await status({ action: 'list' }), (await server.get('/ontology')).status],
    [200, 200, 200],
  );
  for (const action of ['load', 'materialize', 'remove', 'drop']) {
    assert.equal(await status({ action, name: 'o', turtle: ANIMALS }), 401, action);
  }
});

for (const [name, open] of ENGINES) {
  test(`axioms are held in a registry: they are no facts, and hold from the next write on (${name})`, async () => {
    const engine = await open();
    const store = withOwl(engine);
    await store.loadOntology('o', ANIMALS);
    assert.equal(store.stats().factsCurrent, 0);
    const dog = (id: string) => `<http://ex/${id}> a <http://ex/Dog> .`;
    await store.load({ text: dog('a'), format: 'turtle' });
    assert.equal(store.stats().factsCurrent, 3);
    await store.load({ text: dog('b'), format: 'turtle' }, { graph: 'http://ex/g' });
    assert.equal(store.stats().factsCurrent, 3, 'other graphs infer nothing');
    await store.removeOntology('o');
    assert.equal(store.stats().factsCurrent, 1);
    await store.load({ text: dog('c'), format: 'turtle' });
    assert.equal(store.stats().factsCurrent, 2);
    await store.close();
  });

  test(`what was written without the feature follows with the next write that has it (${name})`, async () => {
    const engine = await open();
    const { Store } = await import('../../../engine/service/store/store.js');
    await withOwl(engine).loadOntology('o', ANIMALS);
    const without = new Store(engine);
    await without.load({ text: '<http://ex/a> a <http://ex/Dog> .', format: 'turtle' });
    assert.equal(without.stats().factsCurrent, 1);
    const store = withOwl(engine);
    await store.load({ text: '<http://ex/b> <http://ex/p> 1 .', format: 'turtle' });
    assert.equal(store.stats().factsCurrent, 4);
    await store.close();
  });
}
