/** Rows of the tables that are about searches. */
import assert from 'node:assert/strict';
import { withDefaults } from '../../../engine/service/configuration/keys.js';
import { json, type TestServer } from '../support.js';
import { COUNT, FOUND } from './searched-store.js';
import { type RowTest, refuses } from './support.js';

const listOf = (value: unknown): readonly unknown[] => value as readonly unknown[];

type Answer = Record<string, readonly Record<string, unknown>[]>;

async function asked(server: TestServer, path: string, body: object): Promise<Answer> {
  const response = await server.post(path, body);
  const answer = await json(response);
  assert.equal(response.status, 200, JSON.stringify(answer));
  return answer as Answer;
}

/** A body for each route. */
export const SEARCH_BODIES = {
  '/unified_search': { query: 'strange' },
  '/context': { query: 'strange' },
  '/search_nodes': { query: 'strange' },
  '/search_facts': { query: 'strange' },
  '/search/nodes': { query: 'strange' },
  '/search': { embedding: [1] },
  '/hybrid_search': { embedding: [1] },
};

export const SEARCH_ERROR_ROWS: Readonly<Record<string, RowTest>> = {
  'Natural-language vector query': async (servers) => {
    const server = await servers.searched();
    for (const path of ['/search', '/hybrid_search']) {
      await refuses(server, () => server.post(path, { query: 'a small animal' }), {
        status: 400,
        code: 'invalid_request',
        error: /^no embedding provider configured; supply a pre-computed 'embedding', .*embedding\.provider/,
      });
      const { results } = await asked(server, path, { embedding: [1, 0], limit: 3 });
      assert.deepEqual(
        results?.map(({ entity }) => entity),
        [`${FOUND}0`, `${FOUND}1`, `${FOUND}2`],
      );
    }
    // Without a provider they go by text.
    assert.equal((await asked(server, '/search_nodes', { query: 'quokka' })).nodes?.length, 10);
    assert.equal((await asked(server, '/unified_search', { query: 'quokka' })).results?.length, 10);
  },
};

export const SEARCH_DEFAULT_ROWS: Readonly<Record<string, RowTest>> = {
  'search limit / max_results': async (servers) => {
    const { default_limit: byDefault, max_limit: most } = withDefaults({}).search;
    assert.deepEqual([byDefault, most], [10, 1000]);
    const server = await servers.searched();
    for (const [path, list, given, limit] of [
      ['/search', 'results', { embedding: [1, 0] }, 'limit'],
      ['/hybrid_search', 'results', { embedding: [1, 0] }, 'limit'],
      ['/unified_search', 'results', { query: 'quokka' }, 'limit'],
      ['/search_nodes', 'nodes', { query: 'quokka' }, 'max_results'],
      ['/search_facts', 'facts', { query: 'quokka' }, 'max_results'],
      ['/search/nodes', 'nodes', { query: 'quokka' }, 'max_results'],
    ] as const) {
      const shown = async (more: object) => (await asked(server, path, { ...given, ...more }))[list]?.length;
      assert.deepEqual([path, await shown({})], [path, 10]);
      assert.deepEqual([path, await shown({ [limit]: 0 }), await shown({ [limit]: -3 })], [path, 1, 1]);
      assert.ok(((await shown({ [limit]: 100_000 })) ?? 0) >= COUNT, path);
    }
  },
  'oversampling of the ANN backend': async (servers) => {
    // Whichever backend: what a query leaves is ranked whole, however far behind it stands.
    const server = await servers.searched();
    const sparql = `SELECT ?s { VALUES ?s { <${FOUND}38> <${FOUND}39> <urn:none> } }`;
    const answer = await json(await server.post('/hybrid_search', { embedding: [1, 0], sparql, limit: 1 }));
    const [first] = answer.results as { entity: string }[];
    assert.deepEqual([first?.entity, answer.count, answer.truncated], [`${FOUND}38`, 1, true]);
    assert.deepEqual([answer.sparql_candidates, answer.pushdown_filter], [3, 'entity in 3 values of ?s']);
    assert.deepEqual(answer.embeddings, { configured: false, embedded_entities: COUNT });
    const all = await json(await server.post('/hybrid_search', { embedding: [1, 0] }));
    assert.deepEqual([all.sparql_candidates, all.pushdown_filter, all.labels], [null, null, undefined]);
    const typed = { embedding: [1, 0], sparql: `SELECT ?s WHERE { ?s a <${FOUND}C> }` };
    assert.equal((await json(await server.post('/hybrid_search', typed))).pushdown_filter, `entity_type = '${FOUND}C'`);
    await refuses(server, () => server.post('/hybrid_search', { embedding: [1, 0], sparql: 'ASK {}' }), {
      status: 400,
      code: 'invalid_request',
      error: /'sparql' is no SELECT/,
    });
  },
  '/context max_entities': async (servers) => {
    const server = await servers.searched();
    const { entities, summary } = await asked(server, '/context', { query: 'quokka' });
    assert.equal(entities?.length, 20);
    assert.equal(entities?.[0]?.iri, `${FOUND}0`);
    const [first] = entities ?? [];
    assert.deepEqual([listOf(first?.facts).length, first?.facts_capped], [20, true]);
    const told = summary as unknown as { truncated: object };
    assert.deepEqual(told.truncated, {
      entities_shown: 20,
      entities_considered: COUNT,
      more_available: true,
      entities_with_more_facts: 1,
    });
  },
  '/unified_search max_facts_per_entity': async (servers) => {
    const server = await servers.searched();
    const { results } = await asked(server, '/unified_search', { query: `${FOUND}0` });
    const [first] = results ?? [];
    assert.deepEqual([listOf(first?.facts).length, first?.facts_capped], [10, true]);
    assert.ok(results?.some(({ relevance }) => relevance === 'Linked'));
    const none = await asked(server, '/unified_search', { query: `${FOUND}0`, expand_links: false });
    assert.ok(none.results?.every(({ relevance }) => relevance === 'Direct'));
  },
  'link expansion': async (servers) => {
    const server = await servers.searched();
    const { entities } = await asked(server, '/context', { query: `${FOUND}0`, max_entities: 100 });
    const linked = (begin: string) => entities?.filter(({ iri }) => String(iri).startsWith(begin)).length;
    assert.deepEqual([linked('urn:out:'), linked('urn:in:')], [10, 10]);
  },
  'embedding vectors': async (servers) => {
    assert.equal(withDefaults({}).embedding.dimension, 384);
    const server = await servers.searched();
    for (const [embedding, error] of [
      [[1, 2, 3], /the vector has 3 numbers, and those of the store have 2/],
      [[], /'embedding' has no numbers/],
      [['a', 'b'], /embedding/],
      [[1, 1e300], /'embedding': number 1 is 1e\+300/],
    ] as const) {
      for (const path of ['/search', '/hybrid_search', '/unified_search']) {
        const expected = { status: 400, code: 'invalid_request', error };
        await refuses(server, () => server.post(path, { embedding, query: 'quokka' }), expected);
      }
    }
    await refuses(server, () => server.post('/search', {}), {
      status: 400,
      code: 'invalid_request',
      error: /missing 'embedding' or 'query' parameter/,
    });
    // Zeros are near to nothing; a vector is preferred to a text.
    const { results } = await asked(server, '/search', { embedding: [0, 0], query: 'ignored', limit: 2 });
    assert.deepEqual(
      results?.map(({ entity, score }) => [entity, score]),
      [
        [`${FOUND}0`, 0],
        [`${FOUND}1`, 0],
      ],
    );
  },
};
