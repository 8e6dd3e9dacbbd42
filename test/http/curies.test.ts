/** CURIEs at a server and at the command: what goes in and what comes out, through the threads that read. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { svcHere } from '../cli/svc.js';
import { json, startTestServer } from './support.js';

const CU = 'http://curie.test/a#';
const PREFIX = `@prefix cu: <${CU}> .`;
const SHAPES = `${PREFIX} @prefix sh: <http://www.w3.org/ns/shacl#> . cu:S a sh:NodeShape .`;

test('a prefix of a loaded set of shapes shortens IRIs on every route that takes one', async (t) => {
  const server = await startTestServer(t);
  const post = async (path: string, body: unknown) => {
    const response = await server.post(path, body);
    return { status: response.status, ...(await json(response)) } as Record<string, unknown>;
  };
  await post('/knot', { turtle: `${PREFIX} cu:one cu:rel cu:two .` });
  assert.equal(
    (await post('/entity_history', { iri: 'cu:one' })).status,
    400,
    'without the set it is an IRI like others',
  );
  await post('/shapes', { action: 'load', name: 'cu', turtle: SHAPES });
  const query = 'SELECT ?s ?o { ?s ?p ?o }';
  assert.deepEqual((await post('/query', { query })).rows, [{ s: 'cu:one', o: 'cu:two' }]);
  assert.deepEqual((await post('/query', { query, verbose: true })).rows, [{ s: `${CU}one`, o: `${CU}two` }]);
  assert.equal((await post('/entity_history', { iri: 'cu:one' })).count, 1);
  const set = { entity: 'cu:one', predicate: 'cu:rel', value: { iri: 'cu:three' } };
  assert.deepEqual((({ entity, retracted }) => [entity, retracted])(await post('/set', set)), [`${CU}one`, 1]);
  const page = await server.get('/entity?iri=cu:one', { Accept: 'text/turtle' });
  assert.match(
    await page.text(),
    /<http:\/\/curie\.test\/a#one> <http:\/\/curie\.test\/a#rel> <http:\/\/curie\.test\/a#three>/,
  );
  for (const path of ['/entity/cu:one/json', '/preview/cu:one'])
    assert.equal((await server.get(path)).status, 200, path);
  const fragment = await json(
    await server.get('/fragments?subject=cu:one&object=cu:three', { Accept: 'application/json' }),
  );
  assert.equal(fragment.totalCount, 1);
  assert.equal((await post('/cord', { predicate: 'cu:rel' })).count, 1);
  assert.equal((await post('/ask', { name: 'entity_facts', params: { entity: 'cu:one' } })).count, 1);
  const created = await post('/graph/create', { graph: 'cu:g' });
  assert.equal(created.graph, `${CU}g`);
  const document = '<http://e/s> <http://e/p> <x> .';
  const type = { 'Content-Type': 'text/turtle' };
  assert.equal((await server.send('PUT', '/rdf-graph-store?graph=cu:g', document, type)).status, 204);
  const graph = await (await server.get('/rdf-graph-store?graph=cu:g', { Accept: 'application/n-triples' })).text();
  assert.equal(graph.trim(), '<http://e/s> <http://e/p> <http://curie.test/x> .', 'relative to the IRI of the graph');
  const update = 'INSERT { ?s <http://e/seen> true } WHERE { ?s ?p ?o }';
  const updated = await server.send('POST', '/update?using-graph-uri=cu:g', update, {
    'Content-Type': 'application/sparql-update',
  });
  assert.equal((await json(updated)).inserted, 1);
  const run = (...words: string[]) => svcHere([...words, '--url', server.base], { cwd: '/' });
  assert.match((await run('history', 'cu:one')).out, /3 entries/);
  assert.match((await run('read', query, '--json', '--verbose')).out, /curie\.test\/a#three/);
  assert.equal((await post('/retract', { entity: 'cu:one' })).retracted, 1);
});
