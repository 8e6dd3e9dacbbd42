/** The rows of the specification's table of limits, by the names that `table.ts` gives them. */
import assert from 'node:assert/strict';
import { createHash, randomBytes } from 'node:crypto';
import { chmodSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { withDefaults } from '../../../engine/service/configuration/keys.js';
import { startServer } from '../../../interfaces/http/serve.js';
import { readTokenFile } from '../../../interfaces/mcp/token-file.js';
import { json, raw, startTestServer } from '../support.js';
import { BEARER, JSON_TYPE, QUERY, type RowTest, refuses, TOKEN } from './support.js';

const ALICE = 'http://ex.org/alice';

export const LIMIT_ROWS: Readonly<Record<string, RowTest>> = {
  'GET /query request target': async (servers) => {
    const server = await servers.plain();
    const target = (length: number): string => {
      const path = `/query?query=${encodeURIComponent('ASK { <http://ex.org/alice> ?p ?o } #')}`;
      return path + 'x'.repeat(length - path.length);
    };
    const asked = await server.get(target(8192));
    assert.equal((await json(asked)).result, true, 'of exactly 8 KiB');
    await refuses(server, () => server.get(target(8193)), {
      status: 414,
      code: 'too_large',
      error: /8192 bytes.*POST/,
    });
    assert.equal((await server.send('HEAD', target(8193))).status, 414);
    const far = await raw(server, `GET ${target(60_000)} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n`);
    assert.match(far, /^HTTP\/1\.1 414 .*"code":"too_large"/s);
  },
  'direct-query POST body': async (servers) => {
    const server = await servers.plain();
    const text = (length: number): string => `ASK { <${ALICE}> ?p ?o } #`.padEnd(length, 'x');
    assert.equal((await json(await server.send('POST', '/query', text(1024 * 1024), QUERY))).result, true);
    const expected = { status: 413, code: 'too_large', error: /larger than 1048576 bytes/ };
    await refuses(server, () => server.send('POST', '/query', text(1024 * 1024 + 1), QUERY), expected);
  },
  'SHACL alternatives': async (servers) => {
    const server = await servers.plain();
    const members = Array.from({ length: 30 }, (_, at) => `"m${at}"`).join(' ');
    const shapes = `@prefix sh: <http://www.w3.org/ns/shacl#> . <${ALICE}> sh:targetNode <${ALICE}> ; sh:in (${members}) .`;
    const { violations } = await json(await server.post('/validate', { shapes, data: '' }));
    assert.equal((violations as { alternatives: unknown[] }[])[0]?.alternatives.length, 20);
  },
  '/graph limit': async (_, t) => {
    const server = await startTestServer(t);
    const lines = Array.from({ length: 2100 }, (_line, at) => `<http://seen.org/${at}> <http://seen.org/p> ${at} .`);
    assert.equal((await server.post('/knot', { turtle: lines.join('\n') })).status, 200);
    const shown = async (fields: object) => {
      const { nodes, truncated } = await json(await server.post('/graph', fields));
      assert.equal((truncated as { of: number }).of, 2100);
      return (nodes as unknown[]).length;
    };
    assert.deepEqual([await shown({}), await shown({ limit: 0 }), await shown({ limit: 9999 })], [250, 1, 2000]);
    for (const limit of [1.5, '5']) {
      const expected = { status: 400, code: 'invalid_request', error: /'limit'.*integer/ };
      await refuses(server, () => server.post('/graph', { limit }), expected);
    }
  },
  '/explain depth': async (_, t) => {
    const server = await startTestServer(t);
    const rule = '@prefix rule: <http://svc.local/rule#> . <http://ex.org/r> a rule:Rule ; rule:id "far" ;';
    const rules = `${rule} rule:head "far(?a, ?c)" ; rule:body "far(?a, ?b), next(?b, ?c)" . <http://ex.org/s> a rule:Rule ; rule:id "near" ; rule:head "far(?a, ?b)" ; rule:body "next(?a, ?b)" .`;
    const link = (at: number) => `<http://ex.org/${at}> <http://ex.org/next> <http://ex.org/${at + 1}> .`;
    const turtle = Array.from({ length: 9 }, (_link, at) => link(at)).join('\n');
    assert.equal((await server.post('/knot', { turtle })).status, 200);
    assert.equal((await server.post('/reason', { rules, prefix: 'http://ex.org/' })).status, 200);
    const far = { s: 'http://ex.org/0', p: 'http://ex.org/far', o: 'http://ex.org/9' };
    const derivations = async (fields: object): Promise<number> => {
      const answer = await server.post('/explain', { ...far, ...fields });
      assert.equal(answer.status, 200);
      return (await answer.text()).split('"kind":"rule"').length - 1;
    };
    assert.deepEqual(
      [await derivations({}), await derivations({ depth: 2 }), await derivations({ depth: 0 })],
      [5, 2, 0],
    );
    for (const depth of [1.5, '5', -1]) {
      const expected = { status: 400, code: 'invalid_request', error: /depth/ };
      await refuses(server, () => server.post('/explain', { ...far, depth }), expected);
    }
  },
  '/path/cone hops': async (servers) => {
    const server = await servers.plain();
    const next = (at: number) => `<http://cone.org/${at}> <http://cone.org/next> <http://cone.org/${at + 1}> .`;
    const words = 'http://cone.org/';
    const turtle = `${Array.from({ length: 8 }, (_, at) => next(at)).join('\n')}
      <${words}0> <${words}stepOf> <${words}way> . <${words}end> <${words}stepOf> <${words}way> ; <${words}verifiedBy> <${words}8> .
      <${words}8> <${words}falsifier> "none" .`;
    assert.equal((await server.post('/knot', { turtle })).status, 200);
    const asked = async (hops?: number) => {
      const request = { trajectory: `${words}way`, via: [`${words}next`], base_ns: words, hops };
      const body = await json(await server.post('/path/cone', request));
      return [body.hops, (body.steps as { verdict: string }[])[0]?.verdict];
    };
    assert.deepEqual(await asked(), [8, 'InCone']);
    assert.deepEqual(await asked(7), [7, 'OutOfCone']);
  },
  '/impact tool hops': async (_, t) => {
    const server = await startTestServer(t);
    const link = (at: number) => `<http://chain.org/${at}> <http://chain.org/next> <http://chain.org/${at + 1}> .`;
    const turtle = Array.from({ length: 8 }, (_, at) => link(at)).join('\n');
    assert.equal((await server.post('/knot', { turtle })).status, 200);
    const call = { name: 'svc_impact', arguments: { entity: 'http://chain.org/0' } };
    const message = { jsonrpc: '2.0', id: 1, method: 'tools/call', params: call };
    const headers = { Accept: 'application/json, text/event-stream', 'MCP-Protocol-Version': '2025-06-18' };
    const { result } = (await json(await server.post('/mcp', message, headers))) as {
      result: { structuredContent: { hops: number; reached_count: number } };
    };
    assert.deepEqual([result.structuredContent.hops, result.structuredContent.reached_count], [5, 5]);
  },
  '/transactions limit': async (_, t) => {
    const server = await startTestServer(t);
    for (let n = 0; n < 5; n++) assert.equal((await server.post('/knot', { turtle: '' })).status, 200);
    const ids = async (query: string) => {
      const { transactions } = await json(await server.get(`/transactions${query}`));
      return (transactions as { id: number }[]).map(({ id }) => id);
    };
    assert.deepEqual(await ids(''), [1, 2, 3, 4, 5], 'without parameters the whole log');
    assert.deepEqual(await ids('?limit=2'), [1, 2], 'from its start');
    for (const low of ['0', '-5']) assert.deepEqual(await ids(`?limit=${low}`), [1], 'clamped to 1');
    for (const high of ['10001', '999999999']) assert.deepEqual(await ids(`?limit=${high}`), [1, 2, 3, 4, 5]);
    assert.deepEqual(await ids('?since=3&limit=1'), [4]);
    assert.deepEqual(await ids('?since=5'), []);
    assert.deepEqual(await ids('?since=999999999'), []);
    for (const query of ['limit=x', 'limit=1.5', 'limit=', 'since=-1', 'since=x', 'limit=1&limit=2', 'since=1e400']) {
      const expected = { status: 400, code: 'invalid_request', error: /limit|since/ };
      await refuses(server, () => server.get(`/transactions?${query}`), expected);
    }
  },
  '/events limit': async (_, t) => {
    const server = await startTestServer(t);
    assert.equal((await server.post('/knot', { turtle: '<http://ex.org/a> <http://ex.org/p> 1 .' })).status, 200);
    const offsets = async (query: string) => {
      const { events } = await json(await server.get(`/events${query}`));
      return (events as { offset: number }[]).map(({ offset }) => offset);
    };
    assert.deepEqual(await offsets(''), [1, 2]);
    assert.deepEqual(await offsets('?limit=1'), [1]);
    assert.deepEqual(await offsets('?limit=0'), [1], 'clamped to 1');
    assert.deepEqual(await offsets('?limit=999999999'), [1, 2]);
    assert.deepEqual(await offsets('?since=1&types=,entity.added,none'), [2]);
    assert.deepEqual(await offsets('?since=2'), []);
    for (const query of ['limit=x', 'limit=1.5', 'limit=-1', 'since=-1', 'since=x', 'since=1.5', 'follow=true']) {
      const expected = { status: 400, code: 'invalid_request', error: /limit|since|follow/ };
      await refuses(server, () => server.get(`/events?${query}`), expected);
    }
    for (const body of [
      {},
      { consumer_id: ' ', offset: 1 },
      { consumer_id: 'c', offset: -1 },
      { consumer_id: 'c', offset: 1.5 },
    ]) {
      const expected = { status: 400, code: 'invalid_request', error: /consumer_id|offset/ };
      await refuses(server, () => server.post('/events/commit', body), expected);
    }
  },
  'tool request size': async (servers) => {
    assert.equal(withDefaults({}).server.max_body_bytes, 64 * 1024 * 1024);
    const server = await servers.narrow();
    const body = (length: number): string => `{"tx":1${' '.repeat(length - 8)}}`;
    const send = (length: number) => server.send('POST', '/unravel', body(length), JSON_TYPE);
    assert.equal((await send(20_000)).status, 200, 'of exactly the limit');
    const expected = { status: 413, code: 'too_large', error: /larger than 20000 bytes \(server\.max_body_bytes\)/ };
    await refuses(server, () => send(20_001), expected);
    await refuses(server, () => server.send('POST', '/mcp', body(20_001), JSON_TYPE), expected);
  },
  'stdio token file': async (servers) => {
    const { folder } = await servers.plain();
    const file = join(folder, 'token');
    const say = (text: string, mode: number): void => {
      rmSync(file, { force: true });
      writeFileSync(file, text);
      chmodSync(file, mode);
    };
    for (const mode of [0o600, 0o400]) {
      say(TOKEN.padEnd(4096, '\n'), mode);
      assert.equal(readTokenFile(file), TOKEN);
    }
    const refusals: readonly [text: string, mode: number, message: RegExp][] = [
      [TOKEN.padEnd(4097, '\n'), 0o600, /has 4097 bytes; expected at most 4096/],
      [TOKEN, 0o644, /has mode 0644; expected 0600 or 0400/],
      [TOKEN, 0o700, /has mode 0700/],
      ['', 0o600, /is empty/],
    ];
    for (const [text, mode, message] of refusals) {
      say(text, mode);
      assert.throws(() => readTokenFile(file), { code: 'configuration', message });
    }
    assert.throws(() => readTokenFile(folder), /is a folder; expected a regular file/);
  },
  'read pool': async (servers, t) => {
    assert.equal(withDefaults({}).server.read_pool_size, 4);
    const pooled = await servers.plain();
    assert.ok(pooled.lines.some((line) => /^read pool: 1 read-only connections/.test(line)));
    const off = await startTestServer(t, { server: { read_pool_size: 0 } });
    assert.ok(off.lines.some((line) => /^read pool: DISABLED — server\.read_pool_size is 0/.test(line)));
    assert.equal((await json(await off.post('/query', { query: 'ASK {}' }))).result, true);
    const lines: string[] = [];
    const running = await startServer({
      path: ':memory:',
      configuration: withDefaults({ server: { bind: '127.0.0.1:0' } }),
      insecure: false,
      write: (line) => lines.push(line),
    });
    t.after(() => running.close());
    assert.ok(lines.some((line) => /^read pool: DISABLED — the store is in memory/.test(line)));
  },
  'metrics client identities': async (_, t) => {
    const server = await startTestServer(t);
    await server.get('/health', { 'X-Svc-Client': 'c' });
    for (const header of ['X-Svc-Client', 'X-Svc-Task']) {
      for (let n = 0; n < 35; n++) await server.get('/health', { 'X-Svc-Client': 'c', [header]: `${n}-identity` });
    }
    const text = await (await server.get('/metrics', { 'X-Svc-Client': 'c' })).text();
    const identities = (label: string): Set<string | undefined> =>
      new Set([...text.matchAll(new RegExp(`\\b${label}="([^"]*)"`, 'g'))].map(([, name]) => name));
    for (const label of ['client', 'task']) {
      assert.equal(identities(label).size, 33, `${label}: 32, and what they fold into`);
      assert.ok(identities(label).has('other'));
    }
    assert.match(text, /^svc_http_client_requests_total\{client="other",endpoint="\/health"\} 4$/m);
  },
  'named-credential token': async (_, t) => {
    const start = async (verifier: string) => {
      const server = await startTestServer(t);
      const file = join(server.folder, 'credentials.json');
      const entry = { credential_id: 'c', principal: 'http://ex.org/ann', audience: 'svc', token_sha256: verifier };
      writeFileSync(file, JSON.stringify({ version: 1, credentials: [entry] }));
      return startTestServer(t, { server: { auth_token: TOKEN, crew_credentials_file: file } });
    };
    const token = randomBytes(32).toString('base64url');
    const digest = createHash('sha256').update(token).digest('hex');
    const borne = { Authorization: `Bearer ${token}` };
    const good = await start(digest);
    assert.equal((await good.post('/knot', { turtle: '' }, borne)).status, 200);
    const inactive = await start(token);
    assert.ok(inactive.lines.some((line) => line.startsWith('named credentials are INACTIVE')));
    assert.ok(!inactive.lines.join('').includes(token), 'what the file says is told nowhere');
    assert.equal((await inactive.post('/knot', { turtle: '' }, borne)).status, 401);
    assert.equal((await inactive.post('/knot', { turtle: '' }, BEARER)).status, 200, 'the shared one goes on');
  },
};
