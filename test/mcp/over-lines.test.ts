/** `svc mcp` by raw lines: what is no message, versions, many at once, sizes, how it ends. */
import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { type Lines, startLines } from './lines.js';
import { call, errorOf, initialize, modern, resultOf } from './messages.js';

function folderOf(t: TestContext): string {
  const folder = mkdtempSync(join(tmpdir(), 'svc-lines-'));
  t.after(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

function open(t: TestContext, words: readonly string[] = [], folder = folderOf(t), environment = {}): Lines {
  const lines = startLines(['mcp', '--db', 'store.svc', ...words], folder, environment);
  t.after(() => lines.child.kill('SIGKILL'));
  return lines;
}

const HELLO = initialize('hello', '2025-11-25');
const PING = { jsonrpc: '2.0', id: 1, method: 'ping' };
const ASK = { query: 'ASK {}' };

/** A query that does not end by itself within the time of a test. */
const ENDLESS = `SELECT (COUNT(*) AS ?n) WHERE { ${'abcdefgh'
  .split('')
  .map((v) => `VALUES ?${v} { ${'1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20 '.repeat(5)} }`)
  .join(' ')} FILTER(?a + ?b + ?c + ?d + ?e + ?f + ?g + ?h < 0) }`;

test('nothing but messages on standard output, everything else on standard error', async (t) => {
  const lines = open(t);
  lines.send(HELLO, { jsonrpc: '2.0', method: 'notifications/initialized' }, call('q', 'svc_query', ASK));
  assert.equal(((await lines.answer('hello')).result as { protocolVersion: string }).protocolVersion, '2025-11-25');
  assert.deepEqual(resultOf(await lines.answer('q')).structuredContent, { result: true, labels: null });
  await lines.says(/"event":"request_complete".*"client":"raw".*"route":"\/query"/);
  assert.match(lines.err(), /^read pool: /m);
  assert.match(lines.err(), /^svc mcp: ready \(db: store\.svc\)$/m);
  lines.child.stdin.end();
  assert.deepEqual(await lines.ended, { code: 0, signal: null });
  assert.equal(lines.out.length, 2);
  assert.doesNotMatch(lines.err(), /listening/);
});

test('what is no message is answered, and the next line is read', async (t) => {
  const lines = open(t, ['--quiet']);
  lines.send(HELLO);
  await lines.answer('hello');
  const cases: readonly [string, number][] = [
    ['{', -32700],
    ['garbage', -32700],
    [`{"jsonrpc":"2.0","method":"x","params":${'['.repeat(300)}${']'.repeat(300)}}`, -32700],
    ['5', -32600],
    ['[]', -32600],
    [JSON.stringify([PING]), -32600],
    ['{"id":null,"method":"ping"}', -32600],
    ['{"jsonrpc":"2.0","id":null,"method":"ping"}', -32600],
  ];
  for (const [line, code] of cases) {
    lines.send('', line);
    assert.equal(errorOf(await lines.answer(null)).code, code, line.slice(0, 60));
  }
  lines.send('{"jsonrpc":"2.0","id":"kept","method":"ping","params":[]}');
  assert.equal(errorOf(await lines.answer('kept')).code, -32600);
  lines.send({ ...PING, id: 'm', method: 'nope' }, call('t', 'svc_nothing'), { ...PING, id: 'end' });
  assert.equal(errorOf(await lines.answer('m')).code, -32601);
  assert.equal(errorOf(await lines.answer('t')).code, -32602);
  assert.deepEqual((await lines.answer('end')).result, {});
});

test('the era without a handshake, over lines', async (t) => {
  const lines = open(t);
  lines.send(modern('d', 'server/discover'), modern('c', 'tools/call', { name: 'svc_query', arguments: ASK }));
  assert.deepEqual(((await lines.answer('d')).result as { supportedVersions: string[] }).supportedVersions, [
    '2026-07-28',
  ]);
  assert.equal(resultOf(await lines.answer('c')).structuredContent.result, true);
  lines.send(modern('s', 'subscriptions/listen'));
  assert.equal(errorOf(await lines.answer('s')).code, -32601);
  lines.send(modern('long', 'tools/call', { name: 'svc_query', arguments: { query: ENDLESS } }));
  await lines.says(/"id":2,.*"route":"\/query"/);
  lines.send({ jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: 'long' } });
  await lines.says(/"event":"request_complete".*"route":"\/query","status":499/);
  const other = open(t, ['--quiet']);
  other.send(modern('f', 'tools/list', {}, '2030-01-01'), modern('l', 'tools/list'));
  assert.match(errorOf(await other.answer('f')).message, /2030-01-01/);
  assert.ok('result' in (await other.answer('l')));
});

test('calls run side by side; one that is taken back stops, and the others go on', async (t) => {
  const lines = open(t);
  lines.send(HELLO);
  await lines.answer('hello');
  lines.send(call('long', 'svc_query', { query: ENDLESS }));
  const ids = Array.from({ length: 50 }, (_, at) => at);
  lines.send(...ids.map((id) => call(id, 'svc_query', { query: `SELECT (${id} + 1 AS ?n) WHERE {}` })));
  for (const id of ids) assert.deepEqual(resultOf(await lines.answer(id)).structuredContent.rows, [{ n: id + 1 }]);
  lines.send({ jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: 'long' } });
  await lines.says(/"event":"request_complete".*"route":"\/query","status":499/);
  // The end of the input waits for what is under way: the query is not.
  lines.child.stdin.end();
  assert.deepEqual(await lines.ended, { code: 0, signal: null });
  assert.ok(!lines.out.some((line) => line.includes('"long"')), 'what was taken back is not answered');
});

