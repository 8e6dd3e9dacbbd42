/** Clients that take their time, or leave: they are cut off when their time is up, and hold nobody else up. */
import assert from 'node:assert/strict';
import { getEventListeners } from 'node:events';
import { connect, type Socket } from 'node:net';
import { type TestContext, test } from 'node:test';
import { CONNECTION_LIMITS } from '../../interfaces/http/request/connections.js';
import { ENDLESS } from './errors/support.js';
import { json, startTestServer, type TestServer } from './support.js';
import { tellsNothing, unharmed } from './unharmed.js';

const QUICK = { ...CONNECTION_LIMITS, headersTimeoutMs: 300, requestTimeoutMs: 600, checkIntervalMs: 50 };

interface Connection {
  readonly socket: Socket;
  received(): string;
  /** Settles with all that came when the other end closes. */
  readonly ended: Promise<string>;
}

function open(t: TestContext, server: TestServer): Promise<Connection> {
  return new Promise((resolve, reject) => {
    let text = '';
    const socket = connect(server.running.address.port, '127.0.0.1', () =>
      resolve({ socket, received: () => text, ended }),
    );
    const ended = new Promise<string>((settle) => socket.once('close', () => settle(text)));
    socket.setEncoding('utf8').on('data', (chunk: string) => {
      text += chunk;
    });
    // Resets are the other end's way to close.
    socket.on('error', (error: NodeJS.ErrnoException) =>
      error.code === 'ECONNRESET' || error.code === 'EPIPE' ? null : reject(error),
    );
    t.after(() => socket.destroy());
  });
}

const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));

async function until(isSo: () => boolean): Promise<void> {
  while (!isSo()) await pause(5);
}

function post(path: string, body: string, type = 'application/json', more = ''): string {
  return `POST ${path} HTTP/1.1\r\nHost: localhost\r\nContent-Type: ${type}\r\nContent-Length: ${Buffer.byteLength(body)}\r\n${more}\r\n${body}`;
}

test('a server for everybody waits 20 s for headers and 300 s for a request, and looks often enough', () => {
  assert.equal(CONNECTION_LIMITS.headersTimeoutMs, 20_000);
  assert.equal(CONNECTION_LIMITS.requestTimeoutMs, 300_000);
  assert.ok(CONNECTION_LIMITS.checkIntervalMs <= CONNECTION_LIMITS.headersTimeoutMs / 4);
});

test('headers that drip and bodies that drip end with 408, while others are answered', async (t) => {
  const server = await startTestServer(t, {}, { limits: QUICK });
  // What drips in is a value that may have any length.
  const whole = post('/knot', ' '.repeat(100_000), 'application/json', 'X-Slow: 1\r\n');
  const headEnd = whole.indexOf('\r\n\r\n') + 4;
  const drips = await Promise.all(
    [headEnd - 4, headEnd].map(async (begin) => {
      const { socket, ended } = await open(t, server);
      socket.write(whole.slice(0, begin));
      const timer = setInterval(() => socket.writable && socket.write('0'), 20);
      return ended.finally(() => clearInterval(timer));
    }),
  );
  for (const answer of drips) {
    assert.match(answer, /^HTTP\/1\.1 408 Request Timeout\r\n/);
    assert.match(answer, /Connection: close\r\n.*"error":"the request did not arrive in time"/s);
    tellsNothing(server, answer);
  }
  await unharmed(server);
  await until(() => server.events('request_complete').length === server.events('request_start').length);
});

test('a client that says nothing is cut off, too; one whose request took its time within the limit is answered', async (t) => {
  const quick = await startTestServer(t, {}, { limits: QUICK });
  const silent = await open(t, quick);
  assert.match(await silent.ended, /^(?:$|HTTP\/1\.1 408)/);
  // Times that no machine takes for a short request.
  const server = await startTestServer(t, {}, { limits: { ...CONNECTION_LIMITS, checkIntervalMs: 5 } });
  const slow = await open(t, server);
  for (const piece of post('/query', '{"query":"ASK {}"}', 'application/json', 'Connection: close\r\n').match(
    /[\s\S]{1,40}/g,
  ) ?? []) {
    slow.socket.write(piece);
    await pause(5);
  }
  assert.match(await slow.ended, /^HTTP\/1\.1 200 .*"result":true/s);
  await unharmed(server);
});

