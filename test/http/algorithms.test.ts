/** Graph algorithms over HTTP: shapes of answers, statuses of refusals, who may ask. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { json, startTestServer } from './support.js';

const E = 'http://example.org';
const SVC = 'https://svc.dev/ontology/';
const CHAIN = `<${E}/a> <${E}/p> <${E}/b> . <${E}/b> <${E}/p> <${E}/c> .`;

const REFUSED: readonly (readonly [path: string, body: object, code: string, error: RegExp])[] = [
  ['/project', { algorithm: 'zz' }, 'invalid_request', /^unknown algorithm 'zz' \(stats, in_degree, /],
  ['/project', { algorithm: 'shortest_path', from: `${E}/a` }, 'invalid_request', /^missing 'to' parameter$/],
  [
    '/project',
    { algorithm: 'shortest_path', from: `${E}/a`, to: `${E}/z` },
    'not_found_in_store',
    /entity not found: .*z$/,
  ],
  ['/project', { graph: `${E}/none` }, 'not_found_in_store', /^unknown graph: http:\/\/example\.org\/none$/],
  ['/project', { algorithm: 'pagerank', seeds: [`${E}/a`], persist: true }, 'invalid_request', /'seeds' or 'persist'/],
  ['/project', { algorithm: 'louvain', persist: true, graph: 'urn:svc:graph:meta' }, 'invalid_request', /meta graph/],
  ['/project', { limit: 1.5 }, 'invalid_request', /limit/],
  ['/project', { damping: 'x' }, 'invalid_request', /damping/],
  ['/project', { algorithm: 'pagerank', damping: 2 }, 'invalid_request', /'damping' is 2/],
  ['/report', { hubs: 'many' }, 'invalid_request', /hubs/],
  ['/graph', { limit: '1' }, 'invalid_request', /limit/],
];

test('/project, /report and /graph answer in the shapes of the wire', async (t) => {
  const server = await startTestServer(t);
  const post = async (path: string, body: object) => json(await server.post(path, body));
  await server.post('/knot', { turtle: CHAIN });
  assert.deepEqual(await post('/project', {}), { algorithm: 'stats', nodes: 3, edges: 2 });
  assert.deepEqual(await post('/project', { algorithm: 'in_degree', limit: 1 }), {
    algorithm: 'in_degree',
    results: [{ entity: `${E}/b`, in_degree: 1 }],
    count: 1,
    truncated: true,
  });
  const ranks = await post('/project', { algorithm: 'ppr', seeds: [`${E}/a`, `${E}/z`], limit: 1, zebra: 1 });
  const [{ entity, score }] = ranks.results as [{ entity: string; score: number }];
  assert.ok(entity === `${E}/a` && Math.abs(score - 0.388727) < 1e-5);
  const { results: _, ...rest } = ranks;
  assert.deepEqual(rest, {
    algorithm: 'pagerank',
    personalized: true,
    count: 1,
    truncated: true,
    unknown_seeds: [`${E}/z`],
    persisted: null,
    ignored_fields: ['zebra'],
  });
  const group = { entities: [`${E}/a`, `${E}/b`, `${E}/c`], size: 3 };
  assert.deepEqual(await post('/project', { algorithm: 'components' }), {
    algorithm: 'components',
    components: [group],
    count: 1,
    truncated: false,
  });
  const communities = {
    algorithm: 'louvain',
    communities: [{ community: `${SVC}community_0`, ...group }],
    count: 1,
    truncated: false,
    modularity: 0,
  };
  assert.deepEqual(await post('/project', { algorithm: 'community' }), { ...communities, persisted: null });
  assert.deepEqual(await post('/project', { algorithm: 'louvain', persist: true }), {
    ...communities,
    persisted: 3,
    tx_id: 2,
  });
  assert.deepEqual(await post('/project', { algorithm: 'shortest_path', from: `${E}/a`, to: `${E}/c` }), {
    algorithm: 'shortest_path',
    from: `${E}/a`,
    to: `${E}/c`,
    path: [`${E}/a`, `${E}/b`, `${E}/c`],
    length: 2,
  });
  const back = await post('/project', { algorithm: 'shortest_path', from: `${E}/c`, to: `${E}/a` });
  assert.deepEqual([back.path, back.length], [null, null]);
  const report = await post('/report', {});
  assert.deepEqual(Object.keys(report).sort(), ['graph', 'hubs', 'suggested_questions', 'surprising_connections']);
  assert.deepEqual(report, await json(await fetch(`${server.base}/report`)));
  const short = await json(await fetch(`${server.base}/report?hubs=1&questions=1`));
  assert.deepEqual([(short.hubs as []).length, (short.suggested_questions as []).length], [1, 1]);
  const view = await post('/graph', { limit: 2 });
  assert.deepEqual(view, {
    // The community of c makes it a subject, too.
    nodes: [
      { iri: `${E}/b`, label: 'b', type: null, deg: 2 },
      { iri: `${E}/a`, label: 'a', type: null, deg: 1 },
    ],
    edges: [[1, 0, 'p']],
    types: [],
    truncated: { shown: 2, of: 3, edges_shown: 1, edges_of: 1 },
    stats: { nodes: 2, edges: 1 },
  });
});

test('what makes no sense is a 400 by name', async (t) => {
  const server = await startTestServer(t);
  await server.post('/knot', { turtle: CHAIN });
  for (const [path, body, code, error] of REFUSED) {
    const response = await server.post(path, body);
    const told = await json(response);
    assert.deepEqual([response.status, told.code], [400, code], JSON.stringify(body));
    assert.match(told.error as string, error);
  }
});

test('/project is a route of writes as a whole; the report and the view are open', async (t) => {
  const server = await startTestServer(t, { server: { auth_token: 'a-token-of-the-tests' } });
  const status = async (path: string) => (await server.post(path, {})).status;
  assert.deepEqual([await status('/project'), await status('/report'), await status('/graph')], [401, 200, 200]);
});
