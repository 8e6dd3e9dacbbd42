/** Clients that mean harm or know no better: after each of them the server answers as before, and nothing was written. */
import assert from 'node:assert/strict';
import { spawn, spawnSync } from 'node:child_process';
import { connect, type Socket } from 'node:net';
import { type TestContext, test } from 'node:test';
import { json, raw, startTestServer, type TestServer } from './support.js';
import { tellsNothing, unharmed } from './unharmed.js';

const HEALTH = 'GET /health HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n';

interface Connection {
  readonly socket: Socket;
  /** All that has come so far. */
  received(): string;
  /** Settles when the other end closes. */
  readonly ended: Promise<string>;
}

function open(t: TestContext, server: TestServer): Promise<Connection> {
  return new Promise((resolve, reject) => {
    let text = '';
    const socket = connect(server.running.address.port, '127.0.0.1', () => {
      resolve({ socket, received: () => text, ended });
    });
    const ended = new Promise<string>((settle) => socket.once('close', () => settle(text)));
    socket.setEncoding('utf8');
    socket.on('data', (chunk: string) => {
      text += chunk;
    });
    socket.on('error', reject);
    t.after(() => socket.destroy());
  });
}

async function until(isSo: () => boolean): Promise<void> {
  while (!isSo()) await new Promise((resolve) => setTimeout(resolve, 5));
}

test('slow clients: a byte at a time, headers that never end, bodies that never come hold nobody up', async (t) => {
  const server = await startTestServer(t);
  const slow = await open(t, server);
  for (const byte of HEALTH) {
    slow.socket.write(byte);
    await new Promise((resolve) => setImmediate(resolve));
  }
  const stuck = await Promise.all(
    Array.from({ length: 100 }, async (_, at) => {
      const { socket } = await open(t, server);
      if (at % 2 === 0) socket.write('GET /health HTTP/1.1\r\nHost: localhost\r\nX-Slow: ');
      else {
        socket.write(
          `POST /knot HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: 90\r\n\r\n{`,
        );
      }
      return socket;
    }),
  );
  await until(() => server.events('request_start').length >= 51);
  for (const socket of stuck) socket.write('y');
  assert.match(await slow.ended, /^HTTP\/1\.1 200/);
  await unharmed(server);
  for (const socket of stuck) socket.destroy();
  await until(() => server.events('request_complete').filter(({ status }) => status === 499).length === 50);
  await unharmed(server);
});

test('pipelined requests are answered in order, also when one of them is refused', async (t) => {
  const server = await startTestServer(t);
  const body = '{"query":"ASK {}"}';
  const query = `POST /query HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: ${body.length}\r\n\r\n${body}`;
  const wrong = `POST /knot HTTP/1.1\r\nHost: localhost\r\nContent-Type: text/plain\r\nContent-Length: 5\r\n\r\nhello`;
  const missing = 'GET /nowhere HTTP/1.1\r\nHost: localhost\r\n\r\n';
  const text = await raw(server, `${query}${wrong}${missing}${query.repeat(50)}${HEALTH}`);
  const statuses = [...text.matchAll(/HTTP\/1\.1 (\d+)/g)].map(([, status]) => Number(status));
  assert.deepEqual(statuses, [200, 415, 404, ...Array.from({ length: 50 }, () => 200), 200]);
  await unharmed(server, text);
});

/** Opens so many connections, says so, and when it is told to asks on each of them; says how many got their answer. */
const CROWD = `
  const { connect } = require('node:net');
  const [port, count] = process.argv.slice(1).map(Number);
  const sockets = [];
  let [answered, ended] = [0, 0];
  const open = () => new Promise((resolve, reject) => {
    const socket = connect(port, '127.0.0.1', resolve).on('error', reject);
    let text = '';
    socket.setEncoding('utf8').on('data', (chunk) => { text += chunk; });
    socket.once('close', () => {
      if (text.startsWith('HTTP/1.1 200') && text.endsWith('{"status":"ok"}')) answered++;
      if (++ended === count) console.log(answered);
    });
    sockets.push(socket);
  });
  (async () => {
    while (sockets.length < count) await Promise.all(Array.from({ length: 250 }, open));
    console.log('open');
    process.stdin.once('data', (head) => { for (const socket of sockets) socket.write(head); });
  })();
`;

