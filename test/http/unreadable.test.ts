/** Heads that are too long, bytes that are no request, requests that do not come in time: answered, told of and counted. */
import assert from 'node:assert/strict';
import { connect } from 'node:net';
import { type TestContext, test } from 'node:test';
import { CONNECTION_LIMITS } from '../../interfaces/http/request/connections.js';
import { headOverflow } from '../../interfaces/http/request/head.js';
import { json, raw, startTestServer, type TestServer } from './support.js';
import { unharmed } from './unharmed.js';

const HOST = 'Host: localhost\r\nConnection: close\r\n';
const KIB = 1024;

/** Statuses of all that is answered to texts that are sent one after another, each when the one before has gone out. */
function statusesOf(t: TestContext, server: TestServer, texts: readonly string[]): Promise<number[]> {
  return new Promise((resolve, reject) => {
    let answer = '';
    const socket = connect({ port: server.running.address.port, host: '127.0.0.1', noDelay: true }, () => send(0));
    const send = (at: number): void => {
      if (at < texts.length && socket.writable) socket.write(texts[at] as string, () => setImmediate(send, at + 1));
    };
    socket.setEncoding('latin1').on('data', (chunk: string) => {
      answer += chunk;
    });
    socket.on('close', () => resolve([...answer.matchAll(/HTTP\/1\.1 (\d+) /g)].map(([, status]) => Number(status))));
    socket.on('error', reject);
    t.after(() => socket.destroy());
  });
}

function pieces(text: string, size: number): string[] {
  return text.match(new RegExp(`[\\s\\S]{1,${size}}`, 'g')) ?? [];
}

async function countedAs(server: TestServer, endpoint: string, status: number): Promise<number> {
  const text = await (await server.get('/metrics')).text();
  const line = new RegExp(`^svc_http_requests_total\\{endpoint="${endpoint}",status="${status}"\\} (\\d+)`, 'm');
  return Number(line.exec(text)?.[1] ?? 0);
}

test('a target that is too long is 414 on every route, however long it is and however it comes', async (t) => {
  const server = await startTestServer(t);
  const target = (length: number) => `/query?query=${'%20'.repeat(length / 3)}`;
  for (const method of ['GET', 'POST', 'HEAD', 'PUT']) {
    for (const path of [
      target(70 * KIB),
      `/health?${'y'.repeat(66_000)}`,
      `/entity/${'y'.repeat(100_000)}`,
      `/%zz${'y'.repeat(70_000)}`,
    ]) {
      const answer = await raw(server, `${method} ${path} HTTP/1.1\r\n${HOST}Content-Length: 0\r\n\r\n`);
      assert.match(
        answer,
        /^HTTP\/1\.1 414 URI Too Long\r\n/,
        `${method} ${path.slice(0, 20)}: ${answer.slice(0, 200)}`,
      );
      if (method !== 'HEAD')
        assert.match(answer, /"error":"the target is longer than 65536 bytes","code":"too_large"\}$/);
    }
  }
  assert.equal(await countedAs(server, '/query', 414), 3);
  for (const length of [140 * KIB, 200 * KIB, 1024 * KIB]) {
    const text = `GET ${target(length)} HTTP/1.1\r\n${HOST}\r\n`;
    assert.deepEqual(await statusesOf(t, server, [text]), [414], `${length} at once`);
    assert.deepEqual(await statusesOf(t, server, pieces(text, 16 * KIB)), [414], `${length} in pieces`);
  }
  assert.equal(await countedAs(server, 'unreadable', 414), 6);
  await unharmed(server);
});

