/** Compressed bodies in, compressed answers out: what is taken, what is refused, what the headers say. */
import assert from 'node:assert/strict';
import { request } from 'node:http';
import { test } from 'node:test';
import { brotliDecompressSync, deflateSync, gunzipSync, gzipSync } from 'node:zlib';
import { compress } from '../../engine/rdf/formats/input/compression.js';
import { json, sharedTestServer, startTestServer, type TestServer } from './support.js';

const shared = sharedTestServer();
const JSON_TYPE = { 'Content-Type': 'application/json' };
const QUERY = { 'Content-Type': 'application/sparql-query' };

interface RawAnswer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly body: Buffer;
}

/** A request as it is said: `fetch` would ask for codings of its own, and unpack them. */
function ask(
  server: TestServer,
  path: string,
  {
    method = 'GET',
    headers = {},
    body,
  }: { method?: string; headers?: Record<string, string>; body?: Uint8Array | string } = {},
): Promise<RawAnswer> {
  return new Promise((resolve, reject) => {
    const asking = request(server.base + path, { method, headers }, (response) => {
      const pieces: Buffer[] = [];
      response.on('data', (piece: Buffer) => pieces.push(piece));
      response.on('end', () =>
        resolve({ status: response.statusCode ?? 0, headers: response.headers, body: Buffer.concat(pieces) }),
      );
      response.on('error', reject);
    });
    asking.on('error', reject);
    asking.end(body);
  });
}

async function zstd(text: string): Promise<Buffer> {
  const pieces: Uint8Array[] = [];
  async function* once() {
    yield Buffer.from(text);
  }
  for await (const piece of compress(once(), 'zstd')) pieces.push(piece);
  return Buffer.concat(pieces);
}

test('bodies come as gzip, deflate and Zstandard, on every route that takes one', async () => {
  const server = await shared();
  const turtle = '<http://ex.org/a> <http://ex.org/p> 1 .';
  const packed = { gzip: gzipSync, 'X-GZIP': gzipSync, deflate: deflateSync };
  for (const [coding, pack] of Object.entries(packed)) {
    const coded = { 'Content-Encoding': coding };
    const answers = [
      await server.send('POST', '/knot', pack(JSON.stringify({ turtle })), { ...JSON_TYPE, ...coded }),
      await server.send('POST', '/query', pack('ASK { ?s ?p 1 }'), { ...QUERY, ...coded }),
      await server.send('PUT', '/rdf-graph-store?default', pack(turtle), { 'Content-Type': 'text/turtle', ...coded }),
      await server.send('POST', '/mcp', pack('{"jsonrpc":"2.0","id":1,"method":"ping"}'), { ...JSON_TYPE, ...coded }),
    ];
    for (const answer of answers) assert.ok(answer.ok, `${coding}: ${answer.status} ${await answer.text()}`);
  }
  const framed = await zstd(JSON.stringify({ turtle }));
  assert.equal((await server.send('POST', '/knot', framed, { ...JSON_TYPE, 'Content-Encoding': 'zstd' })).status, 200);
});

test('an unknown coding is refused by name; damaged bytes are told apart from a wrong document', async () => {
  const server = await shared();
  const unknown = await server.send('POST', '/knot', '{}', { ...JSON_TYPE, 'Content-Encoding': 'compress' });
  assert.equal(unknown.status, 415);
  assert.equal(unknown.headers.get('accept-encoding'), 'gzip, deflate, zstd');
  assert.match(String((await json(unknown)).error), /Content-Encoding compress is not taken; expected gzip/);
  const whole = gzipSync(JSON.stringify({ turtle: '<a:b> <a:c> 1 .' }));
  const wrong: [string, Uint8Array][] = [
    ['gzip', Buffer.from('{"turtle":""}')],
    ['gzip', whole.subarray(0, whole.length - 6)],
    ['gzip', Buffer.concat([whole, Buffer.from('rest')])],
    ['deflate', whole],
    ['zstd', whole],
  ];
  for (const [coding, bytes] of wrong) {
    const answer = await server.send('POST', '/knot', bytes, { ...JSON_TYPE, 'Content-Encoding': coding });
    const body = await json(answer);
    assert.deepEqual([answer.status, body.code], [400, 'source_unreadable'], `${coding} ${JSON.stringify(body)}`);
  }
  assert.equal((await server.get('/health')).status, 200);
});

