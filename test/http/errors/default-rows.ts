/** Rows of the table of request defaults and limits (wire shapes, 1.3) that the specification's own table has not. */
import assert from 'node:assert/strict';
import { withDefaults } from '../../../engine/service/configuration/keys.js';
import { json, type TestServer } from '../support.js';
import { ENDLESS, FORM, type RowTest, refuses } from './support.js';

/** A server whose store has 150 entities, and 25 facts of one source. */
async function filled(server: TestServer): Promise<TestServer> {
  const query = 'ASK { <http://many.org/1> ?p ?o }';
  if ((await json(await server.post('/query', { query }))).result === true) return server;
  const lines = Array.from({ length: 150 }, (_, at) => `<http://many.org/${at}> <http://many.org/p> ${at} .`);
  assert.equal((await server.post('/knot', { turtle: lines.join('\n'), source: 'many' })).status, 200);
  return server;
}

const lengthOf = async (response: Response, key: string): Promise<readonly [number, unknown]> => {
  const body = await json(response);
  assert.equal(response.status, 200, JSON.stringify(body).slice(0, 500));
  return [(body[key] as unknown[]).length, body.truncated];
};

/** Thirty edges in a row. */
async function chain(server: TestServer): Promise<void> {
  const lines = Array.from({ length: 30 }, (_, at) => {
    return `<http://chain.org/${at}> <http://chain.org/p> <http://chain.org/${at + 1}> .`;
  });
  assert.equal((await server.post('/knot', { turtle: lines.join('\n') })).status, 200);
}

