/** The graph store protocol over HTTP (semantics of graphs, 8.5): GS-1, every row of its tables, access, Memento. */
import assert from 'node:assert/strict';
import { join } from 'node:path';
import { test } from 'node:test';
import { json, startTestServer, type TestServer } from './support.js';

const TURTLE = { 'Content-Type': 'text/turtle' };
const LINES = { 'Content-Type': 'application/n-triples' };
const G = 'http://ex.org/g';
const ONE = '<http://ex.org/a> <http://ex.org/p> 1 .';
const TWO = `${ONE} <http://ex.org/b> <http://ex.org/p> 2 .`;
const XSD = 'http://www.w3.org/2001/XMLSchema#';

function at(graph: string): string {
  return `/rdf-graph-store?graph=${encodeURIComponent(graph)}`;
}

const ROOT = '/rdf-graph-store?default';

function put(server: TestServer, path: string, body: string, headers = TURTLE): Promise<Response> {
  return server.send('PUT', path, body, headers);
}

/** The sorted lines of a graph. */
async function linesOf(server: TestServer, path: string, headers: Record<string, string> = {}): Promise<string[]> {
  const response = await server.get(path, { Accept: 'application/n-triples', ...headers });
  assert.equal(response.status, 200, `${path}: ${await response.clone().text()}`);
  return (await response.text()).split('\n').filter((line) => line !== '');
}

async function refused(response: Response, status: number, code: string, message: RegExp): Promise<void> {
  const body = await json(response);
  assert.equal(response.status, status, JSON.stringify(body));
  assert.equal(body.code, code, JSON.stringify(body));
  assert.match(String(body.error), message);
}

test('GS-1', async (t) => {
  const server = await startTestServer(t);
  const first = await put(server, at(G), TWO);
  assert.equal(first.status, 201);
  assert.equal(first.headers.get('x-svc-tx'), '1');
  assert.equal(await first.text(), '');
  const second = await put(server, at(G), ONE);
  assert.equal(second.status, 204);
  assert.equal(second.headers.get('x-svc-tx'), '2');
  const { store } = server.running;
  const rows = async (name: string) =>
    (await store.history(`http://ex.org/${name}`, { graph: G })).history.map(({ op, tx }) => [op, tx]);
  assert.deepEqual(await rows('a'), [['assert', 1]], 'what stays keeps its transaction');
  assert.deepEqual(await rows('b'), [
    ['assert', 1],
    ['retract', 2],
  ]);
  assert.deepEqual(await linesOf(server, at(G)), [`<http://ex.org/a> <http://ex.org/p> "1"^^<${XSD}integer> .`]);
  const gone = await server.send('DELETE', at(G));
  assert.equal(gone.status, 204);
  assert.equal(gone.headers.get('x-svc-tx'), '3');
  await refused(await server.get(at(G)), 404, 'not_found', /unknown graph: http:\/\/ex.org\/g/);
  assert.deepEqual(
    store.transactions().map(({ source }) => source),
    ['graph-store:put', 'graph-store:put', 'graph-store:delete'],
  );
});

