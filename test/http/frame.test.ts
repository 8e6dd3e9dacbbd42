/** What every route has in common: errors by their names, limits, log lines, figures, clients that vanish. */
import assert from 'node:assert/strict';
import { connect } from 'node:net';
import { test } from 'node:test';
import { json, raw, startTestServer } from './support.js';

const JSON_TYPE = { 'Content-Type': 'application/json' };

test('paths and methods: 404 names the path, 405 the methods that are allowed', async (t) => {
  const server = await startTestServer(t);
  const missing = await server.get('/nowhere');
  assert.equal(missing.status, 404);
  assert.deepEqual(await json(missing), { error: 'there is no route /nowhere', code: 'not_found' });
  const wrong = await server.get('/knot');
  assert.equal(wrong.status, 405);
  assert.equal(wrong.headers.get('allow'), 'POST');
  assert.equal((await json(wrong)).code, 'method_not_allowed');
  // Methods that the framework knows and no route has are no different, with a body or without.
  for (const method of ['QUERY', 'PATCH', 'PROPFIND', 'TRACE', 'LOCK', 'SEARCH', 'MKCALENDAR']) {
    const text = `${method} /stats HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n`;
    const answer = await raw(server, text);
    assert.match(answer, /^HTTP\/1.1 405 /, method);
    assert.match(answer, /\r\nAllow: GET, HEAD\r\n/i, method);
    assert.match(answer, /"code":"method_not_allowed"/, method);
    const elsewhere = await raw(server, text.replace('/stats', '/nowhere'));
    assert.match(elsewhere, /^HTTP\/1.1 404 /, method);
  }
  for (const path of ['/..%2f..%2fetc/passwd', '/%00', '/entity', '/KNOT', '/%zz']) {
    const { status } = await server.get(path);
    assert.ok(status === 404 || status === 400 || status === 405, `${path}: ${status}`);
  }
  assert.equal((await server.post('/knot/', { turtle: '' })).status, 200, 'a slash at the end is none');
});

test('bodies: type, encoding, JSON, shape, size', async (t) => {
  const server = await startTestServer(t, { server: { max_body_bytes: 2000 } });
  const cases: readonly [Record<string, string>, string | Uint8Array, number, RegExp][] = [
    [{}, '{}', 415, /expected application\/json/],
    [{ 'Content-Type': 'text/html' }, '<a> <b> <c> .', 415, /text\/html is not taken/],
    [{ ...JSON_TYPE, 'Content-Encoding': 'compress' }, '{}', 415, /Content-Encoding compress/],
    [{ 'Content-Type': 'application/json; charset=latin1' }, '{}', 415, /charset latin1/],
    [JSON_TYPE, '{"turtle":', 400, /not JSON/],
    [JSON_TYPE, '[]', 400, /not a JSON object/],
    [JSON_TYPE, 'null', 400, /not a JSON object/],
    [JSON_TYPE, '', 400, /not JSON/],
    [JSON_TYPE, '{}', 400, /turtle/],
    [JSON_TYPE, '{"turtle":5}', 400, /turtle/],
    [JSON_TYPE, '{"turtle":"<a> <b> ."}', 400, /line 1/],
    [JSON_TYPE, new Uint8Array([0x7b, 0x22, 0xff, 0x22, 0x3a, 0x31, 0x7d]), 400, /not UTF-8/],
    [JSON_TYPE, JSON.stringify({ turtle: ' '.repeat(3000) }), 413, /larger than 2000 bytes \(server.max_body_bytes\)/],
  ];
  for (const [headers, body, status, message] of cases) {
    const response = await server.send('POST', '/knot', body, headers);
    const answer = await json(response);
    assert.equal(response.status, status, JSON.stringify(answer));
    assert.match(String(answer.error), message);
    assert.equal(typeof answer.code, 'string');
    assert.ok(!JSON.stringify(answer).includes('/work') && !JSON.stringify(answer).includes('at '), 'no stack');
  }
  assert.deepEqual(server.running.store.transactions(), []);
});

