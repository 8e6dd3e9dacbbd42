/** SPARQL over HTTP: transports, negotiation, dataset parameters, limits, deadlines, updates. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { tableFromIPC } from 'apache-arrow';
import { json, startTestServer, type TestServer } from './support.js';

const TURTLE = `
@prefix ex: <http://ex.org/> .
ex:alice a ex:Person ; ex:name "Alice"@en ; ex:age 30 ; ex:knows ex:bob .
ex:bob a ex:Person ; ex:name "Bob" ; ex:age "031"^^<http://www.w3.org/2001/XMLSchema#integer> .
`;
const NAMES = 'SELECT ?s ?name ?age WHERE { ?s <http://ex.org/name> ?name ; <http://ex.org/age> ?age } ORDER BY ?s';
const SRJ = 'application/sparql-results+json';
const FORM = { 'Content-Type': 'application/x-www-form-urlencoded' };

async function filled(server: TestServer): Promise<void> {
  assert.equal((await server.post('/knot', { turtle: TURTLE })).status, 200);
}

function ask(server: TestServer, query: string, headers?: Record<string, string>): Promise<Response> {
  return server.get(`/query?query=${encodeURIComponent(query)}`, headers);
}

const EXTENSION = {
  variables: ['s', 'name', 'age'],
  rows: [
    { s: 'http://ex.org/alice', name: { value: 'Alice', lang: 'en' }, age: 30 },
    {
      s: 'http://ex.org/bob',
      name: 'Bob',
      age: { value: '031', datatype: 'http://www.w3.org/2001/XMLSchema#integer' },
    },
  ],
  count: 2,
  truncated: false,
  labels: null,
};

test('fields that nobody asked for, with names that no header holds', async (t) => {
  const server = await startTestServer(t);
  const strange = { 'na\u00efve \u732b': 1, 'a,b': 1, '\ud863': 1, '50%': 1, plain: 1, '\n\u0003': 1 };
  const answer = await server.post('/query', { query: 'ASK {}', ...strange }, { Accept: SRJ });
  assert.equal(answer.status, 200);
  const told = answer.headers.get('x-svc-ignored-fields');
  assert.equal(told, '%0A%03,50%25,a%2Cb,na%C3%AFve%20%E7%8C%AB,plain,%EF%BF%BD');
  assert.deepEqual(await json(answer), { head: {}, boolean: true });
  const many = Object.fromEntries(Array.from({ length: 1000 }, (_, at) => [`field-${at}-${'x'.repeat(40)}`, 1]));
  const long = await server.post('/query', { query: 'ASK {}', ...many }, { Accept: SRJ });
  assert.equal(long.status, 200);
  assert.match(long.headers.get('x-svc-ignored-fields') ?? '', /^field-0-x+,.{3000,4200},\.\.\.$/);
  await long.body?.cancel();
});

test('one query, four transports, one answer', async (t) => {
  const server = await startTestServer(t);
  await filled(server);
  const answers = [
    await ask(server, NAMES),
    await server.send('POST', '/query', NAMES, { 'Content-Type': 'application/sparql-query' }),
    await server.send('POST', '/query', NAMES, { 'Content-Type': 'application/sparql-query; charset=utf-8' }),
    await server.send('POST', '/query', new URLSearchParams({ query: NAMES }).toString(), FORM),
    await server.post('/query', { query: NAMES }),
    await server.post('/query', { query: NAMES }, { Accept: 'application/json' }),
    await server.post('/query', { query: NAMES }, { Accept: '*/*' }),
  ];
  for (const response of answers) {
    assert.equal(response.status, 200);
    assert.equal(response.headers.get('content-type'), 'application/json');
    assert.equal(response.headers.get('x-svc-labels'), 'null');
    assert.deepEqual(await json(response), EXTENSION);
  }
  const head = await server.send('HEAD', `/query?query=${encodeURIComponent(NAMES)}`);
  assert.equal(head.status, 200);
  assert.equal(await head.text(), '');
  const [, complete] = server.events('request_complete');
  assert.equal(complete?.query_shape, 'select');
  assert.equal(complete?.result_size, 2);
});

