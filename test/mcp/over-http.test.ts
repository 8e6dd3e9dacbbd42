/** `/mcp` by raw messages: what is no message, ids, batches, versions, methods, origins, sizes, many at once. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { sharedTestServer, startTestServer, type TestServer } from '../http/support.js';
import { tellsNothing } from '../http/unharmed.js';
import { fakeService } from '../search/embeddings/fake-service.js';
import { newClient } from './clients.js';
import { call, errorOf, initialize, type Message, modern, modernHeaders, post, resultOf } from './messages.js';

/** For tests that write nothing. */
const theServer = sharedTestServer();
const ASK = { query: 'ASK {}' };
const PING = { jsonrpc: '2.0', id: 1, method: 'ping' };

test('what is no message is refused in the words of the protocol, and harms nothing', async () => {
  const server = await theServer();
  const cases: readonly [string, number][] = [
    ['{', -32700],
    ['', -32700],
    ['{"jsonrpc":"2.0","id":1,"method":"ping"', -32700],
    [`{"jsonrpc":"2.0","id":1,"method":"ping","params":${'['.repeat(500)}${']'.repeat(500)}}`, -32700],
    ['5', -32600],
    ['null', -32600],
    ['"ping"', -32600],
    ['{"id":1,"method":"ping"}', -32600],
    ['{"jsonrpc":"1.0","id":1,"method":"ping"}', -32600],
    ['{"jsonrpc":"2.0","id":1}', -32600],
    ['{"jsonrpc":"2.0","id":1,"method":5}', -32600],
    ['{"jsonrpc":"2.0","id":1,"method":"ping","params":[1]}', -32600],
    ['{"jsonrpc":"2.0","id":{},"method":"ping"}', -32600],
    ['{"jsonrpc":"2.0","id":null,"method":"ping"}', -32600],
    ['{"jsonrpc":"2.0","id":1.5,"method":"ping"}', -32600],
    ['[]', -32600],
    [JSON.stringify([PING, PING]), -32600],
    [JSON.stringify(Array.from({ length: 5000 }, (_, id) => ({ ...PING, id }))), -32600],
  ];
  for (const [text, code] of cases) {
    const { status, body } = await post(server, text);
    assert.equal(status, 400, text.slice(0, 80));
    assert.equal(errorOf(body).code, code, text.slice(0, 80));
    tellsNothing(server, JSON.stringify(body));
  }
  assert.equal((await post(server, new Uint8Array([0x7b, 0xff, 0xfe, 0x7d]))).status, 400);
  assert.deepEqual(server.running.store.transactions(), []);
  assert.deepEqual(server.events('request_failed'), []);
  assert.deepEqual((await post(server, JSON.stringify(PING))).body, { jsonrpc: '2.0', id: 1, result: {} });
});

test('ids come back as they were, of every kind', async () => {
  const server = await theServer();
  for (const id of [0, -5, 2 ** 53 - 1, '', 'x', '0', 'é\u0000"']) {
    const { status, type, body } = await post(server, JSON.stringify(call(id, 'svc_query', ASK)));
    assert.equal(status, 200);
    assert.match(type ?? '', /^application\/json/);
    assert.equal(body.id, id);
    assert.equal(resultOf(body).structuredContent.result, true);
  }
});

test('notifications and answers are taken in silence', async () => {
  const server = await theServer();
  for (const message of [
    { jsonrpc: '2.0', method: 'notifications/initialized' },
    { jsonrpc: '2.0', method: 'notifications/whatever' },
    { jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: 1 } },
    { jsonrpc: '2.0', id: 1, result: {} },
    [{ jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: 1 } }],
  ]) {
    const { status, text } = await post(server, JSON.stringify(message));
    assert.deepEqual([status, text], [202, '']);
  }
});

