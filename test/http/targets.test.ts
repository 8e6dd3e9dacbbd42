/** What requests are sent to and by which method: targets, parameters, HEAD, OPTIONS, expectations, tokens given twice. */
import assert from 'node:assert/strict';
import { connect } from 'node:net';
import { test } from 'node:test';
import { uiManifest } from '../../interfaces/http/pages/ui-files.js';
import { ASSETS_PATH, OPERATION_ROUTES, SERVER_ROUTES } from '../../interfaces/http/routes.js';
import { MALFORMED_TIMES } from '../malformed-times.js';
import { BEARER, FORM, refuses, Servers, TOKEN } from './errors/support.js';
import { json, raw, startTestServer } from './support.js';
import { tellsNothing, unharmed } from './unharmed.js';

const ALICE = encodeURIComponent('http://ex.org/alice');

/** A request to each GET that answers 200. */
const GETS: Readonly<Record<string, string>> = {
  '/query': '/query?query=ASK%20%7B%7D',
  '/entity': `/entity?iri=${ALICE}`,
  '/entity/{iri}': `/entity/${ALICE}`,
  '/entity/{iri}/json': `/entity/${ALICE}/json`,
  '/entity/{iri}/ttl': `/entity/${ALICE}/ttl`,
  '/entity/{iri}/html': `/entity/${ALICE}/html`,
  '/preview/{iri}': `/preview/${ALICE}`,
  '/rdf-graph-store': '/rdf-graph-store?default',
  '/shapes/{name}': '/shapes/some',
  [ASSETS_PATH]: `/assets/${uiManifest().page}`,
};

test('every GET answers HEAD: the same status and headers, no body; and OPTIONS without CORS is 405 with Allow', async (t) => {
  const server = await new Servers(t).plain();
  const withOwl = await startTestServer(t, { features: { owl: true } });
  const turtle = '<urn:S> <http://www.w3.org/ns/shacl#targetNode> <urn:none> .';
  assert.equal((await server.post('/shapes', { action: 'load', name: 'some', turtle })).status, 200);
  const own = SERVER_ROUTES.filter((route) => route.startsWith('GET ')).map((route) => route.slice('GET '.length));
  const gets = OPERATION_ROUTES.filter(({ route }) => route.method === 'GET').map(({ route }) => route.path);
  for (const template of [...own, ...gets]) {
    const path = GETS[template] ?? template;
    const plain = { 'Accept-Encoding': 'identity' };
    const asked = path === '/ontology' ? withOwl : server;
    const [get, head] = [await asked.get(path, plain), await asked.send('HEAD', path, undefined, plain)];
    const body = await get.arrayBuffer();
    assert.equal(get.status, 200, path);
    assert.equal(head.status, 200, path);
    assert.equal((await head.arrayBuffer()).byteLength, 0);
    const told = (response: Response) =>
      ['content-type', 'vary', 'x-svc-labels', 'cache-control'].map((name) => response.headers.get(name));
    assert.deepEqual(told(head), told(get), path);
    // Figures and counts of a server are others with every request.
    if (!['/metrics', '/stats', '/queries/running'].includes(path)) {
      assert.equal(head.headers.get('content-length'), String(body.byteLength), path);
    }
    const options = await server.send('OPTIONS', path);
    assert.equal(options.status, 405, path);
    assert.match(options.headers.get('allow') ?? '', /^(?:DELETE, )?GET, HEAD/);
    assert.equal(options.headers.get('access-control-allow-origin'), null);
  }
});

