/** `governance.read_rules` over HTTP: who is meant by a rule, and that no way of asking goes around it. */
import assert from 'node:assert/strict';
import { createHash, randomBytes } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { after, before, test } from 'node:test';
import { MCP_PATH, OPERATION_ROUTES } from '../../interfaces/http/routes.js';
import { freePort } from '../http/free-port.js';
import { startTestServer, type TestServer } from '../http/support.js';
import { StoreFolder } from '../storage/support/store-folder.js';
import { SEEN } from './answers.js';

const EX = 'http://example.org/';
const SHARED = randomBytes(32).toString('base64url');
const ANA = randomBytes(32).toString('base64url');
const EVE = randomBytes(32).toString('base64url');
const bearer = (token: string) => ({ Authorization: `Bearer ${token}` });
const OPEN = `${EX}open`;
const TEAM = `${EX}team/a`;
const SECRET = `${EX}secret`;

const RULES = [
  { principal: 'everyone', graphs: [OPEN] },
  { principal: 'anonymous', graphs: [] },
  { principal: `${EX}ana`, graphs: [`${EX}team/*`], except: [`${EX}team/closed`] },
  { principal: 'shared', graphs: ['*'] },
];

const folder = new StoreFolder();
let server: TestServer;
const ends: (() => unknown)[] = [];
after(async () => {
  for (const end of ends) await end();
});

before(async () => {
  const registry = folder.fresh('.json');
  const credential = (name: string, token: string) => ({
    credential_id: name,
    principal: EX + name,
    audience: 'svc',
    token_sha256: createHash('sha256').update(token).digest('hex'),
  });
  writeFileSync(
    registry,
    JSON.stringify({ version: 1, credentials: [credential('ana', ANA), credential('eve', EVE)] }),
  );
  // Its own address with the token of somebody who may read everything.
  const port = await freePort();
  const own = `http://127.0.0.1:${port}`;
  const remote = { name: 'self', url: own, auth_token: SHARED };
  server = await startTestServer(
    { after: (end) => ends.push(end as () => unknown) },
    {
      server: { bind: `127.0.0.1:${port}`, auth_token: SHARED, crew_credentials_file: registry },
      governance: { read_rules: RULES },
      federation: { remotes: [remote], service_endpoints: [{ url: `${own}/query?open`, timeout_ms: 5000 }] },
    },
  );
  for (const name of ['open', 'team/a', 'team/closed', 'secret', 'root']) {
    const path = name === 'root' ? 'default' : `graph=${encodeURIComponent(EX + name)}`;
    const headers = { ...bearer(SHARED), 'Content-Type': 'text/turtle' };
    const turtle = `<${EX}${name}Ann> <${EX}p> "${name}" .`;
    const written = await server.send('PUT', `/rdf-graph-store?${path}`, turtle, headers);
    assert.ok(written.ok, await written.text());
  }
});

async function graphsOf(headers: Record<string, string>): Promise<string[]> {
  const query = 'SELECT DISTINCT ?v { { ?s ?p ?v } UNION { GRAPH ?g { ?s ?p ?v } } } ORDER BY ?v';
  const answer = (await (await server.post('/query', { query, verbose: true }, headers)).json()) as {
    rows: { v: string }[];
  };
  return answer.rows.map(({ v }) => v);
}

test('a rule means who bears no token, the shared token, a named one, or everyone', async () => {
  assert.deepEqual(await graphsOf({}), ['open']);
  assert.deepEqual(await graphsOf(bearer('wrong')), ['open'], 'a token that is not accepted is none');
  assert.deepEqual(await graphsOf(bearer(ANA)), ['open', 'team/a'], 'rules together');
  assert.deepEqual(await graphsOf(bearer(EVE)), ['open'], 'whom no rule names');
  assert.deepEqual(await graphsOf(bearer(SHARED)), ['open', 'root', 'secret', 'team/a', 'team/closed']);
  assert.deepEqual(
    await graphsOf({ ...bearer(EVE), 'X-Svc-Principal-Chain': `${EX}ana` }),
    ['open'],
    'a claim is no proof',
  );
});

test('a graph that may not be read is asked for as one that is not there', async () => {
  const there = encodeURIComponent(SECRET);
  const nowhere = encodeURIComponent(`${EX}nothin`);
  const paths = [
    '/rdf-graph-store?graph=G',
    '/graphs?among=G',
    '/changes?graph=G',
    '/fragments?graph=G',
    '/entity/G',
    `/query?query=${encodeURIComponent('SELECT * { ?s ?p ?o }')}&default-graph-uri=G`,
    `/query?query=${encodeURIComponent('SELECT * { GRAPH <')}G${encodeURIComponent('> { ?s ?p ?o } }')}`,
  ];
  for (const path of paths) {
    const ask = async (graph: string) => {
      const response = await server.get(path.replace('G', graph));
      const { 'content-length': _, date: __, ...headers } = Object.fromEntries(response.headers);
      const text = `${response.status} ${JSON.stringify(headers)} ${await response.text()}`;
      return text
        .replaceAll(SECRET, 'X')
        .replaceAll(`${EX}nothin`, 'X')
        .replaceAll(there, 'X')
        .replaceAll(nowhere, 'X');
    };
    assert.equal(await ask(there), await ask(nowhere), path);
  }
});

test('what nobody may keep for somebody else says so', async () => {
  const response = await server.get(`/query?query=${encodeURIComponent('ASK {}')}`);
  assert.match(response.headers.get('vary') ?? '', /Authorization/);
  assert.equal(response.headers.get('cache-control'), 'private');
});