test('what came before the end of the input is answered', async (t) => {
  const lines = open(t, ['--quiet']);
  const turtle = '<http://ex.org/a> <http://ex.org/p> 1 .';
  lines.send(HELLO, call('w', 'svc_knot', { turtle }));
  lines.child.stdin.end(JSON.stringify(call('q', 'svc_query', ASK)));
  assert.deepEqual(await lines.ended, { code: 0, signal: null });
  assert.equal(resultOf(await lines.answer('w')).structuredContent.count, 1);
  assert.equal(resultOf(await lines.answer('q')).structuredContent.result, true);
});

test('at the end of the input a query has its whole deadline', async (t) => {
  const lines = open(t, ['--quiet'], folderOf(t), { SVC_SEARCH_QUERY_TIMEOUT_MS: '6000' });
  lines.send(HELLO, call('q', 'svc_query', { query: ENDLESS }));
  lines.child.stdin.end();
  assert.deepEqual(await lines.ended, { code: 0, signal: null });
  assert.equal(resultOf(await lines.answer('q')).structuredContent.code, 'query_timeout');
  assert.doesNotMatch(lines.err(), /cut off/);
});

test('what runs beyond that is cut off, which is said, and no success; nothing of it is written', async (t) => {
  const folder = folderOf(t);
  const environment = { SVC_SEARCH_QUERY_TIMEOUT_MS: '1', SVC_MCP_EXTRA_TOOLS: 'true' };
  const lines = open(t, ['--quiet'], folder, environment);
  const update = `INSERT { <http://ex.org/a> <http://ex.org/p> ?n } WHERE { ${ENDLESS} }`;
  lines.send(HELLO, call('u', 'svc_update', { update }));
  lines.child.stdin.end();
  assert.deepEqual(await lines.ended, { code: 1, signal: null });
  assert.match(lines.err(), /^mcp: 1 request was cut off: .* \(search\.query_timeout_ms\)$/m);
  assert.equal(lines.out.length, 1);
  const again = open(t, ['--quiet'], folder);
  again.send(HELLO, call('q', 'svc_query', { query: 'ASK { ?s ?p ?o }' }));
  assert.equal(resultOf(await again.answer('q')).structuredContent.result, false);
});

test('SIGTERM, and a client that disappears in the middle of a call, end it in order', async (t) => {
  const folder = folderOf(t);
  for (const leave of [
    (lines: Lines) => lines.child.kill('SIGTERM'),
    (lines: Lines) => {
      lines.child.stdout.destroy();
      lines.child.stdin.destroy();
    },
  ]) {
    // Whoever leaves without a signal may only have no more to say: what is open has its deadline.
    const lines = open(t, [], folder, { SVC_SEARCH_QUERY_TIMEOUT_MS: '1000' });
    lines.send(HELLO, call('long', 'svc_query', { query: ENDLESS }));
    await lines.says(/"event":"request_start".*"\/query"/);
    leave(lines);
    assert.deepEqual(await lines.ended, { code: 0, signal: null }, lines.err());
  }
  // The store was closed as it should be: it can be opened for writing.
  const again = open(t, ['--quiet'], folder);
  again.send(HELLO, call('w', 'svc_knot', { turtle: '<http://ex.org/a> <http://ex.org/p> 1 .' }));
  assert.equal(resultOf(await again.answer('w')).structuredContent.tx_id, 1);
});

test('a message of 64 MiB is taken; one byte more is refused, and the next line is read', async (t) => {
  const lines = open(t, ['--quiet']);
  lines.send(HELLO);
  await lines.answer('hello');
  const empty = JSON.stringify(call('w', 'svc_knot', { turtle: '<http://ex.org/a> <http://ex.org/p> 1 .\n#' }));
  const ofBytes = (bytes: number) => empty.replace('#"', `#${'x'.repeat(bytes - empty.length)}"`);
  lines.send(ofBytes(64 * 1024 * 1024 + 1));
  const refused = errorOf(await lines.answer(null));
  assert.equal(refused.code, -32600);
  assert.match(refused.message, /larger than 67108864 bytes \(server\.max_body_bytes\)/);
  lines.send(ofBytes(64 * 1024 * 1024));
  assert.equal(resultOf(await lines.answer('w')).structuredContent.count, 1);
});

