/** Who may call what: bearers, servers that only read, named credentials, who is counted and logged. */
import assert from 'node:assert/strict';
import { createHash, randomBytes } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { json, startTestServer, type TestServer } from '../http/support.js';
import { call, type Message, post, resultOf } from './messages.js';

const TOKEN = randomBytes(32).toString('base64url');
const KNOT = { turtle: '<http://ex.org/a> <http://ex.org/p> 1 .' };

async function use(server: TestServer, name: string, given: Message, headers: Record<string, string> = {}) {
  const { status, body } = await post(server, JSON.stringify(call(1, name, given)), headers);
  assert.equal(status, 200);
  return resultOf(body);
}

test('a tool that writes needs the bearer: without it the call fails with the body of the 401, not the request', async (t) => {
  const server = await startTestServer(t, { server: { auth_token: TOKEN } });
  const expected = await json(await server.post('/knot', KNOT));
  for (const headers of [{}, { Authorization: 'Bearer wrong' }] as Record<string, string>[]) {
    const { isError, structuredContent } = await use(server, 'svc_knot', KNOT, headers);
    assert.equal(isError, true);
    const { endpoint, reason, code } = structuredContent;
    assert.deepEqual(
      { endpoint, reason, code },
      { endpoint: expected.endpoint, reason: expected.reason, code: expected.code },
    );
  }
  for (const [name, given] of [
    ['svc_queries', { action: 'remove', name: 'q' }],
    ['svc_shapes', { action: 'remove', name: 's' }],
    ['svc_retract_source', { source: 'x', repair: 'y' }],
    ['svc_retract', { entity: 'http://ex.org/a' }],
  ] as const) {
    assert.equal((await use(server, name, given)).structuredContent.code, 'unauthorized', name);
  }
  assert.deepEqual(server.running.store.transactions(), []);
  for (const name of ['svc_query', 'svc_export', 'svc_cord', 'svc_graph_list', 'svc_ask']) {
    assert.equal((await use(server, name, name === 'svc_query' ? { query: 'ASK {}' } : {})).isError, false, name);
  }
  // Actions that only read go by the reads, which are open.
  for (const [name, given, key] of [
    ['svc_queries', {}, 'queries'],
    ['svc_shapes', { action: 'list' }, 'shapes'],
  ] as const) {
    const { isError, structuredContent } = await use(server, name, given);
    assert.deepEqual([isError, structuredContent[key], structuredContent.ignored_fields], [false, [], undefined], name);
  }
  for (const [name, given, message] of [
    ['svc_queries', { action: 'get', name: 'q' }, 'no such stored query: q'],
    ['svc_shapes', { action: 'get', name: 's' }, 'no such set of shapes: s'],
    ['svc_shapes', { action: 'get' }, "missing 'name' parameter"],
  ] as const) {
    assert.equal((await use(server, name, given)).structuredContent.error, message);
  }
  // An actor is who says to write; it opens nothing.
  assert.equal((await use(server, 'svc_knot', { ...KNOT, actor: TOKEN })).structuredContent.code, 'unauthorized');
  const written = await use(server, 'svc_knot', KNOT, { Authorization: `Bearer ${TOKEN}` });
  assert.equal(written.structuredContent.count, 1);
  assert.ok(!server.lines.join('').includes(TOKEN));
});

test('a server that only reads refuses tools that write, before it looks at the token', async (t) => {
  const made = await startTestServer(t);
  await made.post('/knot', KNOT);
  await made.running.close();
  const keys = { server: { auth_token: TOKEN, read_only: true } };
  const server = await startTestServer(t, keys, { path: join(made.folder, 'store.svc') });
  for (const headers of [{}, { Authorization: `Bearer ${TOKEN}` }] as Record<string, string>[]) {
    const { isError, structuredContent } = await use(server, 'svc_knot', KNOT, headers);
    assert.deepEqual([isError, structuredContent.reason], [true, 'server_is_read_only']);
  }
  assert.deepEqual((await use(server, 'svc_query', { query: 'ASK { ?s ?p 1 }' })).structuredContent.result, true);
});

