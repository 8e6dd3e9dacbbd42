/** Rows of the tables that are about searches. */
import assert from 'node:assert/strict';
import { terms } from '../../../engine/rdf/terms.js';
import { withDefaults } from '../../../engine/service/configuration/keys.js';
import { hashOfText, textsOf } from '../../../engine/storage/indexes/vectors/entity-text.js';
import { putVectors } from '../../../engine/storage/indexes/vectors/put-vectors.js';
import type { StorageEngine } from '../../../engine/storage/seam/engine.js';
import { lookInto } from '../../../engine/storage/seam/rows.js';
import { CURRENT } from '../../../engine/storage/seam/scan.js';
import { json, type TestServer } from '../support.js';
import { type RowTest, refuses } from './support.js';

const FOUND = 'http://found.org/';
const COUNT = 40;

type Answer = Record<string, readonly Record<string, unknown>[]>;

async function asked(server: TestServer, path: string, body: object): Promise<Answer> {
  const response = await server.post(path, body);
  const answer = await json(response);
  assert.equal(response.status, 200, JSON.stringify(answer));
  return answer as Answer;
}

/** 40 entities with one name, the first of which has 25 facts and 15 links each way, each with a vector. */
async function filled(server: TestServer): Promise<TestServer> {
  if ((await json(await server.post('/query', { query: `ASK { <${FOUND}0> ?p ?o }` }))).result === true) return server;
  const label = '<http://www.w3.org/2000/01/rdf-schema#label>';
  const names = Array.from({ length: COUNT }, (_, at) => `<${FOUND}${at}> ${label} "quokka" .`);
  const facts = Array.from({ length: 25 }, (_, at) => `<${FOUND}0> <${FOUND}p> ${at} .`);
  const links = Array.from(
    { length: 15 },
    (_, at) => `<${FOUND}0> <${FOUND}q> <urn:out:${at}> . <urn:in:${at}> <${FOUND}q> <${FOUND}0> .`,
  );
  const turtle = [...names, ...facts, ...links].join('\n');
  assert.equal((await server.post('/knot', { turtle })).status, 200);
  const { engine } = server.running.store as unknown as { readonly engine: StorageEngine };
  const vectors = lookInto(engine.snapshot(), (snapshot) => {
    const ids = Array.from({ length: COUNT }, (_, at) => snapshot.encode(terms.namedNode(`${FOUND}${at}`)) as bigint);
    return textsOf(snapshot, ids, CURRENT).map(({ entity, text }, at) => {
      return { entity, textHash: hashOfText(text), vector: Float32Array.of(1, at / COUNT) };
    });
  });
  assert.equal((await putVectors(engine, 'test', 2, vectors)).put, COUNT);
  return server;
}

export const SEARCH_ERROR_ROWS: Readonly<Record<string, RowTest>> = {
  'Natural-language vector query': async (servers) => {
    const server = await filled(await servers.plain());
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
    const server = await filled(await servers.plain());
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
    const server = await filled(await servers.plain());
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
    const server = await filled(await servers.plain());
    const { entities, summary } = await asked(server, '/context', { query: 'quokka' });
    assert.equal(entities?.length, 20);
    assert.equal(entities?.[0]?.iri, `${FOUND}0`);
    assert.deepEqual([(entities?.[0]?.facts as unknown[]).length, entities?.[0]?.facts_capped], [20, true]);
    const told = summary as unknown as { truncated: object };
    assert.deepEqual(told.truncated, {
      entities_shown: 20,
      entities_considered: COUNT,
      more_available: true,
      entities_with_more_facts: 1,
    });
  },
  '/unified_search max_facts_per_entity': async (servers) => {
    const server = await filled(await servers.plain());
    const { results } = await asked(server, '/unified_search', { query: `${FOUND}0` });
    assert.deepEqual([(results?.[0]?.facts as unknown[]).length, results?.[0]?.facts_capped], [10, true]);
    assert.ok(results?.some(({ relevance }) => relevance === 'Linked'));
    const none = await asked(server, '/unified_search', { query: `${FOUND}0`, expand_links: false });
    assert.ok(none.results?.every(({ relevance }) => relevance === 'Direct'));
  },
  'link expansion': async (servers) => {
    const server = await filled(await servers.plain());
    const { entities } = await asked(server, '/context', { query: `${FOUND}0`, max_entities: 100 });
    const linked = (begin: string) => entities?.filter(({ iri }) => String(iri).startsWith(begin)).length;
    assert.deepEqual([linked('urn:out:'), linked('urn:in:')], [10, 10]);
  },
  'embedding vectors': async (servers) => {
    assert.equal(withDefaults({}).embedding.dimension, 384);
    const server = await filled(await servers.plain());
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