test('Accept: the best type that fits the kind of the answer, by q-value; otherwise the extension, never an error', async (t) => {
  const server = await startTestServer(t);
  await filled(server);
  const construct = 'CONSTRUCT { ?s <http://ex.org/named> ?n } WHERE { ?s <http://ex.org/name> ?n }';
  const cases: readonly [string, string, string][] = [
    [NAMES, SRJ, SRJ],
    [NAMES, 'application/sparql-results+xml', 'application/sparql-results+xml'],
    [NAMES, 'text/csv', 'text/csv'],
    [NAMES, 'text/tab-separated-values', 'text/tab-separated-values'],
    [NAMES, 'application/vnd.apache.arrow.stream', 'application/vnd.apache.arrow.stream'],
    [NAMES, `text/csv;q=0.5, ${SRJ};q=0.9, text/turtle`, SRJ],
    [NAMES, 'text/turtle', 'application/json'],
    [NAMES, 'image/png', 'application/json'],
    [NAMES, `${SRJ};q=0, text/csv;q=0.1`, 'text/csv'],
    ['ASK { ?s ?p ?o }', SRJ, SRJ],
    ['ASK { ?s ?p ?o }', 'text/csv', 'application/json'],
    [construct, 'text/turtle', 'text/turtle'],
    [construct, 'application/n-triples', 'application/n-triples'],
    [construct, 'application/ld+json', 'application/ld+json'],
    [construct, `${SRJ}, application/n-triples;q=0.2`, 'application/n-triples'],
    [construct, SRJ, 'application/json'],
    ['DESCRIBE <http://ex.org/alice>', 'application/rdf+xml', 'application/rdf+xml'],
  ];
  for (const [query, accept, expected] of cases) {
    const response = await ask(server, query, { Accept: accept });
    assert.equal(response.status, 200, accept);
    assert.equal(response.headers.get('content-type')?.split(';')[0], expected, `${query} ${accept}`);
    assert.equal(response.headers.get('vary'), 'Accept, Accept-Encoding');
    assert.ok((await response.arrayBuffer()).byteLength > 0);
  }
  const arrow = await ask(server, NAMES, { Accept: 'application/vnd.apache.arrow.stream' });
  assert.equal(tableFromIPC(new Uint8Array(await arrow.arrayBuffer())).numRows, 2);
  const csv = await (await ask(server, 'SELECT ?s { ?s <http://ex.org/age> 30 }', { Accept: 'text/csv' })).text();
  assert.equal(csv, 's\r\nhttp://ex.org/alice\r\n');
});

test('the dataset of the protocol: default-graph-uri and named-graph-uri by every transport', async (t) => {
  const server = await startTestServer(t);
  const put = (graph: string, n: number) =>
    server.send('POST', '/update', `INSERT DATA { GRAPH <${graph}> { <http://ex.org/x> <http://ex.org/n> ${n} } }`, {
      'Content-Type': 'application/sparql-update',
    });
  for (const [at, graph] of ['http://ex.org/g1', 'http://ex.org/g2'].entries())
    assert.equal((await put(graph, at)).status, 200);
  const query = 'SELECT (COUNT(*) AS ?n) { ?s ?p ?o }';
  const count = async (response: Response) => {
    assert.equal(response.status, 200);
    return ((await json(response)).rows as { n: number }[])[0]?.n;
  };
  const one = new URLSearchParams([['default-graph-uri', 'http://ex.org/g1']]);
  const both = new URLSearchParams([
    ['default-graph-uri', 'http://ex.org/g1'],
    ['default-graph-uri', 'http://ex.org/g2'],
  ]);
  assert.equal(await count(await ask(server, query)), 0);
  assert.equal(await count(await server.get(`/query?query=${encodeURIComponent(query)}&${one}`)), 1);
  assert.equal(await count(await server.get(`/query?query=${encodeURIComponent(query)}&${both}`)), 2);
  assert.equal(
    await count(await server.send('POST', `/query?${both}`, query, { 'Content-Type': 'application/sparql-query' })),
    2,
  );
  assert.equal(await count(await server.send('POST', '/query', `${new URLSearchParams({ query })}&${both}`, FORM)), 2);
  const named = encodeURIComponent('SELECT (COUNT(*) AS ?n) { GRAPH ?g { ?s ?p ?o } }');
  assert.equal(await count(await server.get(`/query?query=${named}&named-graph-uri=http%3A%2F%2Fex.org%2Fg2`)), 1);
  assert.equal(await count(await server.get(`/query?query=${named}`)), 2);
});