test('a body that grows beyond the limit without saying so is cut off', async (t) => {
  const server = await startTestServer(t, { server: { max_body_bytes: 1000 } });
  const chunk = `400\r\n${' '.repeat(1024)}\r\n`;
  const answer = await raw(
    server,
    `POST /knot HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n${chunk}${chunk}0\r\n\r\n`,
  );
  assert.match(answer, /^HTTP\/1.1 413/);
  assert.match(answer, /"code":"too_large"/);
});

test('undeclared fields are named, sorted, and change nothing', async (t) => {
  const server = await startTestServer(t);
  const body = { turtle: '<http://ex.org/a> <http://ex.org/p> 1 .', zebra: 1, dry_run: true, __proto__x: 2 };
  const answer = await json(await server.post('/knot', body));
  assert.deepEqual(answer.ignored_fields, ['__proto__x', 'dry_run', 'zebra']);
  assert.equal(answer.tx_id, 1);
});

test('what is not HTTP gets an answer, and the server goes on', async (t) => {
  const server = await startTestServer(t);
  assert.match(await raw(server, 'HELLO\r\n\r\n'), /^HTTP\/1.1 400/);
  assert.match(
    await raw(server, `GET / HTTP/1.1\r\nHost: localhost\r\nX: ${'y'.repeat(70_000)}\r\n\r\n`),
    /^HTTP\/1.1 431/,
  );
  assert.equal((await server.get('/health')).status, 200);
});

test('a client that leaves while it sends holds nothing up', async (t) => {
  const server = await startTestServer(t);
  for (let at = 0; at < 20; at++) {
    await new Promise<void>((resolve) => {
      const socket = connect(server.running.address.port, '127.0.0.1', () => {
        socket.write(
          'POST /knot HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: 500\r\n\r\n{"turt',
        );
        setTimeout(() => {
          socket.destroy();
          resolve();
        }, 5);
      });
    });
  }
  assert.equal((await server.post('/knot', { turtle: '' })).status, 200);
  assert.equal(server.running.store.transactions().length, 1);
});

test('log lines: one when a request starts, one when it ends, with who asked', async (t) => {
  const server = await startTestServer(t);
  await server.get('/health', { 'X-Svc-Client': 'Claude-Code/1.2 beta', 'X-Svc-Task': 'Ticket 7' });
  await server.get('/health', { 'User-Agent': 'curl/8.1' });
  await server.get('/nowhere', { 'X-Svc-Client': '///' });
  const [first, second, third] = server.events('request_complete');
  assert.deepEqual([first?.client, first?.task], ['claude-code', 'ticket']);
  assert.deepEqual([second?.client, second?.task], ['curl', 'unattributed']);
  assert.equal(third?.route, 'unmatched');
  assert.equal(third?.status, 404);
  assert.deepEqual(
    server.events('request_start').map(({ id }) => id),
    [1, 2, 3],
  );
  assert.match(String(first?.ts), /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/);
});

test('paths that nobody can decode are logged, counted and judged like any other', async (t) => {
  const server = await startTestServer(t);
  const paths = ['/%c0%af', '/%zz', '/mcp%c0'];
  for (const path of paths) {
    const response = await server.get(path, { 'X-Svc-Client': 'prober' });
    assert.equal(response.status, 400, path);
    assert.equal(response.headers.get('x-content-type-options'), 'nosniff');
    assert.equal(response.headers.get('referrer-policy'), 'no-referrer');
    assert.equal((await json(response)).code, 'invalid_request');
  }
  const foreign = await raw(server, 'GET /%c0%af HTTP/1.1\r\nHost: evil.example\r\nConnection: close\r\n\r\n');
  assert.match(foreign, /^HTTP\/1.1 403 /);
  assert.match(foreign, /"code":"host_forbidden"/);
  const metrics = await (await server.get('/metrics')).text();
  assert.match(metrics, /^svc_http_requests_total\{endpoint="unmatched",status="400"\} 3$/m);
  assert.match(metrics, /^svc_http_requests_total\{endpoint="unmatched",status="403"\} 1$/m);
  const lines = server.events('request_complete').filter(({ client }) => client === 'prober');
  const shown = lines.map(({ route, status }) => [route, status]);
  assert.deepEqual(
    shown,
    paths.map(() => ['unmatched', 400]),
  );
  assert.equal(server.events('request_start').filter(({ client }) => client === 'prober').length, paths.length);
});