test('a batch is answered whole; it can not take back its own requests', async () => {
  const server = await theServer();
  const cancel = { jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: 'a' } };
  const batch = [call('a', 'svc_query', ASK), cancel, { ...PING, id: 2 }, { ...PING, id: '2', method: 'nope' }];
  const { status, body } = await post(server, JSON.stringify(batch));
  assert.equal(status, 200);
  const byId = new Map((body as unknown as Message[]).map((one) => [one.id, one]));
  assert.equal(byId.size, 3);
  assert.equal(resultOf(byId.get('a') as Message).structuredContent.result, true);
  assert.deepEqual(byId.get(2)?.result, {});
  assert.equal(errorOf(byId.get('2') as Message).code, -32601);
});

test('versions: those with a handshake, the one without, and those that nobody knows', async () => {
  const server = await theServer();
  for (const version of ['2024-11-05', '2025-03-26', '2025-06-18', '2025-11-25']) {
    const { body } = await post(server, JSON.stringify(initialize(1, version)));
    const result = body.result as { protocolVersion: string; serverInfo: Message; capabilities: Message };
    assert.equal(result.protocolVersion, version);
    assert.equal(result.serverInfo.name, 'svc');
    assert.deepEqual(result.capabilities, { tools: {} });
  }
  const offered = (await post(server, JSON.stringify(initialize(1, '1999-01-01')))).body.result as Message;
  assert.equal(offered.protocolVersion, '2025-11-25');
  const header = { 'MCP-Protocol-Version': '1999-01-01' };
  assert.equal((await post(server, JSON.stringify(PING), header)).status, 400);

  const given = { name: 'svc_query', arguments: ASK };
  const text = JSON.stringify(modern('m', 'tools/call', given));
  const answered = await post(server, text, modernHeaders('tools/call', 'svc_query'));
  assert.equal(resultOf(answered.body).structuredContent.result, true);
  const without = await post(server, text);
  assert.deepEqual([without.status, 'error' in without.body], [400, true]);
  const found = await post(server, JSON.stringify(modern(1, 'server/discover')), modernHeaders('server/discover'));
  assert.deepEqual((found.body.result as Message).supportedVersions, ['2026-07-28']);
  const future = modern(1, 'tools/list', {}, '2030-01-01');
  const refused = await post(server, JSON.stringify(future), modernHeaders('tools/list', undefined, '2030-01-01'));
  assert.equal(refused.status, 400);
  assert.deepEqual((refused.body.error as { data: Message }).data.supported, ['2026-07-28']);
});

test('methods and tools that are not there', async () => {
  const server = await theServer();
  for (const method of ['resources/list', 'prompts/list', 'subscriptions/listen', 'logging/setLevel', 'tools/drop']) {
    assert.equal(errorOf((await post(server, JSON.stringify({ ...PING, method }))).body).code, -32601, method);
    const sent = JSON.stringify(modern(1, method));
    assert.equal(errorOf((await post(server, sent, modernHeaders(method))).body).code, -32601, method);
  }
  for (const params of [undefined, {}, { arguments: {} }, { name: 'svc_query', arguments: [1] }, { name: 5 }]) {
    const { body } = await post(server, JSON.stringify({ ...PING, method: 'tools/call', params }));
    assert.equal(errorOf(body).code, -32602, JSON.stringify(params));
  }
  for (const name of ['svc_nothing', 'query', 'SVC_QUERY', 'svc_update', '__proto__', 'toString']) {
    assert.equal(errorOf((await post(server, JSON.stringify(call(1, name)))).body).code, -32602, name);
  }
  const without = { ...PING, method: 'tools/call', params: { name: 'svc_graph_list' } };
  assert.equal(resultOf((await post(server, JSON.stringify(without))).body).isError, false);
});