test('what a query may not be: each refused by its name, with the place in the text', async (t) => {
  const server = await startTestServer(t);
  const direct = { 'Content-Type': 'application/sparql-query' };
  const cases: readonly [() => Promise<Response>, number, string, RegExp][] = [
    [() => server.get('/query'), 400, 'invalid_request', /missing 'query' parameter/],
    [() => server.post('/query', {}), 400, 'invalid_request', /missing 'query' parameter/],
    [() => server.post('/query', { query: null }), 400, 'invalid_request', /query/],
    [() => server.post('/query', { query: 5 }), 400, 'invalid_request', /query/],
    [() => server.get('/query?query=ASK%7B%7D&query=ASK%7B%7D'), 400, 'invalid_request', /2 times/],
    [() => server.send('POST', '/query', 'a=1', FORM), 400, 'invalid_request', /missing 'query' parameter/],
    [
      () => server.send('POST', '/query', 'ASK {}', { 'Content-Type': 'text/plain' }),
      415,
      'unsupported_media_type',
      /text\/plain/,
    ],
    [
      () => server.send('POST', '/query', new TextEncoder().encode('ASK {}')),
      415,
      'unsupported_media_type',
      /no Content-Type/,
    ],
    [() => server.send('POST', '/query', 'SELECT *\nWHERE { ?s ?p }', direct), 400, 'parse_error', /line 2/],
    [() => server.send('POST', '/query', new Uint8Array([0x41, 0xff]), direct), 400, 'invalid_utf8', /UTF-8/],
    [() => server.send('POST', '/query', 'INSERT DATA { <a:b> <a:b> 1 }', direct), 400, 'invalid_request', /update/],
    [() => server.send('POST', '/query', ' '.repeat(1024 * 1024 + 1), direct), 413, 'too_large', /1048576 bytes/],
    [() => ask(server, `ASK { <http://ex.org/${'x'.repeat(8200)}> ?p ?o }`), 414, 'too_large', /8192/],
    [() => server.send('PUT', '/query', 'ASK {}', direct), 405, 'method_not_allowed', /PUT/],
    [() => server.post('/query', { query: 'ASK {}', tx: 'x' }), 400, 'invalid_request', /tx/],
    [() => server.post('/query', { query: 'ASK {}', tx: -1 }), 400, 'invalid_request', /tx/],
    [() => server.post('/query', { query: 'ASK {}', valid_at: 'yesterday' }), 400, 'invalid_request', /valid_at/],
    [() => server.post('/query', { query: 'ASK {}', timeout_ms: 0 }), 400, 'invalid_request', /timeout_ms/],
    [
      () => server.post('/query', { query: 'ASK {}', fork: 'f', graph: 'http://ex.org/g' }),
      400,
      'invalid_request',
      /pass either 'fork' or 'graph', not both/,
    ],
  ];
  for (const [send, status, code, message] of cases) {
    const response = await send();
    const answer = await json(response);
    assert.equal(response.status, status, JSON.stringify(answer));
    assert.equal(answer.code, code, JSON.stringify(answer));
    assert.match(String(answer.error), message);
  }
  assert.equal((await ask(server, 'ASK {}')).status, 200, 'the server goes on');
});

test('the deadline is 408 on every transport, and lower ones hold', async (t) => {
  const server = await startTestServer(t, { search: { query_timeout_ms: 150 } });
  const values = Array.from({ length: 400 }, (_, at) => at).join(' ');
  const slow = `SELECT (COUNT(*) AS ?n) { VALUES ?a { ${values} } VALUES ?b { ${values} } VALUES ?c { ${values} } FILTER(?a * ?b + ?c = -1) }`;
  for (const send of [
    () => server.send('POST', '/query', slow, { 'Content-Type': 'application/sparql-query' }),
    () => server.post('/query', { query: slow }),
    () => server.post('/query', { query: slow, timeout_ms: 20 }),
    () => server.post('/query', { query: slow, timeout_ms: 100_000 }),
    () => server.send('POST', '/query', new URLSearchParams({ query: slow }).toString(), { ...FORM, Accept: SRJ }),
  ]) {
    const response = await send();
    assert.equal(response.status, 408);
    assert.equal((await json(response)).code, 'query_timeout');
  }
});

