/** Labels and floors over HTTP: on every transport and format, for the routes and tools that ask queries. */
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { openStore } from '../../interfaces/library/index.js';
import { dataset, label, overlay, writeOverlay } from '../graphs/support/registry-writes.js';
import { EX, knot, quad, ROOT } from '../service/time-support.js';
import { json, startTestServer, type TestServer } from './support.js';

const ASK = 'ASK { ?s ?p ?o }';
const FORM = { 'Content-Type': 'application/x-www-form-urlencoded' };
const FRESH = {
  freshness: { value: 'fresh', coverage: 'full' },
  durability: { value: null, coverage: 'none' },
  trust: { value: null, coverage: 'none' },
  policy: { value: ['é'], coverage: 'full' },
  kind: { value: ['archive'], coverage: 'full' },
};

/** A server over a store with a labelled graph g, one that is not, h, a dataset of both and an overlay. */
async function server(t: TestContext, labels: Record<string, unknown> = {}): Promise<TestServer> {
  const folder = mkdtempSync(join(tmpdir(), 'svc-labels-'));
  const path = join(folder, 'store.svc');
  const store = await openStore(path);
  await knot(store, 'ex:s ex:p 0 . ex:g { ex:s ex:p 1 } ex:h { ex:s ex:p 2 }');
  await label(store, `${EX}g`, { freshness: 'fresh', policy: ['é'], kind: 'archive' });
  await dataset(store, `${EX}ds`, [`${EX}g`, `${EX}h`]);
  await overlay(store, `${EX}ov`, ROOT);
  await writeOverlay(store, `${EX}ov`, { asserted: [quad('s', 'p', 3)] });
  await store.close();
  t.after(() => rmSync(folder, { recursive: true, force: true }));
  return startTestServer(t, { labels }, { path });
}

const query = (fields: Record<string, string>): string => `/query?${new URLSearchParams(fields)}`;

test('labels stand in the body of JSON and in a header of every format, on every transport', async (t) => {
  const { get, post, send } = await server(t);
  const graph = `${EX}g`;
  const answers = [
    await post('/query', { query: ASK, graph }),
    await get(query({ query: ASK, graph })),
    await send('POST', '/query', new URLSearchParams({ query: ASK, graph }).toString(), FORM),
    await send('POST', `/query?graph=${encodeURIComponent(graph)}`, ASK, {
      'Content-Type': 'application/sparql-query',
    }),
    await get(query({ query: ASK, 'default-graph-uri': graph })),
  ];
  for (const answer of answers) {
    assert.equal(answer.status, 200);
    const header = answer.headers.get('x-svc-labels') as string;
    assert.match(header, /"policy":\{"value":\["\\u00e9"\],"coverage":"full"\}/, 'in ASCII');
    assert.deepEqual(JSON.parse(header), FRESH);
    assert.deepEqual(await json(answer), { result: true, labels: FRESH });
  }
  const rows = 'SELECT * { ?s ?p ?o }';
  for (const [text, accept] of [
    [rows, 'text/csv'],
    [rows, 'application/sparql-results+json'],
    ['CONSTRUCT WHERE { ?s ?p ?o }', 'text/turtle'],
  ] as const) {
    const answer = await get(query({ query: text, graph }), { Accept: accept });
    assert.deepEqual(JSON.parse(answer.headers.get('x-svc-labels') as string), FRESH, accept);
    await answer.body?.cancel();
  }
  assert.deepEqual((await json(await post('/query', { query: 'CONSTRUCT WHERE { ?s ?p ?o }', graph }))).labels, FRESH);
  assert.equal((await post('/query', { query: ASK })).headers.get('x-svc-labels'), 'null');
});