test('targets in absolute form: the path counts, and the name has to be the one of Host', async (t) => {
  const server = await new Servers(t).plain();
  const ask = (target: string, host = 'localhost') =>
    raw(server, `GET ${target} HTTP/1.1\r\nHost: ${host}\r\nConnection: close\r\n\r\n`);
  for (const target of ['http://localhost/health', 'HTTP://LOCALHOST/health', 'http://localhost/health?x=http://a/']) {
    assert.match(await ask(target), /^HTTP\/1\.1 200 .*\{"status":"ok"\}$/s, target);
  }
  assert.match(await ask('http://127.0.0.1:99/stats', '127.0.0.1:99'), /^HTTP\/1\.1 200 /);
  assert.match(await ask('http://localhost'), /^HTTP\/1\.1 200 .*<!doctype html>/is, 'no path is the first page');
  assert.match(await ask('http://localhost?x'), /^HTTP\/1\.1 200 .*<!doctype html>/is);
  assert.match(await ask(`http://localhost/entity/${ALICE}/ttl`), /^HTTP\/1\.1 200 .*"Alice"/s);
  assert.match(await ask('http://localhost/entity/http://ex.org/alice/ttl'), /^HTTP\/1\.1 200 .*"Alice"/s);
  for (const [target, error] of [
    ['http://evil.example/health', /the target names another server than Host does/],
    ['http://localhost:1/health', /the target names another server/],
    ['http://localhost@evil.example/health', /the target names another server/],
    ['http:///health', /the target names another server/],
    ['*', /the target is not a path/],
    ['ftp://localhost/health', /not a path|no route/],
  ] as const) {
    const answer = await ask(target);
    assert.match(answer, /^HTTP\/1\.1 40[04] /, `${target}: ${answer}`);
    assert.match(answer, error, target);
  }
  assert.match(await ask('http://evil.example/health', 'evil.example'), /^HTTP\/1\.1 403 /);
  const post = `POST http://localhost/knot HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\nContent-Type: application/json\r\nContent-Length: 13\r\n\r\n{"turtle":""}`;
  assert.match(await raw(server, post), /^HTTP\/1\.1 200 /);
});

test('paths and parameters that are odd: overlong and broken UTF-8, surrogates, NUL, doubled slashes', async (t) => {
  const server = await startTestServer(t);
  const cases: readonly [target: string, status: number][] = [
    ['//health', 404],
    ['/health//', 404],
    ['/%2e%2e/health', 404],
    ['/./health', 404],
    ['/health%00', 404],
    ['/%c0%afhealth', 400],
    ['/entity/%c0%80', 400],
    ['/entity/%ed%a0%80', 400],
    ['/entity/%f5%80%80%80', 400],
    ['/entity/http:%2F%2Fex.org%2F%00', 400],
    ['/preview/relative', 400],
    ['/stats?%00=%00&=&&&%zz=%', 200],
    ['/stats?x=%ff', 400],
    ['/stats?%c0%af', 400],
    ['/query?query=ASK%7B%7D&query=ASK%7B%7D', 400],
    ['/query?query=SELECT%20(%22%ed%a0%80%22%20AS%20?x)%20%7B%7D', 400],
    ['/query?query=SELECT%20(%22%ef%bf%bd%22%20AS%20?x)%20%7B%7D', 200],
    ['/query?query=SELECT%20(%22100%%22%20AS%20?x)%20%7B%7D', 200],
    ['/changes?since=1&since=1', 400],
    ['/rdf-graph-store?graph=%c0%af', 400],
    ['/fragments?subject=http://ex.org/%00', 400],
    ['/fragments?subject=_:', 400],
  ];
  for (const [target, status] of cases) {
    const answer = await raw(server, `GET ${target} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n`);
    assert.match(answer, new RegExp(`^HTTP/1\\.1 ${status} `), `${target}: ${answer.slice(0, 400)}`);
    tellsNothing(server, answer);
  }
  for (const [type, text] of [
    ['application/x-www-form-urlencoded', 'update=INSERT%20DATA%20%7B%20%3Ca:b%3E%20%3Ca:b%3E%20%22%ff%22%20%7D'],
    [
      'application/sparql-update',
      new Uint8Array([...new TextEncoder().encode('INSERT DATA { <a:b> <a:b> "'), 0xff, 0x22, 0x7d]),
    ],
  ] as const) {
    const response = await server.send('POST', '/update', text, { 'Content-Type': type });
    assert.deepEqual([response.status, (await json(response)).code], [400, 'invalid_utf8'], type);
  }
  await unharmed(server);
});

