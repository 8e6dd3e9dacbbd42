/** Federated queries that do not go as they should: a server that dies, callers that leave, remotes that are this server. */
import assert from 'node:assert/strict';
import { type ChildProcess, spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import type { AddressInfo } from 'node:net';
import { connect as connectTo, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import { SVC } from '../cli/svc.js';
import { freePort } from '../http/free-port.js';
import { json } from '../http/support.js';
import { federated, remoteThat, sendJson, serverOf } from './support.js';

const QUERY = 'SELECT ?s ?o { ?s <urn:p> ?o }';

/** Some megabytes of rows, also when they are compressed. */
const ROWS = 4000;
const LARGE = Array.from({ length: ROWS }, (_, at) => `<urn:s${at}> <urn:p> "${randomBytes(500).toString('hex')}" .`);

/** A server in a process of its own. */
async function serverProcess(t: TestContext, turtle: string): Promise<{ child: ChildProcess; base: string }> {
  const folder = mkdtempSync(join(tmpdir(), 'svc-federation-'));
  writeFileSync(join(folder, 'data.ttl'), turtle);
  const words = ['serve', '--bind', '127.0.0.1:0', '--quiet'];
  const options = { cwd: folder, env: { PATH: process.env.PATH, HOME: folder } };
  const child = spawn(process.execPath, [SVC, ...words], options);
  t.after(() => {
    child.kill('SIGKILL');
    rmSync(folder, { recursive: true, force: true });
  });
  let said = '';
  const base = await new Promise<string>((resolve, reject) => {
    child.stderr.on('data', (chunk) => {
      said += chunk;
      const address = /listening on (\S+)/.exec(said)?.[1];
      if (address !== undefined) resolve(`http://${address}`);
    });
    child.once('close', () => reject(new Error(said)));
  });
  const loaded = await fetch(`${base}/knot`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ turtle }),
  });
  assert.equal(loaded.status, 200, await loaded.text());
  return { child, base };
}