test('a client that leaves stops its query', async (t) => {
  const server = await startTestServer(t, { server: { read_pool_size: 1 } });
  const values = Array.from({ length: 600 }, (_, at) => at).join(' ');
  const query = `SELECT (COUNT(*) AS ?n) { VALUES ?a { ${values} } VALUES ?b { ${values} } VALUES ?c { ${values} } FILTER(?a * ?b + ?c = -1) }`;
  const controller = new AbortController();
  const left = fetch(`${server.base}/query`, {
    method: 'POST',
    headers: { 'Content-Type': 'application/sparql-query' },
    body: query,
    signal: controller.signal,
  });
  const refused = assert.rejects(left);
  // A call alone may be the one that warms the threads up.
  while (server.events('request_start').length === 0 || (server.running.store.readers?.figures.calls ?? 0) === 0)
    await new Promise((resolve) => setTimeout(resolve, 5));
  controller.abort();
  await refused;
  while ((server.running.store.readers?.figures.calls ?? 0) > 0) await new Promise((resolve) => setTimeout(resolve, 5));
  while (server.events('request_complete').length === 0) await new Promise((resolve) => setTimeout(resolve, 5));
  assert.equal(server.events('request_complete')[0]?.status, 499);
});

test('a large answer is streamed, and one that nobody reads holds no more than its share', async (t) => {
  const server = await startTestServer(t);
  const turtle = Array.from({ length: 3000 }, (_, at) => `<http://ex.org/${at}> <http://ex.org/p> ${at} .`).join('\n');
  await server.post('/knot', { turtle });
  const response = await ask(
    server,
    'SELECT ?a ?b { ?a <http://ex.org/p> ?x . ?b <http://ex.org/p> ?y } LIMIT 200000',
    { Accept: SRJ },
  );
  assert.equal(response.headers.get('content-length'), null);
  const reader = (response.body as ReadableStream<Uint8Array>).getReader();
  assert.ok(((await reader.read()).value?.length ?? 0) > 0);
  await reader.cancel();
  while ((server.running.store.readers?.figures.calls ?? 0) > 0) await new Promise((resolve) => setTimeout(resolve, 5));
  const whole = await ask(server, 'SELECT ?a ?b { ?a <http://ex.org/p> ?x . ?b <http://ex.org/p> ?y } LIMIT 50000', {
    Accept: SRJ,
  });
  const body = (await whole.json()) as { results: { bindings: object[] } };
  assert.equal(body.results.bindings.length, 50_000);
  const extension = await server.post('/query', {
    query: 'SELECT ?a ?b { ?a <http://ex.org/p> ?x . ?b <http://ex.org/p> ?y }',
  });
  assert.equal(extension.headers.get('content-type'), 'application/json');
  const cut = await json(extension);
  assert.deepEqual([cut.count, cut.truncated], [10_000, true]);
});

test('X-Svc-Actor is UTF-8: kept as it was meant on every route that reads it, refused by name otherwise', async (t) => {
  const server = await startTestServer(t);
  const header = (bytes: Buffer): Record<string, string> => ({ 'X-Svc-Actor': bytes.toString('latin1') });
  const routes = (headers: Record<string, string>) => [
    server.send('POST', '/update', 'INSERT DATA { <http://ex.org/a> <http://ex.org/p> 1 }', {
      'Content-Type': 'application/sparql-update',
      ...headers,
    }),
    server.send('PUT', '/rdf-graph-store?graph=http://ex.org/g', '<http://ex.org/a> <http://ex.org/p> 1 .', {
      'Content-Type': 'text/turtle',
      ...headers,
    }),
  ];
  for (const bytes of [Buffer.from([0x41, 0xe9]), Buffer.from([0xc0, 0xaf]), Buffer.from([0xed, 0xa0, 0x80])]) {
    for (const response of await Promise.all(routes(header(bytes)))) {
      const { error, code } = await json(response);
      assert.deepEqual(
        [response.status, code, error],
        [400, 'invalid_utf8', 'X-Svc-Actor is not UTF-8'],
        bytes.toString('hex'),
      );
    }
  }
  assert.deepEqual(server.running.store.transactions(), []);
  const actor = 'Zoë 朱 𝄞';
  for (const response of await Promise.all(routes(header(Buffer.from(actor))))) assert.ok(response.ok);
  assert.deepEqual(
    server.running.store.transactions().map((one) => one.actor),
    [actor, actor],
  );
});