test('headers that are too long are 431, however long they are and however they come', async (t) => {
  const server = await startTestServer(t);
  const head = (bytes: number) => `GET /health HTTP/1.1\r\n${HOST}X: ${'y'.repeat(bytes)}\r\n\r\n`;
  assert.deepEqual(await statusesOf(t, server, [head(60 * KIB)]), [200]);
  const answer = await raw(server, head(70 * KIB));
  assert.match(answer, /^HTTP\/1\.1 431 .*"error":"the headers are longer than 65536 bytes","code":"too_large"\}$/s);
  assert.equal(await countedAs(server, '/health', 431), 1);
  for (const bytes of [100 * KIB, 140 * KIB, 1024 * KIB]) {
    assert.deepEqual(await statusesOf(t, server, [head(bytes)]), [431], `${bytes} at once`);
    assert.deepEqual(await statusesOf(t, server, pieces(head(bytes), 16 * KIB)), [431], `${bytes} in pieces`);
  }
  const many = `GET /health HTTP/1.1\r\n${HOST}${'X: y\r\n'.repeat(100_000)}\r\n`;
  assert.deepEqual(await statusesOf(t, server, [many]), [431]);
  const cookies = `Cookie: ${'session=%7B%22a%22%3A1%7D; '.repeat(20_000)}`;
  assert.deepEqual(await statusesOf(t, server, pieces(`GET / HTTP/1.1\r\n${HOST}${cookies}\r\n\r\n`, 8 * KIB)), [431]);
  // A target of its own length and headers of theirs are no reason.
  const both = `GET /health?${'y'.repeat(60 * KIB)} HTTP/1.1\r\n${HOST}X: ${'y'.repeat(60 * KIB)}\r\n\r\n`;
  assert.deepEqual(await statusesOf(t, server, [both]), [200]);
  await unharmed(server);
});

test('where the parser stopped tells whose bytes were too many', () => {
  const of = (text: string, at = text.length) => headOverflow(Buffer.from(text, 'latin1'), at).status;
  assert.equal(of('GET /query?query=abc'), 414);
  assert.equal(of('GET /abc HTTP/1.1\r\n', 8), 414);
  assert.equal(of('y: 1\r\n\r\nDELETE /abc'), 414);
  assert.equal(of('abc HTTP/1.1\r\nHost: x\r\n\r\n', 3), 414);
  assert.equal(of('%20abc'), 414);
  assert.equal(of('abc'), 431);
  assert.equal(of('a=%20; b=%20'), 431);
  assert.equal(of('GET / HTTP/1.1\r\nX: abc'), 431);
  assert.equal(of('GET / HTTP/1.1\r\nX: a%20b'), 431);
  assert.equal(of('abc\r\nHost: x\r\n\r\n', 3), 431);
  assert.equal(of('', 0), 431);
  assert.equal(headOverflow(null, 0).status, 431);
});

test('what is no request leaves a line and counts, and none of its bytes is told', async (t) => {
  const server = await startTestServer(t);
  const secret = 'c2VjcmV0';
  assert.match(await raw(server, `${secret} ${secret}\r\n\r\n`), /^HTTP\/1\.1 400 /);
  assert.match(await raw(server, `GET /?${'%20'.repeat(50_000)}${secret}`), /^HTTP\/1\.1 414 /);
  const told = server.events('request_unreadable');
  assert.deepEqual(
    told.map(({ status, reason }) => [status, reason]),
    [
      [400, 'HPE_INVALID_METHOD'],
      [414, 'HPE_HEADER_OVERFLOW'],
    ],
  );
  assert.ok(!server.lines.join('').includes(secret));
  assert.equal(await countedAs(server, 'unreadable', 400), 1);
  const metrics = await (await server.get('/metrics')).text();
  assert.match(metrics, /^svc_http_client_requests_total\{client="unattributed",endpoint="unreadable"\} 2$/m);
  assert.ok(!metrics.includes(secret));
});

test('headers that do not come in time leave a line; a body that does not ends its request with 408', async (t) => {
  const limits = { ...CONNECTION_LIMITS, headersTimeoutMs: 200, requestTimeoutMs: 400, checkIntervalMs: 50 };
  const server = await startTestServer(t, {}, { limits });
  assert.deepEqual(await statusesOf(t, server, ['GET /health HTTP/1.1\r\nHost: localhost\r\n']), [408]);
  assert.deepEqual(
    server.events('request_unreadable').map(({ status, reason }) => [status, reason]),
    [[408, 'ERR_HTTP_REQUEST_TIMEOUT']],
  );
  const begun =
    'POST /knot HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: 99\r\n\r\n{';
  assert.deepEqual(await statusesOf(t, server, [begun]), [408]);
  assert.deepEqual(
    server.events('request_complete').map(({ route, status }) => [route, status]),
    [['/knot', 408]],
  );
  assert.equal(await countedAs(server, '/knot', 408), 1);
  // One that was refused before its body came has its answer.
  const refused = begun.replace('application/json', 'text/plain');
  assert.deepEqual(await statusesOf(t, server, [refused]), [415]);
  assert.equal(server.events('request_unreadable').length, 1);
  await unharmed(server);
});