test('GET: Turtle unless Accept says otherwise, sorted; HEAD the same headers without the body', async (t) => {
  const server = await startTestServer(t);
  await put(server, at(G), `@prefix ex: <http://ex.org/> . ${TWO} ex:c ex:p "x"@en, _:n .`);
  const turtle = 'text/turtle; charset=utf-8';
  const cases: readonly [Record<string, string>, string][] = [
    [{}, turtle],
    [{ Accept: '*/*' }, turtle],
    [{ Accept: 'text/turtle; charset=utf-8' }, turtle],
    [{ Accept: 'text/*' }, turtle],
    [{ Accept: 'application/n-triples' }, 'application/n-triples'],
    [{ Accept: 'text/turtle;q=0.3, application/n-triples;q=0.7' }, 'application/n-triples'],
    [{ Accept: 'application/rdf+xml, application/n-triples;q=0.1' }, 'application/n-triples'],
  ];
  for (const [headers, type] of cases) {
    const response = await server.get(at(G), headers);
    assert.equal(response.status, 200);
    assert.equal(response.headers.get('content-type'), type, JSON.stringify(headers));
    assert.equal(response.headers.get('vary'), 'Accept, Accept-Datetime, Accept-Encoding');
    const length = (await response.arrayBuffer()).byteLength;
    assert.equal(response.headers.get('content-length'), String(length));
    const head = await server.send('HEAD', at(G), undefined, headers);
    assert.equal(head.status, 200);
    assert.equal(head.headers.get('content-type'), type);
    assert.equal(head.headers.get('content-length'), String(length));
    assert.equal(await head.text(), '');
  }
  const lines = await linesOf(server, at(G));
  assert.equal(lines.length, 4);
  assert.deepEqual(lines, lines.toSorted());
  for (const accept of ['application/rdf+xml', 'application/json', 'text/turtle;q=0', 'nonsense']) {
    await refused(await server.get(at(G), { Accept: accept }), 406, 'not_acceptable', /expected text\/turtle/);
    assert.equal((await server.send('HEAD', at(G), undefined, { Accept: accept })).status, 406);
  }
  assert.equal((await server.send('HEAD', at('http://ex.org/none'))).status, 404);
});

test('a graph of many triples: the same lines by GET, PUT back they change nothing', async (t) => {
  const server = await startTestServer(t);
  const many = Array.from({ length: 9000 }, (_, n) => `<http://ex.org/${n}> <http://ex.org/p> "${n}" .`).join('\n');
  assert.equal((await put(server, at(G), many, LINES)).status, 201);
  const lines = await linesOf(server, at(G));
  assert.deepEqual(lines, many.split('\n').toSorted());
  const same = await put(server, at(G), `${lines.join('\n')}\n`, LINES);
  assert.equal(same.status, 204);
  assert.equal(same.headers.get('x-svc-tx'), '0');
  assert.equal(server.running.store.transactions().length, 1);
  const head = await server.send('HEAD', at(G), undefined, {
    Accept: 'application/n-triples',
    'Accept-Encoding': 'identity',
  });
  assert.equal(head.headers.get('content-length'), String(lines.join('\n').length + 1));
});

test('PUT replaces, POST merges, an empty PUT leaves an empty graph, DELETE of ROOT takes the contents alone', async (t) => {
  const server = await startTestServer(t);
  const post = (path: string, body: string) => server.send('POST', path, body, TURTLE);
  assert.equal((await post(at(G), ONE)).status, 201);
  assert.equal((await post(at(G), TWO)).status, 204);
  assert.equal((await linesOf(server, at(G))).length, 2);
  const nothing = await post(at(G), TWO);
  assert.deepEqual([nothing.status, nothing.headers.get('x-svc-tx')], [204, '0'], 'nothing changed');
  assert.equal((await put(server, at(G), '')).status, 204);
  assert.deepEqual(await linesOf(server, at(G)), []);
  assert.equal((await server.get(at(G))).headers.get('content-length'), '0');
  assert.equal((await put(server, at('http://ex.org/empty'), '')).status, 201);
  assert.deepEqual(await linesOf(server, at('http://ex.org/empty')), []);
  assert.equal((await put(server, ROOT, '<x> <p> <> .')).status, 204, 'ROOT is always there');
  assert.match((await linesOf(server, ROOT))[0] as string, /<urn:svc:graph:root> \.$/);
  assert.deepEqual(await linesOf(server, at('urn:svc:graph:root')), await linesOf(server, ROOT));
  assert.equal((await server.send('DELETE', ROOT)).status, 204);
  assert.deepEqual(await linesOf(server, ROOT), []);
  assert.equal((await server.send('DELETE', at('http://ex.org/empty'))).status, 204);
  await refused(await server.send('DELETE', at('http://ex.org/empty')), 404, 'not_found', /unknown graph/);
});

