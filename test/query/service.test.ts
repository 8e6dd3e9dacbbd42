/**
 * SERVICE against an endpoint in this process: what it is asked, what comes of its answers, how it may fail.
 *
 * Length: all of it needs the same endpoint, whose answers each test spoils in its own way.
 */
import assert from 'node:assert/strict';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { test } from 'node:test';
import { SvcError } from '../../engine/base/errors.js';
import { executeQuery, explain, type QueryOptions } from '../../engine/query/query.js';
import { encodeResult } from '../../engine/query/results/encode.js';
import type { MemoryEngine } from '../../engine/storage/memory/engine.js';
import { inFull, type ShortOptions } from './short-options.js';
import { PREFIXES, show, storeOf } from './support.js';

interface Request {
  readonly query: string;
  readonly headers: IncomingMessage['headers'];
}

interface Endpoint {
  readonly url: string;
  readonly requests: Request[];
  /** Connections, requests or not. */
  connections: number;
  options(more?: Partial<NonNullable<QueryOptions['serviceEndpoints']>[number]>): QueryOptions;
  close(): Promise<void>;
}

type Answer = (request: Request, response: ServerResponse) => Promise<void> | void;

async function serve(answer: Answer): Promise<Endpoint> {
  const requests: Request[] = [];
  const server = createServer(async (incoming, response) => {
    let body = '';
    for await (const chunk of incoming) body += chunk;
    const request = { query: new URLSearchParams(body).get('query') ?? '', headers: incoming.headers };
    requests.push(request);
    await answer(request, response);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/sparql`;
  const endpoint: Endpoint = {
    url,
    requests,
    connections: 0,
    options: (more) => ({ serviceEndpoints: [{ url, timeoutMs: 2000, ...more }] }),
    close: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
  server.on('connection', () => endpoint.connections++);
  return endpoint;
}

/** An endpoint that answers from a store, with our own engine. */
function over(store: MemoryEngine): Answer {
  return async ({ query }, response) => {
    const snapshot = store.snapshot();
    response.setHeader('content-type', 'application/sparql-results+json; charset=utf-8');
    for await (const text of encodeResult(await executeQuery(snapshot, query), 'json')) response.write(text);
    response.end();
    snapshot.close();
  };
}

async function rows(store: MemoryEngine, text: string, options: ShortOptions): Promise<string[]> {
  const snapshot = store.snapshot();
  try {
    const result = await executeQuery(snapshot, PREFIXES + text, inFull(options));
    if (result.kind === 'ask') return [String(result.value)];
    assert.ok(result.kind === 'select');
    const found: string[] = [];
    for await (const row of result.rows()) found.push(row.map(show).join(' '));
    return found.sort();
  } finally {
    snapshot.close();
  }
}

const isError = (code: string, message: RegExp) => (error: unknown) =>
  error instanceof SvcError && error.code === code && message.test(error.message);

const REMOTE = `:a :name "Ann" . :b :name "Bob", "Bo" . :c :name "Cid"@en . _:x :name "nobody" .
  :a :knows _:y . _:y :name "Yan" . :n :size 01 .`;

test('SV-1', async () => {
  const endpoint = await serve(() => undefined);
  const store = await storeOf('');
  const text = `SELECT * { SERVICE SILENT <${endpoint.url}> { ?s ?p ?o } }`;
  await assert.rejects(rows(store, text, {}), isError('invalid_request', /not configured/));
  const elsewhere = { serviceEndpoints: [{ url: `${endpoint.url}/other` }] };
  await assert.rejects(rows(store, text, elsewhere), isError('invalid_request', /not configured/));
  // Also where it would never be asked: behind nothing, in EXISTS, in OPTIONAL.
  for (const group of [
    `?none :of ?s . SERVICE SILENT <${endpoint.url}> { ?s ?p ?o }`,
    `FILTER EXISTS { SERVICE SILENT <${endpoint.url}> { ?s ?p ?o } }`,
    `OPTIONAL { SERVICE SILENT <${endpoint.url}> { ?s ?p ?o } }`,
  ]) {
    await assert.rejects(rows(store, `ASK { ${group} }`, {}), isError('invalid_request', /not configured/));
  }
  assert.equal(endpoint.connections, 0);
  await endpoint.close();
});

test('a variable endpoint is refused, also with SILENT', async () => {
  const store = await storeOf(':a :endpoint <http://127.0.0.1:1/sparql> .');
  for (const silent of ['', 'SILENT']) {
    const text = `SELECT * { ?x :endpoint ?e . SERVICE ${silent} ?e { ?s ?p ?o } }`;
    await assert.rejects(rows(store, text, {}), isError('invalid_request', /SERVICE \?e/));
  }
});

test('alone, and joined with rows that bind its variables', async () => {
  const endpoint = await serve(over(await storeOf(REMOTE)));
  const options = endpoint.options({ authToken: 'secret' });
  const store = await storeOf(':p :likes :a, :b . :q :likes :zed . :r :likes "Ann" .');
  const whole = await rows(
    store,
    `SELECT ?s ?n { SERVICE <${endpoint.url}> { ?s :name ?n FILTER(isIRI(?s)) } }`,
    options,
  );
  assert.deepEqual(whole, [':a "Ann"', ':b "Bo"', ':b "Bob"', ':c "Cid"@en']);
  assert.equal(endpoint.requests.length, 1);
  const { headers, query } = endpoint.requests[0] as Request;
  assert.equal(headers.authorization, 'Bearer secret');
  assert.equal(headers.accept, 'application/sparql-results+json');
  assert.doesNotMatch(query, /VALUES/);
  const joined = `SELECT ?who ?n { ?who :likes ?s . SERVICE <${endpoint.url}> { ?s :name ?n } }`;
  assert.deepEqual(await rows(store, joined, options), [':p "Ann"', ':p "Bo"', ':p "Bob"']);
  assert.equal(endpoint.requests.length, 2);
  assert.match(
    endpoint.requests[1]?.query ?? '',
    /VALUES \(\?s\) \{\n(\(<http:\/\/example.org\/(a|b|zed)>\)\n|\("Ann"\)\n){4}\}$/,
  );
  assert.deepEqual(await rows(store, `ASK { :p :likes ?s . SERVICE <${endpoint.url}> { ?s :name "Bo" } }`, options), [
    'true',
  ]);
  await endpoint.close();
});

test('no row, no request', async () => {
  const endpoint = await serve(over(await storeOf(REMOTE)));
  const store = await storeOf(':p :likes _:b .');
  const text = `SELECT * { ?who :likes ?s . SERVICE <${endpoint.url}> { ?s :name ?n } }`;
  assert.deepEqual(await rows(store, text.replace(':likes', ':hates'), endpoint.options()), []);
  // A blank node of this store is no node of the other one.
  assert.deepEqual(await rows(store, text, endpoint.options()), []);
  assert.equal(endpoint.requests.length, 0);
  await endpoint.close();
});

test('OPTIONAL, UNION, MINUS, EXISTS and subqueries hold a SERVICE', async () => {
  const endpoint = await serve(over(await storeOf(REMOTE)));
  const store = await storeOf(':p :likes :a, :c . :q :likes :zed .');
  const service = `SERVICE <${endpoint.url}> { ?s :name ?n }`;
  const options = endpoint.options();
  assert.deepEqual(await rows(store, `SELECT ?s ?n { ?w :likes ?s OPTIONAL { ${service} } }`, options), [
    ':a "Ann"',
    ':c "Cid"@en',
    ':zed -',
  ]);
  assert.match(endpoint.requests[0]?.query ?? '', /VALUES/);
  assert.deepEqual(await rows(store, `SELECT ?s { ?w :likes ?s MINUS { ${service} } }`, options), [':zed']);
  assert.deepEqual(await rows(store, `SELECT ?s { ?w :likes ?s FILTER EXISTS { ${service} } }`, options), [':a', ':c']);
  assert.deepEqual(await rows(store, `SELECT ?s { ?w :likes ?s FILTER NOT EXISTS { ${service} } }`, options), [':zed']);
  assert.deepEqual(
    await rows(store, `SELECT ?s ?n { { ?w :likes ?s } UNION { ${service} FILTER(?n = "Bo") } }`, options),
    [':a -', ':b "Bo"', ':c -', ':zed -'],
  );
  const hidden = `SELECT ?s ?n { ?n :likes ?s { SELECT ?s (COUNT(*) AS ?names) { ${service} } GROUP BY ?s } }`;
  assert.deepEqual(await rows(store, hidden, options), [':a :p', ':c :p']);
  await endpoint.close();
});

/** How many combinations each request was for; undefined = for everything. */
const combinationsOf = ({ requests }: Endpoint) => requests.map(({ query }) => query.match(/^\(/gm)?.length);
const links = (count: number) => Array.from({ length: count }, (_, at) => `:w${at % 7} :likes :s${at} .`).join('\n');
const names = (count: number) => Array.from({ length: count }, (_, at) => `:s${at} :name "n${at}" .`).join('\n');
const COUNTED = 'SELECT (COUNT(*) AS ?c) (COUNT(DISTINCT ?n) AS ?d)';

const isCount = ({ query }: Request) => query.includes('COUNT(*)');
/** An endpoint that does not tell how much it has. */
const uncounted =
  (answer: Answer): Answer =>
  (request, response) =>
    isCount(request) ? void response.writeHead(400).end() : answer(request, response);

test('bindings go out in batches that grow, each combination of a round once', async () => {
  const endpoint = await serve(uncounted(over(await storeOf(names(10_000)))));
  const group = `{ ?w :likes ?s . SERVICE <${endpoint.url}> { ?s :name ?n } }`;
  const some = await storeOf(`${links(450)} :w8 :likes :s1, :s2 .`);
  assert.deepEqual(await rows(some, `${COUNTED} ${group}`, endpoint.options()), ['452^integer 450^integer']);
  assert.ok(combinationsOf(endpoint).every((count = 0) => count <= 200));
  endpoint.requests.length = 0;
  const many = await storeOf(links(10_000));
  assert.deepEqual(await rows(many, `${COUNTED} ${group}`, endpoint.options()), ['10000^integer 10000^integer']);
  assert.deepEqual(
    combinationsOf(endpoint)
      .filter((count) => count !== undefined)
      .slice(0, 7),
    [100, 200, 400, 800, 1000, 600, 1000],
  );
  assert.ok(endpoint.requests.length <= 17, `${endpoint.requests.length} requests`);
  // Rows flow before all is asked, and a LIMIT that has enough ends it.
  endpoint.requests.length = 0;
  assert.equal((await rows(many, `SELECT ?n ${group} LIMIT 150`, endpoint.options())).length, 150);
  assert.deepEqual(combinationsOf(endpoint), [100, 200]);
  // With SILENT all is asked before the first row, in as few requests.
  endpoint.requests.length = 0;
  const silent = `${COUNTED} ${group.replace('SERVICE', 'SERVICE SILENT')}`;
  const fewer = await storeOf(links(2500));
  assert.deepEqual(await rows(fewer, silent, endpoint.options()), ['2500^integer 2500^integer']);
  assert.deepEqual(combinationsOf(endpoint), [1000, 1000, 500]);
  await endpoint.close();
});

test('an endpoint with little more than what is to come is asked for everything, once it has said how much that is', async () => {
  const all = over(await storeOf(names(10_000)));
  const endpoint = await serve(all);
  const group = `{ ?w :likes ?s . SERVICE <${endpoint.url}> { ?s :name ?n } }`;
  const many = await storeOf(`${links(10_000)} :w8 :likes :s1, _:b .`);
  const expected = ['10001^integer 10000^integer'];
  assert.deepEqual(await rows(many, `${COUNTED} ${group}`, endpoint.options()), expected);
  // The count and the first combinations are asked for at the same time.
  assert.equal(endpoint.requests.length, 3);
  assert.equal(endpoint.requests.filter(({ query }) => query.includes('VALUES')).length, 1);
  assert.equal(endpoint.requests.filter(isCount).length, 1);
  // Much more than what is to come, or a bound of rows that it does not tell: combinations as ever.
  endpoint.requests.length = 0;
  const some = await storeOf(links(1000));
  assert.deepEqual(await rows(some, `${COUNTED} ${group}`, endpoint.options()), ['1000^integer 1000^integer']);
  assert.deepEqual(
    combinationsOf(endpoint).filter((count) => count !== undefined),
    [100, 200, 400, 300],
  );
  await endpoint.close();
  const capped = await serve(async (request, response) => {
    const query = /VALUES|COUNT/.test(request.query) ? request.query : `${request.query} LIMIT 5000`;
    await all({ ...request, query }, response);
  });
  const there = group.replace(endpoint.url, capped.url);
  assert.deepEqual(await rows(many, `${COUNTED} ${there}`, capped.options()), expected);
  assert.equal(combinationsOf(capped).filter((count) => count === undefined).length, 2);
  await capped.close();
  // An answer that is of no use does not fail the query either.
  const broken = await serve((request, response) =>
    /VALUES|COUNT/.test(request.query) ? all(request, response) : void response.writeHead(503).end(),
  );
  const elsewhere = group.replace(endpoint.url, broken.url);
  assert.deepEqual(await rows(many, `${COUNTED} ${elsewhere}`, broken.options()), expected);
  await broken.close();
});

test('a count that is no number, or late, changes nothing', async () => {
  const all = over(await storeOf(names(2000)));
  const store = await storeOf(links(2000));
  for (const value of ['many', '-1', '99999999999', '']) {
    const endpoint = await serve((request, response) =>
      isCount(request)
        ? json(response, JSON.stringify({ results: { bindings: [{ rows: { type: 'literal', value } }] } }))
        : all(request, response),
    );
    const text = `${COUNTED} { ?w :likes ?s . SERVICE <${endpoint.url}> { ?s :name ?n } }`;
    assert.deepEqual(await rows(store, text, endpoint.options()), ['2000^integer 2000^integer']);
    await endpoint.close();
  }
  const slow = await serve((request, response) => (isCount(request) ? undefined : all(request, response)));
  const text = `${COUNTED} { ?w :likes ?s . SERVICE <${slow.url}> { ?s :name ?n } }`;
  assert.deepEqual(await rows(store, text, slow.options({ timeoutMs: 60_000 })), ['2000^integer 2000^integer']);
  await slow.close();
});

test('SILENT with more combinations than a round has asks for everything', async () => {
  const endpoint = await serve(over(await storeOf(names(100))));
  const store = await storeOf(links(17_000));
  const text = `${COUNTED} { ?w :likes ?s . SERVICE SILENT <${endpoint.url}> { ?s :name ?n } }`;
  assert.deepEqual(await rows(store, text, endpoint.options()), ['100^integer 100^integer']);
  assert.deepEqual(combinationsOf(endpoint), [undefined]);
  await endpoint.close();
});

test('an endpoint that does not look at the values changes no answer', async () => {
  const whole = over(await storeOf(names(3000)));
  const endpoint = await serve(
    uncounted((request, response) =>
      whole({ ...request, query: request.query.replace(/VALUES[\s\S]*$/, '') }, response),
    ),
  );
  const store = await storeOf(links(3000));
  const text = `${COUNTED} { ?w :likes ?s . SERVICE <${endpoint.url}> { ?s :name ?n } }`;
  assert.deepEqual(await rows(store, text, endpoint.options()), ['3000^integer 3000^integer']);
  assert.ok(endpoint.requests.length > 4);
  await endpoint.close();
});

test('PROFILE tells of each request', async () => {
  const endpoint = await serve(over(await storeOf(names(300))));
  const store = await storeOf(links(300));
  const snapshot = store.snapshot();
  const text = `${PREFIXES} SELECT * { ?w :likes ?s . SERVICE <${endpoint.url}> { ?s :name ?n } }`;
  const explained = await explain(snapshot, text, { ...inFull(endpoint.options()), analyze: true });
  snapshot.close();
  assert.match(
    explained.text,
    /^requests to <.*> for \?s: 2\n {2}1\. for 100 combinations: 100 rows in \d+\.\d ms\n {2}2\. for 200 /m,
  );
  await endpoint.close();
});

test('variables that a side leaves unbound agree with anything', async () => {
  const endpoint = await serve(over(await storeOf(':a :p 1 . :b :p 2 ; :q :x .')));
  const store = await storeOf(':k :v :x . :l :v :y . :m :w 0 .');
  const loose = `SERVICE <${endpoint.url}> { ?s :p ?n OPTIONAL { ?s :q ?v } }`;
  assert.deepEqual(await rows(store, `SELECT ?l ?v ?s { ?l :v ?v . ${loose} }`, endpoint.options()), [
    ':k :x :a',
    ':k :x :b',
    ':l :y :a',
  ]);
  const unbound = `SELECT ?l ?v ?s { { ?l :v ?v } UNION { ?l :w 0 } ${loose} }`;
  assert.deepEqual(await rows(store, unbound, endpoint.options()), [
    ':k :x :a',
    ':k :x :b',
    ':l :y :a',
    ':m - :a',
    ':m :x :b',
  ]);
  await endpoint.close();
});

test('blank nodes of an answer are new ones, the same within it', async () => {
  const endpoint = await serve(over(await storeOf(REMOTE)));
  const store = await storeOf(':a :here _:y .');
  const text = `SELECT ?k ?n { SERVICE <${endpoint.url}> { :a :knows ?k . ?k :name ?n } }`;
  const [row] = await rows(store, text, endpoint.options());
  assert.match(row ?? '', /^_:\S+ "Yan"$/);
  const meet = `ASK { SERVICE <${endpoint.url}> { :a :knows ?k } SERVICE <${endpoint.url}> { ?k :name ?n } }`;
  assert.deepEqual(await rows(store, meet, endpoint.options()), ['false']);
  assert.deepEqual(
    await rows(store, `ASK { :a :here ?k . SERVICE <${endpoint.url}> { :a :knows ?k } }`, endpoint.options()),
    ['false'],
  );
  await endpoint.close();
});

test('values that functions make are sent as text that stays one term', async () => {
  const endpoint = await serve(over(await storeOf(REMOTE)));
  const store = await storeOf(':p :key "Ann", "quote\\" } line\\n \\\\", "Bob" .');
  const text = `SELECT ?k ?s { ?p :key ?k . SERVICE <${endpoint.url}> { ?s :name ?k } }`;
  assert.deepEqual(await rows(store, text, endpoint.options()), ['"Ann" :a', '"Bob" :b']);
  await endpoint.close();
});

const FAILURES: readonly (readonly [string, Answer, RegExp])[] = [
  ['status', (_, response) => void response.writeHead(500).end('out\nof order'), /answered 500: out of order/],
  ['redirect', (_, response) => void response.writeHead(302, { location: 'http://127.0.0.1:1/' }).end(), /redirect/],
  [
    'media type',
    (_, response) => void response.writeHead(200, { 'content-type': 'text/html' }).end('<p>'),
    /text\/html/,
  ],
  ['no JSON', (_, response) => void json(response, '{"results":'), /can't be read: it is no JSON/],
  ['no results', (_, response) => void json(response, '{"boolean":true}'), /no results\.bindings/],
  [
    'no term',
    (_, response) => void json(response, '{"results":{"bindings":[{"s":{"type":"iri","value":"x"}}]}}'),
    /type "iri"/,
  ],
  ['no value', (_, response) => void json(response, '{"results":{"bindings":[{"s":{"type":"uri"}}]}}'), /no value/],
  ['a gap', (_, response) => void json(response, '{"results":{"bindings":[{}]}}'), /has no \?/],
  [
    'a cut',
    (_, response) => {
      response.writeHead(200, { 'content-type': 'application/json', 'content-length': '100' });
      response.write('{', () => response.destroy());
    },
    /no answer/,
  ],
  ['silence', () => undefined, /no whole answer within 100 ms/],
  [
    'too much',
    (_, response) => {
      response.setHeader('content-type', 'application/json');
      const chunk = ' '.repeat(2 ** 20);
      for (let at = 0; at < 65; at++) response.write(chunk);
      response.end();
    },
    /larger than 64 MB/,
  ],
];

function json(response: ServerResponse, text: string): void {
  response.writeHead(200, { 'content-type': 'application/sparql-results+json' }).end(text);
}

test('an endpoint that fails: an error that names it; with SILENT one empty solution', async () => {
  const store = await storeOf(':k :v :x . :l :v :y .');
  for (const [name, answer, message] of FAILURES) {
    const endpoint = await serve(answer);
    const options = endpoint.options({ timeoutMs: name === 'silence' ? 100 : 60_000 });
    const text = `SELECT ?l ?v ?s { ?l :v ?v . SERVICE <${endpoint.url}> { ?s :is ?v } }`;
    await assert.rejects(rows(store, text, options), (error: unknown) => {
      assert.ok(error instanceof SvcError && error.code === 'service_failed', name);
      assert.ok(error.message.startsWith(`SERVICE <${endpoint.url}>: `), name);
      assert.match(error.message, message);
      return true;
    });
    const silent = text.replace('SERVICE', 'SERVICE SILENT');
    assert.deepEqual(await rows(store, silent, options), [':k :x -', ':l :y -'], name);
    assert.deepEqual(await rows(store, `SELECT * { SERVICE SILENT <${endpoint.url}> { ?s :is ?v } }`, options), [
      '- -',
    ]);
    await endpoint.close();
  }
  const gone = await serve(() => undefined);
  await gone.close();
  await assert.rejects(
    rows(store, `SELECT * { SERVICE <${gone.url}> { ?s ?p ?o } }`, gone.options()),
    isError('service_failed', /no answer/),
  );
});

test('SILENT when a later batch fails: as if nothing had come', async () => {
  let asked = 0;
  const remote = over(await storeOf(':s1 :name "n1" .'));
  const endpoint = await serve((request, response) =>
    ++asked === 1 ? remote(request, response) : void response.writeHead(503).end(),
  );
  const store = await storeOf(Array.from({ length: 1300 }, (_, at) => `:w :likes :s${at} .`).join('\n'));
  const text = `SELECT (COUNT(?s) AS ?c) (COUNT(?n) AS ?d) { ?w :likes ?s . SERVICE SILENT <${endpoint.url}> { ?s :name ?n } }`;
  assert.deepEqual(await rows(store, text, endpoint.options()), ['1300^integer 0^integer']);
  assert.equal(asked, 2);
  await endpoint.close();
});

test('the deadline and the signal end a query that waits, and its request', async () => {
  let closed = 0;
  const endpoint = await serve((_, response) => void response.on('close', () => closed++));
  const store = await storeOf('');
  const text = `SELECT * { SERVICE SILENT <${endpoint.url}> { ?s ?p ?o } }`;
  const options = endpoint.options({ timeoutMs: 60_000 });
  // On a slow machine the first deadlines may pass before anything is asked.
  for (let timeoutMs = 60; endpoint.requests.length === 0; timeoutMs *= 4) {
    const late = isError('query_timeout', new RegExp(`${timeoutMs} ms`));
    await assert.rejects(rows(store, text, { ...options, timeoutMs }), late);
  }
  const controller = new AbortController();
  const aborted = assert.rejects(
    rows(store, text, { ...options, signal: controller.signal }),
    isError('aborted', /cancelled/),
  );
  while (endpoint.requests.length < 2) await new Promise((resolve) => setTimeout(resolve, 5));
  controller.abort();
  await aborted;
  while (closed < 2) await new Promise((resolve) => setTimeout(resolve, 5));
  assert.equal(endpoint.requests.length, 2);
  await endpoint.close();
});