test('a client that reads nothing of its answer: others are served by the same thread, and it leaves nothing', async (t) => {
  const server = await startTestServer(t, { server: { read_pool_size: 1 } });
  const lines = Array.from({ length: 2000 }, (_, at) => `<a:${at}> <a:p> ${at} .`);
  assert.equal((await server.post('/knot', { turtle: lines.join('\n') })).status, 200);
  const readers = server.running.store.readers;
  assert.ok(readers !== null);
  const query = 'SELECT ?a ?b { ?a <a:p> ?x . ?b <a:p> ?y }';
  const { socket, received } = await open(t, server);
  socket.pause();
  const text = `query=${encodeURIComponent(query)}`;
  socket.write(post('/query', text, 'application/x-www-form-urlencoded', 'Accept: text/csv\r\n'));
  await until(() => readers.figures.calls > 0);
  for (let at = 0; at < 50; at++) {
    assert.equal((await json(await server.post('/query', { query: `ASK { <a:${at}> ?p ${at} }` }))).result, true);
    // It reads a little now and then.
    if (at % 10 === 0) socket.read(1);
  }
  assert.equal(readers.figures.calls, 1, 'it is still under way');
  assert.ok(received().length < 4_000_000);
  socket.destroy();
  await until(() => readers.figures.calls === 0);
  await until(() => server.events('request_complete').some(({ status }) => status === 499));
});

test('pipelined requests of a client that leaves: what runs for them is cancelled, every one is told of', async (t) => {
  const server = await startTestServer(t);
  const readers = server.running.store.readers;
  assert.ok(readers !== null);
  const { socket } = await open(t, server);
  const endless = post('/query', ENDLESS, 'application/sparql-query');
  socket.write(`GET /health HTTP/1.1\r\nHost: localhost\r\n\r\n${endless.repeat(40)}`);
  await until(() => readers.figures.calls > 10);
  socket.destroy();
  await until(() => readers.figures.calls === 0);
  await until(() => server.events('request_complete').length === server.events('request_start').length);
  const statuses = new Set(server.events('request_complete').map(({ status }) => status));
  assert.ok(statuses.has(499) && statuses.has(200));
  await unharmed(server);
});

test('a client that leaves in the middle of an update: all of it is there, or nothing', async (t) => {
  const server = await startTestServer(t);
  const facts = 2000;
  for (let at = 0; at < 24; at++) {
    const body = `INSERT DATA { ${Array.from({ length: facts }, (_, n) => `<a:u${at}> <a:p> ${n} .`).join(' ')} }`;
    const { socket } = await open(t, server);
    const text = post('/update', body, 'application/sparql-update');
    if (at % 3 === 0) socket.write(text.slice(0, (text.length / 2) | 0));
    else socket.write(text);
    await pause(at * 3);
    socket.destroy();
  }
  await until(() => server.events('request_complete').length === server.events('request_start').length);
  const rows = (
    await json(
      await server.post('/query', {
        query: 'SELECT ?u (COUNT(*) AS ?n) { ?u <a:p> ?o } GROUP BY ?u',
      }),
    )
  ).rows as { n: number }[];
  const written = server.running.store.transactions();
  assert.equal(rows.length, written.length, 'one transaction for each that is there');
  for (const { n } of rows) assert.equal(n, facts);
});

test('an ordinary end of a connection cancels nothing: answers are whole, and what others asked goes on', async (t) => {
  const server = await startTestServer(t);
  const lines = Array.from({ length: 3000 }, (_, at) => `<a:${at}> <a:p> ${at} .`);
  const writing = await open(t, server);
  const body = JSON.stringify({ turtle: lines.join('\n') });
  writing.socket.write(post('/knot', body, 'application/json', 'Connection: close\r\n'));
  assert.match(await writing.ended, /^HTTP\/1\.1 200 .*"new_facts":3000/s);
  const select = 'SELECT ?a ?b { ?a <a:p> ?x . ?b <a:p> ?y } LIMIT 200000';
  const long = server.post('/query', { query: select }, { Accept: 'text/csv' });
  for (let at = 0; at < 20; at++) {
    const reading = await open(t, server);
    reading.socket.write(
      post(
        '/query',
        `SELECT ?a { ?a <a:p> ?x } LIMIT 3000`,
        'application/sparql-query',
        'Accept: text/csv\r\nConnection: close\r\n',
      ),
    );
    assert.equal((await reading.ended).match(/^a:\d+\r$/gm)?.length, 3000);
  }
  assert.equal((await (await long).text()).trimEnd().split('\r\n').length, 200_001);
  await until(() => server.events('request_complete').length === 22);
  assert.ok(server.events('request_complete').every(({ status }) => status === 200));
});

