/** Pages in browsers: those of other origins write nothing unless they are listed, and caches are told of it. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { WRITE_ROUTES } from '../../interfaces/http/routes.js';
import { json, raw, startTestServer, type TestServer } from './support.js';

const UPDATE = 'INSERT DATA { <http://ex.org/a> <http://ex.org/p> 1 }';
const FORM = { 'Content-Type': 'application/x-www-form-urlencoded' };
const FORM_UPDATE = new URLSearchParams({ update: UPDATE }).toString();

async function submitForm(server: TestServer, origin: string, headers: Record<string, string> = {}): Promise<Response> {
  return server.send('POST', '/update', FORM_UPDATE, { ...FORM, Origin: origin, ...headers });
}

async function isRefused(response: Response, endpoint: string, origin: string): Promise<void> {
  assert.equal(response.status, 403, `${endpoint} ${origin}`);
  const { error, code, hint } = await json(response);
  assert.equal(code, 'origin_forbidden');
  assert.equal(error, `the origin ${origin} may not use ${endpoint}`);
  assert.match(String(hint), /cors_allowed_origins/);
}

test('a form of a foreign page writes nothing, whatever it says', async (t) => {
  const server = await startTestServer(t);
  const { port } = server.running.address;
  for (const origin of [
    'http://evil.example',
    `http://evil.example:${port}`,
    'null',
    `http://127.0.0.1:${port + 1}`,
    `http://localhost:${port}`,
    'http://127.0.0.1',
    `${server.base}.evil.example`,
    `ftp://127.0.0.1:${port}`,
    `http://127.0.0.1:${port}@evil.example`,
    `http://evil.example, ${server.base}`,
    `${server.base}/`,
    'http://[',
    'file://',
  ]) {
    await isRefused(await submitForm(server, origin), '/update', origin);
  }
  assert.deepEqual(server.running.store.transactions(), []);
  assert.equal(server.events('request_complete').at(-1)?.status, 403);
});

test('every route that writes refuses a foreign page, before it looks at token and body', async (t) => {
  const server = await startTestServer(t, { server: { auth_token: 'the-token' } });
  const bearer = { Authorization: 'Bearer the-token' };
  assert.ok(WRITE_ROUTES.size >= 5);
  for (const route of WRITE_ROUTES) {
    const [method, path] = route.split(' ') as [string, string];
    for (const headers of [{}, bearer] as Record<string, string>[]) {
      // Whether that writes is said by its action.
      const asked = path === '/ontology' ? '{"action":"load"}' : undefined;
      const type: Record<string, string> = asked === undefined ? {} : { 'Content-Type': 'application/json' };
      const response = await server.send(method, path, asked, { ...headers, ...type, Origin: 'http://evil.example' });
      await isRefused(response, path, 'http://evil.example');
    }
  }
  const read = await server.send('POST', '/query', 'query=ASK%20%7B%7D', { ...FORM, Origin: 'http://evil.example' });
  assert.equal(read.status, 200, 'reads are for everybody; without CORS headers the page does not see them');
});

test('own pages, listed ones and clients that are no browser write', async (t) => {
  const server = await startTestServer(t, { server: { cors_allowed_origins: ['http://app.example'] } });
  const { port } = server.running.address;
  for (const origin of [server.base, server.base.toUpperCase(), `https://127.0.0.1:${port}`, 'http://app.example']) {
    assert.equal((await submitForm(server, origin)).status, 200, origin);
  }
  assert.equal((await server.send('POST', '/update', FORM_UPDATE, FORM)).status, 200);
  for (const origin of ['https://app.example', 'http://app.example:8080', 'http://sub.app.example']) {
    await isRefused(await submitForm(server, origin), '/update', origin);
  }
  const ask = (host: string, origin: string) =>
    raw(
      server,
      `POST /update HTTP/1.1\r\nHost: ${host}\r\nOrigin: ${origin}\r\nConnection: close\r\n` +
        `Content-Type: ${FORM['Content-Type']}\r\nContent-Length: ${FORM_UPDATE.length}\r\n\r\n${FORM_UPDATE}`,
    );
  for (const [host, origin] of [
    ['localhost', 'http://localhost'],
    ['localhost:80', 'http://localhost'],
    ['localhost', 'https://localhost'],
    ['LOCALHOST:9', 'http://localhost:9'],
    ['[::1]:9', 'http://[::1]:9'],
  ] as const) {
    assert.match(await ask(host, origin), /^HTTP\/1.1 200/, `${host} ${origin}`);
  }
  assert.match(await ask('localhost', 'http://localhost:9'), /^HTTP\/1.1 403/);
  assert.match(await ask('localhost:80', 'https://localhost'), /^HTTP\/1.1 403/);
});

test('caches learn of everything that an answer varies by', async (t) => {
  const server = await startTestServer(t, { server: { cors_allowed_origins: ['http://app.example'] } });
  await server.post('/knot', { turtle: '<http://ex.org/a> <http://ex.org/p> 1 .' });
  const varies = async (path: string, headers: Record<string, string>): Promise<string> => {
    const response = await server.get(path, headers);
    await response.text();
    assert.equal(response.status, 200, path);
    return response.headers.get('vary') ?? '';
  };
  const entity = '/entity?iri=http://ex.org/a';
  for (const headers of [{}, { Origin: 'http://app.example' }, { Origin: 'http://evil.example' }] as Record<
    string,
    string
  >[]) {
    assert.equal(await varies('/query?query=ASK%20%7B%7D', headers), 'Origin, Accept, Accept-Encoding');
    assert.equal(await varies('/fragments', headers), 'Origin, Accept, Accept-Encoding');
    assert.equal(await varies('/rdf-graph-store?default', headers), 'Origin, Accept, Accept-Datetime, Accept-Encoding');
    assert.equal(await varies(entity, headers), 'Origin, Accept, Accept-Datetime, Accept-Encoding');
    assert.equal(await varies('/stats', headers), 'Origin, Accept-Encoding');
  }
  const closed = await startTestServer(t);
  const response = await closed.get('/query?query=ASK%20%7B%7D');
  assert.equal(response.headers.get('vary'), 'Accept, Accept-Encoding');
});
