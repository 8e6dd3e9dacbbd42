/**
 * The rows of the specification's table of errors, by the names that `table.ts` gives them.
 *
 * Length: a test for each row of one table.
 */
import assert from 'node:assert/strict';
import { OPERATION_ROUTES, WRITE_ROUTES } from '../../../interfaces/http/routes.js';
import { json } from '../support.js';
import { EMBEDDING_ROWS } from './embedding-rows.js';
import { EPISODE_ROWS } from './episode-rows.js';
import { SEARCH_BODIES } from './search-rows.js';
import {
  BEARER,
  ENDLESS,
  FORM,
  OVERLAY_WRITE,
  QUERY,
  type RowTest,
  refuses,
  TOKEN,
  UPDATE,
  WRITES,
} from './support.js';

const ALICE = 'http://ex.org/alice';
const at = (graph: string): string => `/rdf-graph-store?graph=${encodeURIComponent(graph)}`;

/** Every route that writes, each with a request that would otherwise be taken. */
function writes(): (readonly [
  path: string,
  method: string,
  body: string | undefined,
  headers: Record<string, string>,
])[] {
  return [...WRITE_ROUTES].map((name) => {
    const write = WRITES[name];
    assert.ok(write !== undefined, `${name} writes: give the tests a request to it (support.ts)`);
    const [path, body, headers] = write();
    return [path, name.split(' ', 1)[0] as string, body, headers];
  });
}

const ACCESS: Record<string, RowTest> = {
  'Write without valid bearer': async (servers) => {
    const server = await servers.guarded();
    for (const [path, method, body, headers] of writes()) {
      for (const authorization of [undefined, 'Bearer wrong', `Basic ${TOKEN}`]) {
        const credential: Record<string, string> = authorization === undefined ? {} : { Authorization: authorization };
        const expected = {
          status: 401,
          code: 'unauthorized',
          error: /is a WRITE endpoint and requires a bearer token/,
          headers: { 'www-authenticate': 'Bearer' },
          fields: { endpoint: path.split('?', 1)[0], reason: 'missing_or_invalid_bearer_token' },
        };
        await refuses(server, () => server.send(method, path, body, { ...headers, ...credential }), expected);
      }
      // A slash at the end and percent-encoding change nothing (wire shapes, 19).
      const [plain = '', query] = path.split('?');
      const spelled = `/%${plain.charCodeAt(1).toString(16)}${plain.slice(2)}/${query === undefined ? '' : `?${query}`}`;
      assert.equal((await server.send(method, spelled, body, headers)).status, 401, spelled);
    }
  },
  'Write on a read-only server': async (servers) => {
    const server = await servers.readOnly();
    for (const [path, method, body, headers] of writes()) {
      // It changes nothing in the store.
      if (path === '/queries/cancel') continue;
      for (const credential of [{}, BEARER, { Authorization: 'Bearer wrong' }]) {
        const expected = {
          status: 403,
          code: 'read_only',
          error: /this server refuses all writes/,
          fields: { endpoint: path.split('?', 1)[0], reason: 'server_is_read_only' },
        };
        await refuses(server, () => server.send(method, path, body, { ...headers, ...credential }), expected);
      }
    }
    assert.equal((await json(await server.post('/query', { query: 'ASK { ?s ?p ?o }' }))).result, true, 'reads go on');
  },
};