test('the size of an answer is logged for queries alone', async (t) => {
  const server = await startTestServer(t);
  await server.post('/knot', { turtle: '<http://ex.org/a> <http://ex.org/p> 1, 2 .' });
  const answers = [
    await server.post('/query', { query: 'SELECT * { ?s ?p ?o }' }),
    await server.post('/query', { query: 'CONSTRUCT WHERE { ?s ?p ?o }' }),
    await server.post('/export', {}),
    await server.get('/rdf-graph-store?default'),
  ];
  for (const answer of answers) {
    assert.equal(answer.status, 200);
    await answer.text();
  }
  // By the time that this is answered the lines of the others are written.
  await (await server.get('/health')).text();
  const lines = server.events('request_complete').slice(0, answers.length + 1);
  assert.deepEqual(
    lines.map(({ route, query_shape: shape, result_size: size }) => [route, shape, size]),
    [
      ['/knot', undefined, undefined],
      ['/query', 'select', 2],
      ['/query', 'construct', 2],
      ['/export', undefined, undefined],
      ['/rdf-graph-store', undefined, undefined],
    ],
  );
});

test('metrics: series by client and endpoint, clients beyond the budget folded', async (t) => {
  const server = await startTestServer(t);
  for (let at = 0; at < 40; at++) await server.get('/health', { 'X-Svc-Client': `client-${at}` });
  const response = await server.get('/metrics', { 'X-Svc-Client': 'scraper' });
  assert.equal(response.headers.get('content-type'), 'text/plain; version=0.0.4; charset=utf-8');
  const text = await response.text();
  assert.match(text, /^svc_http_client_requests_total\{client="client-0",endpoint="\/health"\} 1$/m);
  assert.match(text, /^svc_http_client_requests_total\{client="other",endpoint="\/health"\} 8$/m);
  assert.match(text, /^svc_http_requests_total\{endpoint="\/health",status="200"\} 40$/m);
  assert.match(text, /^svc_http_request_duration_seconds_bucket\{le="0.005",endpoint="\/health"\} \d+$/m);
  for (const name of ['svc_process_peak_rss_bytes', 'process_start_time_seconds', 'process_resident_memory_bytes']) {
    assert.match(text, new RegExp(`^${name} \\d`, 'm'));
  }
});

test('gauges of graphs: absent until the first counts, then those of the store', async (t) => {
  const server = await startTestServer(t);
  const scrape = async () => (await server.get('/metrics')).text();
  while (!(await scrape()).includes('\nsvc_graph_counts_ready 1\n'))
    await new Promise((resolve) => setTimeout(resolve, 10));
  const text = await scrape();
  assert.match(text, /^svc_graph_facts 0$/m);
  assert.match(text, /^svc_dataset_graphs\{class="committed",lifecycle="live"\} 2$/m);
  assert.match(text, /^svc_dataset_facts\{graph_class="ROOT"\} 0$/m);
  for (const name of ['age_seconds', 'last_success_timestamp_seconds', 'refresh_duration_seconds']) {
    assert.match(text, new RegExp(`^svc_graph_counts_${name} \\d`, 'm'));
  }
  assert.match(text, /^svc_graph_counts_refresh_failures_total 0$/m);
});

test('a server that stops takes nothing new, and what was accepted is in the store', async (t) => {
  const server = await startTestServer(t);
  const writes = Array.from({ length: 10 }, (_, at) =>
    server.post('/knot', { turtle: `<http://ex.org/${at}> <http://ex.org/p> ${at} .` }).then(
      ({ status }) => status,
      () => 0,
    ),
  );
  await new Promise((resolve) => setTimeout(resolve, 20));
  const closed = server.running.close();
  const statuses = await Promise.all(writes);
  await closed;
  const { openStore } = await import('../../interfaces/library/index.js');
  const store = await openStore(`${server.folder}/store.svc`, { readOnly: true });
  assert.equal(store.transactions().length, statuses.filter((status) => status === 200).length);
  await store.close();
  await assert.rejects(server.get('/health'));
});