test('10,000 requests on one connection leave no listener behind', async (t) => {
  const server = await startTestServer(t, {}, { quiet: true });
  const { readers } = server.running.store;
  assert.ok(readers !== null);
  const signals = new Set<AbortSignal>();
  const operate = readers.operate.bind(readers);
  t.mock.method(readers, 'operate', ((job, options) => {
    if (options?.signal) signals.add(options.signal);
    return operate(job, options);
  }) as typeof readers.operate);
  const { socket, received } = await open(t, server);
  const body = '{"query":"ASK {}"}';
  const one = post('/query', body);
  for (let done = 0; done < 10_000; done += 200) {
    const before = received().length;
    socket.write(one.repeat(200));
    await until(
      () =>
        (received()
          .slice(before)
          .match(/"result":true/g)?.length ?? 0) === 200,
    );
  }
  assert.equal(signals.size, 1, 'requests of a connection share its signal');
  const [signal] = signals;
  assert.ok(signal !== undefined && !signal.aborted);
  assert.equal(getEventListeners(signal, 'abort').length, 0);
  const held = ['close', 'error', 'end', 'drain', 'timeout', 'data'].map((event) => {
    const most = Math.max(0, ...[...serverSockets(server)].map((one) => one.listenerCount(event)));
    return [event, most] as const;
  });
  for (const [event, most] of held) assert.ok(most <= 5, `${most} listeners of ${event}`);
  socket.destroy();
  await until(() => signal.aborted);
});

/** The server's ends of its connections. */
function serverSockets(_: TestServer): Set<Socket> {
  const handles = (process as unknown as { _getActiveHandles(): object[] })._getActiveHandles();
  return new Set(handles.filter((handle): handle is Socket => 'server' in handle && 'remoteAddress' in handle));
}

test('uploads that stall lose: other large ones find room, and the slow ones are told', async (t) => {
  const limits = { ...CONNECTION_LIMITS, largestBodies: 2, bodyLookMs: 20 };
  const server = await startTestServer(t, { server: { max_body_bytes: 400_000 } }, { limits });
  const body = '{"turtle":""}'.padEnd(399_999);
  const whole = post('/knot', `${body} `);
  const stalled = await Promise.all(
    Array.from({ length: 2 }, async () => {
      const connection = await open(t, server);
      // What drips does not help.
      const timer = setInterval(() => connection.socket.writable && connection.socket.write(' '), 10);
      connection.socket.write(whole.slice(0, -1000));
      return connection.ended.finally(() => clearInterval(timer));
    }),
  );
  for (const answer of stalled) {
    assert.match(answer, /^HTTP\/1\.1 408 .*"error":"the body came too slowly( while others found no room)?"/s);
  }
  const given = server.events('request_complete').map(({ route, status }) => [route, status]);
  assert.deepEqual(given, Array(2).fill(['/knot', 408]));
  for (let at = 0; at < 5; at++) {
    const answer = await server.send('POST', '/knot', body, { 'Content-Type': 'application/json' });
    assert.equal(answer.status, 200, 'nothing is held any more');
  }
});

test('a large body that finds no room takes that of one that stalls, not of one that goes on', async (t) => {
  const limits = { ...CONNECTION_LIMITS, largestBodies: 2, bodyLookMs: 200 };
  const server = await startTestServer(t, { server: { max_body_bytes: 400_000 } }, { limits });
  const body = '{"turtle":""}'.padEnd(399_999);
  const send = () => server.send('POST', '/knot', body, { 'Content-Type': 'application/json' });
  const stalled = [await open(t, server), await open(t, server)];
  for (const { socket } of stalled) socket.write(post('/knot', `${body} `).slice(0, -1000));
  let response = await send();
  while (response.status === 503) {
    await response.text();
    await pause(20);
    response = await send();
  }
  assert.equal(response.status, 200);
  const first = await Promise.race(stalled.map(({ ended }) => ended));
  assert.match(first, /^HTTP\/1\.1 408 .*"error":"the body came too slowly while others found no room"/s);
  for (const { socket } of stalled) socket.destroy();
});
