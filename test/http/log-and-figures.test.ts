/** Lines of the log go out together and in order; figures of a scrape are those of all requests until then. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { acceptedTypes } from '../../interfaces/http/answers/negotiation.js';
import { ServerLog } from '../../interfaces/http/figures/log-lines.js';
import { ServerMetrics } from '../../interfaces/http/figures/metrics.js';
import { startTestServer } from './support.js';

const FACTS = { id: 1, client: 'c', task: 't', method: 'GET', route: '/query' };
const DONE = { status: 200, durationMs: 1.6, authOutcome: 'not_required' } as const;
const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

test('lines of one turn are one write, in their order', async () => {
  const writes: string[] = [];
  const log = new ServerLog((lines) => writes.push(lines));
  log.started(FACTS);
  log.started({ ...FACTS, id: 2 });
  log.completed(FACTS, DONE);
  assert.deepEqual(writes, []);
  await turn();
  assert.equal(writes.length, 1);
  const lines = (writes[0] as string).trimEnd().split('\n');
  const told = lines.map((line) => JSON.parse(line) as { event: string; id: number; duration_ms?: number });
  assert.deepEqual(
    told.map(({ event, id, duration_ms: ms }) => [event, id, ms]),
    [
      ['request_start', 1, undefined],
      ['request_start', 2, undefined],
      ['request_complete', 1, 2],
    ],
  );
  await turn();
  assert.equal(writes.length, 1, 'nothing is written twice');
});

test('the audit of a write is written before anything else happens, with what came before it', () => {
  const writes: string[] = [];
  const log = new ServerLog((lines) => writes.push(lines));
  log.started(FACTS);
  log.namedWrite('start', FACTS, { authClass: 'named_bearer', credentialId: 'k', principal: 'p' });
  assert.equal(writes.length, 1);
  assert.deepEqual(
    (writes[0] as string)
      .trimEnd()
      .split('\n')
      .map((line) => (JSON.parse(line) as { event: string }).event),
    ['request_start', 'authenticated_request_start'],
  );
});

test('a quiet log leaves out what tells of each request, never an audit or a failure', () => {
  const writes: string[] = [];
  const log = new ServerLog((lines) => writes.push(lines), { requests: false });
  const ann = { authClass: 'named_bearer', credentialId: 'k', principal: 'p' } as const;
  log.started(FACTS);
  log.namedWrite('start', FACTS, ann);
  log.failed(FACTS, 'what nobody foresaw');
  log.completed(FACTS, DONE);
  log.namedWrite('complete', FACTS, ann, DONE);
  log.flush();
  assert.deepEqual(
    writes.flatMap((lines) =>
      lines
        .trimEnd()
        .split('\n')
        .map((line) => (JSON.parse(line) as { event: string }).event),
    ),
    ['authenticated_request_start', 'request_failed', 'authenticated_request_complete'],
  );
});

test('a quiet server logs what it fails at', async (t) => {
  const server = await startTestServer(t, {}, { quiet: true });
  t.mock.method(server.running.store, 'set', async () => {
    throw new TypeError('what nobody foresaw');
  });
  const set = { entity: 'http://ex.org/a', predicate: 'http://ex.org/p', value: 'z' };
  assert.equal((await server.post('/set', set)).status, 500);
  await turn();
  assert.match(String(server.events('request_failed')[0]?.account), /what nobody foresaw/);
  assert.deepEqual([server.events('request_start'), server.events('request_complete')], [[], []]);
});

test('many lines of one turn do not pile up, and flush writes the rest', () => {
  const writes: string[] = [];
  const log = new ServerLog((lines) => writes.push(lines));
  for (let id = 1; id <= 2000; id++) log.started({ ...FACTS, id });
  assert.ok(writes.length > 1);
  assert.ok(writes.every((lines) => lines.length < 65 * 1024 && lines.endsWith('\n')));
  log.flush();
  assert.equal(writes.join('').trimEnd().split('\n').length, 2000);
});

test('each scrape has the requests of all time', async () => {
  const metrics = new ServerMetrics();
  const observe = (status: number, waitedSeconds: number | null): void => {
    const asked = waitedSeconds !== null;
    const store = { asked, waitedSeconds: waitedSeconds ?? 0, heldSeconds: asked ? 0.25 : 0 };
    metrics.observe({ client: 'c', task: 't', endpoint: '/query', status, seconds: 0.5, ...store });
  };
  const sample = async (name: string): Promise<string[]> =>
    (await metrics.render()).split('\n').filter((line) => line.startsWith(`${name}{`));
  observe(200, 0.125);
  observe(404, null);
  assert.deepEqual(await sample('svc_http_client_requests_total'), [
    'svc_http_client_requests_total{client="c",endpoint="/query"} 2',
  ]);
  observe(200, 0.25);
  assert.deepEqual(await sample('svc_http_requests_total'), [
    'svc_http_requests_total{endpoint="/query",status="200"} 2',
    'svc_http_requests_total{endpoint="/query",status="404"} 1',
  ]);
  assert.deepEqual(await sample('svc_http_client_request_seconds_total'), [
    'svc_http_client_request_seconds_total{client="c",endpoint="/query"} 1.5',
  ]);
  assert.deepEqual(await sample('svc_store_wait_seconds_total'), [
    'svc_store_wait_seconds_total{client="c",endpoint="/query"} 0.375',
  ]);
  assert.deepEqual(await sample('svc_store_held_seconds_total'), [
    'svc_store_held_seconds_total{client="c",endpoint="/query"} 0.5',
  ]);
  assert.deepEqual(await sample('svc_http_task_requests_total'), [
    'svc_http_task_requests_total{task="t",endpoint="/query"} 3',
  ]);
});

test('statements that requests opened or closed are counted, whatever the route', async (t) => {
  const server = await startTestServer(t);
  const counted = async (): Promise<number> => {
    const text = await (await server.get('/metrics')).text();
    return Number(/^svc_facts_written_total (\d+)$/m.exec(text)?.[1]);
  };
  const ex = 'http://ex.org/';
  const json = { 'Content-Type': 'application/json' };
  const sparql = { 'Content-Type': 'application/sparql-update' };
  const turtle = { 'Content-Type': 'text/turtle' };
  const set = { entity: `${ex}a`, predicate: `${ex}p`, value: 'z' };
  const source = { source: 's', repair: 'r' };
  const steps: readonly [string, string, string, Record<string, string>, number][] = [
    ['POST', '/knot', JSON.stringify({ turtle: `<${ex}a> <${ex}p> 1, 2 .`, source: 's' }), json, 2],
    ['POST', '/knot', JSON.stringify({ turtle: `<${ex}a> <${ex}p> 2, 3 .`, source: 's' }), json, 1],
    ['POST', '/set', JSON.stringify(set), json, 4],
    ['POST', '/set', JSON.stringify(set), json, 0],
    ['POST', '/update', `DELETE { ?s ?p ?o } INSERT { ?s ?p 5, 6 } WHERE { ?s ?p ?o }`, sparql, 3],
    ['POST', '/retract', JSON.stringify({ entity: `${ex}a` }), json, 2],
    ['PUT', `/rdf-graph-store?graph=${ex}g`, `<${ex}a> <${ex}p> 1 .`, turtle, 1],
    ['DELETE', `/rdf-graph-store?graph=${ex}g`, '', {}, 1],
    ['POST', '/knot', JSON.stringify({ turtle: `<${ex}b> <${ex}p> 1 .`, source: 's' }), json, 1],
    ['POST', '/retract/source', JSON.stringify(source), json, 0],
    ['POST', '/retract/source', JSON.stringify({ ...source, apply: true }), json, 1],
    ['POST', '/update', 'not SPARQL', sparql, 0],
  ];
  let all = await counted();
  assert.equal(all, 0);
  for (const [method, path, body, headers, written] of steps) {
    const answer = await server.send(method, path, body === '' ? undefined : body, headers);
    await answer.text();
    const now = await counted();
    assert.equal(now - all, written, `${method} ${path} ${body}`);
    all = now;
  }
});

test('a client that never asked the store leaves no series of waiting', async () => {
  const metrics = new ServerMetrics();
  const unasked = { asked: false, waitedSeconds: 0, heldSeconds: 0 };
  metrics.observe({ client: 'c', task: 't', endpoint: '/health', status: 200, seconds: 0, ...unasked });
  assert.doesNotMatch(await metrics.render(), /^svc_store_wait_seconds_total\{/m);
});

test('a header that is known is negotiated for what is offered this time', () => {
  const accept = 'text/turtle;q=0.5, application/json';
  assert.deepEqual(acceptedTypes({ accept }, ['text/turtle', 'application/json']), ['application/json', 'text/turtle']);
  assert.deepEqual(acceptedTypes({ accept }, ['text/turtle']), ['text/turtle']);
  assert.deepEqual(acceptedTypes({ accept }, ['text/turtle', 'application/json']), ['application/json', 'text/turtle']);
  assert.deepEqual(acceptedTypes({ accept: '' }, ['text/turtle']), acceptedTypes({ accept: '' }, ['text/turtle']));
});