const QUERIES: Record<string, RowTest> = {
  'Query evaluation exceeds the configured deadline': async (servers) => {
    const server = await servers.hurried();
    const expected = { status: 408, code: 'query_timeout', error: /200 ms|timeout|deadline/i };
    const form = new URLSearchParams({ query: ENDLESS }).toString();
    const short =
      'SELECT * { ?a ?b ?c . ?d ?e ?f . ?g ?h ?i . ?j ?k ?l . ?m ?n ?o . ?q ?r ?s . FILTER(?c = ?s && ?a = 5) }';
    for (const send of [
      () => server.post('/query', { query: ENDLESS }),
      () => server.send('POST', '/query', ENDLESS, QUERY),
      () => server.send('POST', '/query', form, FORM),
      () => server.post('/query', { query: ENDLESS }, { Accept: 'text/csv' }),
      () => server.get(`/query?query=${encodeURIComponent(short)}&timeout_ms=1`),
    ]) {
      await refuses(server, send, expected);
    }
    const construct = `CONSTRUCT { <a:b> <a:b> ?n } WHERE { { ${ENDLESS} } }`;
    await refuses(server, () => server.post('/query', { query: construct }, { Accept: 'text/turtle' }), expected);
    await refuses(server, () => server.post('/export', { construct }), expected);
  },
  '/query with fork and graph': async (servers) => {
    const server = await servers.plain();
    const query = 'ASK {}';
    const cases: readonly [object, RegExp, string][] = [
      [{ fork: 'f', graph: 'http://ex.org/g' }, /^pass either 'fork' or 'graph', not both$/, 'invalid_request'],
      [
        { fork: 'f', include_kinds: ['archive'] },
        /^pass either 'fork' or 'include_kinds', not both$/,
        'invalid_request',
      ],
      [{ fork: 'f', include_kinds: [] }, /^pass either 'fork' or 'include_kinds', not both$/, 'invalid_request'],
      [{ fork: 'f' }, /^no such fork: f$/, 'not_found_in_store'],
      [{ include_kinds: ['nonsense'] }, /'include_kinds'.*nonsense/, 'invalid_request'],
      [{ include_kinds: [5] }, /include_kinds/, 'invalid_request'],
      [{ include_kinds: 'archive' }, /include_kinds/, 'invalid_request'],
    ];
    for (const [fields, error, code] of cases) {
      await refuses(server, () => server.post('/query', { query, ...fields }), { status: 400, code, error });
    }
  },
  'Federated query with temporal or graph fields': async (servers) => {
    const server = await servers.plain();
    const fields = { valid_at: '2026-01-01', tx: 1, graph: 'http://ex.org/g', fork: 'f', include_kinds: ['archive'] };
    for (const [field, value] of Object.entries(fields)) {
      await refuses(server, () => server.post('/query', { query: 'SELECT * {}', federated: true, [field]: value }), {
        status: 400,
        code: 'invalid_request',
        error: new RegExp(`^'${field}' is not supported on a federated query`),
      });
    }
  },
  '/update mixing protocol using-graph parameters': async (servers) => {
    const server = await servers.plain();
    const update = 'DELETE { ?s ?p ?o } USING <http://ex.org/g> WHERE { ?s ?p ?o }';
    const expected = { status: 400, code: 'invalid_request', error: /USING/ };
    for (const name of ['using-graph-uri', 'using-named-graph-uri']) {
      const scope = `${name}=${encodeURIComponent('http://ex.org/g')}`;
      await refuses(server, () => server.send('POST', `/update?${scope}`, update, UPDATE), expected);
      const form = `${new URLSearchParams({ update })}&${scope}`;
      await refuses(server, () => server.send('POST', '/update', form, FORM), expected);
      await refuses(server, () => server.send('POST', `/update?${scope}`, `WITH <a:g> ${update}`, UPDATE), expected);
    }
  },
};

const GRAPH_STORE: Record<string, RowTest> = {
  'Unsupported request media type on /rdf-graph-store': async (servers) => {
    const server = await servers.plain();
    const expected = {
      status: 415,
      code: 'unsupported_media_type',
      error: /expected text\/turtle or application\/n-triples|is no media type/,
    };
    for (const method of ['PUT', 'POST']) {
      for (const type of ['application/json', 'application/rdf+xml', 'text/plain', 'text', '/', 'text/turtlex']) {
        await refuses(server, () => server.send(method, at('http://ex.org/g'), '', { 'Content-Type': type }), expected);
      }
      await refuses(server, () => server.send(method, at('http://ex.org/g'), new Uint8Array([32])), expected);
    }
  },
  'Unsupported response type on /rdf-graph-store': async (servers) => {
    const server = await servers.plain();
    const expected = { status: 406, code: 'not_acceptable', error: /expected text\/turtle or application\/n-triples/ };
    for (const accept of ['application/rdf+xml', 'application/json, text/html', 'text/turtle;q=0']) {
      await refuses(server, () => server.get('/rdf-graph-store?default', { Accept: accept }), expected);
      assert.equal((await server.send('HEAD', '/rdf-graph-store?default', undefined, { Accept: accept })).status, 406);
    }
  },
  'Unknown named graph on /rdf-graph-store': async (servers) => {
    const server = await servers.plain();
    const expected = { status: 404, code: 'not_found', error: /^unknown graph: http:\/\/ex\.org\/none$/ };
    for (const method of ['GET', 'DELETE']) {
      await refuses(server, () => server.send(method, at('http://ex.org/none')), expected);
    }
    assert.equal((await server.send('HEAD', at('http://ex.org/none'))).status, 404);
  },
};

