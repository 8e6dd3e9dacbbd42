/** What browsers get: pages that run nothing foreign, pages for failures, an icon; and what pages of other origins may send. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { json, sharedTestServer, startTestServer } from './support.js';

const theServer = sharedTestServer();
const BROWSER = { Accept: 'text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8' };
const SECURITY = ['content-security-policy', 'x-content-type-options', 'referrer-policy'];

test('pages of entities and cards run nothing, and stand in no foreign frame', async () => {
  const server = await theServer();
  await server.post('/knot', { turtle: '<http://ex.org/a> <http://ex.org/p> <http://ex.org/b> .' });
  const headersOf = async (path: string) => {
    const response = await server.get(path, BROWSER);
    assert.match(response.headers.get('content-type') ?? '', /^text\/html/, path);
    return SECURITY.map((name) => response.headers.get(name));
  };
  const expected = await headersOf('/docs');
  assert.match(expected[0] ?? '', /^default-src 'none'.*frame-ancestors 'none'$/);
  for (const path of [
    '/entity?iri=http://ex.org/a',
    '/entity/http%3A%2F%2Fex.org%2Fa/html',
    '/preview/http%3A%2F%2Fex.org%2Fa',
    '/entity?iri=http://ex.org/nobody',
  ]) {
    assert.deepEqual(await headersOf(path), expected, path);
  }
  const data = await server.get('/entity?iri=http://ex.org/a', { Accept: 'text/turtle' });
  assert.equal(data.headers.get('content-security-policy'), null);
});

test('a browser that is led to an entity gets the page of the web UI, whether the entity is there now or not', async () => {
  const server = await theServer();
  await server.post('/knot', { turtle: '<http://ex.org/a> <http://ex.org/p> <http://ex.org/b> .' });
  for (const [name, status] of [
    ['a', 200],
    ['nobody', 404],
  ] as const) {
    const page = await server.get(`/entity/http%3A%2F%2Fex.org%2F${name}`, BROWSER);
    assert.deepEqual([page.status, page.headers.get('content-type')], [status, 'text/html; charset=utf-8']);
    assert.match(page.headers.get('vary') ?? '', /^Accept, Accept-Datetime/);
    assert.match(
      page.headers.get('content-security-policy') ?? '',
      /^default-src 'none'; style-src 'self' 'sha256-[\w+/]{43}='; script-src 'self';/,
    );
    assert.match(await page.text(), /<svc-page endpoint="\/" version="[^"]+"><\/svc-page>/);
    const data = await server.get(`/entity/http%3A%2F%2Fex.org%2F${name}`, { Accept: 'text/turtle' });
    assert.equal(data.status, status);
  }
});

test('where reads need a token the page of an entity comes without one, and tells nothing', async (t) => {
  const keys = { auth_token: 'the-token', require_token_for_reads: true };
  const server = await startTestServer(t, { server: keys });
  const turtle = '<http://ex.org/a> <http://ex.org/secret> "s3cret" .';
  await server.post('/knot', { turtle }, { Authorization: 'Bearer the-token' });
  const page = await server.get('/entity/http%3A%2F%2Fex.org%2Fa', BROWSER);
  assert.equal(page.status, 401);
  const text = await page.text();
  assert.match(text, /<svc-page /);
  assert.doesNotMatch(text, /s.?3cret|<b>\d/);
});

test('a browser that asks for what is not there gets a page; programs get JSON', async () => {
  const server = await theServer();
  const nobody = encodeURIComponent('http://ex.org/<nobody>');
  for (const path of ['/entity?iri=http://ex.org/nobody', '/preview/http%3A%2F%2Fex.org%2Fnobody']) {
    const page = await server.get(path, BROWSER);
    assert.deepEqual([page.status, page.headers.get('content-type')], [404, 'text/html; charset=utf-8'], path);
    assert.match(page.headers.get('vary') ?? '', /Accept/);
    assert.match(await page.text(), /<p class="error">entity not found: http:\/\/ex\.org\/nobody<\/p>/);
    for (const accept of ['*/*', 'application/json', 'application/ld+json', 'application/json, text/html;q=0.5']) {
      const told = await server.get(path, { Accept: accept });
      assert.equal(told.status, 404);
      assert.equal((await json(told)).code, 'not_found', accept);
    }
  }
  const malformed = await server.get(`/entity/${nobody}`, BROWSER);
  const text = await malformed.text();
  assert.ok(malformed.status >= 400 && text.includes('&lt;nobody&gt;') && !text.includes('<nobody>'), text);
  assert.equal((await json(await server.get('/entity/http%3A%2F%2Fex.org%2Fnobody/json', BROWSER))).code, 'not_found');
  assert.equal((await json(await server.get('/query', BROWSER))).code, 'invalid_request');
});

test('a card may be shown by pages of listed origins, and by no other', async (t) => {
  const server = await startTestServer(t, { server: { cors_allowed_origins: ['http://app.example'] } });
  await server.post('/knot', { turtle: '<http://ex.org/a> <http://ex.org/p> 1 .' });
  const policy = async (path: string) => (await server.get(path, BROWSER)).headers.get('content-security-policy') ?? '';
  assert.match(await policy('/preview/http%3A%2F%2Fex.org%2Fa'), /frame-ancestors http:\/\/app\.example$/);
  assert.match(await policy('/entity?iri=http://ex.org/a'), /frame-ancestors 'none'$/);
  const preflight = await server.send('OPTIONS', '/update', undefined, {
    Origin: 'http://app.example',
    'Access-Control-Request-Method': 'POST',
    'Access-Control-Request-Headers': 'X-Svc-Actor',
  });
  const allowed = (preflight.headers.get('access-control-allow-headers') ?? '').split(/,\s*/);
  for (const name of ['X-Svc-Actor', 'Accept-Datetime', 'X-Svc-Principal-Chain', 'Authorization']) {
    assert.ok(allowed.includes(name), name);
  }
});

test('the icon that browsers ask for is there', async () => {
  const icon = await (await theServer()).get('/favicon.ico');
  assert.deepEqual([icon.status, icon.headers.get('content-type')], [200, 'image/svg+xml']);
  assert.match(await icon.text(), /^<svg [\s\S]*<\/svg>$/);
});

test('what the start tells people stands in a line for programs, too', async () => {
  const server = await theServer();
  const { ts: _, ...facts } = server.events('server_start').at(0) ?? {};
  assert.deepEqual(facts, {
    event: 'server_start',
    address: `127.0.0.1:${server.running.address.port}`,
    public_url: null,
    db: server.running.store.path,
    read_pool: 1,
    writes_need_token: false,
    reads_need_token: false,
    read_only: false,
  });
  assert.ok(server.lines.some((line) => /^svc-server listening on 127\.0\.0\.1:\d+ \(db: /.test(line)));
});
