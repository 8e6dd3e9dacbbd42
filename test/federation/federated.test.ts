/** Federated queries over real servers: rows and where they come from, labels, floors, what is refused, who has failed. */
import assert from 'node:assert/strict';
import type { ServerResponse } from 'node:http';
import { test } from 'node:test';
import { json } from '../http/support.js';
import { federated, remoteThat, sendJson, serverOf } from './support.js';

const FACTS = 'SELECT ?s ?p ?o { ?s ?p ?o } ORDER BY ?s';
const LABELS = { freshness: 'recomputing', trust: { iri: 'urn:t:peer', chain: 'urn:t:c', rank: 10 } };
const NOWHERE = 'http://127.0.0.1:1';

test('FD-1: one dead remote', async (t) => {
  const north = await serverOf(t, '<http://example.org/b> <http://example.org/p> 2 .');
  const here = await serverOf(t, '<http://example.org/a> <http://example.org/p> 1 .', {
    federation: {
      remotes: [
        { name: 'prod', url: `${north.base}//`, labels: LABELS, timeout_ms: 60_000 },
        { name: 'dead', url: NOWHERE },
      ],
    },
  });
  const answer = await federated(here, FACTS);
  const { error, ...dead } = answer.providers[2] ?? assert.fail();
  assert.match(error ?? '', /^no answer \(/);
  assert.deepEqual(dead, { name: 'dead', ok: false, rows: 0, label: null });
  assert.deepEqual(
    { ...answer, providers: answer.providers.slice(0, 2) },
    {
      variables: ['s', 'p', 'o', '_provider', '_trust', '_freshness'],
      rows: [
        { s: 'http://example.org/a', p: 'http://example.org/p', o: 1, _provider: 'local' },
        {
          s: 'http://example.org/b',
          p: 'http://example.org/p',
          o: 2,
          _provider: 'prod',
          _trust: 'urn:t:peer',
          _freshness: 'recomputing',
        },
      ],
      count: 2,
      providers: [
        { name: 'local', ok: true, rows: 1, error: null, label: null },
        { name: 'prod', ok: true, rows: 1, error: null, label: LABELS },
      ],
      complete: false,
      truncated: false,
      labels: {
        freshness: { value: 'recomputing', coverage: 'partial' },
        durability: { value: null, coverage: 'none' },
        trust: { value: LABELS.trust, coverage: 'partial' },
        policy: { value: null, coverage: 'none' },
        kind: { value: null, coverage: 'none' },
      },
    },
  );
});

test('FD-2: min_freshness and a remote without labels, or with too low ones', async (t) => {
  const remote = await remoteThat(t, (response) => sendJson(response, { variables: ['s'], rows: [] }));
  const stale = { freshness: 'stale' };
  for (const [labels, declared] of [
    [{}, 'nothing'],
    [{ labels: stale }, "'stale'"],
  ] as const) {
    const here = await serverOf(t, '', {
      server: { read_pool_size: 0 },
      labels: { min_freshness: 'fresh' },
      federation: {
        remotes: [
          { name: 'good', url: remote.url, labels: { freshness: 'fresh' } },
          { name: 'bare', url: remote.url, ...labels },
        ],
      },
    });
    await here.post('/graph/create', { graph: 'urn:g' });
    await here.post('/graph/label', { graph: 'urn:g', timestamp: '2026-01-01', freshness: 'fresh' });
    const query = 'SELECT ?s { GRAPH <urn:g> { ?s ?p ?o } }';
    const plain = await here.post('/query', { query });
    assert.equal(plain.status, 200, await plain.text());
    const asked = remote.requests.filter(({ path }) => path !== '/stats').length;
    const refused = await here.post('/query', { query, federated: true });
    assert.equal(refused.status, 403);
    const { error, code } = await json(refused);
    assert.equal(code, 'label_floor');
    assert.match(String(error), new RegExp(`^the remote 'bare' <${remote.url}> is below .*: it declares ${declared}`));
    assert.equal(remote.requests.filter(({ path }) => path !== '/stats').length, asked, 'nobody was asked');
  }
});

const LIE = {
  variables: ['_trust', 's', 'o', '_provider', '_freshness'],
  rows: [
    { s: 'http://e/x', o: '_:b1', _trust: 'urn:evil', _provider: 'local', _freshness: 'fresh' },
    { s: { value: '_:not', datatype: 'http://www.w3.org/2001/XMLSchema#string' }, o: 'a text' },
    { s: { subject: '_:b1', predicate: 'http://e/p', object: { value: 'x', lang: 'en' } } },
    {},
  ],
};

test('FD-3: what a remote says of trust counts for nothing; its values stay what they are', async (t) => {
  const remote = await remoteThat(t, (response) => {
    sendJson(response, JSON.stringify(LIE).replace('"a text"', '123456789012345678901234567890'));
  });
  const { url } = remote;
  const here = await serverOf(t, '', {
    federation: {
      remotes: [
        { name: 'north', url, auth_token: 'n0rth', labels: { trust: LABELS.trust } },
        { name: 'bare', url: `${url}/two` },
      ],
    },
  });
  const response = await here.post(
    '/query',
    { query: 'SELECT ?o ?s { ?s <http://e/p> ?o }', federated: true, colour: 1 },
    { authorization: 'Bearer of-the-caller', accept: 'text/csv' },
  );
  const text = await response.text();
  const rows = (name: string, trust: string) =>
    [
      `{"s":"http://e/x","o":"_:${name}.b1","_provider":"${name}"${trust}}`,
      `{"s":{"value":"_:not","datatype":"http://www.w3.org/2001/XMLSchema#string"},"o":123456789012345678901234567890,"_provider":"${name}"${trust}}`,
      `{"s":{"subject":"_:${name}.b1","predicate":"http://e/p","object":{"value":"x","lang":"en"}},"_provider":"${name}"${trust}}`,
      `{"_provider":"${name}"${trust}}`,
    ].join();
  assert.equal(response.headers.get('content-type'), 'application/json');
  assert.ok(text.startsWith('{"variables":["o","s","_provider","_trust","_freshness"],"rows":['));
  assert.ok(text.includes(`[${rows('north', ',"_trust":"urn:t:peer"')},${rows('bare', '')}],"count":8,`), text);
  const { labels, ignored_fields: ignored, complete } = JSON.parse(text);
  assert.deepEqual([labels.trust, ignored, complete], [{ value: LABELS.trust, coverage: 'partial' }, ['colour'], true]);
  assert.deepEqual(JSON.parse(response.headers.get('x-svc-labels') ?? ''), labels);
  const [north, bare] = remote.requests.filter(({ path }) => path !== '/stats' && path !== '/two/stats');
  assert.deepEqual(JSON.parse(north?.body ?? ''), { query: 'SELECT ?o ?s { ?s <http://e/p> ?o }', verbose: true });
  assert.equal(north?.headers.authorization, 'Bearer n0rth');
  assert.equal(bare?.path, '/two/query');
  assert.equal(bare?.headers.authorization, undefined);
  const metrics = await (await here.get('/metrics')).text();
  assert.match(metrics, /svc_federation_requests_total\{member="north"\} 1/);
  assert.match(metrics, /svc_federation_failures_total\{member="north"\} 0/);
  assert.match(metrics, /svc_federation_seconds_total\{member="bare"\} 0\.\d+/);
});

test('FD-4: what a federated query may not say; nobody is asked', async (t) => {
  const remote = await remoteThat(t, (response) => sendJson(response, { variables: [], rows: [] }));
  const here = await serverOf(t, '', { federation: { remotes: [{ name: 'north', url: remote.url }] } });
  const asked = async (body: object) => {
    const response = await here.post('/query', { federated: true, ...body });
    return [response.status, String((await json(response)).error)] as const;
  };
  const query = 'SELECT * {}';
  for (const [field, value] of Object.entries({
    valid_at: '2026-01-01T00:00:00Z',
    tx: 1,
    graph: 'urn:g',
    fork: 'f',
    include_kinds: ['archive'],
    overlay: 'urn:o',
    inferred: true,
    inference: false,
  })) {
    const [status, error] = await asked({ query, [field]: value });
    assert.equal(status, 400, field);
    assert.match(error, new RegExp(`^'${field}' is not supported on a federated query`));
  }
  for (const [text, message] of [
    ['ASK {}', /a federated query is a SELECT, and this is one of ASK/],
    ['CONSTRUCT WHERE { ?s ?p ?o }', /one of CONSTRUCT/],
    ['DESCRIBE <urn:a>', /one of DESCRIBE/],
    ['SELECT {', /expected/i],
    ['SELECT * { ?s <p> ?o }', /the IRI <p> is relative/],
    ['SELECT ?_trust { ?s ?p ?_trust }', /give \?_trust another name/],
    ['SELECT * { SERVICE <http://127.0.0.1:1/q> { ?s ?p ?o } }', /not configured/],
  ] as const) {
    const [status, error] = await asked({ query: text });
    assert.equal(status, 400, text);
    assert.match(error, message);
  }
  assert.deepEqual(
    remote.requests.map(({ path }) => path).filter((path) => path !== '/stats'),
    [],
  );
});

test('without remotes: this store alone', async (t) => {
  const here = await serverOf(t, '<urn:a> <urn:p> _:b .', { server: { read_pool_size: 0 } });
  const { rows, ...answer } = await federated(here, 'SELECT ?s { ?s ?p ?o }');
  assert.deepEqual(rows, [{ s: 'urn:a', _provider: 'local' }]);
  assert.deepEqual(answer, {
    variables: ['s', '_provider', '_trust', '_freshness'],
    count: 1,
    providers: [{ name: 'local', ok: true, rows: 1, error: null, label: null }],
    complete: true,
    truncated: false,
    labels: null,
  });
});

type Answer = (response: ServerResponse) => void;

function streaming(response: ServerResponse): void {
  response.writeHead(200, { 'content-type': 'application/json' });
}

/** One row, and white space up to so many bytes of the whole. */
function padded(bytes: number): Answer {
  return (response) => {
    streaming(response);
    const text = '{"variables":["s"],"rows":[{"s":1}]}';
    for (let left = bytes - text.length; left > 0; left -= 2 ** 20) response.write(' '.repeat(Math.min(left, 2 ** 20)));
    response.end(text);
  };
}

const BAD: Readonly<Record<string, readonly [Answer, RegExp]>> = {
  html: [
    (response) => void response.writeHead(200, { 'content-type': 'text/html' }).end('<p>'),
    /^it answered with text\/html instead of application\/json$/,
  ],
  status: [(response) => void response.writeHead(500).end('out\nof order'), /^it answered 500: out of order$/],
  redirect: [(response) => void response.writeHead(307, { location: '/good/query' }).end(), /redirect \(307\)/],
  ask: [(response) => sendJson(response, { result: true, labels: null }), /an answer of ASK, and not one of SELECT$/],
  graph: [(response) => sendJson(response, { triples: [] }), /of CONSTRUCT or DESCRIBE/],
  empty: [(response) => sendJson(response, ''), /ends in the middle/],
  array: [(response) => sendJson(response, '[]'), /no JSON object/],
  nonsense: [(response) => sendJson(response, '{"variables":["s"],"rows":[{"s":1} {"s":2}]}'), /no JSON object/],
  twice: [(response) => sendJson(response, '{"variables":["s"],"rows":[],"rows":[]}'), /"rows" twice/],
  cut: [(response) => sendJson(response, '{"variables":["s"],"rows":[{"s":1},{"s'), /ends in the middle/],
  dies: [
    (response) => {
      streaming(response);
      response.write('{"variables":["s"],"rows":[{"s":1},', () => response.destroy());
    },
    /^no answer \(/,
  ],
  others: [
    (response) => sendJson(response, { variables: ['s', 'x'], rows: [] }),
    /variables are \?s \?x, .* here \?s$/,
  ],
  fewer: [(response) => sendJson(response, { variables: ['_trust'], rows: [] }), /variables are none/],
  stranger: [(response) => sendJson(response, { variables: ['s'], rows: [{ t: 1 }] }), /binds \?t/],
  null: [(response) => sendJson(response, { variables: ['s'], rows: [{ s: null }] }), /a value is null/],
  list: [(response) => sendJson(response, { variables: ['s'], rows: [{ s: [1] }] }), /a value is \[1\]/],
  keys: [(response) => sendJson(response, { variables: ['s'], rows: [{ s: { value: 'x' } }] }), /the keys value/],
  number: [(response) => sendJson(response, '{"variables":["s"],"rows":[{"s":01}]}'), /a value is 01/],
  deep: [
    (response) => sendJson(response, `{"variables":["s"],"rows":[${'['.repeat(200_000)}${']'.repeat(200_000)}]}`),
    /no JSON object/,
  ],
  bytes: [
    (response) => {
      streaming(response);
      response.end(Buffer.from([0x7b, 0xff, 0xfe]));
    },
    /no UTF-8/,
  ],
  large: [padded(64 * 2 ** 20 + 1), /larger than 64 MB/],
  silent: [() => undefined, /^no whole answer within 400 ms \(timeout_ms of the remote\)$/],
  stalls: [
    (response) => {
      streaming(response);
      response.write('{');
    },
    /no whole answer within 400 ms/,
  ],
  endless: [
    (response) => {
      streaming(response);
      response.write('{"variables":["s"],"rows":[{"s":1}');
      const more = setInterval(() => response.write(',{"s":1}'), 5);
      response.on('close', () => clearInterval(more));
    },
    /no whole answer within 400 ms/,
  ],
};
const SLOW = new Set(['silent', 'stalls', 'endless']);

test('remotes that answer with anything but an answer are members that failed, each with its reason', async (t) => {
  const good: Readonly<Record<string, Answer>> = {
    good: (response) => sendJson(response, '{"count":1,"rows":[ {"s" : 1} ] , "x":[[{"]":"\\""}]],"variables":["s"]}'),
    cap: padded(64 * 2 ** 20),
    short: (response) => sendJson(response, { variables: ['s'], rows: [], truncated: true }),
  };
  const remotes = new Map<string, Answer>([
    ...Object.entries(BAD).map(([name, [answer]]) => [name, answer] as const),
    ...Object.entries(good),
  ]);
  const paths = await remoteWithPaths(t, remotes);
  const here = await serverOf(t, '<urn:a> <urn:p> 0 .', {
    search: { query_timeout_ms: 300_000 },
    federation: {
      remotes: [...remotes.keys()].map((name) => ({
        name,
        url: `${paths.url}/${name}`,
        timeout_ms: SLOW.has(name) ? 400 : 60_000,
      })),
    },
  });
  const answer = await federated(here, 'SELECT ?s { ?x <urn:p> ?s }');
  assert.deepEqual(
    answer.rows.map(({ s, _provider }) => [s, _provider]),
    [
      [0, 'local'],
      [1, 'good'],
      [1, 'cap'],
    ],
  );
  assert.equal(answer.complete, false);
  assert.equal(answer.truncated, false);
  assert.equal(answer.providers.length, remotes.size + 1);
  for (const { name, ok, rows, error } of answer.providers) {
    const expected = BAD[name]?.[1];
    if (expected === undefined) assert.deepEqual([ok, error], [true, null], name);
    else {
      assert.deepEqual([ok, rows], [false, 0], name);
      assert.match(error ?? '', expected, name);
    }
  }
});

async function remoteWithPaths(t: Parameters<typeof remoteThat>[0], answers: ReadonlyMap<string, Answer>) {
  return remoteThat(t, (response, _, path) => {
    const [, name = '', route] = path.split('/');
    if (route === 'stats') response.end();
    else answers.get(name)?.(response);
  });
}

test('the rows of all members together are bounded; a member that leaves rows out is not complete', async (t) => {
  const five = { variables: ['s'], rows: [1, 2, 3, 4, 5].map((s) => ({ s })) };
  const paths = await remoteWithPaths(
    t,
    new Map<string, Answer>([
      ['one', (response) => sendJson(response, five)],
      ['two', (response) => sendJson(response, five)],
      ['short', (response) => sendJson(response, { ...five, truncated: true })],
    ]),
  );
  const remotesOf = (...names: string[]) => ({
    remotes: names.map((name) => ({ name, url: `${paths.url}/${name}` })),
  });
  const local = '<urn:a> <urn:p> 7, 8, 9 .';
  const query = 'SELECT ?s { ?x <urn:p> ?s }';
  const figures = async (more: object, search: object, ...names: string[]) => {
    const here = await serverOf(t, local, { server: { read_pool_size: 0 }, search, federation: remotesOf(...names) });
    const { rows, count, complete, truncated, providers } = await federated(here, query, more);
    assert.equal(rows.length, count);
    return [count, complete, truncated, providers.map((one) => one.rows).join()];
  };
  assert.deepEqual(await figures({}, { max_sparql_rows: 10 }, 'one', 'two'), [10, true, true, '3,5,2']);
  assert.deepEqual(await figures({}, { max_sparql_rows: 13 }, 'one', 'two'), [13, true, false, '3,5,5']);
  assert.deepEqual(await figures({ limit: 4 }, {}, 'one', 'two'), [4, true, true, '3,1,0']);
  assert.deepEqual(await figures({ limit: 2 }, {}, 'one'), [2, false, true, '2,0']);
  assert.deepEqual(await figures({}, {}, 'short'), [8, false, false, '3,5']);
});