const LISTS: Record<string, RowTest> = {
  'list limit (3.4)': async (servers) => {
    const server = await filled(await servers.plain());
    for (let at = 0; at < 102; at++) {
      assert.equal((await server.post('/graph/create', { graph: `http://many.org/g${at}` })).status, 200);
    }
    assert.deepEqual(await lengthOf(await server.get('/graphs'), 'graphs'), [100, true]);
    assert.deepEqual(await lengthOf(await server.get('/graphs?limit=0'), 'graphs'), [1, true]);
    assert.deepEqual(await lengthOf(await server.get('/graphs?limit=-3'), 'graphs'), [1, true]);
    const [all, truncated] = await lengthOf(await server.get('/graphs?limit=20000'), 'graphs');
    assert.ok(all > 102 && truncated === false);
    assert.deepEqual(await lengthOf(await server.get(`/graphs?offset=${all}`), 'graphs'), [0, false]);
    for (const query of ['limit=x', 'limit=1.5', 'offset=-1', 'offset=x', 'offset=1&offset=2']) {
      await refuses(server, () => server.get(`/graphs?${query}`), {
        status: 400,
        code: 'invalid_request',
        error: /limit|offset/,
      });
    }
  },
  '/cord limit': async (servers) => {
    const server = await filled(await servers.plain());
    const cord = (fields: object) => server.post('/cord', { predicate: 'http://many.org/p', ...fields });
    assert.deepEqual(await lengthOf(await cord({}), 'entities'), [100, true]);
    assert.deepEqual(await lengthOf(await cord({ limit: 0 }), 'entities'), [1, true]);
    assert.deepEqual(await lengthOf(await cord({ limit: 1e9 }), 'entities'), [150, false]);
    assert.deepEqual(await lengthOf(await cord({ offset: 140 }), 'entities'), [10, false]);
    for (const limit of [1.5, '5', true, [], {}]) {
      await refuses(server, () => cord({ limit }), { status: 400, code: 'invalid_request', error: /'limit'.*integer/ });
    }
  },
  '/impact hops': async (servers) => {
    const server = await servers.plain();
    const link = (at: number) => `<http://chain.org/${at}> <http://chain.org/next> <http://chain.org/${at + 1}> .`;
    const turtle = Array.from({ length: 8 }, (_, at) => link(at)).join('\n');
    assert.equal((await server.post('/knot', { turtle })).status, 200);
    // Other rows write communities of all nodes.
    const chain = { entity: 'http://chain.org/0', predicates: ['http://chain.org/next'] };
    const asked = async (fields: object) => json(await server.post('/impact', { ...chain, ...fields }));
    const whole = await asked({});
    assert.deepEqual([whole.hops, whole.reached_count, whole.edges], [5, 5, 5]);
    assert.deepEqual((await asked({ hops: 100 })).reached_count, 8);
    const before = (await json(await server.get('/transactions'))).count;
    const events = (await json(await server.get('/events?limit=10000'))).events;
    const gone = await asked({ remove: true });
    assert.deepEqual([gone.reached_count, gone.lost_count, (gone.lost as string[]).length], [0, 5, 5]);
    assert.equal((await json(await server.get('/transactions'))).count, before, 'nothing is written');
    assert.deepEqual((await json(await server.get('/events?limit=10000'))).events, events);
    assert.deepEqual(await lengthOf(await server.post('/impact', { ...chain, limit: 2 }), 'reached'), [2, true]);
  },
  '/changes limit': async (servers) => {
    const server = await filled(await servers.plain());
    const read = (query: string) => server.get(`/changes?${query}`);
    const first = await json(await read('limit=1'));
    assert.ok((first.count as number) > 1 && first.next_tx === 1, 'a transaction is never split');
    assert.equal((await json(await read('limit=0'))).next_tx, 1, 'clamped to 1');
    assert.equal((await json(await read('limit=100000'))).next_tx, (await json(await read('since=999'))).watermark);
    for (const query of ['limit=x', 'since=-1', 'since=1.5', 'capture=all', 'graph=http%3A%2F%2Fex.org%2Fnone']) {
      const error = query.startsWith('graph') ? /^unknown graph: http:\/\/ex\.org\/none/ : /limit|since|capture/;
      const code = query.startsWith('graph') ? 'not_found_in_store' : 'invalid_request';
      await refuses(server, () => read(query), { status: 400, code, error });
    }
  },
  '/fragments pageSize': async (servers) => {
    const server = await filled(await servers.plain());
    const page = async (query: string) => {
      const { triples, pageSize } = await json(await server.get(`/fragments?predicate=http://many.org/p${query}`));
      return [(triples as unknown[]).length, pageSize];
    };
    assert.deepEqual(await page(''), [100, 100]);
    assert.deepEqual(await page('&pageSize=5000'), [150, 1000]);
    assert.deepEqual(await page('&page=1000000'), [0, 100], 'a page past the end');
    for (const query of ['page=0', 'page=-1', 'page=x', 'pageSize=0', 'pageSize=1.5', 'page=', 'page=1e400']) {
      const expected = { status: 400, code: 'invalid_request', error: /page/ };
      await refuses(server, () => server.get(`/fragments?${query}`), expected);
    }
  },
  '/graph limit; edges shown': async (servers) => {
    const server = await servers.plain();
    const dense = Array.from({ length: 80 }, (_, from) => {
      const targets = Array.from({ length: 80 }, (_to, to) => `<http://dense.org/${to}>`);
      return `<http://dense.org/${from}> a <http://dense.org/T> ; <http://dense.org/p> ${targets.join(', ')} .`;
    });
    assert.equal((await server.post('/knot', { turtle: dense.join('\n') })).status, 200);
    const { edges, truncated } = await json(await server.post('/graph', { type: 'http://dense.org/T' }));
    assert.equal((edges as unknown[]).length, 4000);
    assert.deepEqual(truncated, { shown: 80, of: 80, edges_shown: 4000, edges_of: 6400 });
  },
  '/project limit': async (servers) => {
    const server = await filled(await servers.plain());
    await chain(server);
    const project = (fields: object) =>
      server.post('/project', { algorithm: 'in_degree', predicate: 'http://chain.org/p', ...fields });
    assert.deepEqual(await lengthOf(await project({}), 'results'), [20, true]);
    assert.deepEqual(await lengthOf(await project({ limit: 0 }), 'results'), [1, true]);
    assert.deepEqual(await lengthOf(await project({ limit: 1e9 }), 'results'), [31, false]);
    assert.deepEqual(await lengthOf(await project({ offset: 30 }), 'results'), [1, false]);
    for (const limit of [1.5, '5', true, [], {}]) {
      await refuses(server, () => project({ limit }), {
        status: 400,
        code: 'invalid_request',
        error: /'limit'.*integer/,
      });
    }
  },
  '/project damping': async (servers) => {
    const server = await servers.plain();
    await chain(server);
    const ranks = async (fields: object) => {
      const asked = { algorithm: 'pagerank', predicate: 'http://chain.org/p', limit: 100, ...fields };
      return (await json(await server.post('/project', asked))).results;
    };
    const absent = await ranks({});
    assert.deepEqual(absent, await ranks({ damping: 0.85, max_iters: 100, tolerance: 1e-6 }));
    for (const fields of [{ damping: 0.5 }, { max_iters: 3 }, { tolerance: 0.5 }]) {
      assert.notDeepEqual(await ranks(fields), absent, JSON.stringify(fields));
    }
  },
  '/report hubs': async (servers) => {
    const server = await servers.plain();
    await chain(server);
    const report = await json(await server.post('/report', { predicate: 'http://chain.org/p' }));
    const lengths = ['hubs', 'suggested_questions'].map((key) => (report[key] as unknown[]).length);
    assert.deepEqual(lengths, [10, 8]);
    const all = await json(await server.post('/report', { predicate: 'http://chain.org/p', surprises: 1000 }));
    const between = (all.surprising_connections as unknown[]).length;
    assert.equal((report.surprising_connections as unknown[]).length, Math.min(10, between));
  },
  '/ask limit parameter': async (servers) => {
    const server = await servers.plain();
    const lines = Array.from({ length: 120 }, (_, at) => `<http://asked.org/${at}> a <http://asked.org/C> .`);
    const facts = Array.from({ length: 120 }, (_, at) => `<http://asked.org/hub> <http://asked.org/p> ${at} .`);
    assert.equal((await server.post('/knot', { turtle: [...lines, ...facts].join('\n') })).status, 200);
    const { queries } = await json(await server.post('/ask', {}));
    const entries = queries as { name: string; params: { name: string; default?: unknown }[] }[];
    const defaults = Object.fromEntries(
      entries.map(({ name, params }) => [name, params.find((one) => one.name === 'limit')?.default]),
    );
    for (const [name, limit] of Object.entries(defaults)) {
      if (limit === undefined) continue;
      assert.equal(Number(limit), name === 'entity_facts' || name === 'entities_of_type' ? 100 : 50, name);
    }
    const typed = await json(
      await server.post('/ask', { name: 'entities_of_type', params: { type: 'http://asked.org/C' } }),
    );
    assert.equal(typed.count, 100);
    const known = await json(
      await server.post('/ask', { name: 'entity_facts', params: { entity: 'http://asked.org/hub' } }),
    );
    assert.equal(known.count, 100);
  },
  '/resolve top_k': async (servers) => {
    const server = await servers.plain();
    const lines = Array.from({ length: 9 }, (_, at) => `<http://alike.org/${at}> rdfs:label "Traefik ${at}" .`);
    const turtle = `@prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> .\n${lines.join('\n')}`;
    assert.equal((await server.post('/knot', { turtle })).status, 200);
    const found = async (fields: object) => {
      const body = await json(await server.post('/resolve', { name: 'traefik 4', ...fields }));
      assert.deepEqual(
        [(body.candidates as unknown[]).length, body.has_matches, body.vector_scope],
        [body.count, (body.count as number) > 0, { kind: 'whole_store' }],
      );
      return body.count;
    };
    assert.deepEqual([await found({}), await found({ top_k: 5 }), await found({ threshold: 1 })], [3, 5, 1]);
    assert.equal(await found({ name: 'nothing alike' }), 0);
    for (const fields of [{ threshold: -0.1 }, { threshold: 1.1 }, { threshold: '1' }, { top_k: 0 }, { top_k: 1.5 }]) {
      const expected = { status: 400, code: 'invalid_request', error: /top_k|threshold/ };
      await refuses(server, () => server.post('/resolve', { name: 'x', ...fields }), expected);
    }
    const missing = { status: 400, code: 'invalid_request', error: /^missing 'name' parameter$/ };
    await refuses(server, () => server.post('/resolve', {}), missing);
  },
  '/reconcile limit per query': async (servers) => {
    const server = await servers.plain();
    const person = '<http://people.org/Person>';
    const lines = Array.from(
      { length: 9 },
      (_, at) => `<http://people.org/${at}> a ${person} ; rdfs:label "Alicia ${at}" .`,
    );
    const turtle = `@prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> .\n${lines.join('\n')} ${person} rdfs:label "person" .`;
    assert.equal((await server.post('/knot', { turtle })).status, 200);
    const batch = async (queries: object) => (await json(await server.post('/reconcile', { queries }))) as Body;
    type Body = Record<
      string,
      { result: { id: string; name: string; type: object[]; score: number; match: boolean }[] }
    >;
    const type = 'http://people.org/Person';
    const { q0, q1, q2, q3 } = await batch({
      q0: { query: 'alicia 3' },
      q1: { query: 'alicia', limit: 1, type },
      q2: { query: 'alicia 3', type: ['http://people.org/None'] },
      q3: { query: 'ALICIA 3', limit: 0, type: [type, 'http://people.org/None'] },
    });
    assert.deepEqual([q0?.result.length, q1?.result.length, q2?.result.length], [5, 1, 0]);
    assert.deepEqual([q0?.result[0]?.match, q0?.result[1]?.match, q1?.result[0]?.match], [true, false, false]);
    assert.deepEqual(q3?.result, [
      { id: 'http://people.org/3', name: 'Alicia 3', type: [{ id: type, name: 'person' }], score: 1, match: true },
    ]);
    const form = new URLSearchParams({ queries: JSON.stringify({ q: { query: 'alicia 3', limit: 1 } }) }).toString();
    const formed = (await json(await server.send('POST', '/reconcile', form, FORM))) as Body;
    assert.equal(formed.q?.result[0]?.id, 'http://people.org/3');
    const manifest = await json(await server.post('/reconcile', {}));
    assert.deepEqual((manifest.view as { url: string }).url, `${server.base}/entity/{{id}}`);
    assert.deepEqual(await json(await server.send('POST', '/reconcile', '', FORM)), manifest);
    for (const queries of [
      [],
      'q',
      5,
      { q: 'alicia' },
      { q: {} },
      { q: { query: 5 } },
      { q: { query: 'x', limit: 'x' } },
      { q: { query: 'x', type: 5 } },
    ]) {
      const expected = { status: 400, code: 'invalid_request', error: /queries/ };
      await refuses(server, () => server.post('/reconcile', { queries }), expected);
    }
    await refuses(server, () => server.send('POST', '/reconcile', 'queries=%7B', FORM), {
      status: 400,
      code: 'invalid_request',
      error: /JSON/,
    });
  },
  '/spotlight confidence': async (servers) => {
    const server = await servers.plain();
    const turtle = '<http://spot.org/traefik> <http://www.w3.org/2000/01/rdf-schema#label> "spotted" .';
    assert.equal((await server.post('/knot', { turtle })).status, 200);
    const found = async (fields: object) => {
      const { annotations, text, truncated } = await json(await server.post('/spotlight', fields));
      assert.deepEqual([text, truncated], [(fields as { text: string }).text, false]);
      return (annotations as unknown[]).length;
    };
    const text = 'Spotted: traefik';
    assert.deepEqual(
      [await found({ text }), await found({ text, confidence: 0.9 }), await found({ text, confidence: 0.96 })],
      [2, 1, 0],
    );
    assert.equal(await found({ text: '' }), 0);
    for (const fields of [{}, { text: 5 }, { text, confidence: 2 }, { text, confidence: '1' }]) {
      const expected = { status: 400, code: 'invalid_request', error: /text|confidence/ };
      await refuses(server, () => server.post('/spotlight', fields), expected);
    }
  },
  '/retract/source sample': async (servers) => {
    const server = await filled(await servers.plain());
    const plan = await json(await server.post('/retract/source', { source: 'many', repair: 'T-2' }));
    assert.deepEqual([(plan.sample as unknown[]).length, plan.sample_truncated, plan.planned], [20, true, 150]);
  },
};