test('updates: direct and by form, the dataset of the protocol, refusals', async (t) => {
  const server = await startTestServer(t);
  const direct = { 'Content-Type': 'application/sparql-update' };
  const update = (text: string, query = '', headers: Record<string, string> = {}) =>
    server.send('POST', `/update${query}`, text, { ...direct, ...headers });
  const first = await update('INSERT DATA { <http://ex.org/a> <http://ex.org/p> 1, 2 }', '', { 'X-Svc-Actor': 'ann' });
  assert.deepEqual(await json(first), { tx_id: 1, inserted: 2, deleted: 0, graphs: ['urn:svc:graph:root'] });
  assert.deepEqual(
    server.running.store.transactions().map(({ actor, source }) => [actor, source]),
    [['ann', 'sparql-update']],
  );
  const form = new URLSearchParams({
    update: 'INSERT DATA { GRAPH <http://ex.org/g> { <http://ex.org/a> <http://ex.org/p> 3 } }',
  });
  assert.equal((await json(await server.send('POST', '/update', form.toString(), FORM))).tx_id, 2);
  const copy = 'INSERT { <http://ex.org/copied> <http://ex.org/p> ?o } WHERE { ?s <http://ex.org/p> ?o }';
  const scoped = await json(await update(copy, '?using-graph-uri=http%3A%2F%2Fex.org%2Fg'));
  assert.equal(scoped.inserted, 1);
  assert.equal((await json(await update('DELETE DATA { <http://ex.org/none> <http://ex.org/p> 1 }'))).tx_id, 0);
  const before = server.running.store.transactions().length;
  const cases: readonly [() => Promise<Response>, number, RegExp][] = [
    [() => update('INSERT DATA {'), 400, /line 1/],
    [() => update('ASK {}'), 400, /./],
    [() => update(`${copy}; LOAD <file:///etc/passwd>`), 400, /LOAD|load_from/i],
    [
      () =>
        update(
          'DELETE { ?s ?p ?o } USING <http://ex.org/g> WHERE { ?s ?p ?o }',
          '?using-graph-uri=http%3A%2F%2Fex.org%2Fg',
        ),
      400,
      /USING/,
    ],
    [() => server.send('POST', '/update', 'a=b', FORM), 400, /missing 'update' parameter/],
    [() => server.send('POST', '/update', `${form}&${form}`, FORM), 400, /2 times/],
    [() => server.send('POST', '/update', 'CLEAR ALL', { 'Content-Type': 'text/plain' }), 415, /sparql-update/],
    [() => server.get(`/update?${form}`), 405, /GET/],
  ];
  for (const [send, status, message] of cases) {
    const response = await send();
    const answer = await json(response);
    assert.equal(response.status, status, JSON.stringify(answer));
    assert.match(String(answer.error), message);
  }
  assert.equal(server.running.store.transactions().length, before, 'nothing was written');
});

test('an export tells how many triples it holds', async (t) => {
  const server = await startTestServer(t);
  await filled(server);
  const response = await server.post('/export', { format: 'ntriples' });
  assert.equal(response.headers.get('content-type')?.split(';')[0], 'application/n-triples');
  assert.equal(response.headers.get('x-svc-triples'), '7');
  const lines = (await response.text()).trimEnd().split('\n');
  assert.equal(lines.length, 7);
  assert.deepEqual(lines, [...lines].sort());
  const unknown = await server.post('/export', { graph: 'http://ex.org/none' });
  assert.deepEqual([unknown.status, (await json(unknown)).error], [400, 'unknown graph: http://ex.org/none']);
});