test('datasets, kinds and overlays by every transport', async (t) => {
  const { get, post, send } = await server(t);
  const count = 'SELECT (COUNT(*) AS ?n) { ?s ?p ?o }';
  const counted = async (answer: Response) => ((await json(answer)).rows as { n: number }[])[0]?.n;
  assert.equal(await counted(await post('/query', { query: count, graph: `${EX}ds` })), 2);
  assert.equal(await counted(await post('/query', { query: count, include_kinds: ['archive'] })), 2);
  assert.equal(await counted(await get(query({ query: count, include_kinds: 'archive' }))), 2);
  const form = new URLSearchParams({ query: count, include_kinds: 'archive', graph: `${EX}h` }).toString();
  assert.equal(await counted(await send('POST', '/query', form, FORM)), 2);
  assert.equal(await counted(await get(query({ query: count, overlay: `${EX}ov` }))), 2);
  const governed = { query: count, overlay: `${EX}ov`, precedence: 'governed' };
  assert.equal(await counted(await post('/query', governed)), 2);
  // Nothing was derived here; which graphs hold what was is said all the same.
  const applied = { applied: true, graphs: [] };
  for (const answer of [
    await post('/query', { query: ASK, inferred: true }),
    await get(query({ query: ASK, inferred: 'true' })),
    await send('POST', '/query', new URLSearchParams({ query: ASK, inferred: 'true' }).toString(), FORM),
  ]) {
    assert.equal(answer.headers.get('x-svc-inferred'), 'applied');
    assert.deepEqual((await json(answer)).inferred, applied);
  }
  const beaten = await get(query({ query: count, inferred: 'true', 'default-graph-uri': `${EX}g` }), {
    Accept: 'text/csv',
  });
  assert.equal(beaten.headers.get('x-svc-inferred'), 'withheld: FROM says which graphs are read');
  assert.equal((await post('/query', { query: ASK, inferred: false })).headers.get('x-svc-inferred'), null);
  for (const [fields, error] of [
    [{ fork: 'x' }, /^no such fork: x$/],
    [{ overlay: `${EX}ov`, graph: `${EX}g` }, /^pass either 'overlay' or 'graph', not both$/],
    [{ overlay: `${EX}g` }, /is no overlay/],
    [{ include_kinds: ['Archive'] }, /there is no kind 'Archive'/],
  ] as const) {
    const answer = await post('/query', { query: ASK, ...fields });
    assert.equal(answer.status, 400);
    assert.match((await json(answer)).error as string, error);
  }
});

test('LB-7: floors of the configuration, on each route and tool that asks queries', async (t) => {
  const { get, post, send } = await server(t, { min_freshness: 'fresh' });
  const below = { error: /the graph <urn:svc:graph:root> is below the floor of freshness: it declares nothing/ };
  const refused = async (answer: Response, error = below.error) => {
    assert.equal(answer.status, 403);
    const body = await json(answer);
    assert.equal(body.code, 'label_floor');
    assert.match(body.error as string, error);
  };
  await refused(await post('/query', { query: ASK }));
  await refused(await get(query({ query: ASK }), { Accept: 'text/csv' }));
  await refused(await send('POST', '/query', ASK, { 'Content-Type': 'application/sparql-query' }));
  await refused(await send('POST', '/query', new URLSearchParams({ query: ASK }).toString(), FORM));
  await refused(await post('/query', { query: ASK, graph: `${EX}ds` }), /<http:\/\/example.org\/h>/);
  const entity = { name: 'entity_facts', params: { entity: `${EX}s` } };
  await refused(await post('/ask', entity));
  assert.deepEqual((await json(await post('/ask', { ...entity, graph: `${EX}g` }))).labels, FRESH);
  await refused(await post('/export', { construct: 'CONSTRUCT WHERE { ?s ?p ?o }' }));
  assert.equal((await post('/export', { graph: `${EX}h` })).status, 200, 'a graph by itself is no query');
  assert.equal((await post('/query', { query: ASK, graph: `${EX}g` })).status, 200);
  assert.equal((await post('/query', { query: `ASK { GRAPH <${EX}g> { ?s ?p ?o } }` })).status, 200);
  const call = async (name: string, given: object) => {
    const request = { jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name, arguments: given } };
    const answer = await post('/mcp', request, { Accept: 'application/json, text/event-stream' });
    return (await json(answer)).result as { isError: boolean; structuredContent: Record<string, unknown> };
  };
  const told = await call('svc_query', { query: ASK });
  assert.equal(told.isError, true);
  assert.equal(told.structuredContent.code, 'label_floor');
  assert.deepEqual((await call('svc_query', { query: ASK, graph: `${EX}g` })).structuredContent.labels, FRESH);
  assert.equal((await call('svc_ask', entity)).structuredContent.code, 'label_floor');
  assert.equal((await call('svc_export', { construct: 'CONSTRUCT WHERE { ?s ?p ?o }' })).isError, true);
});