/** Passes bytes on between a caller and a server; `onBytes` is told how many the server has sent on a connection. */
async function between(t: TestContext, base: string, onBytes: (bytes: number) => void): Promise<string> {
  const { hostname, port } = new URL(base);
  const server = createServer((caller) => {
    const called = connectTo(Number(port), hostname);
    let bytes = 0;
    called.on('data', (chunk) => {
      bytes += chunk.length;
      onBytes(bytes);
    });
    caller.pipe(called).pipe(caller);
    const end = (): void => {
      caller.destroy();
      called.destroy();
    };
    for (const socket of [caller, called]) socket.on('error', end).on('close', end);
    t.after(end);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  t.after(() => server.close());
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

test('three servers, of which one dies in the middle of its answer', async (t) => {
  const north = await serverOf(t, '<urn:n> <urn:p> 2 .');
  const south = await serverProcess(t, LARGE.join('\n'));
  let mayDie = false;
  const port = await between(t, south.base, (bytes) => {
    if (mayDie && bytes > 500_000) south.child.kill('SIGKILL');
  });
  const here = await serverOf(t, '<urn:h> <urn:p> 1 .', {
    federation: {
      remotes: [
        { name: 'south', url: port, timeout_ms: 60_000 },
        { name: 'north', url: north.base, labels: { freshness: 'fresh' }, timeout_ms: 60_000 },
      ],
    },
  });
  const whole = await federated(here, QUERY);
  assert.deepEqual([whole.count, whole.complete], [ROWS + 2, true]);
  mayDie = true;
  const part = await federated(here, QUERY);
  assert.deepEqual(part.rows.slice(0, 3), [
    { s: 'urn:h', o: 1, _provider: 'local' },
    { s: 'urn:n', o: 2, _provider: 'north', _freshness: 'fresh' },
  ]);
  assert.deepEqual([part.count, part.complete, part.truncated], [2, false, false]);
  const [local, dead, living] = part.providers;
  assert.deepEqual([local?.ok, living?.ok, dead?.ok, dead?.rows], [true, true, false, 0]);
  assert.match(dead?.error ?? '', /^no answer \(/);
});

test('who leaves, and who is ended, ends the questions to the remotes', async (t) => {
  const remote = await remoteThat(t, (response, _, path) => {
    if (path.endsWith('/stats')) response.end();
  });
  const here = await serverOf(t, '<urn:h> <urn:p> 1 .', {
    federation: { remotes: [1, 2].map((at) => ({ name: `r${at}`, url: `${remote.url}/${at}`, timeout_ms: 60_000 })) },
  });
  const asked = (): number => remote.requests.filter(({ path }) => path.endsWith('/query')).length;
  const until = async (isSo: () => boolean): Promise<void> => {
    while (!isSo()) await pause(5);
  };
  const leaving = new AbortController();
  const left = fetch(`${here.base}/query`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ query: QUERY, federated: true }),
    signal: leaving.signal,
  });
  await until(() => asked() === 2);
  leaving.abort();
  await assert.rejects(left);
  await until(() => remote.left === 2);
  const ended = here.post('/query', { query: QUERY, federated: true });
  await until(() => asked() === 4);
  const { running } = (await json(await here.get('/queries/running'))) as {
    running: { id: number; operation: string }[];
  };
  const { id } = running.find(({ operation }) => operation === 'read') ?? assert.fail();
  assert.equal((await here.post('/queries/cancel', { id })).status, 200);
  const response = await ended;
  assert.deepEqual([response.status, (await json(response)).code], [499, 'aborted']);
  await until(() => remote.left === 4);
});

test('the time of the request bounds that of the remotes; what is there by then is the answer', async (t) => {
  const remote = await remoteThat(t, (response, _, path) => {
    if (path.startsWith('/quick')) sendJson(response, { variables: ['s', 'o'], rows: [{ s: 'urn:q' }] });
  });
  const here = await serverOf(t, '<urn:h> <urn:p> 1 .', {
    federation: {
      remotes: ['slow', 'quick'].map((name) => ({ name, url: `${remote.url}/${name}`, timeout_ms: 60_000 })),
    },
  });
  const { rows, providers, complete } = await federated(here, QUERY, { timeout_ms: 3000 });
  assert.deepEqual(
    rows.map(({ s }) => s),
    ['urn:h', 'urn:q'],
  );
  assert.match(providers[1]?.error ?? '', /^no whole answer within the \d+ ms that the request had left$/);
  assert.equal(complete, false);
});

test('a remote that is this server: one round, no more, with one thread of readers', async (t) => {
  const port = await freePort();
  const url = `http://127.0.0.1:${port}`;
  const here = await serverOf(t, '<urn:h> <urn:p> 1 .', {
    server: { read_pool_size: 1, bind: `127.0.0.1:${port}` },
    federation: { remotes: [{ name: 'mirror', url, timeout_ms: 60_000 }] },
  });
  const answers = await Promise.all(Array.from({ length: 40 }, () => federated(here, QUERY)));
  for (const { rows, complete } of answers) {
    assert.deepEqual(
      rows.map(({ _provider }) => _provider),
      ['local', 'mirror'],
    );
    assert.equal(complete, true);
  }
  // SERVICE may name the remote by the address of its queries, and by nothing else.
  const service = (address: string) => here.post('/query', { query: `SELECT * { SERVICE <${address}> { ?s ?p ?o } }` });
  const joined = await service(`${url}/query`);
  const { count, labels } = await json(joined);
  assert.deepEqual([count, labels], [1, null]);
  const statuses = await Promise.all(Array.from({ length: 20 }, async () => (await service(`${url}/query`)).status));
  assert.deepEqual([...new Set(statuses)], [200]);
  assert.equal((await service(url)).status, 400);
  assert.equal((await service(`${url}/query/`)).status, 400);
  assert.equal((await service(`${url}/stats`)).status, 400);
});

test('at its start a server tells which remotes answer; nothing waits for them', async (t) => {
  const remote = await remoteThat(t, (response, _, path) => {
    if (path === '/ok/stats') sendJson(response, {});
    else if (path === '/bad/stats') response.writeHead(503).end();
  });
  const here = await serverOf(t, '', {
    server: { read_pool_size: 0 },
    federation: {
      remotes: [
        { name: 'ok', url: `${remote.url}/ok` },
        { name: 'bad', url: `${remote.url}/bad` },
        { name: 'slow', url: `${remote.url}/slow`, timeout_ms: 700 },
        { name: 'dead', url: 'http://127.0.0.1:1' },
      ],
    },
  });
  const told = (): string =>
    here.lines
      .filter((line) => line.startsWith('federation: '))
      .sort()
      .join('');
  const isTold = (name: string): boolean => told().includes(`federation: ${name} <`);
  while (!['ok', 'bad', 'slow', 'dead'].every(isTold)) await pause(10);
  assert.match(told(), /^federation: bad <.*\/bad> does not answer: GET \/stats answered 503$/m);
  assert.match(told(), /^federation: dead <.*> does not answer: no answer \(.*\)$/m);
  assert.match(told(), /^federation: ok <.*\/ok> answers$/m);
  assert.match(told(), /^federation: slow <.*> does not answer: no whole answer within 700 ms/m);
});
