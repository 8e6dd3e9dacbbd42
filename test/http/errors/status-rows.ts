/** The table of status codes (wire shapes, 2): for each status the refusals that the routes of today can give. */
import assert from 'node:assert/strict';
import { connect } from 'node:net';
import { terms } from '../../../engine/rdf/terms.js';
import { GateRefusal } from '../../../engine/service/gates/gates.js';
import { openLmdbEngine } from '../../../engine/storage/lmdb-store/open.js';
import { write } from '../../storage/stage-support.js';
import { StoreFolder } from '../../storage/support/store-folder.js';
import { json, startTestServer, type TestServer } from '../support.js';
import { tellsNothing } from '../unharmed.js';
import { DEFAULT_ROWS } from './default-rows.js';
import { ERROR_ROWS } from './error-rows.js';
import { LIMIT_ROWS } from './limit-rows.js';
import { FORM, QUERY, type Refused, type RowTest, refuses, type Servers, TURTLE, UPDATE } from './support.js';

const at = (graph: string): string => `/rdf-graph-store?graph=${encodeURIComponent(graph)}`;

const ROWS = { ...ERROR_ROWS, ...LIMIT_ROWS, ...DEFAULT_ROWS };

type Case = readonly [send: (server: TestServer) => Promise<Response>, code: string, error: RegExp, fields?: object];

async function all(server: TestServer, status: number, cases: readonly Case[]): Promise<void> {
  for (const [send, code, error, fields] of cases) {
    const expected: Refused = { status, code, error, ...(fields && { fields: fields as Record<string, unknown> }) };
    await refuses(server, () => send(server), expected);
  }
}

/** Rows of the specification's own tables that this status is about. */
function rows(...names: string[]): (servers: Servers, t: Parameters<RowTest>[1]) => Promise<void> {
  return async (servers, t) => {
    for (const name of names) {
      const run = ROWS[name];
      assert.ok(run !== undefined, name);
      await run(servers, t);
    }
  };
}