test('parameters are fields and nothing else: names of every object, many of them, some of them twice', async (t) => {
  const server = await new Servers(t).plain();
  const odd = '__proto__=1&constructor=2&toString=3&hasOwnProperty=4';
  const stats = await json(await server.get(`/stats?${odd}`));
  assert.deepEqual(stats.ignored_fields, ['__proto__', 'constructor', 'hasOwnProperty', 'toString']);
  const asked = await json(await server.send('POST', '/query', `query=ASK%20%7B%7D&${odd}&${odd}`, FORM));
  assert.deepEqual([asked.result, asked.ignored_fields], [true, undefined]);
  const twice = { status: 400, code: 'invalid_request', error: /^'constructor' stands in the request 2 times$/ };
  await refuses(server, () => server.get('/stats?constructor=1&constructor=2'), twice);
  const many = Array.from({ length: 9000 }, (_, at) => `p${at.toString(36)}`);
  const all = t.mock.method(URLSearchParams.prototype, 'getAll');
  const answer = await json(await server.get(`/stats?${many.join('&')}`));
  assert.equal((answer.ignored_fields as string[]).length, many.length);
  assert.ok(all.mock.callCount() < 100, 'the list is not gone through for each of its names');
  t.mock.restoreAll();
  const form = `query=ASK%20%7B%7D&${'a=1&'.repeat(10_000)}`;
  await refuses(server, () => server.send('POST', '/query', form, FORM), {
    status: 400,
    code: 'invalid_request',
    error: /^the form has more than 10000 parameters$/,
  });
});

test('times of no calendar are refused on every route that takes one', async (t) => {
  const server = await new Servers(t).plain();
  const update = { 'Content-Type': 'application/sparql-update' };
  for (const time of MALFORMED_TIMES) {
    const field = encodeURIComponent(time);
    for (const [send, error] of [
      [() => server.post('/query', { query: 'ASK {}', valid_at: time }), /valid_at/],
      [() => server.get(`/query?query=ASK%7B%7D&valid_at=${field}`), /valid_at/],
      [() => server.post('/unravel', { valid_at: time }), /valid_at/],
      [() => server.post('/knot', { turtle: '<a:b> <a:c> 1 .', timestamp: time }), /timestamp/],
      [() => server.post('/knot', { turtle: '<a:b> <a:c> 1 .', valid_from: time }), /valid_from/],
      [() => server.post('/retract', { entity: 'http://ex.org/alice', timestamp: time }), /timestamp/],
      [() => server.send('POST', `/update?timestamp=${field}`, 'INSERT DATA { <a:b> <a:c> 1 }', update), /timestamp/],
    ] as const) {
      await refuses(server, send, { status: 400, code: 'invalid_request', error });
    }
  }
});

test('transactions beyond the last are refused, and as a cursor they have nothing behind them', async (t) => {
  const server = await new Servers(t).plain();
  for (const tx of [2, 99, 2 ** 32 + 1, Number.MAX_SAFE_INTEGER]) {
    const refused = {
      status: 400,
      code: 'invalid_request',
      error: /^there is no transaction \d+ yet: the latest is 1$/,
    } as const;
    await refuses(server, () => server.post('/query', { query: 'ASK { ?s ?p ?o }', tx }), refused);
    await refuses(server, () => server.post('/unravel', { tx }), refused);
    assert.deepEqual((await json(await server.get(`/transactions?since=${tx}`))).transactions, []);
  }
  assert.equal((await json(await server.post('/query', { query: 'ASK { ?s ?p ?o }', tx: 0 }))).result, false);
  for (const tx of ['-1', '1.5', '1e400', '1e300', '"5"', 'true', '[1]', '{}', '-1e-400.5']) {
    const body = `{"query":"ASK {}","tx":${tx}}`;
    await refuses(server, () => server.send('POST', '/query', body, { 'Content-Type': 'application/json' }), {
      status: 400,
      code: 'invalid_request',
      error: /tx|JSON/,
    });
  }
  await refuses(server, () => server.send('POST', '/cord', '{"limit":1e400}', { 'Content-Type': 'application/json' }), {
    status: 400,
    code: 'invalid_request',
    error: /'limit' is Infinity; expected an integer/,
  });
});

