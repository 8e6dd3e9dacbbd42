/** Who may do what: tokens, the registry of credentials, read-only servers, names, origins. */
import assert from 'node:assert/strict';
import { createHash, randomBytes } from 'node:crypto';
import { mkdtempSync, writeFileSync } from 'node:fs';
import type { IncomingMessage } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import {
  Credentials,
  NAMED_TOKEN_CHARACTERS_MIN,
  readCredentialRegistry,
} from '../../engine/governance/credentials.js';
import { withDefaults } from '../../engine/service/configuration/keys.js';
import { OPERATIONS } from '../../engine/service/operations/index.js';
import { checkHost } from '../../interfaces/http/addresses/host.js';
import { PublicName } from '../../interfaces/http/addresses/public-name.js';
import { type AccessRules, admit } from '../../interfaces/http/guard/access.js';
import { SERVER_ROUTES, WRITE_ROUTES } from '../../interfaces/http/routes.js';
import { startServer } from '../../interfaces/http/serve.js';
import { json, raw, startTestServer } from './support.js';

const TURTLE = { turtle: '<http://ex.org/a> <http://ex.org/p> 1 .' };
const TOKEN = randomBytes(32).toString('base64url');
const ANN_TOKEN = randomBytes(32).toString('base64url');

/** Wire shapes, 19: what the specification calls a write, of the routes that exist; and what ends the work of others. */
const WRITE_PATHS = new Set(
  `/update /knot /set /retract /retract/source /episode /episodes/complete /episode/retract /shapes /reason /project
   /embed_backfill /graph/create /graph/label /graph/freeze /graph/thaw /import /import/promote /subscriptions /datasets
   /ontology /queries /queries/cancel /propose /proposal/accept /proposal/reject /overlay/create /overlay/write /events/commit /align/apply`.split(
    /\s+/,
  ),
);
const GRAPH_STORE_WRITES = new Set(['PUT', 'POST', 'DELETE']);

function isWrite(method: string, path: string): boolean {
  if (path === '/rdf-graph-store') return GRAPH_STORE_WRITES.has(method);
  // What a path lists is open where a GET asks for it.
  return method !== 'GET' && WRITE_PATHS.has(path);
}

test('every route is classified, and as the specification says', () => {
  const routes = OPERATIONS.flatMap(({ projections }) => projections.http ?? []);
  assert.ok(routes.length >= 5);
  for (const { method, path } of routes) {
    assert.equal(WRITE_ROUTES.has(`${method} ${path}`), isWrite(method, path), `${method} ${path}`);
  }
  for (const route of SERVER_ROUTES) assert.ok(!WRITE_ROUTES.has(route), route);
  const seen = routes.map(({ method, path }) => `${method} ${path}`);
  assert.equal(new Set(seen).size, seen.length, 'a route belongs to one operation');
});

test('writes need the bearer when a token is configured; refusals say which and why', async (t) => {
  const server = await startTestServer(t, { server: { auth_token: TOKEN, previous_auth_token: 'the-previous-one' } });
  assert.ok(server.lines.includes('write endpoints require a bearer token\n'));
  for (const headers of [
    {},
    { Authorization: 'Bearer wrong' },
    { Authorization: TOKEN },
    { Authorization: `Basic ${TOKEN}` },
    { Authorization: 'Bearer' },
    { 'X-Auth-Token': TOKEN },
  ] as Record<string, string>[]) {
    const response = await server.post('/knot', TURTLE, headers);
    assert.equal(response.status, 401);
    assert.equal(response.headers.get('www-authenticate'), 'Bearer');
    const body = await json(response);
    assert.equal(body.endpoint, '/knot');
    assert.equal(body.reason, 'missing_or_invalid_bearer_token');
    assert.equal(body.code, 'unauthorized');
    assert.equal(typeof body.error, 'string');
  }
  assert.equal((await server.post(`/knot?token=${TOKEN}`, { ...TURTLE, token: TOKEN })).status, 401);
  assert.deepEqual(server.running.store.transactions(), [], 'nothing was written');
  assert.equal((await server.post('/knot', TURTLE, { Authorization: `Bearer ${TOKEN}` })).status, 200);
  assert.equal((await server.post('/knot', TURTLE, { Authorization: 'bearer the-previous-one' })).status, 200);
  assert.equal((await server.get('/health')).status, 200);
  assert.ok(!server.lines.join('').includes(TOKEN), 'no token in a log line');
  assert.deepEqual([...new Set(server.events('request_complete').map(({ auth_outcome: outcome }) => outcome))].sort(), [
    'missing_or_invalid',
    'not_required',
    'shared_bearer',
  ]);
});