test('POST only, JSON only, no session, no stream', async () => {
  const server = await theServer();
  for (const method of ['GET', 'DELETE', 'PUT']) {
    const response = await server.send(method, '/mcp');
    assert.equal(response.status, 405);
    assert.equal(response.headers.get('allow'), 'POST');
    assert.equal(((await response.json()) as Message).code, 'method_not_allowed');
  }
  const plain = await server.send('POST', '/mcp', '{}', { 'Content-Type': 'text/plain' });
  assert.equal(plain.status, 415);
  for (const accept of ['application/json', 'text/event-stream', 'application/json, text/event-stream', '*/*']) {
    const response = await server.post('/mcp', initialize(1, '2025-11-25'), { Accept: accept });
    assert.equal(response.status, 200);
    assert.match(response.headers.get('content-type') ?? '', /^application\/json/);
    assert.equal(response.headers.get('mcp-session-id'), null);
    await response.text();
  }
  // A session that somebody remembers means nothing here.
  assert.equal((await post(server, JSON.stringify(PING), { 'Mcp-Session-Id': 'left-over' })).status, 200);
});

/** Of every route (wire shapes, 2). */
const CORS_HEADERS = [
  'Content-Type',
  'Accept',
  'Authorization',
  'X-Svc-Client',
  'X-Svc-Task',
  'X-Svc-Actor',
  'X-Svc-Principal-Chain',
  'X-Svc-Min-Tx',
  'Accept-Datetime',
];

test('a page of another origin is refused before its message is read', async (t) => {
  const closed = await startTestServer(t);
  for (const path of ['/mcp', '/mcp/', '/%6Dcp', '/mcp?x=1']) {
    for (const origin of ['http://evil.example', closed.base, 'null']) {
      const response = await closed.send('POST', path, '{', { 'Content-Type': 'application/json', Origin: origin });
      assert.equal(response.status, 403, `${path} ${origin}`);
      assert.equal(((await response.json()) as Message).code, 'origin_forbidden');
    }
  }
  assert.equal((await closed.send('GET', '/mcp', undefined, { Origin: 'http://evil.example' })).status, 403);
  const server = await startTestServer(t, { server: { cors_allowed_origins: ['http://app.example'] } });
  const listed = await server.post('/mcp', PING, { Origin: 'http://app.example' });
  assert.equal(listed.status, 200);
  assert.equal(listed.headers.get('access-control-allow-origin'), 'http://app.example');
  assert.equal((await server.post('/mcp', PING, { Origin: 'http://app.example.evil' })).status, 403);
  const preflight = { 'Access-Control-Request-Method': 'POST', Origin: 'http://app.example' };
  const wanted = [...CORS_HEADERS, 'MCP-Protocol-Version', 'Mcp-Method', 'Mcp-Name', 'Mcp-Session-Id', 'Last-Event-ID'];
  for (const [path, headers] of [
    ['/mcp', wanted],
    ['/%6Dcp/', wanted],
    ['/query', CORS_HEADERS],
  ] as const) {
    const admitted = await server.send('OPTIONS', path, undefined, preflight);
    assert.equal(admitted.status, 204);
    assert.equal(admitted.headers.get('access-control-allow-headers'), headers.join(', '), path);
  }
  const foreign = { ...preflight, Origin: 'http://evil.example' };
  assert.equal((await server.send('OPTIONS', '/mcp', undefined, foreign)).status, 403);
});

const BODY_BYTES_MAX = 64 * 1024 * 1024;

/** A call whose message has so many bytes: a small document and a long comment. */
function loadOf(bytes: number): string {
  const empty = JSON.stringify(call(1, 'svc_knot', { turtle: '<http://ex.org/a> <http://ex.org/p> 1 .\n#' }));
  return empty.replace('#"', `#${'x'.repeat(bytes - empty.length)}"`);
}

test('64 MiB are taken, and not one byte more', async (t) => {
  const server = await startTestServer(t);
  const over = await server.send('POST', '/mcp', loadOf(BODY_BYTES_MAX + 1), { 'Content-Type': 'application/json' });
  assert.equal(over.status, 413);
  assert.equal(((await over.json()) as Message).code, 'too_large');
  assert.deepEqual(server.running.store.transactions(), []);
  const batch = JSON.stringify([call(1, 'svc_knot', { turtle: `#${'x'.repeat(1024 * 1024)}` })]);
  const refused = await server.send('POST', '/mcp', ` \n${batch}`, { 'Content-Type': 'application/json' });
  assert.deepEqual([refused.status, ((await refused.json()) as Message).code], [413, 'too_large']);
  const whole = await post(server, loadOf(BODY_BYTES_MAX));
  assert.equal(whole.status, 200);
  assert.equal(resultOf(whole.body).structuredContent.count, 1);
});