test('references resolve against the graph; blank nodes are those of the document, or kept', async (t) => {
  const server = await startTestServer(t);
  await put(server, at('http://ex.org/dir/g'), '<x> <../p> <#f>, "é😀" .');
  assert.deepEqual(await linesOf(server, at('http://ex.org/dir/g')), [
    '<http://ex.org/dir/x> <http://ex.org/p> "é😀" .',
    '<http://ex.org/dir/x> <http://ex.org/p> <http://ex.org/dir/g#f> .',
  ]);
  await put(server, at(G), '_:n <http://ex.org/p> _:n .');
  const [scoped = ''] = await linesOf(server, at(G));
  assert.match(scoped, /^(_:d[0-9a-f]{16}-n) <http:\/\/ex\.org\/p> \1 \.$/);
  await put(server, `${at('http://ex.org/copy')}&blank_node_scope=store`, scoped, LINES);
  assert.deepEqual(await linesOf(server, at('http://ex.org/copy')), [scoped]);
  await refused(await put(server, `${at(G)}&blank_node_scope=x`, ONE), 400, 'invalid_request', /blank_node_scope/);
});

test('what is refused: target, type, document, graphs that are not to be written; nothing is left of it', async (t) => {
  const server = await startTestServer(t);
  await put(server, at(G), ONE);
  const graph = `graph=${encodeURIComponent(G)}`;
  const exactly = /exactly one of 'graph' and 'default'/;
  const inferred = at(`${G}#inferred`);
  const cases: readonly [method: string, path: string, status: number, code: string, message: RegExp][] = [
    ['GET', '/rdf-graph-store', 400, 'invalid_request', exactly],
    ['PUT', '/rdf-graph-store', 400, 'invalid_request', exactly],
    ['POST', `/rdf-graph-store?${graph}&default`, 400, 'invalid_request', exactly],
    ['DELETE', `/rdf-graph-store?${graph}&${graph}`, 400, 'invalid_request', exactly],
    ['DELETE', `/rdf-graph-store?default&default=1&${graph}`, 400, 'invalid_request', exactly],
    ['GET', '/rdf-graph-store?graph=relative', 400, 'invalid_request', /relative/],
    ['PUT', '/rdf-graph-store?graph=', 400, 'invalid_request', /graph/],
    ['PUT', at('http://ex.org/a b'), 400, 'invalid_request', /U\+0020/],
    ['GET', at('http://ex.org/none'), 404, 'not_found', /unknown graph: http:\/\/ex\.org\/none/],
    ['DELETE', at('http://ex.org/none'), 404, 'not_found', /unknown graph: http:\/\/ex\.org\/none/],
    ['GET', at('urn:svc:dataset:d'), 404, 'not_found', /unknown graph/],
    ['PUT', at('urn:svc:dataset:d'), 404, 'not_found', /unknown graph/],
    ['PUT', inferred, 403, 'graph_not_writable', /derived facts/],
    ['POST', inferred, 403, 'graph_not_writable', /derived facts/],
    ['DELETE', inferred, 403, 'graph_not_writable', /derived facts/],
    ['PUT', at('urn:svc:graph:meta'), 403, 'graph_not_writable', /meta graph/],
    ['PUT', at('urn:svc:graph:registry'), 403, 'graph_not_writable', /registry/],
    ['POST', at(`urn:svc:quarantine:${'0'.repeat(64)}`), 400, 'invalid_request', /given by the service/],
    ['PATCH', at(G), 405, 'method_not_allowed', /PATCH/],
  ];
  for (const [method, path, status, code, message] of cases) {
    const hasBody = method === 'PUT' || method === 'POST';
    await refused(
      await server.send(method, path, hasBody ? TWO : undefined, hasBody ? TURTLE : {}),
      status,
      code,
      message,
    );
  }
  const documents: readonly [Record<string, string>, string | Uint8Array, number, string, RegExp][] = [
    [{}, new TextEncoder().encode(TWO), 415, 'unsupported_media_type', /no Content-Type/],
    [{ 'Content-Type': 'application/rdf+xml' }, TWO, 415, 'unsupported_media_type', /rdf\+xml is not taken/],
    [{ 'Content-Type': 'multipart/form-data; boundary=x' }, TWO, 415, 'unsupported_media_type', /form-data/],
    [{ ...TURTLE, 'Content-Encoding': 'compress' }, TWO, 415, 'unsupported_media_type', /gzip/],
    [TURTLE, '<a> <b>\n<c> <d> .', 400, 'parse_error', /line 2/],
    [LINES, '<http://ex.org/a> <p> 1 .', 400, 'parse_error', /line 1/],
    [TURTLE, new Uint8Array([0x3c, 0xff, 0x3e]), 400, 'invalid_utf8', /UTF-8/],
  ];
  for (const method of ['PUT', 'POST']) {
    for (const [headers, body, status, code, message] of documents) {
      await refused(await server.send(method, at(G), body, headers), status, code, message);
      await refused(await server.send(method, at('http://ex.org/new'), body, headers), status, code, message);
    }
  }
  assert.equal((await server.get(at('http://ex.org/new'))).status, 404, 'a refused document makes no graph');
  assert.equal((await linesOf(server, at(G))).length, 1);
  assert.equal(server.running.store.transactions().length, 1, 'nothing was written');
  const options = await server.send('OPTIONS', at(G));
  assert.equal(options.headers.get('allow'), 'DELETE, GET, HEAD, POST, PUT');
});