test('a server that only reads refuses every write, before it looks at the token', async (t) => {
  const made = await startTestServer(t, {});
  await made.post('/knot', TURTLE);
  await made.running.close();
  const server = await startTestServer(
    t,
    { server: { auth_token: TOKEN, read_only: true } },
    { path: join(made.folder, 'store.svc') },
  );
  assert.ok(server.lines.includes('server is READ-ONLY — every write is refused\n'));
  for (const headers of [{}, { Authorization: `Bearer ${TOKEN}` }] as Record<string, string>[]) {
    const response = await server.post('/knot', TURTLE, headers);
    assert.equal(response.status, 403);
    const { endpoint, reason, code } = await json(response);
    assert.deepEqual(
      { endpoint, reason, code },
      { endpoint: '/knot', reason: 'server_is_read_only', code: 'read_only' },
    );
  }
  assert.equal((await server.get('/health')).status, 200);
});

function registry(credentials: unknown, version: unknown = 1): string {
  const path = join(mkdtempSync(join(tmpdir(), 'svc-registry-')), 'credentials.json');
  writeFileSync(path, typeof credentials === 'string' ? credentials : JSON.stringify({ version, credentials }));
  return path;
}

const digest = (token: string): string => createHash('sha256').update(token).digest('hex');
const ANN = {
  credential_id: 'c1',
  principal: 'http://ex.org/people/ann',
  audience: 'svc',
  token_sha256: digest(ANN_TOKEN),
};

test('named credentials write under their own name, with audit lines of one correlation id', async (t) => {
  const file = registry([ANN, { ...ANN, credential_id: 'c2', token_sha256: digest(TOKEN) }]);
  const server = await startTestServer(t, { server: { auth_token: TOKEN, crew_credentials_file: file } });
  assert.equal((await server.post('/knot', TURTLE, { Authorization: `Bearer ${ANN_TOKEN}` })).status, 200);
  const [begin] = server.events('authenticated_request_start');
  const [complete] = server.events('authenticated_request_complete');
  assert.equal(begin?.credential_id, 'c1');
  assert.equal(begin?.principal, ANN.principal);
  assert.equal(begin?.route, '/knot');
  assert.equal(begin?.correlation_id, complete?.correlation_id);
  assert.equal(complete?.status, 200);
  assert.equal(typeof complete?.duration_ms, 'number');
  // The shared token stays shared, although an entry of the registry repeats it.
  await server.post('/knot', TURTLE, { Authorization: `Bearer ${TOKEN}` });
  assert.equal(server.events('authenticated_request_start').length, 1);
  assert.equal(server.events('request_complete').at(-1)?.auth_outcome, 'shared_bearer');
});

