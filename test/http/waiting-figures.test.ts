/**
 * What `svc_store_wait_seconds_total` and `svc_store_held_seconds_total` say: waiting counts from the moment the store
 * is asked until the work begins, wherever it waits, and failures count like answers. Figures are compared with each
 * other and with what the requests were made to wait for, never with how fast the machine is.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { UPDATE } from './errors/support.js';
import { json, startTestServer, type TestServer } from './support.js';

/** So many rows are joined with each other by the heavy query. */
const ROWS = 220;
const PAIRS = '?a <http://w.org/p> ?x . ?b <http://w.org/p> ?y';
const HEAVY = `SELECT (SUM(?x * ?y) AS ?n) { ${PAIRS} FILTER(STR(?x) != STR(?y)) }`;

interface Figures {
  readonly waited: number;
  readonly held: number;
}

async function figuresOf(server: TestServer, client: string): Promise<Figures> {
  const text = await (await server.get('/metrics')).text();
  const sum = (name: string): number => {
    const lines = text.split('\n').filter((line) => line.startsWith(`${name}{client="${client}"`));
    return lines.reduce((total, line) => total + Number(line.slice(line.lastIndexOf(' '))), 0);
  };
  return { waited: sum('svc_store_wait_seconds_total'), held: sum('svc_store_held_seconds_total') };
}

async function filled(server: TestServer): Promise<void> {
  const triples = Array.from({ length: ROWS }, (_, at) => `<http://w.org/${at}> <http://w.org/p> ${at} .`);
  assert.equal((await server.post('/knot', { turtle: triples.join(' ') })).status, 200);
}

const ask = (server: TestServer, client: string, more: object = {}): Promise<Response> =>
  server.post('/query', { query: HEAVY, ...more }, { 'X-Svc-Client': client });

async function statusesOf(requests: readonly Promise<Response>[]): Promise<number[]> {
  return Promise.all(
    requests.map(async (request) => {
      const answer = await request;
      await answer.text();
      return answer.status;
    }),
  );
}

/**
 * Figures of a request that ran alone, which waits for less time than it takes. Where the machine stands still just while
 * one waits, its figures say so: then others are asked.
 */
async function shownAlone(
  server: TestServer,
  send: (client: string) => Promise<Response>,
  status: number,
): Promise<Figures> {
  const seen: Figures[] = [];
  for (let at = 0; at < 5; at++) {
    assert.deepEqual(await statusesOf([send(`alone-${at}`)]), [status]);
    const figures = await figuresOf(server, `alone-${at}`);
    if (figures.waited < figures.held) return figures;
    seen.push(figures);
  }
  assert.fail(`all of them waited: ${JSON.stringify(seen)}`);
}

test('64 heavy queries at once on one reader show as seconds of waiting, one alone as next to none', async (t) => {
  const server = await startTestServer(t, { server: { read_pool_size: 1 } });
  await filled(server);
  assert.equal((await json(await ask(server, 'first'))).count, 1);
  const alone = await shownAlone(server, (client) => ask(server, client), 200);
  assert.ok(alone.held > 0, JSON.stringify(alone));

  const statuses = await statusesOf(Array.from({ length: 64 }, () => ask(server, 'many')));
  assert.deepEqual(new Set(statuses), new Set([200]));
  const many = await figuresOf(server, 'many');
  // Half of them have no place before the others have ended, each of which takes as long as the one alone.
  assert.ok(many.waited > 2, `${JSON.stringify(many)} after ${JSON.stringify(alone)}`);
  assert.ok(many.held > alone.held, JSON.stringify(many));
});

test('queries that end in 408, 422 or 400 count: those that ran as held, those that never had a place as waiting', async (t) => {
  const server = await startTestServer(t, {
    server: { read_pool_size: 1 },
    search: { max_join_rows: ROWS * ROWS - 1 },
  });
  await filled(server);
  const run = (client: string, query: string, timeoutMs?: number): Promise<Response> =>
    server.post('/query', { query, timeout_ms: timeoutMs }, { 'X-Svc-Client': client });
  const triple = `SELECT (COUNT(*) AS ?n) { ?a <http://w.org/p> ?x , ?y , ?z . FILTER(?x + ?y = ?z) }`;
  assert.equal((await run('wrong', 'SELECT')).status, 400);
  assert.ok((await figuresOf(server, 'wrong')).held > 0);
  assert.equal((await run('ceiling', HEAVY)).status, 422);
  assert.ok((await figuresOf(server, 'ceiling')).held > 0);
  assert.equal((await run('sound', triple)).status, 200);

  const free = await startTestServer(t, { server: { read_pool_size: 1 } });
  await filled(free);
  // A hash of each of ten million rows.
  const hashed = 'SHA512(CONCAT(STR(?x), STR(?y), STR(?z)))';
  const endless = `SELECT (COUNT(*) AS ?n) { ${PAIRS} . ?c <http://w.org/p> ?z FILTER(${hashed} = "") }`;
  const late = (client: string): Promise<Response> =>
    free.post('/query', { query: endless, timeout_ms: 300 }, { 'X-Svc-Client': client });
  const alone = await shownAlone(free, late, 408);
  assert.ok(alone.waited + alone.held >= 0.3, JSON.stringify(alone));

  const all = Array.from({ length: 64 }, () => late('crowd'));
  assert.deepEqual(new Set(await statusesOf(all)), new Set([408]));
  const crowd = await figuresOf(free, 'crowd');
  // Half of them wait for a place until the deadline of those before them: ten seconds where they all come at once.
  assert.ok(crowd.waited > 0.5, JSON.stringify(crowd));
});

test('writes count the wait for their turn', async (t) => {
  const server = await startTestServer(t);
  await filled(server);
  // Takes so long that what the small writes do themselves, each with the disk, is little beside it.
  const hashes = 'SUM(STRLEN(SHA512(CONCAT(STR(?x), STR(?y), STR(?z)))))';
  const sum = `{ SELECT (${hashes} AS ?n) { ${PAIRS} . VALUES ?z { 1 2 3 4 5 6 7 8 9 } } }`;
  const slow = `INSERT { <http://w.org/sum> <http://w.org/q> ?n } WHERE { ${sum} }`;
  const update = (client: string, text: string): Promise<Response> =>
    server.send('POST', '/update', text, { ...UPDATE, 'X-Svc-Client': client });
  const begun = (): number => server.events('request_start').length;
  const set = { entity: 'http://w.org/1', predicate: 'http://w.org/r' };
  // The code of a write is loaded with the first of its kind.
  await statusesOf([update('first', 'INSERT DATA { <http://w.org/a> <http://w.org/q> 0 }')]);
  await statusesOf([server.post('/set', { ...set, value: 'v' }, { 'X-Svc-Client': 'first' })]);
  const before = begun();
  const first = update('slow', slow);
  while (begun() === before) await new Promise((resolve) => setTimeout(resolve, 1));
  const small = Array.from({ length: 8 }, (_, at) =>
    at % 2 === 0
      ? update('small', `INSERT DATA { <http://w.org/a> <http://w.org/q> ${at} }`)
      : server.post('/set', { ...set, value: `v${at}` }, { 'X-Svc-Client': 'small' }),
  );
  assert.deepEqual(new Set(await statusesOf([first, ...small])), new Set([200]));
  const [long, short] = [await figuresOf(server, 'slow'), await figuresOf(server, 'small')];
  assert.ok(long.waited < long.held, JSON.stringify(long));
  assert.ok(short.waited > long.held, `eight waited for it: ${JSON.stringify({ long, short })}`);
  assert.ok(short.held < short.waited, JSON.stringify(short));
});