test('the limit of a body is that of what it unfolds into', async (t) => {
  const server = await startTestServer(t, { server: { max_body_bytes: 100_000 } });
  const bomb = gzipSync(JSON.stringify({ turtle: ' '.repeat(200_000) }));
  assert.ok(bomb.length < 1000);
  const answer = await server.send('POST', '/knot', bomb, { ...JSON_TYPE, 'Content-Encoding': 'gzip' });
  assert.deepEqual([answer.status, (await json(answer)).code], [413, 'too_large']);
  const query = gzipSync(`ASK {} #${' '.repeat(2 * 1024 * 1024)}`);
  assert.equal(
    (await (await shared()).send('POST', '/query', query, { ...QUERY, 'Content-Encoding': 'gzip' })).status,
    413,
  );
});

/** Facts for answers of some size. */
async function filled(server: TestServer): Promise<void> {
  const lines = Array.from({ length: 4000 }, (_, at) => `<http://ex.org/s${at}> <http://ex.org/many> "value ${at}" .`);
  assert.equal((await server.post('/knot', { turtle: lines.join('\n') })).status, 200);
}

test('answers go out as the client takes them: whole, streamed, and the pages of the server', async () => {
  const server = await shared();
  await filled(server);
  const all = `/query?query=${encodeURIComponent('SELECT * { ?s <http://ex.org/many> ?o } ORDER BY ?s')}`;
  const paths: [path: string, headers: Record<string, string>][] = [
    [`${all}%20LIMIT%20200`, {}],
    [all, { Accept: 'text/csv' }],
    ['/openapi.json', {}],
    ['/docs', {}],
    ['/export', {}],
  ];
  for (const [path, headers] of paths) {
    const method = path === '/export' ? 'POST' : 'GET';
    const more = path === '/export' ? { body: '{}' } : {};
    const asked = (coding: Record<string, string>) =>
      ask(server, path, { method, headers: { ...JSON_TYPE, ...headers, ...coding }, ...more });
    const plain = await asked({});
    assert.equal(plain.headers['content-encoding'], undefined);
    assert.match(String(plain.headers.vary), /Accept-Encoding/, path);
    for (const [accepted, coding, unpack] of [
      ['gzip', 'gzip', gunzipSync],
      ['br;q=1, gzip;q=0.5', 'br', brotliDecompressSync],
      ['*', 'gzip', gunzipSync],
    ] as const) {
      const coded = await asked({ 'Accept-Encoding': accepted });
      assert.equal(coded.status, 200);
      assert.equal(coded.headers['content-encoding'], coding, `${path} ${accepted}`);
      assert.match(String(coded.headers.vary), /Accept-Encoding/);
      assert.ok(coded.body.length < plain.body.length);
      assert.equal(unpack(coded.body).toString(), plain.body.toString(), path);
    }
    for (const accepted of ['identity', 'gzip;q=0', 'zstd', '']) {
      assert.equal((await asked({ 'Accept-Encoding': accepted })).headers['content-encoding'], undefined, accepted);
    }
  }
});

test('small answers are sent as they are; HEAD says what GET would, but for a length that nobody knows', async () => {
  const server = await shared();
  await filled(server);
  const gzip = { 'Accept-Encoding': 'gzip' };
  const small = await ask(server, '/query?query=ASK%20%7B%7D', { headers: gzip });
  assert.equal(small.headers['content-encoding'], undefined);
  assert.match(String(small.headers.vary), /Accept-Encoding/);
  const path = '/rdf-graph-store?default';
  const plain = await ask(server, path, { method: 'HEAD' });
  assert.ok(Number(plain.headers['content-length']) > 4096);
  const head = await ask(server, path, { method: 'HEAD', headers: gzip });
  assert.equal(head.headers['content-encoding'], 'gzip');
  assert.equal(head.headers['content-length'], undefined);
  assert.equal(head.headers['content-type'], plain.headers['content-type']);
  assert.equal(head.body.length, 0);
});

test('what has come of a streamed answer is not held back for what follows', async () => {
  const { codeStream } = await import('../../interfaces/http/answers/coded-answer.js');
  let goOn: () => void = () => undefined;
  async function* rows() {
    yield Buffer.from('first');
    await new Promise<void>((resolve) => {
      goOn = resolve;
    });
    yield Buffer.from('last');
  }
  for (const coding of ['gzip', 'br'] as const) {
    const stream = codeStream(rows(), coding);
    const pieces: Buffer[] = [];
    for await (const piece of stream as AsyncIterable<Buffer>) {
      pieces.push(piece);
      // The compressor has given away what it has, though nothing has ended.
      goOn();
    }
    const whole = Buffer.concat(pieces);
    const text = coding === 'gzip' ? gunzipSync(whole) : brotliDecompressSync(whole);
    assert.equal(text.toString(), 'firstlast');
    assert.ok(pieces.length > 1);
  }
});