test('a batch has at most 100 messages', async () => {
  const server = await theServer();
  const pings = Array.from({ length: 101 }, (_, id) => ({ ...PING, id }));
  const answered = await post(server, JSON.stringify(pings.slice(1)));
  assert.equal((answered.body as unknown as Message[]).length, 100);
  const refused = await post(server, JSON.stringify(pings));
  assert.deepEqual([refused.status, errorOf(refused.body).code], [400, -32600]);
});

test('an answer that is too large is a failure that says what to do', async (t) => {
  const server = await startTestServer(t);
  const long = 'x'.repeat(6 * 1024 * 1024);
  const turtle = [1, 2, 3].map((n) => `<http://ex.org/a> <http://ex.org/p> "${n}${long}" .`).join('\n');
  await server.post('/knot', { turtle });
  for (const [name, given] of [
    ['svc_query', { query: 'SELECT * WHERE { ?s ?p ?o }' }],
    ['svc_export', { format: 'ntriples' }],
  ] as const) {
    const { isError, structuredContent } = resultOf((await post(server, JSON.stringify(call(1, name, given)))).body);
    assert.equal(isError, true);
    assert.equal(structuredContent.code, 'too_large');
    assert.match(structuredContent.hint as string, /LIMIT/);
  }
});

test('fifty calls at once, each with its own answer', async (t) => {
  const server = await startTestServer(t);
  const answers = await Promise.all(
    Array.from({ length: 50 }, (_, id) => {
      const given =
        id % 5 === 0
          ? call(id, 'svc_knot', { turtle: `<http://ex.org/s${id}> <http://ex.org/p> ${id} .` })
          : call(id, 'svc_query', { query: `SELECT (${id} * 2 AS ?twice) WHERE {}` });
      return post(server, JSON.stringify(given));
    }),
  );
  for (const [id, { body }] of answers.entries()) {
    assert.equal(body.id, id);
    const { structuredContent } = resultOf(body);
    if (id % 5 === 0) assert.equal(structuredContent.count, 1);
    else assert.deepEqual(structuredContent.rows, [{ twice: id * 2 }]);
  }
  assert.equal(server.running.store.transactions().length, 10);
});

/** A query that does not end by itself within the time of a test. */
function endless(): string {
  const letters = [...'abcdefgh'];
  const rows = '1 2 3 4 5 6 7 8 9 10 '.repeat(10);
  const values = letters.map((one) => `VALUES ?${one} { ${rows} }`).join(' ');
  return `SELECT (COUNT(*) AS ?n) WHERE { ${values} FILTER(${letters.map((one) => `?${one}`).join(' + ')} < 0) }`;
}

const soon = (): Promise<void> => new Promise((resolve) => setTimeout(resolve, 10));

async function untilQueryBegins(server: TestServer): Promise<void> {
  while (!server.events('request_start').some(({ route }) => route === '/query')) await soon();
}

async function untilQueryIsStopped(server: TestServer): Promise<void> {
  const stopped = () => server.events('request_complete').filter(({ status }) => status === 499);
  while (!stopped().some(({ route }) => route === '/query')) await soon();
}

