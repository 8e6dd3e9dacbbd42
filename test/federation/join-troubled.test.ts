/** Joins with remotes that do not do as they should: what they spoil is missing, the answer says so, and nothing else suffers. */
import assert from 'node:assert/strict';
import type { ServerResponse } from 'node:http';
import { test } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import { freePort } from '../http/free-port.js';
import { json } from '../http/support.js';
import { federated, remoteThat, sendJson, serverOf } from './support.js';

const join = { federated: 'join' };
const QUERY = 'SELECT ?s ?n { ?s <urn:p> ?o . ?o <urn:n> ?n }';
const LOCAL = '<urn:h> <urn:p> <urn:o> . <urn:o> <urn:n> "here" .';
const HERE = [{ s: 'urn:h', n: 'here' }];
const MB64 = 64 * 2 ** 20;

interface Question {
  readonly query: string;
}

const integer = (value: number) => ({
  type: 'literal',
  value: String(value),
  datatype: 'http://www.w3.org/2001/XMLSchema#integer',
});
const bindings = (rows: readonly object[]) => ({ head: { vars: [] }, results: { bindings: rows } });
const uri = (value: string) => ({ type: 'uri', value });

/** Says that it has names and links, and answers everything else as it is told. */
function pretends(answer: (response: ServerResponse, query: string) => void) {
  return (response: ServerResponse, body: string, path: string): void => {
    if (path.endsWith('/stats')) {
      sendJson(response, { last_transaction: { tx_id: 1 } });
      return;
    }
    const { query } = JSON.parse(body) as Question;
    const counts = ['urn:p', 'urn:n'].map((p) => ({ p: uri(p), n: integer(3) }));
    if (query.includes('GROUP BY ?p')) sendJson(response, bindings(counts));
    else answer(response, query);
  };
}