test('every route that tells of the whole store, or works on it, is refused in the same words', async () => {
  for (const { operation, route } of OPERATION_ROUTES) {
    if (SEEN[operation.name] !== 'refused' || route.reads !== undefined) continue;
    // Whether the request is a good one is looked at by some before who asks is.
    if (operation.name === 'fact_explain' || operation.name === 'policy_check' || route.request === 'protocol')
      continue;
    const response = await server.send(route.method, route.path, route.method === 'GET' ? undefined : '{}', {
      ...bearer(ANA),
      'Content-Type': 'application/json',
    });
    const text = await response.text();
    assert.equal(response.status, 403, `${operation.name}: ${text}`);
    assert.match(text, /authority_denied.*|some graphs only/, operation.name);
  }
});

test('who may read some graphs writes these, and a graph that may not be read is refused as one that is not there', async () => {
  const write = async (graph: string, headers: Record<string, string>) => {
    const body = `INSERT DATA { GRAPH <${graph}> { <${EX}a> <${EX}p> "written" } }`;
    const response = await server.send('POST', '/update', body, {
      ...headers,
      'Content-Type': 'application/sparql-update',
    });
    return `${response.status} ${(await response.text()).replaceAll(graph, 'G')}`;
  };
  const refused = new Set([
    await write(SECRET, bearer(ANA)),
    await write(`${EX}new`, bearer(ANA)),
    await write(`${EX}team/closed`, bearer(ANA)),
  ]);
  assert.equal(refused.size, 1);
  assert.match([...refused][0] as string, /^403 .*none that the reader may read.*authority_denied/);
  assert.match(await write(TEAM, bearer(ANA)), /^200 .*"inserted":1/);
  assert.match(await write(`${EX}team/new`, bearer(ANA)), /^200 .*"inserted":1/);
  assert.deepEqual(await graphsOf(bearer(ANA)), ['open', 'team/a', 'written']);
  assert.match(await write(TEAM, bearer(EVE)), /^403 /);
  assert.match(await write(TEAM, {}), /^401 /, 'who may write at all is for tokens');
  const dropped = await server.send('POST', '/update', 'DROP ALL', {
    ...bearer(ANA),
    'Content-Type': 'application/sparql-update',
  });
  assert.deepEqual(((await dropped.json()) as { graphs: string[] }).graphs, [OPEN, TEAM, `${EX}team/new`]);
  assert.deepEqual(await graphsOf(bearer(SHARED)), ['root', 'secret', 'team/closed']);
  for (const name of ['open', 'team/a']) {
    const path = `/rdf-graph-store?graph=${encodeURIComponent(EX + name)}`;
    const turtle = `<${EX}${name}Ann> <${EX}p> "${name}" .`;
    const put = await server.send('PUT', path, turtle, { ...bearer(ANA), 'Content-Type': 'text/turtle' });
    assert.equal(put.status, 201);
  }
});

test('figures of the server are for those who may read every graph; its page tells what anonymous may read', async () => {
  assert.equal((await server.get('/metrics')).status, 403);
  assert.equal((await server.get('/metrics', bearer(ANA))).status, 403);
  assert.equal((await server.get('/metrics', bearer(SHARED))).status, 200);
  const page = await (await server.get('/')).text();
  assert.match(page, /<li data-figure="facts"><b>0<\/b>/);
  const stats = (await (await server.get('/stats')).json()) as Record<string, unknown>;
  assert.deepEqual([stats.facts, stats.quads, stats.terms, stats.storage], [0, 1, null, null]);
  assert.equal((await server.get('/queries/running')).status, 403);
  assert.ok(server.lines.some((line) => line.startsWith('governance.read_rules are on')));
});

test('what this server asks with a token of its own is not asked for who may read less', async () => {
  const self = `http://127.0.0.1:${server.running.address.port}/query`;
  const service = { query: `SELECT * { SERVICE <${self}> { GRAPH ?g { ?s ?p ?v } } }` };
  const federated = { query: 'SELECT ?v { ?s ?p ?v }', federated: true };
  for (const body of [service, federated]) {
    const refused = await server.post('/query', body, bearer(ANA));
    const text = await refused.text();
    assert.equal(refused.status, 403, text);
    assert.match(text, /token of this server/);
    assert.equal((await server.post('/query', body, bearer(SHARED))).status, 200);
  }
});

test('tools of agents read as who calls them', async () => {
  const ask = async (headers: Record<string, string>, name: string, args: object) => {
    const call = { jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name, arguments: args } };
    const accept = { Accept: 'application/json, text/event-stream' };
    return (await server.post(MCP_PATH, call, { ...accept, ...headers })).text();
  };
  const query = { query: 'SELECT ?v { GRAPH ?g { ?s ?p ?v } }' };
  assert.match(await ask({}, 'svc_query', query), /open/);
  assert.doesNotMatch(await ask({}, 'svc_query', query), /secret|team/);
  assert.match(await ask(bearer(ANA), 'svc_query', query), /team\/a/);
  assert.match(await ask(bearer(SHARED), 'svc_query', query), /secret/);
  assert.match(await ask({}, 'svc_graph_list', {}), /open/);
  assert.doesNotMatch(await ask({}, 'svc_graph_list', {}), /secret|team/);
  const turtle = `<${EX}a> <${EX}p> 1 .`;
  assert.match(await ask(bearer(ANA), 'svc_knot', { turtle }), /none that the reader may read/);
  assert.match(await ask(bearer(ANA), 'svc_knot', { turtle, graph: TEAM }), /new_facts/);
  assert.match(await ask(bearer(ANA), 'svc_shapes', { action: 'load', name: 'n', turtle }), /some graphs only/);
});