test('a client that disappears in the middle of a call stops it', async (t) => {
  const server = await startTestServer(t);
  const given = { name: 'svc_query', arguments: { query: endless() } };
  const ways: readonly [unknown, Record<string, string>][] = [
    [call(1, given.name, given.arguments), {}],
    [[call(1, given.name, given.arguments), { ...PING, id: 2 }], {}],
    [modern(1, 'tools/call', given), modernHeaders('tools/call', given.name)],
  ];
  for (const [message, headers] of ways) {
    server.lines.length = 0;
    const leaving = new AbortController();
    const answer = fetch(`${server.base}/mcp`, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json', ...headers },
      body: JSON.stringify(message),
      signal: leaving.signal,
    });
    await untilQueryBegins(server);
    leaving.abort();
    await assert.rejects(answer);
    await untilQueryIsStopped(server);
    assert.deepEqual((await post(server, JSON.stringify(PING))).body.result, {});
    assert.deepEqual(server.events('request_failed'), []);
  }
});

test('a client of 2026-07-28 that takes a call back stops it, and goes on', async (t) => {
  const server = await startTestServer(t);
  const talk = await newClient({ url: `${server.base}/mcp` });
  t.after(() => talk.close());
  const taken = new AbortController();
  const answer = talk.call('svc_query', { query: endless() }, taken.signal);
  await untilQueryBegins(server);
  taken.abort();
  await assert.rejects(answer);
  await untilQueryIsStopped(server);
  assert.deepEqual((await talk.call('svc_query', ASK)).structuredContent?.result, true);
});

test('a server that stops answers what is under way', async (t) => {
  const server = await startTestServer(t);
  const turtle = Array.from({ length: 20_000 }, (_, n) => `<http://ex.org/s${n}> <http://ex.org/p> ${n} .`).join('\n');
  const answer = post(server, JSON.stringify(call(1, 'svc_knot', { turtle })));
  while (!server.events('request_start').some(({ route }) => route === '/knot')) await soon();
  await server.running.close();
  assert.equal(resultOf((await answer).body).structuredContent.count, 20_000);
});

test('numbers keep all their digits, in the text and in the structured content', async (t) => {
  const server = await startTestServer(t);
  const turtle = '<http://ex.org/a> <http://ex.org/p> 123456789012345678901234567890 .';
  await server.post('/knot', { turtle });
  const { text } = await post(server, JSON.stringify(call(1, 'svc_query', { query: 'SELECT ?n { ?s ?p ?n }' })));
  assert.equal(text.match(/:123456789012345678901234567890\}/g)?.length, 2);
});

/** Examples that speak of what an empty store has not: what they are refused by. */
const OF_A_STORE: Readonly<Record<string, string>> = {
  svc_align_decide: 'version_conflict',
  svc_align_apply: 'version_conflict',
  svc_path_cone: 'not_found_in_store',
  svc_path_backtest: 'not_found_in_store',
  svc_accept_proposal: 'not_found_in_store',
  svc_reject_proposal: 'not_found_in_store',
};

test('each example of a description does what it says', async (t) => {
  const { url } = await fakeService(t, 8);
  const embedding = { provider: 'http', url, model: 'fake', dimension: 8 };
  const server = await startTestServer(t, { mcp: { extra_tools: true }, embedding });
  const { body } = await post(server, JSON.stringify({ ...PING, method: 'tools/list' }));
  const listed = (body.result as { tools: { name: string; description: string }[] }).tools;
  assert.ok(listed.length >= 15);
  const first = listed.filter(({ name }) => name === 'svc_knot');
  // Graphs that examples name as theirs.
  for (const graph of ['', '/2020', '/crm', '/bill'].map((end) => `http://ex.org/g${end}`)) {
    assert.equal((await server.post('/graph/create', { graph })).status, 200);
  }
  for (const { name, description } of [...first, ...listed]) {
    const given = JSON.parse(description.split('\nExample: ')[1] as string) as Message;
    const result = resultOf((await post(server, JSON.stringify(call(name, name, given)))).body);
    const refused = OF_A_STORE[name];
    if (refused !== undefined) {
      assert.equal(result.structuredContent.code, refused, `${name}: ${JSON.stringify(result)}`);
      continue;
    }
    assert.equal(result.isError, false, `${name}: ${JSON.stringify(result)}`);
    assert.equal(result.structuredContent.ignored_fields, undefined, name);
  }
});