test('10,000 connections at once, each with a request', async (t) => {
  const files = Number(spawnSync('sh', ['-c', 'ulimit -n'], { encoding: 'utf8' }).stdout) || Number.POSITIVE_INFINITY;
  // Each end of a connection is a file of its process.
  if (files < 10_500) return t.skip(`a process may have ${files} open files here`);
  const server = await startTestServer(t, {}, { quiet: true });
  const crowd = spawn(process.execPath, ['-e', CROWD, String(server.running.address.port), '10000']);
  t.after(() => crowd.kill());
  let said = '';
  crowd.stdout.setEncoding('utf8').on('data', (text: string) => {
    said += text;
  });
  const gone = new Promise((resolve) => crowd.once('exit', resolve));
  await Promise.race([until(() => said.includes('open')), gone]);
  assert.match(said, /open/, 'all of them are there');
  await unharmed(server);
  crowd.stdin.end(HEALTH);
  await gone;
  assert.equal(said, 'open\n10000\n');
  await unharmed(server);
});

test('heads of requests: each gets one clear answer, and no second request is smuggled in', async (t) => {
  const server = await startTestServer(t);
  const host = 'Host: localhost\r\nConnection: close\r\n';
  const chunked = '0\r\n\r\nGET /stats HTTP/1.1\r\nHost: localhost\r\n\r\n';
  const json1 = 'Content-Type: application/json\r\n';
  const cases: readonly [what: string, request: string, statuses: readonly number[]][] = [
    ['absolute-form', `GET http://localhost/health HTTP/1.1\r\n${host}\r\n`, [200, 400, 404]],
    ['absolute-form elsewhere', `GET http://evil.example/health HTTP/1.1\r\n${host}\r\n`, [200, 400, 403, 404]],
    ['authority-form', `CONNECT localhost:80 HTTP/1.1\r\n${host}\r\n`, [400]],
    ['asterisk-form', `OPTIONS * HTTP/1.1\r\n${host}\r\n`, [400, 404]],
    ['no Host', 'GET /health HTTP/1.1\r\nConnection: close\r\n\r\n', [400]],
    ['Host twice', `GET /health HTTP/1.1\r\nHost: localhost\r\n${host}\r\n`, [400]],
    ['Host twice, one foreign', `GET /health HTTP/1.1\r\nHost: evil.example\r\n${host}\r\n`, [400]],
    ['Host empty', 'GET /health HTTP/1.1\r\nHost:\r\nConnection: close\r\n\r\n', [400, 403]],
    ['Host with a path', 'GET /health HTTP/1.1\r\nHost: localhost/x\r\nConnection: close\r\n\r\n', [400]],
    ['Host with a user', 'GET /health HTTP/1.1\r\nHost: a@localhost\r\nConnection: close\r\n\r\n', [400]],
    ['Host foreign', 'GET /health HTTP/1.1\r\nHost: evil.example\r\nConnection: close\r\n\r\n', [403]],
    [
      'length and chunks',
      `POST /query HTTP/1.1\r\n${host}${json1}Content-Length: 4\r\nTransfer-Encoding: chunked\r\n\r\n${chunked}`,
      [400],
    ],
    [
      'two lengths',
      `POST /query HTTP/1.1\r\n${host}${json1}Content-Length: 4\r\nContent-Length: 5\r\n\r\n{}{}{}`,
      [400],
    ],
    ['length below zero', `POST /query HTTP/1.1\r\n${host}${json1}Content-Length: -1\r\n\r\n`, [400]],
    ['unknown coding', `POST /query HTTP/1.1\r\n${host}${json1}Transfer-Encoding: x\r\n\r\n${chunked}`, [400, 501]],
    ['chunk that is none', `POST /query HTTP/1.1\r\n${host}${json1}Transfer-Encoding: chunked\r\n\r\nzz\r\n`, [400]],
    ['bare CR', `GET /health HTTP/1.1\r\n${host}X: a\rb\r\n\r\n`, [400]],
    ['NUL in a header', `GET /health HTTP/1.1\r\n${host}X: a\0b\r\n\r\n`, [400]],
    ['space before the colon', `GET /health HTTP/1.1\r\n${host}X : a\r\n\r\n`, [400]],
    ['folded header', `GET /health HTTP/1.1\r\n${host}X: a\r\n b\r\n\r\n`, [200, 400]],
    ['space in the path', `GET /he alth HTTP/1.1\r\n${host}\r\n`, [400]],
    ['HTTP/2 preface', 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n', [400, 505]],
    ['HTTP/3.1', `GET /health HTTP/3.1\r\n${host}\r\n`, [400, 505]],
    ['no such method', `BREW /health HTTP/1.1\r\n${host}\r\n`, [400, 405]],
    ['method in lower case', `get /health HTTP/1.1\r\n${host}\r\n`, [400, 405]],
    ['TRACE', `TRACE /health HTTP/1.1\r\n${host}\r\n`, [400, 404, 405]],
    [
      'upgrade',
      `GET /health HTTP/1.1\r\nHost: localhost\r\nConnection: Upgrade, close\r\nUpgrade: websocket\r\n\r\n`,
      [200, 400],
    ],
    ['TLS', '\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03', [400]],
    ['1,000 headers', `GET /health HTTP/1.1\r\n${host}${'X: y\r\n'.repeat(1000)}\r\n`, [200, 431]],
    ['headers too long', `GET /health HTTP/1.1\r\n${host}X: ${'y'.repeat(100_000)}\r\n\r\n`, [431]],
    ['target too long', `GET /${'y'.repeat(100_000)} HTTP/1.1\r\n${host}\r\n`, [414]],
    ['HTTP/1.0', 'GET /health HTTP/1.0\r\nHost: localhost\r\n\r\n', [200]],
    ['HTTP/0.9', 'GET /health\r\n\r\n', [400, 403]],
  ];
  for (const [what, request, statuses] of cases) {
    const answer = await raw(server, request);
    const given = [...answer.matchAll(/HTTP\/1\.1 (\d+) /g)].map(([, status]) => Number(status));
    // Without an answer the connection is closed all the same.
    if (statuses.length === 0 && given.length === 0) continue;
    assert.equal(given.length, 1, `${what}: ${given.length} answers: ${answer.slice(0, 300)}`);
    assert.ok(statuses.includes(given[0] as number), `${what}: ${answer.slice(0, 300)}`);
    tellsNothing(server, answer);
  }
  await unharmed(server);
});

test('paths: nothing that is encoded or long reaches what is not its own', async (t) => {
  const server = await startTestServer(t);
  const paths = [
    '/..%2f..%2fetc%2fpasswd',
    '/../../etc/passwd',
    '/%2e%2e/%2e%2e/etc/passwd',
    '/health%00',
    '/%00',
    '/%',
    '/%zz',
    '/%ff',
    '/health%0d%0aX-Evil:%20yes',
    '/health;x=y',
    '//health',
    '/health/../knot',
    '/HEALTH',
    '/\u00e9\u{1f600}'.replace(/[^\x20-\x7e]/gu, (character) => encodeURIComponent(character)),
    `/entity/${'%2f'.repeat(1000)}`,
    `/entity/${encodeURIComponent('http://ex.org/\u0000')}`,
    `/entity/${encodeURIComponent('http://ex.org/\r\nSet-Cookie: a=b')}`,
    '/entity/%ed%a0%80',
    `/preview/${'x'.repeat(7000)}`,
    '/entity?iri=',
    '/entity?iri=a&iri=b',
    '/query?query=%00',
    '/query?query=ASK%7B%7D%ff',
    '/rdf-graph-store?graph=%00',
    `/rdf-graph-store?graph=${encodeURIComponent('http://ex.org/\r\nX: y')}`,
    '/knot%2f',
    '/%6bnot',
    '/openapi.json?__proto__[x]=1',
    '/stats?constructor=1&__proto__=2',
  ];
  for (const path of paths) {
    const answer = await raw(server, `GET ${path} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n`);
    const [head = ''] = answer.split('\r\n\r\n');
    const status = Number(/^HTTP\/1\.1 (\d+)/.exec(head)?.[1]);
    assert.ok(status >= 200 && status < 500, `${path}: ${answer.slice(0, 300)}`);
    assert.doesNotMatch(head, /^(?:X-Evil|Set-Cookie|X):/im, path);
    assert.doesNotMatch(answer, /root:x:0/);
    tellsNothing(server, answer);
  }
  await unharmed(server);
});

test('the guard reads paths as the router does: no spelling of a write passes without the bearer', async (t) => {
  const server = await startTestServer(t, { server: { auth_token: 'a-token-of-the-server' } });
  const body = JSON.stringify({ turtle: '<http://ex.org/a> <http://ex.org/p> 1 .' });
  for (const path of [
    '/knot',
    '/knot/',
    '/%6bnot',
    '/knot?x',
    '//knot',
    '/KNOT',
    '/knot%2f',
    '/./knot',
    '/x/../knot',
  ]) {
    const answer = await raw(
      server,
      `POST ${path} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\nContent-Type: application/json\r\nContent-Length: ${body.length}\r\n\r\n${body}`,
    );
    assert.match(answer, /^HTTP\/1\.1 (?:40[0145])/, `${path}: ${answer.slice(0, 200)}`);
  }
  for (const header of [
    'X-HTTP-Method-Override: PUT',
    'X-Original-URL: /knot',
    'X-Rewrite-URL: /knot',
    'X-Forwarded-Host: evil',
  ]) {
    const answer = await raw(
      server,
      `GET /health HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n${header}\r\n\r\n`,
    );
    assert.match(answer, /^HTTP\/1\.1 200/);
  }
  await unharmed(server);
});

test('tokens in wrong places open nothing and are told nowhere', async (t) => {
  const token = 'the-token-in-a-wrong-place';
  const server = await startTestServer(t, { server: { auth_token: token } });
  const body = { turtle: '', token, access_token: token, authorization: `Bearer ${token}` };
  const places: readonly [path: string, headers: Record<string, string>][] = [
    [`/knot?access_token=${token}`, {}],
    [`/knot?authorization=Bearer%20${token}`, {}],
    ['/knot', { Cookie: `token=${token}` }],
    ['/knot', { 'X-Svc-Client': token }],
    ['/knot', { 'Proxy-Authorization': `Bearer ${token}` }],
    ['/knot', { Authorization: `Bearer ${token} ${token}` }],
    ['/knot', { Authorization: `Bearer "${token}"` }],
    ['/knot', { Authorization: `Basic ${btoa(`bearer:${token}`)}` }],
    ['/knot', { Authorization: `Bearer${token}` }],
    ['/knot', { Authorization: `Bearer ${token.toUpperCase()}` }],
    ['/knot', { Authorization: `Bearer ${token.slice(0, -1)}` }],
    ['/knot', { Authorization: `Bearer ${token}x` }],
  ];
  for (const [path, headers] of places) {
    const response = await server.post(path, body, headers);
    const text = await response.text();
    assert.equal(response.status, 401, `${path} ${JSON.stringify(headers)}`);
    assert.ok(!text.includes(token), text);
  }
  const twice = await raw(
    server,
    `POST /knot HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\nAuthorization: Bearer wrong\r\nAuthorization: Bearer ${token}\r\nContent-Type: application/json\r\nContent-Length: 13\r\n\r\n{"turtle":""}`,
  );
  assert.match(twice, /^HTTP\/1\.1 40[01]/, 'of two the first counts');
  const inBody = await server.post('/query', { query: `ASK {}`, token });
  assert.deepEqual((await json(inBody)).ignored_fields, ['token']);
  await unharmed(server);
  const lines = server.lines.filter((line) => !line.includes('"client":"the-token-in-a-wrong-place"'));
  assert.ok(!lines.join('').includes(token), 'no line holds a token');
});

test('bodies where none belongs, expectations, and HTTP/1.0', async (t) => {
  const server = await startTestServer(t);
  const body = '{"query":"ASK {}"}';
  const get = await raw(
    server,
    `GET /health HTTP/1.1\r\nHost: localhost\r\nContent-Length: ${body.length}\r\n\r\n${body}${HEALTH}`,
  );
  assert.deepEqual(
    [...get.matchAll(/HTTP\/1\.1 (\d+)/g)].map(([, status]) => status),
    ['200', '200'],
  );
  const expecting = (path: string, length: number, what: string) =>
    `POST ${path} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\nExpect: ${what}\r\nContent-Type: application/json\r\nContent-Length: ${length}\r\n\r\n`;
  const waiting = await open(t, server);
  waiting.socket.write(expecting('/query', body.length, '100-continue'));
  await until(() => waiting.received().includes('HTTP/1.1 100 Continue'));
  waiting.socket.write(body);
  assert.match(await waiting.ended, /HTTP\/1\.1 200 OK[\s\S]*"result":true/);
  assert.match(await raw(server, `${expecting('/query', body.length, 'miracles')}${body}`), /^HTTP\/1\.1 (?:200|417)/);
  const old = await raw(
    server,
    `POST /query HTTP/1.0\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: ${body.length}\r\n\r\n${body}`,
  );
  assert.match(old, /^HTTP\/1\.1 200[\s\S]*"result":true/);
  assert.doesNotMatch(old, /transfer-encoding/i, 'HTTP/1.0 knows no chunks');
  await unharmed(server, get + old);
});