test('writes need the bearer, reads do not; a server that only reads says so', async (t) => {
  const token = 'a-token-of-the-server';
  const server = await startTestServer(t, { server: { auth_token: token } });
  const bearer = { Authorization: `Bearer ${token}` };
  for (const method of ['PUT', 'POST', 'DELETE']) {
    const response = await server.send(method, ROOT, method === 'DELETE' ? undefined : ONE, TURTLE);
    assert.equal(response.headers.get('www-authenticate'), 'Bearer');
    const body = await json(response);
    assert.deepEqual(
      [response.status, body.endpoint, body.reason],
      [401, '/rdf-graph-store', 'missing_or_invalid_bearer_token'],
    );
  }
  assert.equal((await put(server, ROOT, ONE, { ...TURTLE, ...bearer })).status, 204);
  assert.equal((await linesOf(server, ROOT)).length, 1);
  assert.equal((await server.send('HEAD', ROOT)).status, 200);
  await server.running.close();
  const path = join(server.folder, 'store.svc');
  const reading = await startTestServer(t, { server: { auth_token: token, read_only: true } }, { path });
  for (const method of ['PUT', 'POST', 'DELETE']) {
    const response = await reading.send(method, ROOT, method === 'DELETE' ? undefined : TWO, { ...TURTLE, ...bearer });
    const body = await json(response);
    assert.deepEqual([response.status, body.endpoint, body.reason], [403, '/rdf-graph-store', 'server_is_read_only']);
  }
  assert.equal((await linesOf(reading, ROOT)).length, 1);
});

const DATES = {
  before: 'Mon, 01 Jan 2018 00:00:00 GMT',
  between: 'Wed, 01 Jan 2020 00:00:00 GMT',
  future: 'Fri, 01 Jan 2100 00:00:00 GMT',
};

/** A value until 2021 and another one since, of one entity. */
async function datedStore(server: TestServer): Promise<void> {
  const update = (text: string, timestamp: string) =>
    server.send('POST', `/update?timestamp=${timestamp}`, text, { 'Content-Type': 'application/sparql-update' });
  for (const [before, after] of [
    ['', ''],
    [`GRAPH <${G}> {`, '}'],
  ]) {
    const fact = (n: number) => `${before} <http://ex.org/a> <http://ex.org/p> ${n} ${after}`;
    assert.equal((await update(`INSERT DATA { ${fact(1)} }`, '2019-01-01T00:00:00Z')).status, 200);
    const change = `DELETE DATA { ${fact(1)} } ; INSERT DATA { ${fact(2)} }`;
    assert.equal((await update(change, '2021-01-01T00:00:00Z')).status, 200);
  }
}