test('named credentials: a call is audited by the route of its tool', async (t) => {
  const folder = (await startTestServer(t)).folder;
  const file = join(folder, 'credentials.json');
  const digest = createHash('sha256').update('ann-token-of-more-than-32-characters').digest('hex');
  const ann = { credential_id: 'c1', principal: 'http://ex.org/people/ann', audience: 'svc', token_sha256: digest };
  writeFileSync(file, JSON.stringify({ version: 1, credentials: [ann] }));
  const server = await startTestServer(t, { server: { crew_credentials_file: file } });
  const bearer = {
    Authorization: 'Bearer ann-token-of-more-than-32-characters',
    'X-Svc-Client': 'Planner/2.0',
    'X-Svc-Task': 'task-7',
  };
  assert.equal((await use(server, 'svc_knot', KNOT, bearer)).isError, false);
  assert.equal(
    (await use(server, 'svc_set', { entity: 'http://ex.org/none', predicate: 'http://ex.org/p', value: 'x' }, bearer))
      .isError,
    true,
  );
  const began = server.events('authenticated_request_start');
  const ended = server.events('authenticated_request_complete');
  assert.deepEqual(
    began.map(({ credential_id: id, route, method }) => [id, method, route]),
    [
      ['c1', 'POST', '/knot'],
      ['c1', 'POST', '/set'],
    ],
  );
  assert.deepEqual(
    ended.map(({ correlation_id: id, status }) => [id, status]),
    began.map(({ correlation_id: id }, at) => [id, at === 0 ? 200 : 400]),
  );
  const reads = await use(server, 'svc_query', { query: 'ASK {}' }, bearer);
  assert.equal(reads.isError, false);
  assert.equal(server.events('authenticated_request_start').length, 2, 'reads are open');
});

test('who asks is logged and counted, for the message and for the call in it', async (t) => {
  const server = await startTestServer(t);
  const headers = { 'X-Svc-Client': 'Planner/2.0', 'X-Svc-Task': 'task-7' };
  await use(server, 'svc_knot', KNOT, headers);
  await use(server, 'svc_query', { query: 'SELECT * { ?s ?p ?o }' }, { 'User-Agent': 'agent/1.0' });
  const lines = server.events('request_complete').filter(({ route }) => route !== 'unmatched');
  const shown = lines.map(({ client, task, method, route, status, query_shape: shape, result_size: size }) =>
    [client, task, method, route, status, shape, size].filter((one) => one !== undefined).join(' '),
  );
  assert.deepEqual(shown.sort(), [
    'agent unattributed POST /mcp 200',
    'agent unattributed POST /query 200 select 1',
    'planner task-7 POST /knot 200',
    'planner task-7 POST /mcp 200',
  ]);
  const metrics = await (await server.get('/metrics')).text();
  assert.match(metrics, /svc_http_client_requests_total\{client="planner",endpoint="\/knot"\} 1/);
  assert.match(metrics, /svc_http_requests_total\{endpoint="\/mcp",status="200"\} 2/);
});

test('credentials in arguments are refused whatever else the call says, and repeated nowhere', async (t) => {
  const server = await startTestServer(t);
  for (const key of ['token', 'auth_token', 'authorization', 'Authorization', 'AUTH_TOKEN']) {
    const { isError, structuredContent } = await use(server, 'svc_knot', { ...KNOT, [key]: TOKEN });
    assert.equal(isError, true);
    assert.equal(structuredContent.code, 'invalid_request');
    assert.match(structuredContent.error as string, new RegExp(`^'${key}' is refused`));
  }
  assert.deepEqual(server.running.store.transactions(), []);
  assert.ok(!server.lines.join('').includes(TOKEN));
});