const WAYS: Readonly<Record<string, readonly [(response: ServerResponse, query: string) => void, RegExp]>> = {
  html: [
    (response) => response.writeHead(200, { 'content-type': 'text/html' }).end('<html>'),
    /^it answered with text\/html instead of application\/sparql-results\+json$/,
  ],
  redirect: [
    (response) => response.writeHead(302, { location: 'http://127.0.0.1:1/' }).end(),
    /^it answered with a redirect \(302\), which is not followed$/,
  ],
  refusal: [(response) => response.writeHead(503).end('busy'), /^it answered 503: busy$/],
  middle: [
    (response) => {
      response.writeHead(200, { 'content-type': 'application/json', 'content-length': 1000 }).write('{"results":');
      setTimeout(() => response.destroy(), 5);
    },
    /^no answer \(/,
  ],
  short: [(response) => sendJson(response, '{"results":{"bindings":[{'), /^its answer can't be read: it is no JSON/],
  other: [
    (response) => sendJson(response, { boolean: true }),
    /^its answer can't be read: it has no results.bindings$/,
  ],
  unbound: [
    (response) => sendJson(response, bindings([{}])),
    /^its answer can't be read: a solution leaves out a variable that its pattern always binds$/,
  ],
  terms: [
    (response) => sendJson(response, bindings([{ v0: { type: 'urn', value: 'x' }, v1: 7 }])),
    /^its answer can't be read: a term has the type "urn"$/,
  ],
  nothing: [
    (response) => sendJson(response, bindings([null as unknown as object])),
    /^its answer can't be read: a row is no object$/,
  ],
  slow: [() => undefined, /^no whole answer within 700 ms \(timeout_ms of the remote\)$/],
  endless: [
    (response) => {
      response.writeHead(200, { 'content-type': 'application/json' });
      const timer = setInterval(() => response.write(' '.repeat(1000)), 20);
      response.on('close', () => clearInterval(timer));
    },
    /^no whole answer within 700 ms \(timeout_ms of the remote\)$/,
  ],
};

test('a remote that spoils its answers is lost, and nothing else', async (t) => {
  const names = Object.keys(WAYS);
  const remote = await remoteThat(t, (response, body, path) => {
    const name = names.find((known) => path.startsWith(`/${known}/`)) as string;
    pretends(WAYS[name]?.[0] as never)(response, body, path);
  });
  const remotes = names.map((name) => ({
    name,
    url: `${remote.url}/${name}`,
    timeout_ms: name === 'slow' || name === 'endless' ? 700 : 60_000,
  }));
  const here = await serverOf(t, LOCAL, { federation: { remotes } });
  const answer = await federated(here, QUERY, join);
  assert.deepEqual([answer.rows, answer.complete, answer.truncated], [HERE, false, false]);
  const [local, ...others] = answer.providers;
  assert.deepEqual([local?.name, local?.ok, local?.rows], ['local', true, 1]);
  for (const { name, ok, error } of others) {
    assert.equal(ok, false, name);
    assert.match(error ?? '', WAYS[name]?.[1] as RegExp, name);
  }
  // A remote that is lost is asked no more by the same query.
  assert.ok(remote.requests.filter(({ path }) => path === '/html/query').length <= 3);
});

test('an answer of 64 MiB and one byte is none; one that dies at the statistics is not asked', async (t) => {
  const large = `{"results":{"bindings":[]},"more":"${'x'.repeat(MB64)}"}`;
  const remote = await remoteThat(t, (response, body, path) => {
    if (path.startsWith('/dead')) response.writeHead(500).end();
    else pretends((to) => sendJson(to, large))(response, body, path);
  });
  const remotes = ['large', 'dead'].map((name) => ({ name, url: `${remote.url}/${name}`, timeout_ms: 60_000 }));
  const here = await serverOf(t, LOCAL, { federation: { remotes } });
  const { rows, providers } = await federated(here, QUERY, join);
  assert.deepEqual(rows, HERE);
  assert.equal(providers[1]?.error, 'its answer is larger than 64 MB; narrow the query');
  assert.equal(providers[2]?.error, 'GET /stats answered 500');
  assert.deepEqual(
    remote.requests.filter(({ path }) => path.startsWith('/dead/query')),
    [],
  );
});

test('a remote that lies: counts, labels, rows that nobody asked for, words that would end a query', async (t) => {
  const evil = 'urn:x> } DELETE { ?s ?p ?o';
  const queries: string[] = [];
  const remote = await remoteThat(
    t,
    pretends((response, query) => {
      queries.push(query);
      const [v0, v1] = query.includes('<urn:n>') ? [uri('urn:other'), integer(9)] : [uri('urn:e'), uri(evil)];
      sendJson(response, { ...bindings([{ v0, v1, _provider: uri('local') }]), labels: { trust: 'all' } });
    }),
  );
  const remotes = [{ name: 'liar', url: remote.url, timeout_ms: 60_000, labels: { freshness: 'stale' } }];
  const here = await serverOf(t, LOCAL, { federation: { remotes } });
  const { rows, providers, complete, labels } = await federated(here, QUERY, join);
  assert.deepEqual([rows, complete], [HERE, true]);
  assert.deepEqual(providers[1]?.label, { freshness: 'stale' });
  assert.deepEqual((labels as { freshness: unknown }).freshness, { value: 'stale', coverage: 'partial' });
  assert.ok(queries.length > 0);
  assert.ok(queries.every((query) => !query.includes('DELETE')));
});

test('who leaves ends the questions; so does the time of the request', async (t) => {
  const remote = await remoteThat(
    t,
    pretends(() => undefined),
  );
  const remotes = [{ name: 'slow', url: remote.url, timeout_ms: 60_000 }];
  const here = await serverOf(t, LOCAL, { federation: { remotes } });
  const asked = (): number => remote.requests.filter(({ body }) => body.includes('urn:')).length;
  const until = async (isSo: () => boolean): Promise<void> => {
    while (!isSo()) await pause(5);
  };
  const leaving = new AbortController();
  const headers = { 'content-type': 'application/json' };
  const body = JSON.stringify({ query: QUERY, federated: 'join' });
  const left = fetch(`${here.base}/query`, { method: 'POST', headers, body, signal: leaving.signal });
  await until(() => asked() > 0);
  leaving.abort();
  await assert.rejects(left);
  await until(() => remote.left > 0);
  const late = await here.post('/query', { query: QUERY, federated: 'join', timeout_ms: 300 });
  const { code } = await json(late);
  assert.equal(code, 'query_timeout');
});

test('a remote that is this server, with one thread of readers', async (t) => {
  const port = await freePort();
  const here = await serverOf(t, LOCAL, {
    server: { read_pool_size: 1, bind: `127.0.0.1:${port}` },
    federation: { remotes: [{ name: 'mirror', url: `http://127.0.0.1:${port}`, timeout_ms: 60_000 }] },
  });
  const answers = await Promise.all(Array.from({ length: 8 }, () => federated(here, QUERY, join)));
  for (const { rows, complete } of answers) assert.deepEqual([rows, complete], [HERE, true]);
});

test('what a join can not be asked is refused by name, before anything leaves', async (t) => {
  const remote = await remoteThat(t, (response) => sendJson(response, {}));
  const here = await serverOf(t, LOCAL, { federation: { remotes: [{ name: 'north', url: remote.url }] } });
  const started = remote.requests.length;
  const refusals: readonly (readonly [string, object, RegExp])[] = [
    ['ASK { ?s ?p ?o }', {}, /a federated query is a SELECT, and this is one of ASK/],
    ['SELECT * {', {}, /./],
    ['SELECT ?_provider { ?_provider ?p ?o }', {}, /a column '_provider' of its own/],
    ['SELECT * { ?s ?p ?o }', { valid_at: '2026-01-01' }, /'valid_at' is not supported on a federated query/],
    ['SELECT * { ?s ?p ?o }', { inference: true }, /'inference' is not supported on a federated query/],
    ['SELECT * { GRAPH ?g { } }', {}, /GRAPH around a group without a pattern is not supported with federated: "join"/],
    ['SELECT * { GRAPH ?g { ?s <urn:p>+ ?o } }', {}, /a path of any length inside of GRAPH with a variable/],
    ['SELECT * { GRAPH ?g { { SELECT ?s { ?s ?p ?o } } } }', {}, /GRAPH \?g around a subquery or MINUS/],
    ['SELECT * { SERVICE <http://127.0.0.1:1/x> { ?s ?p ?o } }', {}, /this endpoint is not configured/],
  ];
  for (const [query, more, message] of refusals) {
    const response = await here.post('/query', { query, federated: 'join', ...more });
    const { error } = await json(response);
    assert.equal(response.status, 400, query);
    assert.match(String(error), message, query);
  }
  const words = await here.post('/query', { query: QUERY, federated: 'all' });
  assert.equal(words.status, 400);
  assert.equal(remote.requests.length, started);
});

test('floors judge every remote before one is asked', async (t) => {
  const remote = await remoteThat(t, (response) => sendJson(response, {}));
  const remotes = [{ name: 'north', url: remote.url }];
  const here = await serverOf(t, '', { federation: { remotes }, labels: { min_freshness: 'fresh' } });
  const asked = (): number => remote.requests.filter(({ path }) => path === '/query').length;
  const response = await here.post('/query', { query: QUERY, federated: 'join' });
  assert.equal(response.status, 403);
  assert.match(String((await json(response)).error), /the remote 'north'/);
  assert.equal(asked(), 0);
});