test('Memento: graphs as they held at an instant', async (t) => {
  const server = await startTestServer(t);
  await datedStore(server);
  const line = (n: number) => `<http://ex.org/a> <http://ex.org/p> "${n}"^^<${XSD}integer> .`;
  for (const path of [at(G), ROOT]) {
    assert.deepEqual(await linesOf(server, path), [line(2)]);
    assert.deepEqual(await linesOf(server, path, { 'Accept-Datetime': DATES.before }), []);
    assert.deepEqual(await linesOf(server, path, { 'Accept-Datetime': DATES.between }), [line(1)]);
    assert.deepEqual(await linesOf(server, path, { 'Accept-Datetime': DATES.future }), [line(2)]);
  }
  const response = await server.get(at(G), { 'Accept-Datetime': DATES.between });
  assert.equal(response.headers.get('memento-datetime'), DATES.between);
  assert.equal(response.headers.get('vary'), 'Accept, Accept-Datetime, Accept-Encoding');
  assert.equal(response.headers.get('link'), `<${server.base}${at(G)}>; rel="original timegate"`);
  const now = await server.get(at(G));
  assert.equal(now.headers.get('memento-datetime'), null);
  assert.match(String(now.headers.get('link')), /rel="original timegate"/);
  await server.send('DELETE', at(G));
  assert.equal((await server.get(at(G))).status, 404);
  assert.deepEqual(await linesOf(server, at(G), { 'Accept-Datetime': DATES.between }), [line(1)], 'the past stays');
  const never = await server.get(at('http://ex.org/none'), { 'Accept-Datetime': DATES.between });
  assert.equal(never.status, 404);
});

test('Memento: dates that are none', async (t) => {
  const server = await startTestServer(t);
  await datedStore(server);
  const entity = `/entity?iri=${encodeURIComponent('http://ex.org/a')}`;
  for (const date of [
    '',
    'yesterday',
    '2020-01-01T00:00:00Z',
    'Wed, 1 Jan 2020 00:00:00 GMT',
    'Wed, 01 Jan 2020 00:00:00 +0100',
    'Wed, 32 Jan 2020 00:00:00 GMT',
    'Wed, 01 Foo 2020 00:00:00 GMT',
    'Wed, 30 Feb 2020 00:00:00 GMT',
    'Wed, 01 Jan 2020 25:00:00 GMT',
    'Mon, 01 Jan 2020 00:00:00 GMT',
  ]) {
    for (const path of [at(G), entity]) {
      const response = await server.get(path, { 'Accept-Datetime': date, Accept: 'text/turtle' });
      await refused(response, 400, 'invalid_request', /Accept-Datetime/);
    }
  }
});

test('Memento: entities as they held at an instant', async (t) => {
  const server = await startTestServer(t);
  await datedStore(server);
  const entity = `/entity?iri=${encodeURIComponent('http://ex.org/a')}`;
  const read = (date?: string) =>
    server.get(entity, { Accept: 'text/turtle', ...(date === undefined ? {} : { 'Accept-Datetime': date }) });
  const values = async (response: Response) => {
    assert.equal(response.status, 200);
    assert.match(String(response.headers.get('vary')), /Accept-Datetime/);
    assert.match(String(response.headers.get('link')), /rel="original timegate"/);
    return [...(await response.text()).matchAll(/ex\.org\/p> "(\d)"/g)].map(([, value]) => Number(value));
  };
  assert.deepEqual(await values(await read()), [2]);
  const between = await read(DATES.between);
  assert.equal(between.headers.get('memento-datetime'), DATES.between);
  assert.deepEqual(await values(between), [1]);
  assert.deepEqual(await values(await read(DATES.future)), [2]);
  assert.equal((await read(DATES.before)).status, 404, 'there was no such entity then');
});

test('a write under a condition is refused: nobody looks at conditions, and nothing is written', async (t) => {
  const server = await startTestServer(t);
  assert.equal((await put(server, at(G), ONE)).status, 201);
  const conditions: Record<string, string>[] = [
    { 'If-Match': '*' },
    { 'If-None-Match': '*' },
    { 'If-Unmodified-Since': DATES.before },
  ];
  for (const condition of conditions) {
    for (const [method, body] of [['PUT', TWO], ['POST', TWO], ['DELETE']] as const) {
      const response = await server.send(method, at(G), body, { ...TURTLE, ...condition });
      await refused(response, 400, 'unsupported', /^If-[A-Za-z-]+ is not looked at here/);
    }
  }
  assert.equal((await linesOf(server, at(G))).length, 1);
  assert.equal(server.running.store.transactions().length, 1);
});
