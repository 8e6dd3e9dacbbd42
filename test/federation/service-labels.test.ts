/** What SERVICE does to the label of an answer, and what floors make of it. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { json } from '../http/support.js';
import { remoteThat, serverOf } from './support.js';

const LABEL = { graph: 'urn:g', timestamp: '2026-01-01', freshness: 'fresh' };

test('SV-1: a SERVICE that is not configured is refused, SILENT or not, and nobody is asked', async (t) => {
  const remote = await remoteThat(t, (response) => void response.end());
  const here = await serverOf(t, '', { server: { read_pool_size: 0 } });
  for (const silent of ['', 'SILENT']) {
    for (const federated of [false, true]) {
      const query = `SELECT * { SERVICE ${silent} <${remote.url}/sparql> { ?s ?p ?o } }`;
      assert.equal((await here.post('/query', { query, federated })).status, 400);
    }
  }
  assert.equal(remote.connections, 0);
});

test('where SERVICE contributes, coverage is partial at most, and every floor refuses', async (t) => {
  const remote = await remoteThat(t, (response) => {
    response.writeHead(200, { 'content-type': 'application/sparql-results+json' });
    response.end('{"head":{"vars":["o"]},"results":{"bindings":[{"o":{"type":"uri","value":"urn:o"}}]}}');
  });
  const url = `${remote.url}/query`;
  const asks = `SERVICE <${url}> { <urn:a> <urn:p> ?o }`;
  const queries = [`SELECT * { GRAPH <urn:g> { ?s ?p 1 } ${asks} }`, `SELECT * { ${asks} }`];
  const federation = { remotes: [{ name: 'north', url: remote.url, labels: { freshness: 'fresh' } }] };
  const labelled = async (labels: object) => {
    const here = await serverOf(t, '', { server: { read_pool_size: 0 }, labels, federation });
    await here.post('/graph/create', { graph: 'urn:g' });
    await here.post('/graph/label', LABEL);
    await here.post('/knot', { turtle: '<urn:s> <urn:p> 1 .', graph: 'urn:g' });
    return (query: string) => here.post('/query', { query });
  };
  const ask = await labelled({});
  const [both, alone] = await Promise.all(queries.map(async (query) => json(await ask(query))));
  assert.equal(both?.count, 1);
  assert.deepEqual((both?.labels as { freshness: unknown } | undefined)?.freshness, {
    value: 'fresh',
    coverage: 'partial',
  });
  assert.deepEqual([alone?.count, alone?.labels], [1, null]);
  const before = remote.requests.filter(({ path }) => path === '/query').length;
  const strict = await labelled({ min_freshness: 'stale' });
  assert.equal((await strict('SELECT * { GRAPH <urn:g> { ?s ?p 1 } }')).status, 200);
  for (const query of queries) {
    const response = await strict(query);
    assert.equal(response.status, 403);
    assert.match(
      String((await json(response)).error),
      new RegExp(`^the endpoint <${url}> is below the floor of freshness`),
    );
  }
  assert.equal(remote.requests.filter(({ path }) => path === '/query').length, before);
});