test('a registry that is not valid is reported without what it says; the shared token goes on', async (t) => {
  const cases: readonly [unknown, RegExp][] = [
    ['{"version": 1, "credentials": [{"secret-inside"', /not JSON/],
    [registryText({ version: 2, credentials: [] }), /version is not 1/],
    [registryText({ version: 1 }), /credentials is not an array/],
    [[{ ...ANN, audience: 'other' }], /audience is not svc/],
    [[{ ...ANN, principal: 'ann' }], /principal is missing or not of its form/],
    [[{ ...ANN, token_sha256: digest('x').toUpperCase() }], /token_sha256/],
    [[ANN, ANN], /stands there twice/],
    [['secret-inside'], /credentials\[0\] is not an object/],
  ];
  for (const [credentials, message] of cases) {
    const path = registry(credentials);
    assert.throws(
      () => readCredentialRegistry(path),
      (error: Error) => message.test(error.message) && !error.message.includes('secret-inside'),
      String(message),
    );
  }
  assert.throws(() => readCredentialRegistry('/nowhere/at/all.json'), /can't be read \(ENOENT\)/);
  const file = registry([{ ...ANN, audience: 'other' }]);
  const server = await startTestServer(t, { server: { auth_token: TOKEN, crew_credentials_file: file } });
  assert.ok(server.lines.some((line) => line.startsWith('named credentials are INACTIVE')));
  assert.equal((await server.post('/knot', TURTLE, { Authorization: `Bearer ${ANN_TOKEN}` })).status, 401);
  assert.equal((await server.post('/knot', TURTLE, { Authorization: `Bearer ${TOKEN}` })).status, 200);
});

test('a registry that names nobody opens nothing: without a shared token every write is refused', async (t) => {
  for (const file of [registry('{'), registry([]), registry([{ ...ANN, audience: 'other' }]), '/nowhere/at/all.json']) {
    const server = await startTestServer(t, { server: { crew_credentials_file: file } });
    assert.ok(server.lines.some((line) => line.startsWith('named credentials are INACTIVE')));
    assert.ok(server.lines.includes('there is NO token that is accepted: every write is refused\n'));
    for (const headers of [{}, { Authorization: `Bearer ${ANN_TOKEN}` }] as Record<string, string>[]) {
      const response = await server.post('/knot', TURTLE, headers);
      assert.equal(response.status, 401, file);
      assert.equal((await json(response)).reason, 'missing_or_invalid_bearer_token');
    }
    assert.deepEqual(server.running.store.transactions(), []);
    assert.equal((await server.get('/stats')).status, 200, 'reads are open');
    assert.equal(server.events('request_complete').at(0)?.auth_outcome, 'missing_or_invalid');
  }
});

function registryText(value: unknown): string {
  return JSON.stringify(value);
}

test('credentials: no token fits another one, whatever their lengths', () => {
  const NAMED = 'n'.repeat(NAMED_TOKEN_CHARACTERS_MIN);
  const credentials = new Credentials(
    ['one', 'two'],
    [
      { credentialId: 'c', principal: 'urn:x:y', tokenSha256: digest(NAMED) },
      { credentialId: 'd', principal: 'urn:x:z', tokenSha256: digest(NAMED.slice(1)) },
    ],
  );
  assert.equal(credentials.authenticate('one')?.authClass, 'legacy_shared_bearer');
  assert.equal(credentials.authenticate('two')?.authClass, 'legacy_shared_bearer');
  assert.equal(credentials.authenticate(NAMED)?.principal, 'urn:x:y');
  assert.equal(credentials.authenticate(NAMED.slice(1)), null, 'too short to name somebody');
  for (const token of ['', 'on', 'onee', 'ONE', digest(NAMED)])
    assert.equal(credentials.authenticate(token), null, token);
  assert.equal(new Credentials([]).required, false);
  assert.deepEqual([new Credentials([], []).required, new Credentials([], []).any], [true, false]);
});

test('who reads with a token that nobody asked for is known, and nobody is refused for want of one', () => {
  const token = 'n'.repeat(NAMED_TOKEN_CHARACTERS_MIN);
  const named = [{ credentialId: 'c', principal: 'urn:x:ann', tokenSha256: digest(token) }];
  const open = { readOnly: false, protectsReads: false, credentials: new Credentials(['one'], named) };
  const read = (authorization: string | undefined, rules: AccessRules) =>
    admit('read', '/query', authorization === undefined ? {} : { authorization }, rules);
  const known = read(`Bearer ${token}`, open);
  assert.equal(known.reader?.principal, 'urn:x:ann');
  // It is counted and logged as before.
  assert.deepEqual([known.outcome, known.principal, known.refusal], ['not_required', null, null]);
  for (const authorization of [undefined, 'Bearer two', `Basic ${token}`]) {
    assert.deepEqual([read(authorization, open).reader, read(authorization, open).refusal], [null, null]);
  }
  assert.equal(read('Bearer one', open).reader?.authClass, 'legacy_shared_bearer');
  const needed = { ...open, protectsReads: true };
  assert.equal(read(`Bearer ${token}`, needed).reader?.principal, 'urn:x:ann');
  assert.equal(read('Bearer two', needed).refusal?.code, 'unauthorized');
  assert.equal(admit('open', '/health', { authorization: `Bearer ${token}` }, open).reader, null);
});

test('a server on loopback answers only to its own names', async (t) => {
  const server = await startTestServer(t);
  const ask = (host: string) => raw(server, `GET /health HTTP/1.1\r\nHost: ${host}\r\nConnection: close\r\n\r\n`);
  for (const host of ['localhost', 'localhost:9', '127.0.0.1:80', '127.4.5.6', '[::1]:3030', 'LOCALHOST']) {
    assert.match(await ask(host), /^HTTP\/1.1 200/, host);
  }
  for (const host of ['evil.example', '127.0.0.1.evil.example', 'localhost.evil.example:80', '10.0.0.1', '[::2]']) {
    const answer = await ask(host);
    assert.match(answer, /^HTTP\/1.1 403/, host);
    assert.match(answer, /"code":"host_forbidden"/);
  }
});

test('beyond loopback nothing starts without a token, unless somebody insists', async () => {
  const configuration = withDefaults({ server: { bind: '0.0.0.0:0', read_pool_size: 0 } });
  const options = { path: ':memory:', configuration, write: () => undefined };
  await assert.rejects(startServer({ ...options, insecure: false }), /nothing protects writes/);
  const running = await startServer({ ...options, insecure: true });
  await running.close();
});

test('a server on every address whose writes are open answers over loopback only to loopback names', async (t) => {
  const text = (host: string) => `GET /health HTTP/1.1\r\nHost: ${host}\r\nConnection: close\r\n\r\n`;
  const open = await startTestServer(t, { server: { bind: '0.0.0.0:0' } }, { insecure: true });
  assert.match(await raw(open, text('localhost')), /^HTTP\/1.1 200/);
  assert.match(await raw(open, text('evil.example')), /^HTTP\/1.1 403 .*"code":"host_forbidden"/s);
  const guarded = await startTestServer(t, { server: { bind: '0.0.0.0:0', auth_token: TOKEN } });
  assert.match(await raw(guarded, text('graph.example')), /^HTTP\/1.1 200/);
  const message = (localAddress: string) =>
    ({
      url: '/',
      rawHeaders: ['Host', 'graph.example'],
      headers: {},
      socket: { localAddress },
    }) as unknown as IncomingMessage;
  const publicName = new PublicName(withDefaults({}).server);
  const rules = { bound: { host: '0.0.0.0', port: 1 }, publicName };
  checkHost(message('192.0.2.7'), { ...rules, isOpen: true });
  for (const address of ['127.0.0.1', '::1', '::ffff:127.0.0.1']) {
    assert.throws(() => checkHost(message(address), { ...rules, isOpen: true }), /loopback/, address);
    checkHost(message(address), { ...rules, isOpen: false });
  }
});

test('CORS: no header without a list; with one the listed origins alone, and preflights before the guard', async (t) => {
  const closed = await startTestServer(t);
  const plain = await closed.get('/health', { Origin: 'http://app.example' });
  assert.equal(plain.headers.get('access-control-allow-origin'), null);
  const open = await startTestServer(t, {
    server: { auth_token: TOKEN, cors_allowed_origins: ['http://app.example'] },
  });
  const listed = await open.get('/health', { Origin: 'http://app.example' });
  assert.equal(listed.headers.get('access-control-allow-origin'), 'http://app.example');
  const other = await open.get('/health', { Origin: 'http://evil.example' });
  assert.equal(other.headers.get('access-control-allow-origin'), null);
  const preflight = await open.send('OPTIONS', '/knot', undefined, {
    Origin: 'http://app.example',
    'Access-Control-Request-Method': 'POST',
    'Access-Control-Request-Headers': 'Content-Type, Authorization',
  });
  assert.equal(preflight.status, 204);
  assert.equal(preflight.headers.get('access-control-allow-methods'), 'GET, HEAD, POST, PUT, DELETE, OPTIONS');
  assert.match(preflight.headers.get('access-control-allow-headers') ?? '', /X-Svc-Client/);
});
