/** `server.require_token_for_reads`: who has no token sees that the server lives, and its page, and nothing else. */
import assert from 'node:assert/strict';
import { createHash, randomBytes } from 'node:crypto';
import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { withDefaults } from '../../engine/service/configuration/keys.js';
import { uiManifest } from '../../interfaces/http/pages/ui-files.js';
import { ASSETS_PATH, MCP_PATH, OPERATION_ROUTES, SCRIPT_PATHS, SERVER_ROUTES } from '../../interfaces/http/routes.js';
import { startServer, startTools } from '../../interfaces/http/serve.js';
import { json, startTestServer } from './support.js';

const TOKEN = randomBytes(32).toString('base64url');
const BEARER = { Authorization: `Bearer ${TOKEN}` };
const ASSET = `/assets/${uiManifest().page}`;
const OPEN = new Set(
  ['/', '/ui', ASSET, ...SCRIPT_PATHS, '/favicon.ico', '/health', '/ready'].map((path) => `GET ${path}`),
);

/** Each route with a path that it takes. */
const ROUTES = [
  ...OPERATION_ROUTES.map(
    ({ route }) => `${route.method} ${route.path.replace(/\{\w+\}/g, 'http%3A%2F%2Fex.org%2Fa')}`,
  ),
  ...SERVER_ROUTES.map((route) => route.replace(ASSETS_PATH, ASSET)),
  'GET /entity',
  'HEAD /query',
  'HEAD /metrics',
];

test('every route but the open ones needs the bearer', async (t) => {
  const server = await startTestServer(t, { server: { auth_token: TOKEN, require_token_for_reads: true } });
  assert.ok(server.lines.includes('read endpoints require it, too\n'));
  await server.post('/knot', { turtle: '<http://ex.org/a> <http://ex.org/p> 4711 .' }, BEARER);
  for (const route of ROUTES) {
    const [method, path] = route.split(' ') as [string, string];
    const status = async (headers: Record<string, string>) => {
      const response = await server.send(method, path, undefined, headers);
      const text = await response.text();
      if (response.status === 401 && method !== 'HEAD') {
        const { reason, endpoint } = JSON.parse(text) as Record<string, unknown>;
        assert.equal(reason, 'missing_or_invalid_bearer_token', route);
        assert.equal(typeof endpoint, 'string');
        assert.equal(response.headers.get('www-authenticate'), 'Bearer');
      }
      return response.status;
    };
    const expected = OPEN.has(route) ? 200 : 401;
    assert.deepEqual([await status({}), await status({ Authorization: 'Bearer wrong' })], [expected, expected], route);
    assert.notEqual(await status(BEARER), 401, route);
  }
  const outcomes = server.events('request_complete').map(({ auth_outcome: outcome }) => outcome);
  assert.deepEqual([...new Set(outcomes)].sort(), ['missing_or_invalid', 'not_required', 'shared_bearer']);
});

test('the page comes without numbers of the store', async (t) => {
  const server = await startTestServer(t, { server: { auth_token: TOKEN, require_token_for_reads: true } });
  await server.post('/knot', { turtle: '<http://ex.org/a> <http://ex.org/p> 1 .' }, BEARER);
  const page = await (await server.get('/')).text();
  assert.deepEqual(
    [...page.matchAll(/<li data-figure="\w+"><b>(.*?)<\/b>/g)].map(([, figure]) => figure),
    Array(5).fill('…'),
  );
  const open = await startTestServer(t);
  const told = await (await open.get('/')).text();
  assert.ok(told.includes('<li data-figure="transactions"><b>0</b>'));
});

test('tools that read need the bearer over HTTP; whoever starts them over lines does not', async (t) => {
  const server = await startTestServer(t, { server: { auth_token: TOKEN, require_token_for_reads: true } });
  const call = {
    jsonrpc: '2.0',
    id: 1,
    method: 'tools/call',
    params: { name: 'svc_query', arguments: { query: 'ASK {}' } },
  };
  const accept = { Accept: 'application/json, text/event-stream' };
  assert.equal((await server.post(MCP_PATH, call, accept)).status, 401);
  const answered = await server.post(MCP_PATH, call, { ...accept, ...BEARER });
  assert.equal(answered.status, 200);
  assert.match(await answered.text(), /"result":true/);
  const configuration = withDefaults({
    server: { auth_token: TOKEN, require_token_for_reads: true, read_pool_size: 0 },
  });
  const local = await startTools({ path: ':memory:', configuration, insecure: false, write: () => undefined });
  try {
    const marks = { mark: (text: string) => ({ text }) } as never;
    const caller = { headers: {}, signal: new AbortController().signal };
    const result = await local.tools.call('svc_query', { query: 'ASK {}' }, caller, marks);
    assert.equal(result?.isError, false, JSON.stringify(result));
  } finally {
    await local.close();
  }
});

test('a named credential reads without lines in the audit', async (t) => {
  const file = join(mkdtempSync(join(tmpdir(), 'svc-registry-')), 'credentials.json');
  const digest = createHash('sha256').update(TOKEN).digest('hex');
  const entry = { credential_id: 'c1', principal: 'http://ex.org/ann', audience: 'svc', token_sha256: digest };
  writeFileSync(file, JSON.stringify({ version: 1, credentials: [entry] }));
  const server = await startTestServer(t, { server: { crew_credentials_file: file, require_token_for_reads: true } });
  assert.equal((await server.get('/stats', BEARER)).status, 200);
  assert.equal((await json(await server.get('/stats'))).code, 'unauthorized');
  assert.equal(server.events('authenticated_request_start').length, 0);
  assert.equal(server.events('request_complete').at(0)?.auth_outcome, 'named_bearer');
});

test('what can not be protected does not start', async () => {
  const start = (keys: object, insecure = false) =>
    startServer({
      path: ':memory:',
      configuration: withDefaults({ server: { read_pool_size: 0, ...keys } }),
      insecure,
      write: () => undefined,
    });
  await assert.rejects(start({ bind: '127.0.0.1:0', require_token_for_reads: true }), {
    code: 'configuration',
    message: /^svc\.server\.require_token_for_reads: there is no token/,
  });
  const short = join(mkdtempSync(join(tmpdir(), 'svc-token-')), 'token');
  writeFileSync(short, 'fifteen-letters\n');
  for (const [key, keys] of [
    ['auth_token', { auth_token: 'fifteen-letters' }],
    ['auth_token_file', { auth_token_file: short }],
    ['previous_auth_token', { auth_token: TOKEN, previous_auth_token: 'x' }],
  ] as const) {
    await assert.rejects(start({ bind: '0.0.0.0:0', ...keys }), {
      code: 'configuration',
      message: new RegExp(
        `^svc\\.server\\.${key}: the token has less than 16 characters, and 0\\.0\\.0\\.0:0 is reachable`,
      ),
    });
    await (await start({ bind: '127.0.0.1:0', ...keys })).close();
  }
  await (await start({ bind: '0.0.0.0:0', auth_token: 'sixteen-letters!' })).close();
});
