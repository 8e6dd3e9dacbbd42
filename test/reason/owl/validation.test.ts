/** `owl.validate_on_write`: functional properties supersede, and the gate refuses what an ontology contradicts (2.4, EX-2.4, EX-2.5). */
import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { json, startTestServer, type TestServer } from '../../http/support.js';

const PREFIXES =
  '@prefix ex: <http://ex/> . @prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> . @prefix owl: <http://www.w3.org/2002/07/owl#> . ';

async function start(t: TestContext, ontology: string, owl: object = { validate_on_write: true }): Promise<TestServer> {
  const server = await startTestServer(t, { features: { owl: true }, owl });
  const loaded = await server.post('/ontology', { action: 'load', name: 'o', turtle: PREFIXES + ontology });
  assert.equal(loaded.status, 200);
  return server;
}

const knot = (server: TestServer, text: string, graph?: string): Promise<Response> =>
  server.post('/knot', { turtle: PREFIXES + text, graph });

async function values(server: TestServer, pattern: string): Promise<string[]> {
  const query = `SELECT ?v WHERE { ${pattern.replace(/ex:(\w+)/g, '<http://ex/$1>')} } ORDER BY ?v`;
  const answer = await server.post('/query', { query }, { Accept: 'application/sparql-results+json' });
  const { results } = (await answer.json()) as { results: { bindings: { v: { value: string } }[] } };
  return results.bindings.map(({ v }) => v.value);
}

async function refusals(server: TestServer): Promise<string[]> {
  const { events } = await json(await server.get('/events?types=write.refused'));
  return (events as { payload: { gate: string } }[]).map(({ payload }) => payload.gate);
}

test('EX-2.4 a second type that is disjoint with the first is refused', async (t) => {
  const server = await start(t, 'ex:Person owl:disjointWith ex:Robot .');
  assert.equal((await knot(server, 'ex:al a ex:Person .')).status, 200);
  const refused = await knot(server, 'ex:al a ex:Robot . ex:bo a ex:Robot, ex:Person .');
  const body = await json(refused);
  assert.equal(refused.status, 400);
  assert.deepEqual([body.code, body.gate], ['refused_owl', 'owl']);
  assert.match(
    String(body.error),
    /^OWL constraint violation \(2 violation\(s\)\): http:\/\/ex\/al .*http:\/\/ex\/Person.*http:\/\/ex\/Robot.*http:\/\/ex\/bo /,
  );
  assert.equal((body.violations as unknown[]).length, 2);
  assert.deepEqual(await refusals(server), ['owl']);
  assert.deepEqual(await values(server, 'ex:al a ?v'), ['http://ex/Person']);
  assert.deepEqual(await values(server, 'ex:bo a ?v'), []);
});

test('types of domains and ranges count, those above them do not; types of ROOT count in other graphs', async (t) => {
  const server = await start(
    t,
    'ex:Person owl:disjointWith ex:Robot . ex:charges rdfs:domain ex:Robot . ex:Teacher rdfs:subClassOf ex:Person .',
  );
  await knot(server, 'ex:al a ex:Person . ex:te a ex:Teacher .');
  assert.equal((await knot(server, 'ex:al ex:charges 1 .')).status, 400);
  assert.equal((await knot(server, 'ex:te a ex:Robot .')).status, 200, 'no subclass expansion');
  await server.post('/graph/create', { graph: 'http://ex/g' });
  assert.equal((await knot(server, 'ex:al a ex:Robot .', 'http://ex/g')).status, 400);
  assert.equal((await knot(server, 'ex:new a ex:Robot .', 'http://ex/g')).status, 200);
  assert.equal((await knot(server, 'ex:new a ex:Person .')).status, 200, 'ROOT does not see other graphs');
});

test('EX-2.5 one new value of a functional property supersedes; two in one batch are refused', async (t) => {
  const server = await start(t, 'ex:hash a owl:FunctionalProperty .');
  assert.equal((await knot(server, 'ex:f ex:hash "aaa" .')).status, 200);
  assert.equal((await knot(server, 'ex:f ex:hash "bbb" .')).status, 200);
  assert.deepEqual(await values(server, 'ex:f ex:hash ?v'), ['bbb']);
  const history = await json(await server.post('/entity_history', { iri: 'http://ex/f' }));
  assert.deepEqual(
    [...JSON.stringify(history).matchAll(/"(aaa|bbb)"/g)]
      .map(([, value]) => value)
      .filter((value, at, all) => all.indexOf(value) === at),
    ['aaa', 'bbb'],
  );
  const both = await knot(server, 'ex:f ex:hash "ccc" . ex:g ex:hash "x", "y" .');
  assert.equal(both.status, 400);
  assert.match(
    String((await json(both)).error),
    /^OWL constraint violation \(1 violation\(s\)\): http:\/\/ex\/g .* 2 values .*http:\/\/ex\/hash/,
  );
  assert.deepEqual(await values(server, 'ex:f ex:hash ?v'), ['bbb']);
  await server.post('/graph/create', { graph: 'http://ex/g' });
  assert.equal((await knot(server, 'ex:f ex:hash "ddd" .', 'http://ex/g')).status, 200);
  assert.deepEqual(await values(server, 'ex:f ex:hash ?v'), ['bbb'], 'each graph by itself');
});

test('switched off, nothing is superseded or refused', async (t) => {
  const server = await start(t, 'ex:hash a owl:FunctionalProperty . ex:A owl:disjointWith ex:B .', {});
  assert.equal((await knot(server, 'ex:f ex:hash "a", "b" ; a ex:A, ex:B .')).status, 200);
  assert.deepEqual(await values(server, 'ex:f ex:hash ?v'), ['a', 'b']);
});