const FACT_ROUTES: Record<string, RowTest> = {
  'Unknown graph IRI on /export': async (servers) => {
    const server = await servers.plain();
    await refuses(server, () => server.post('/export', { graph: 'http://ex.org/none' }), {
      status: 400,
      code: 'not_found_in_store',
      error: /^unknown graph: http:\/\/ex\.org\/none/,
    });
  },
  '/retract or /set with a bare string': async (servers) => {
    const server = await servers.plain();
    const expected = { status: 400, code: 'invalid_request', error: /\{"iri": "/ };
    const knows = { entity: ALICE, predicate: 'http://ex.org/knows' };
    for (const path of ['/set', '/retract']) {
      await refuses(server, () => server.post(path, { ...knows, value: 'bob' }), expected);
      await refuses(server, () => server.post(path, { ...knows, value: 'http://ex.org/bob' }), expected);
      const fresh = { entity: ALICE, predicate: 'http://ex.org/fresh', value: 'mailto:bob@ex.org' };
      await refuses(server, () => server.post(path, fresh), expected);
    }
    const disarmed = await json(await server.post('/retract', { ...knows, value: { str: 'http://ex.org/bob' } }));
    assert.deepEqual([disarmed.tx_id, disarmed.retracted], [0, 0], 'a value of the right shape that is not there');
  },
  '/knot malformed valid_from': async (servers) => {
    const server = await servers.plain();
    const turtle = '<http://ex.org/z> <http://ex.org/p> 1 .';
    for (const field of ['valid_from', 'timestamp']) {
      for (const value of [
        '',
        'now',
        '2026-02-30T00:00:00Z',
        '2026-13-01',
        '2026-01-01T25:00:00Z',
        '2026-01-01T00:00:60',
        '٢٠٢٦-01-01',
        '2026-W01-1',
        '1767225600',
        '2026-01-01T00:00:00Z '.repeat(100),
      ]) {
        await refuses(server, () => server.post('/knot', { turtle, [field]: value }), {
          status: 400,
          code: 'invalid_request',
          error: new RegExp(`${field}|timestamp`),
        });
      }
    }
  },
  '/knot with unknown or overlay-class graph': async (servers) => {
    const server = await servers.plain();
    const turtle = '<http://ex.org/z> <http://ex.org/p> 1 .';
    await refuses(server, () => server.post('/knot', { turtle, graph: 'http://ex.org/none' }), {
      status: 400,
      code: 'not_found_in_store',
      error: /^unknown graph: http:\/\/ex\.org\/none — create and register it first via graph_create$/,
    });
    assert.equal((await server.post('/overlay/create', { overlay: 'http://ex.org/over' })).status, 200);
    await refuses(server, () => server.post('/knot', { turtle, graph: 'http://ex.org/over' }), {
      status: 400,
      code: 'invalid_request',
      error: /^the graph <http:\/\/ex\.org\/over> can not be written: it is an overlay$/,
    });
  },
  '/set on an entity that does not exist': async (servers) => {
    const server = await servers.plain();
    const body = { entity: 'http://ex.org/nobody', predicate: 'http://ex.org/age', value: { int: 1 } };
    await refuses(server, () => server.post('/set', body), {
      status: 400,
      code: 'not_found_in_store',
      error: /^entity not found: http:\/\/ex\.org\/nobody$/,
    });
    const query = { query: 'ASK { <http://ex.org/nobody> ?p ?o }' };
    assert.equal((await json(await server.post('/query', query))).result, false, 'no orphan');
  },
  '/entity_history without iri': async (servers) => {
    const server = await servers.plain();
    for (const body of [{}, { entity: ALICE }, { iri: null }]) {
      await refuses(server, () => server.post('/entity_history', body), {
        status: 400,
        code: 'invalid_request',
        error: /^missing 'iri' parameter$/,
      });
    }
  },
  'Registry endpoints with an unknown action': async (servers) => {
    const server = await servers.plain();
    for (const action of ['nonsense', 'LIST', '', '__proto__', 'constructor']) {
      await refuses(server, () => server.post('/queries', { action }), {
        status: 400,
        code: 'invalid_request',
        error: /^unknown queries action '.*' \(list, load, get, remove\)$/,
      });
      await refuses(server, () => server.post('/datasets', { action }), {
        status: 400,
        code: 'invalid_request',
        error: /^unknown datasets action '.*' \(list, create, show, remove\)$/,
      });
      await refuses(server, () => server.post('/shapes', { action }), {
        status: 400,
        code: 'invalid_request',
        error: /^unknown shapes action '.*' \(list, load, get, remove\)$/,
      });
    }
  },
  '/ontology without the owl feature': async (servers) => {
    const server = await servers.plain();
    for (const action of [undefined, 'list', 'load', 'materialize', 'remove', 'whatever']) {
      await refuses(server, () => server.post('/ontology', { action, name: 'o', turtle: '' }), {
        status: 400,
        code: 'unsupported',
        error: /needs the feature 'owl', which is off/,
      });
    }
  },
  'Unrecognized top-level request keys': async (servers) => {
    const server = await servers.plain();
    const strange = { zebra: 1, __proto: {}, dry_run: true };
    const named = ['__proto', 'dry_run', 'zebra'];
    const bodies: Record<string, object> = {
      '/cord': { limit: 1 },
      '/unravel': { tx: 1 },
      '/impact': { entity: ALICE },
      '/project': {},
      '/report': {},
      '/graph': { limit: 1 },
      '/reason': { rules: '' },
      '/embed_backfill': {},
      '/query/explain': { query: 'ASK {}' },
      '/explain': { s: ALICE, p: 'http://ex.org/age', o: '30' },
      '/entity_history': { iri: ALICE },
      '/ask': {},
      ...SEARCH_BODIES,
      '/subscriptions': { action: 'list' },
      '/events/commit': { consumer_id: 'c', offset: 1 },
      '/query': { query: 'ASK {}' },
      '/set': { entity: ALICE, predicate: 'http://ex.org/age', value: { int: 30 } },
      '/retract': { entity: 'http://ex.org/nobody' },
      '/retract/source': { source: 'people', repair: 'T-1' },
      '/episode': { name: 'strange' },
      '/episodes/complete': { name: 'strange' },
      '/episode/retract': { episode: 'strange' },
      '/resolve': { name: 'strange' },
      '/spotlight': { text: 'strange' },
      '/graph/create': { graph: 'http://ex.org/made' },
      '/graph/label': { graph: 'urn:svc:graph:root', timestamp: '2026-01-01', kind: 'operational' },
      '/overlay/create': { overlay: 'http://ex.org/over' },
      '/overlay/write': OVERLAY_WRITE,
      '/overlay/compose': { overlay: 'http://ex.org/over' },
      '/datasets': {},
      '/queries': {},
      '/shapes': {},
      '/validate': { shapes: '<http://ex.org/S> a <http://www.w3.org/ns/shacl#NodeShape> .', data: '' },
      '/knot': { turtle: '<http://ex.org/strange> <http://ex.org/p> 1 .' },
      '/export': { format: 'ntriples' },
      '/propose': { kind: 'class', target: 't', diff: 'd', proposer: 'p' },
      '/proposals': {},
      '/cooccurrence': { work_item: ALICE },
      '/align/propose': { left: 'urn:svc:graph:root', right: 'http://ex.org/made' },
      '/path/cone': { trajectory: 'http://ex.org/way', base_ns: 'http://ex.org/' },
      '/path/backtest': { exemplar: 'http://ex.org/way', base_ns: 'http://ex.org/' },
      '/share': { no_shapes: true },
      '/policy/check': { claim: 'ASK {}', target: ALICE },
      '/verifier/authorized': { verifier: 'v', predicate: 'p' },
      '/verdict/verify': {
        predicate_id: 'p',
        target_ref: ALICE,
        outcome: 'satisfied',
        evidence_hash: 'h',
        verifier: 'v',
        signature: '00',
      },
    };
    // Of these nothing is listed (wire shapes, 2).
    const unlisted = ['/share', '/import', '/import/promote'];
    // To end a request, one has to run; and what is frozen or thawed can't be so twice.
    // A proposal is decided once, and a decision on an alignment brings the version of the moment.
    const once = [
      '/graph/freeze',
      '/graph/thaw',
      '/proposal/accept',
      '/proposal/reject',
      '/align/decide',
      '/align/apply',
    ];
    const way =
      '<s> <stepOf> <way> ; <actionKind> "a" ; <verifiedBy> <v> . <v> <falsifier> 1 . <way> <trajectoryOf> <w> . <w> <about> "t" .';
    await server.post('/knot', { turtle: `@base <http://ex.org/> . ${way}` });
    const posted = OPERATION_ROUTES.filter(
      ({ route, operation }) =>
        route.method === 'POST' &&
        route.request === 'body' &&
        !operation.inServer({}) &&
        !once.includes(route.path) &&
        !unlisted.includes(route.path),
    );
    for (const { route } of posted.filter(({ route: { path } }) => path !== '/ontology'))
      assert.ok(route.path in bodies, `${route.path}: give the test a body`);
    for (const [path, body] of Object.entries(bodies)) {
      const plain = await server.post(path, body);
      assert.equal(plain.headers.get('x-svc-ignored-fields'), null);
      assert.ok(!(await plain.text()).includes('ignored_fields'), path);
      const response = await server.post(path, { ...body, ...strange });
      assert.equal(response.status, 200, path);
      if (path === '/share') assert.equal((await json(response)).ignored_fields, undefined, path);
      else if (path === '/export') assert.equal(response.headers.get('x-svc-ignored-fields'), named.join(','));
      else assert.deepEqual((await json(response)).ignored_fields, named, path);
    }
    const asked = await json(await server.post('/query', { query: 'ASK { <http://ex.org/strange> ?p 1 }' }));
    assert.equal(asked.result, true, '/knot with dry_run writes');
    for (const [query, accept] of [
      ['SELECT * {}', 'text/csv'],
      ['ASK {}', 'application/sparql-results+json'],
      ['CONSTRUCT WHERE {}', 'text/turtle'],
    ] as const) {
      const response = await server.post('/query', { query, ...strange }, { Accept: accept });
      assert.equal(response.headers.get('content-type')?.split(';', 1)[0], accept);
      assert.equal(response.headers.get('x-svc-ignored-fields'), named.join(','));
    }
    const form = await server.send('POST', '/query', 'query=ASK%20%7B%7D&zebra=1', FORM);
    assert.equal((await json(form)).ignored_fields, undefined, 'form fields are not covered');
  },
};

const TOOLS: Record<string, RowTest> = {
  'Tool call failure': async (servers) => {
    const server = await servers.guarded();
    const call = (name: string, given: object) => {
      const message = { jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name, arguments: given } };
      const accept = 'application/json, text/event-stream';
      return server.post('/mcp', message, { Accept: accept, 'MCP-Protocol-Version': '2025-06-18' });
    };
    const cases: readonly [name: string, path: string, given: object][] = [
      ['svc_query', '/query', { query: 'SELECT * {' }],
      ['svc_query', '/query', {}],
      ['svc_query', '/query', { query: 'ASK {}', fork: 'f', graph: 'http://ex.org/g' }],
      ['svc_export', '/export', { graph: 'http://ex.org/none' }],
      ['svc_unravel', '/unravel', {}],
      ['svc_impact', '/impact', { entity: 'http://ex.org/nobody' }],
      ['svc_set', '/set', { entity: ALICE, predicate: 'http://ex.org/age', value: { int: 1 } }],
    ];
    for (const [name, path, given] of cases) {
      const over = (await json(await server.post(path, given))) as { error: string; code: string };
      const { result } = (await json(await call(name, given))) as {
        result: { isError: boolean; content: { text: string }[] };
      };
      assert.equal(result.isError, true, name);
      assert.deepEqual(JSON.parse(result.content[0]?.text ?? ''), over, name);
    }
  },
};

export const ERROR_ROWS: Readonly<Record<string, RowTest>> = {
  ...ACCESS,
  ...QUERIES,
  ...GRAPH_STORE,
  ...EPISODE_ROWS,
  ...EMBEDDING_ROWS,
  ...FACT_ROUTES,
  ...TOOLS,
};