test('a client that ends in the middle of its body has left; one that ends in its headers is told', async (t) => {
  const server = await startTestServer(t);
  const ending = (text: string) =>
    new Promise<string>((resolve) => {
      let answer = '';
      const port = server.running.address.port;
      const socket = connect({ port, host: '127.0.0.1', allowHalfOpen: true }, () => socket.end(text));
      socket.setEncoding('latin1').on('data', (chunk: string) => {
        answer += chunk;
      });
      socket.on('end', () => socket.destroy()).on('close', () => resolve(answer));
    });
  const head =
    'POST /update HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/sparql-update\r\nContent-Length: 99\r\n';
  assert.equal(await ending(`${head}\r\nCLEAR ALL`), '');
  assert.deepEqual(
    server.events('request_complete').map(({ route, status }) => [route, status]),
    [['/update', 499]],
  );
  assert.match(await ending(head), /^HTTP\/1\.1 400 .*"error":"the request ended before it was whole"/s);
  assert.equal(server.events('request_unreadable').length, 1);
  await unharmed(server);
});

test('bytes that are no request, behind requests: those are answered first, each once', async (t) => {
  const server = await startTestServer(t);
  const turtle = Array.from({ length: 2000 }, (_, at) => `<a:${at}> <a:p> ${at} .`).join('\n');
  assert.equal((await server.post('/knot', { turtle })).status, 200);
  const query = (text: string, accept = '*/*') =>
    `POST /query HTTP/1.1\r\nHost: localhost\r\nAccept: ${accept}\r\nContent-Type: application/sparql-query\r\nContent-Length: ${text.length}\r\n\r\n${text}`;
  const count = query('SELECT (COUNT(*) AS ?n) { ?a <a:p> ?x . ?b <a:p> ?y FILTER(?x < 200) }');
  assert.deepEqual(await statusesOf(t, server, [`${count}${count}garbage\r\n\r\n`]), [200, 200, 400]);
  assert.deepEqual(await statusesOf(t, server, [`${count}GET /${'%20'.repeat(70_000)} HTTP/1.1\r\n\r\n`]), [200, 414]);
  // An answer that is under way is not broken into.
  const rows = query('SELECT ?a ?b { ?a <a:p> ?x . ?b <a:p> ?y } LIMIT 300000', 'text/csv');
  const answer = await raw(server, `${rows}garbage\r\n\r\n`);
  assert.equal(answer.match(/^a:\d+,a:\d+\r$/gm)?.length, 300_000);
  assert.match(answer, /0\r\n\r\nHTTP\/1\.1 400 /);
  // In the middle of a body it is the answer of that request.
  const broken = `POST /query HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n`;
  assert.deepEqual(await statusesOf(t, server, [`${count}${broken}`]), [200, 400]);
  assert.equal((await json(await server.post('/query', { query: 'ASK {}' }))).result, true);
});

test('what the parser alone would refuse is refused in the words of the service, and told of', async (t) => {
  const server = await startTestServer(t);
  const close = 'Connection: close\r\n\r\n';
  const cases: readonly [text: string, status: number, error: string][] = [
    [`GET /health HTTP/1.1\r\n${close}`, 400, 'Host is missing'],
    [
      `GET /health HTTP/1.1\r\nHost: localhost\r\nExpect: tea\r\n${close}`,
      417,
      'the only expectation that is met is 100-continue',
    ],
    ['CONNECT localhost:80 HTTP/1.1\r\nHost: localhost\r\n\r\n', 400, 'this is no proxy'],
  ];
  for (const [text, status, error] of cases) {
    const answer = await raw(server, text);
    assert.match(answer, new RegExp(`^HTTP/1\\.1 ${status} `), text);
    const body = JSON.parse(answer.slice(answer.indexOf('\r\n\r\n'))) as Record<string, unknown>;
    assert.deepEqual([body.error, body.code], [error, 'invalid_request']);
  }
  assert.deepEqual(
    server.events('request_complete').map(({ route, status }) => [route, status]),
    [
      ['/health', 400],
      ['/health', 417],
    ],
  );
  assert.equal(server.events('request_unreadable').length, 1);
  await unharmed(server);
});