const BAD_REQUESTS: readonly Case[] = [
  [(s) => s.post('/knot', {}), 'invalid_request', /^missing 'turtle' parameter$/],
  [
    (s) => s.post('/set', { entity: 'http://ex.org/alice' }),
    'invalid_request',
    /^missing '(predicate|value)' parameter$/,
  ],
  [(s) => s.post('/retract', {}), 'invalid_request', /^missing 'entity' parameter$/],
  [(s) => s.post('/retract/source', { repair: 'T' }), 'invalid_request', /^missing 'source' parameter$/],
  [(s) => s.post('/retract/source', { source: 'x' }), 'invalid_request', /^missing 'repair' parameter$/],
  [(s) => s.post('/retract/source', { source: 'x', repair: ' ' }), 'invalid_request', /repair/],
  [
    (s) => s.post('/retract/source', { source: 'people', repair: 'T', expect: 2, apply: true }),
    'invalid_request',
    /^expected 2 facts, plan has 7; nothing was changed$/,
  ],
  [(s) => s.post('/retract/source', { source: 'people', repair: 'T', expect: -1 }), 'invalid_request', /expect/],
  [
    (s) => s.post('/retract/source', { source: 'x', repair: 'T', graph: 'http://ex.org/none' }),
    'not_found_in_store',
    /^unknown graph: http:\/\/ex\.org\/none/,
  ],
  [(s) => s.post('/unravel', {}), 'invalid_request', /tx.*valid_at|valid_at.*tx/],
  [(s) => s.post('/unravel', { tx: 'x' }), 'invalid_request', /'tx'.*integer/],
  [(s) => s.post('/impact', {}), 'invalid_request', /^missing 'entity' parameter$/],
  [
    (s) => s.post('/impact', { entity: 'http://ex.org/nobody' }),
    'not_found_in_store',
    /^entity not found: http:\/\/ex\.org\/nobody$/,
  ],
  [
    (s) => s.post('/impact', { entity: 'http://ex.org/nobody', remove: true }),
    'not_found_in_store',
    /^entity not found: http:\/\/ex\.org\/nobody$/,
  ],
  [(s) => s.post('/impact', { entity: 'http://ex.org/alice', hops: -1 }), 'invalid_request', /'hops'/],
  [(s) => s.post('/impact', { entity: 'http://ex.org/alice', predicates: 'p' }), 'invalid_request', /'predicates'/],
  [
    (s) => s.post('/impact', { entity: 'http://ex.org/alice', remove: true, timestamp: 'soon' }),
    'invalid_request',
    /timestamp/,
  ],
  [(s) => s.post('/graph/create', {}), 'invalid_request', /^missing 'graph' parameter$/],
  [(s) => s.post('/graph/create', { graph: 'relative' }), 'invalid_request', /relative/],
  [(s) => s.post('/graph/create', { graph: 'http://ex.org/g#inferred' }), 'invalid_request', /#inferred/],
  [
    (s) => s.post('/entity_history', { iri: 'http://ex.org/nobody' }),
    'not_found_in_store',
    /^entity not found: http:\/\/ex\.org\/nobody$/,
  ],
  [(s) => s.post('/ask', { name: 'nothing' }), 'not_found_in_store', /nothing/],
  [(s) => s.get('/graphs?kind=nonsense'), 'invalid_request', /kind.*nonsense/],
  [(s) => s.get('/graphs?lifecycle=open'), 'invalid_request', /lifecycle.*frozen/],
  [(s) => s.post('/export', { format: 'trig' }), 'invalid_request', /format.*turtle, ntriples/],
  [
    (s) => s.post('/export', { graph: 'urn:svc:graph:root', construct: 'CONSTRUCT WHERE {}' }),
    'invalid_request',
    /only one of/,
  ],
  [(s) => s.post('/export', { construct: 'ASK {}' }), 'invalid_request', /CONSTRUCT or DESCRIBE/],
  [(s) => s.post('/knot', { turtle: '<a> <b> <c> .' }), 'parse_error', /^line 1, column \d+: .*relative/i],
  [(s) => s.post('/knot', { turtle: '@prefix : <a:> .\n:a :b' }), 'parse_error', /^line 2/],
  [(s) => s.post('/query', { query: 'SELECT *\nWHERE {\n ?s ?p }' }), 'parse_error', /^line 3, column \d+: /],
  [(s) => s.send('POST', '/update', 'INSERT DATA {\n <a:b> <a:b> }', UPDATE), 'parse_error', /^line 2, column \d+: /],
  [(s) => s.send('POST', '/update', 'LOAD <http://ex.org/x>', UPDATE), 'invalid_request', /LOAD|load_from/],
  [
    (s) => s.send('POST', '/update', 'update=CLEAR%20ALL&update=CLEAR%20ALL', FORM),
    'invalid_request',
    /'update' stands in the request 2 times/,
  ],
  [(s) => s.send('POST', '/update', 'a=1', FORM), 'invalid_request', /^missing 'update' parameter$/],
  [
    (s) => s.post('/knot', { turtle: '', replace_snapshot: true }),
    'invalid_request',
    /'replace_snapshot' needs a 'snapshot' key/,
  ],
  [(s) => s.post('/query', { query: 'ASK {}', valid_at: '2026-02-30' }), 'invalid_request', /valid_at/],
  [(s) => s.get('/rdf-graph-store'), 'invalid_request', /exactly one of 'graph' and 'default'/],
  [(s) => s.send('PUT', `${at('http://ex.org/g')}&default`, '', TURTLE), 'invalid_request', /exactly one of/],
  [
    (s) => s.post('/set', { entity: 'http://ex.org/alice', predicate: 'http://ex.org/age', value: 5 }),
    'invalid_request',
    /\{"iri"/,
  ],
  [
    (s) =>
      s.post('/set', { entity: 'http://ex.org/alice', predicate: 'http://ex.org/age', value: { int: 1, str: 'x' } }),
    'invalid_request',
    /\{"iri"/,
  ],
];

export const STATUS_ROWS: Readonly<Record<string, RowTest>> = {
  '400': async (servers) => all(await servers.plain(), 400, BAD_REQUESTS),
  '401': rows('Write without valid bearer'),
  '403': async (servers, t) => {
    await rows('Write on a read-only server')(servers, t);
    const server = await servers.plain();
    await all(server, 403, [
      [(s) => s.send('PUT', at('urn:svc:graph:meta'), '', TURTLE), 'graph_not_writable', /meta graph/],
      [(s) => s.send('PUT', at('http://ex.org/g#inferred'), '', TURTLE), 'graph_not_writable', /derived facts/],
    ]);
    // Refusals of gates: there is none yet, so the write is refused in its place.
    const told = { severity: 'Violation', message: 'no', focusNode: 'http://ex.org/a' } as const;
    const gates = [
      ['authority', 'authority_denied', 403],
      ['placement', 'refused_placement', 403],
      ['policy', 'policy_denied', 403],
      ['shacl', 'refused_shacl', 400],
      ['owl', 'refused_owl', 400],
    ] as const;
    const { store } = server.running;
    for (const [gate, code, status] of gates) {
      t.mock.method(store, 'set', async () => {
        throw new GateRefusal(gate, { kind: 'refused', code, message: 'not so', hint: 'so', findings: [told] });
      });
      const body = { entity: 'http://ex.org/alice', predicate: 'http://ex.org/age', value: { int: 1 } };
      const judged = {
        conforms: false,
        tx_id: 0,
        count: 0,
        violations: [{ severity: 'Violation', message: 'no', focus_node: 'http://ex.org/a' }],
        warnings: [],
        infos: [],
      };
      const fields = { gate, hint: 'so', ...(status === 400 ? judged : { violations: undefined }) };
      await refuses(server, () => server.post('/set', body), { status, code, error: /^not so$/, fields });
      t.mock.restoreAll();
    }
  },
  '404': async (servers, t) => {
    await rows('Unknown named graph on /rdf-graph-store')(servers, t);
    const nobody = encodeURIComponent('http://ex.org/nobody');
    await all(await servers.plain(), 404, [
      [(s) => s.get('/nowhere'), 'not_found', /^there is no route \/nowhere$/],
      [(s) => s.post('/nowhere', {}), 'not_found', /^there is no route \/nowhere$/],
      [(s) => s.get(`/entity/${nobody}`), 'not_found', /http:\/\/ex\.org\/nobody/],
      [(s) => s.get(`/entity/${nobody}/ttl`), 'not_found', /http:\/\/ex\.org\/nobody/],
      [(s) => s.get(`/entity?iri=${nobody}`), 'not_found', /http:\/\/ex\.org\/nobody/],
      [(s) => s.get(`/preview/${nobody}`), 'not_found', /http:\/\/ex\.org\/nobody/],
    ]);
  },
  '405': async (servers) => {
    const server = await servers.plain();
    for (const [method, path, allow] of [
      ['GET', '/knot', 'POST'],
      ['PUT', '/query', 'GET, HEAD, POST'],
      ['DELETE', '/health', 'GET, HEAD'],
      ['PATCH', '/rdf-graph-store', 'DELETE, GET, HEAD, POST, PUT'],
      ['POST', '/transactions', 'GET, HEAD'],
      ['OPTIONS', '/query', 'GET, HEAD, POST'],
      ['POST', '/entity/x', 'GET, HEAD'],
      ['GET', '/knot/', 'POST'],
      ['GET', '/%6bnot', 'POST'],
    ] as const) {
      const expected = {
        status: 405,
        code: 'method_not_allowed',
        error: new RegExp(`^${method} is not allowed on `),
        headers: { allow },
      };
      await refuses(server, () => server.send(method, path), expected);
    }
  },
  '406': async (servers, t) => {
    await rows('Unsupported response type on /rdf-graph-store')(servers, t);
    const accept = { Accept: 'application/rdf+xml' };
    await all(await servers.plain(), 406, [
      [(s) => s.get('/.well-known/void', accept), 'not_acceptable', /expected text\/turtle/],
    ]);
  },
  '408': rows('Query evaluation exceeds the configured deadline'),
  '409': async (servers, t) => {
    const graph = `urn:svc:quarantine:${'0'.repeat(64)}`;
    const share = `urn:svc:share:${'0'.repeat(64)}`;
    const path = new StoreFolder().fresh();
    // As an import leaves them: written past those who refuse it to everybody else.
    const engine = await openLmdbEngine(path);
    const node = terms.namedNode('http://ex.org/a');
    await write(engine, { assert: [graph, share].map((one) => terms.quad(node, node, node, terms.namedNode(one))) });
    await engine.close();
    await all(await startTestServer(t, {}, { path }), 409, [
      [(s) => s.send('PUT', at(graph), '', TURTLE), 'state_conflict', /on its way in/],
      [(s) => s.send('POST', at(share), '', TURTLE), 'state_conflict', /on its way in/],
    ]);
    const server = await servers.plain();
    const pair = { left: 'urn:svc:graph:root', right: 'http://ex.org/aligned', expected_version: 'v1:0' };
    await server.post('/graph/create', { graph: pair.right });
    await server.post('/propose', { kind: 'class', target: 't', diff: 'd', proposer: 'p' });
    const { proposals } = (await json(await server.post('/proposals', {}))) as { proposals: { id: number }[] };
    const id = proposals[0]?.id;
    await server.post('/proposal/reject', { id, note: 'no' });
    const decision = { left: 'http://ex.org/alice', right: 'http://ex.org/b', verdict: 'accept' };
    await all(server, 409, [
      [(s) => s.post('/align/decide', { ...pair, decisions: [decision] }), 'version_conflict', /'v1:0'/],
      [(s) => s.post('/align/apply', { ...pair, decided: [decision] }), 'version_conflict', /'v1:0'/],
      [(s) => s.post('/proposal/accept', { id }), 'state_conflict', /is already rejected/],
    ]);
  },
  '413': rows('direct-query POST body', 'JSON routes, tool requests'),
  '414': rows('GET /query request target'),
  '415': async (servers, t) => {
    await rows('Unsupported request media type on /rdf-graph-store')(servers, t);
    const json1 = /expected application\/json/;
    await all(await servers.plain(), 415, [
      [(s) => s.send('POST', '/knot', '{}', { 'Content-Type': 'text/plain' }), 'unsupported_media_type', json1],
      [(s) => s.send('POST', '/knot', '{}', { 'Content-Type': 'application/jsonp' }), 'unsupported_media_type', json1],
      [(s) => s.send('POST', '/cord', '{}', FORM), 'unsupported_media_type', json1],
      [(s) => s.send('POST', '/cord'), 'unsupported_media_type', /no Content-Type/],
      [(s) => s.send('POST', '/update', 'CLEAR ALL', QUERY), 'unsupported_media_type', /sparql-update/],
      [(s) => s.send('POST', '/query', 'CLEAR ALL', UPDATE), 'unsupported_media_type', /sparql-query/],
      [(s) => s.post('/update', { update: 'CLEAR ALL' }), 'unsupported_media_type', /sparql-update/],
      [
        (s) => s.post('/knot', { turtle: '' }, { 'Content-Encoding': 'compress' }),
        'unsupported_media_type',
        /Content-Encoding compress/,
      ],
      [
        (s) => s.post('/knot', {}, { 'Content-Type': 'application/json; charset=utf-16' }),
        'unsupported_media_type',
        /charset utf-16/,
      ],
    ]);
  },
  '422': rows('query memory'),
  '500': async (servers, t) => {
    const server = await servers.plain();
    const { store } = server.running;
    for (const failure of [
      new TypeError(`${server.folder} is not a function`),
      Object.assign(new Error(`EACCES: ${server.folder}`), { code: 'EACCES' }),
      'a text that was thrown',
      undefined,
    ]) {
      t.mock.method(store, 'set', async () => {
        throw failure;
      });
      const body = { entity: 'http://ex.org/alice', predicate: 'http://ex.org/age', value: { int: 1 } };
      const lines = server.events('request_failed').length;
      await refuses(server, () => server.post('/set', body), {
        status: 500,
        code: 'internal',
        error: /^unexpected failure; the log of the server says more$/,
      });
      assert.equal(server.events('request_failed').length, lines + 1, 'the log says more');
      t.mock.restoreAll();
    }
  },
  '503': async (_, t) => {
    const server = await startTestServer(t);
    const socket = connect(server.running.address.port, '127.0.0.1');
    let text = '';
    socket.setEncoding('utf8').on('data', (chunk: string) => {
      text += chunk;
    });
    const ended = new Promise<void>((resolve) => socket.once('close', () => resolve()));
    const body = '{"turtle":""}';
    const head = `POST /knot HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: ${body.length}\r\n\r\n`;
    socket.write(head);
    while (server.events('request_start').length === 0) await new Promise((resolve) => setTimeout(resolve, 5));
    const closed = server.running.close();
    // What was begun is answered; what comes after it on the connection is not taken any more.
    socket.write(`${body}${head}${body}`);
    await ended;
    await closed;
    const statuses = [...text.matchAll(/HTTP\/1\.1 (\d+)/g)].map(([, status]) => Number(status));
    assert.equal(statuses[0], 200, text);
    assert.deepEqual(statuses.slice(1), statuses.length > 1 ? [503] : [], text);
    if (statuses.length > 1) assert.match(text, /"code":"unavailable"/);
    tellsNothing(server, text);
  },
};