test('--quiet keeps the audit of writes under a named credential', async (t) => {
  const folder = folderOf(t);
  writeFileSync(join(folder, 'token'), 'ann-token-of-more-than-32-characters\n');
  chmodSync(join(folder, 'token'), 0o600);
  const token = createHash('sha256').update('ann-token-of-more-than-32-characters').digest('hex');
  const ann = { credential_id: 'c1', principal: 'http://ex.org/people/ann', audience: 'svc', token_sha256: token };
  writeFileSync(join(folder, 'crew.json'), JSON.stringify({ version: 1, credentials: [ann] }));
  const environment = { SVC_SERVER_CREW_CREDENTIALS_FILE: 'crew.json' };
  const lines = open(t, ['--quiet', '--token-file', 'token'], folder, environment);
  lines.send(HELLO, call('w', 'svc_knot', { turtle: '<http://ex.org/a> <http://ex.org/p> 1 .' }));
  assert.equal(resultOf(await lines.answer('w')).isError, false);
  lines.child.stdin.end();
  await lines.ended;
  assert.match(lines.err(), /"event":"authenticated_request_start".*"credential_id":"c1".*"route":"\/knot"/);
  assert.match(lines.err(), /"event":"authenticated_request_complete".*"status":200/);
  assert.doesNotMatch(lines.err(), /"event":"request_/);
});

test('writes bear the token of the file; without it they fail and reads go on', async (t) => {
  const folder = folderOf(t);
  writeFileSync(join(folder, 'token'), 'the-token-of-the-file\n');
  chmodSync(join(folder, 'token'), 0o600);
  const turtle = '<http://ex.org/a> <http://ex.org/p> 1 .';
  for (const [words, token, code] of [
    [[], 'the-token-of-the-file', 'unauthorized'],
    [['--token-file', 'token'], 'another', 'unauthorized'],
    [['--token-file', 'token'], 'the-token-of-the-file', undefined],
  ] as const) {
    const lines = open(t, words, folder, { SVC_AUTH_TOKEN: token });
    lines.send(HELLO, call('w', 'svc_knot', { turtle }), call('q', 'svc_query', ASK));
    assert.equal(resultOf(await lines.answer('w')).structuredContent.code, code);
    assert.equal(resultOf(await lines.answer('q')).isError, false);
    lines.child.stdin.end();
    await lines.ended;
    assert.ok(!lines.err().includes(token) && !lines.out.join('').includes(token));
  }
});

test('what can not start says why on standard error, and makes no store', async (t) => {
  const folder = folderOf(t);
  writeFileSync(join(folder, 'open'), 'x');
  chmodSync(join(folder, 'open'), 0o644);
  const cases: readonly [readonly string[], number, RegExp][] = [
    [['mcp', '--db', 'a.svc', '--token-file', 'open'], 1, /has mode 0644; expected 0600 or 0400/],
    [['mcp', '--db', 'a.svc', '--token-file', 'absent'], 1, /token file absent is not there/],
    [['mcp', '--db', 'a.svc', '--read-only'], 1, /a\.svc/],
    [['mcp', '--db', 'a.svc', '--url', 'http://127.0.0.1:1'], 2, /\/mcp/],
    [['serve', '--db', 'a.svc', '--mcp-stdio', '--mcp-token-file', 'open'], 1, /has mode 0644/],
    [['serve', '--db', 'a.svc', '--mcp-token-file', 'open'], 2, /is for --mcp-stdio/],
  ];
  for (const [words, code, message] of cases) {
    const lines = startLines(words, folder);
    lines.child.stdin.end();
    assert.equal((await lines.ended).code, code, `${words.join(' ')}: ${lines.err()}`);
    assert.match(lines.err(), message);
    assert.deepEqual(lines.out, []);
  }
});

test('svc serve --mcp-stdio: both faces of one store; the agent may leave', async (t) => {
  const folder = folderOf(t);
  writeFileSync(join(folder, 'token'), 'the-token-of-the-file');
  chmodSync(join(folder, 'token'), 0o400);
  const words = ['serve', '--db', 'store.svc', '--bind', '127.0.0.1:0', '--mcp-stdio', '--mcp-token-file', 'token'];
  const lines = startLines(words, folder, { SVC_AUTH_TOKEN: 'the-token-of-the-file' });
  t.after(() => lines.child.kill('SIGKILL'));
  lines.send(HELLO, call('w', 'svc_knot', { turtle: '<http://ex.org/a> <http://ex.org/p> 1 .' }));
  assert.equal(resultOf(await lines.answer('w')).structuredContent.count, 1);
  await lines.says(/listening on (\S+)/);
  const base = `http://${/listening on (\S+)/.exec(lines.err())?.[1]}`;
  const query = encodeURIComponent('ASK { <http://ex.org/a> ?p 1 }');
  const asked = async () =>
    ((await (await fetch(`${base}/query?query=${query}`)).json()) as { result: boolean }).result;
  assert.equal(await asked(), true);
  lines.child.stdin.end();
  await lines.says(/mcp: standard input ended/);
  assert.equal(await asked(), true);
  lines.child.kill('SIGTERM');
  assert.equal((await lines.ended).code, 0, lines.err());
});