test('a token given twice is refused, whichever comes first; the scheme may be in any case', async (t) => {
  const server = await new Servers(t).guarded();
  const knot = (...headers: string[]) =>
    raw(
      server,
      `POST /knot HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n${headers.map((one) => `${one}\r\n`).join('')}Content-Type: application/json\r\nContent-Length: 13\r\n\r\n{"turtle":""}`,
    );
  const good = `Authorization: ${BEARER.Authorization}`;
  for (const headers of [
    [good, 'Authorization: Bearer wrong'],
    ['authorization: Bearer wrong', good],
    [good, good],
  ]) {
    assert.match(await knot(...headers), /^HTTP\/1\.1 400 .*Authorization is given twice/s);
  }
  assert.match(await knot(`Authorization: Bearer ${TOKEN}, Bearer wrong`), /^HTTP\/1\.1 401 /);
  for (const scheme of ['bearer', 'BEARER', 'bEaReR']) {
    assert.match(await knot(`Authorization: ${scheme} ${TOKEN}`), /^HTTP\/1\.1 200 /, scheme);
  }
});

test('a client that waits to be asked for its body is asked only where it is wanted', async (t) => {
  const server = await new Servers(t).guarded();
  const told = (path: string, headers: string, length: number): Promise<string> => {
    const head = `POST ${path} HTTP/1.1\r\nHost: localhost\r\nExpect: 100-continue\r\n${headers}Content-Length: ${length}\r\n\r\n`;
    return new Promise((resolve) => {
      let text = '';
      const socket = connect(server.running.address.port, '127.0.0.1', () => socket.write(head));
      socket.setEncoding('utf8').on('data', (chunk: string) => {
        text += chunk;
        if (/^HTTP\/1\.1 100 /.test(text)) socket.destroy();
      });
      socket.once('close', () => resolve(text));
    });
  };
  const type = 'Content-Type: application/json\r\n';
  const bearer = `Authorization: ${BEARER.Authorization}\r\n`;
  for (const [path, headers, length, status] of [
    ['/knot', type, 20, 401],
    ['/knot', `${type}${bearer}`, 65 * 1024 * 1024, 413],
    ['/knot', bearer, 20, 415],
    ['/query', 'Content-Type: text/plain\r\n', 20, 415],
    ['/nowhere', type, 20, 404],
    ['/health', type, 20, 405],
  ] as const) {
    const answer = await told(path, headers, length);
    assert.match(answer, new RegExp(`^HTTP/1\\.1 ${status} `), answer);
    assert.match(answer, /^connection: close\r$/im, 'nobody knows whether the body comes');
  }
  assert.match(await told('/knot', `${type}${bearer}`, 20), /^HTTP\/1\.1 100 Continue\r\n\r\n$/);
  assert.match(await told('/query', 'Content-Type: application/sparql-query\r\n', 20), /^HTTP\/1\.1 100 Continue/);
});

test('parameters that nobody declared change nothing of an entity, and are not reported', async (t) => {
  const server = await startTestServer(t);
  await server.post('/knot', { turtle: '<http://ex.org/a> <http://ex.org/p> 1 .' });
  const iri = encodeURIComponent('http://ex.org/a');
  for (const path of [`/entity?iri=${iri}`, `/entity/${iri}`, `/entity/${iri}/json`]) {
    for (const accept of ['application/ld+json', 'text/turtle', 'text/html', 'application/json']) {
      const plain = await server.get(path, { Accept: accept });
      const more = `${path}${path.includes('?') ? '&' : '?'}zebra=1&zebra=2&utm=x`;
      const answer = await server.get(more, { Accept: accept });
      assert.equal(answer.status, 200, more);
      assert.equal(answer.headers.get('x-svc-ignored-fields'), null, `${more} ${accept}`);
      assert.equal(await answer.text(), await plain.text());
    }
  }
  const expanded = await server.get(`/entity/${iri}/json?expanded=true&zebra=1`);
  assert.ok(!('@context' in (await json(expanded))), 'what is declared counts');
});