const ANSWERS: Record<string, RowTest> = {
  'JSON routes, tool requests': async (servers) => {
    const server = await servers.narrow();
    const large = `"${'x'.repeat(20_000)}"`;
    const expected = { status: 413, code: 'too_large', error: /larger than 20000 bytes \(server\.max_body_bytes\)/ };
    for (const path of [
      '/query',
      '/knot',
      '/set',
      '/retract',
      '/retract/source',
      '/cord',
      '/unravel',
      '/impact',
      '/entity_history',
      '/ask',
      '/datasets',
      '/queries',
      '/shapes',
      '/graph/create',
      '/export',
    ]) {
      await refuses(
        server,
        () => server.send('POST', path, `{"x":${large}}`, { 'Content-Type': 'application/json' }),
        expected,
      );
    }
  },
  'query deadline': async (servers) => {
    assert.equal(withDefaults({}).search.query_timeout_ms, 30_000);
    const server = await servers.hurried();
    const expected = { status: 408, code: 'query_timeout', error: /./ };
    await refuses(server, () => server.post('/query', { query: ENDLESS, timeout_ms: 600_000 }), expected);
    const plain = await servers.plain();
    await refuses(plain, () => plain.post('/query', { query: ENDLESS, timeout_ms: 20 }), expected);
    for (const timeout of [0, -1, 1.5, '5', true]) {
      await refuses(plain, () => plain.post('/query', { query: 'ASK {}', timeout_ms: timeout }), {
        status: 400,
        code: 'invalid_request',
        error: /timeout_ms/,
      });
    }
  },
  'query memory': async (servers) => {
    assert.equal(withDefaults({}).query.memory_budget_mb, 1024);
    const server = await servers.cramped();
    const values = Array.from({ length: 130 }, (_, at) => at).join(' ');
    const query = `SELECT (GROUP_CONCAT(CONCAT(STR(?a), "-", STR(?b), "-", STR(?c))) AS ?x) { VALUES ?a { ${values} } VALUES ?b { ${values} } VALUES ?c { ${values} } }`;
    const response = await server.post('/query', { query });
    const answer = await json(response);
    assert.equal(response.status, 422, JSON.stringify(answer).slice(0, 300));
    assert.equal(answer.code, 'query_complexity');
    assert.match(String(answer.error), /query\.memory_budget_mb/);
  },
  'rows of a JSON-extension SELECT': async (servers) => {
    assert.equal(withDefaults({}).search.max_sparql_rows, 10_000);
    const server = await servers.narrow();
    const select = await json(await server.post('/query', { query: 'SELECT * { ?s ?p ?o }' }));
    assert.deepEqual([select.count, (select.rows as unknown[]).length, select.truncated], [3, 3, true]);
    const graph = await json(await server.post('/query', { query: 'CONSTRUCT WHERE { ?s ?p ?o }' }));
    assert.deepEqual([graph.count, (graph.triples as unknown[]).length, graph.truncated], [3, 3, true]);
    const whole = await json(await server.post('/query', { query: 'SELECT * { ?s ?p ?o } LIMIT 3' }));
    assert.deepEqual([whole.count, whole.truncated], [3, false]);
  },
};

export const DEFAULT_ROWS: Readonly<Record<string, RowTest>> = { ...LISTS, ...ANSWERS };
