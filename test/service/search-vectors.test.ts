/** Searches that go by meaning too, with a provider that counts letters: what is near, merged, ranked, refused and told. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { SvcError } from '../../engine/base/errors.js';
import { RANKINGS } from '../../engine/search/context/choices.js';
import { hashOfText, textsOf } from '../../engine/storage/indexes/vectors/entity-text.js';
import { putVectors } from '../../engine/storage/indexes/vectors/put-vectors.js';
import type { StorageEngine } from '../../engine/storage/seam/engine.js';
import { lookInto } from '../../engine/storage/seam/rows.js';
import { CURRENT } from '../../engine/storage/seam/scan.js';
import { type EmbeddingProvider, type Store, terms } from '../../interfaces/library/index.js';
import { EX, knot, onBothStores, T } from './time-support.js';

const LETTERS = 'abcdefghijklmnopqrstuvwxyz';

function vectorOf(text: string): Float32Array {
  const lower = text.toLowerCase();
  return Float32Array.from(LETTERS, (letter) => [...lower].filter((one) => one === letter).length);
}

function letterCounter(more: Partial<EmbeddingProvider> = {}): EmbeddingProvider {
  return {
    kind: 'http',
    model: 'letters',
    dimension: LETTERS.length,
    embed: async (texts) => texts.map(vectorOf),
    close: async () => undefined,
    ...more,
  };
}

/** Gives each of some entities the vector of its text. */
async function embed(store: Store, names: readonly string[]): Promise<void> {
  const { engine } = store as unknown as { readonly engine: StorageEngine };
  const vectors = lookInto(engine.snapshot(), (snapshot) => {
    const ids = names.map((name) => snapshot.encode(terms.namedNode(`${EX}${name}`)) as bigint);
    return textsOf(snapshot, ids, CURRENT).map(({ entity, text }) => {
      return { entity, textHash: hashOfText(text), vector: vectorOf(text) };
    });
  });
  assert.equal((await putVectors(engine, 'letters', LETTERS.length, vectors)).put, names.length);
}

function cosine(a: Float32Array, b: Float32Array): number {
  const dot = (x: Float32Array, y: Float32Array) => x.reduce((sum, value, at) => sum + value * (y[at] as number), 0);
  return dot(a, b) / Math.sqrt(dot(a, a) * dot(b, b));
}

const FRUIT = `ex:apple rdfs:label "apple" ; a ex:Fruit ; ex:near ex:pear . ex:pear rdfs:label "pear" ; a ex:Fruit .
  ex:maple rdfs:label "maple" ; a ex:Tree . ex:zinc rdfs:label "zinc" ; ex:near ex:apple . ex:silent ex:p 1 .`;
const NAMES = ['apple', 'pear', 'maple', 'zinc'];
const short = (iri: string): string => iri.replace(EX, '');

onBothStores('near: by cosine, in groups and types, at a time, a page at a time', async (store) => {
  await knot(store, FRUIT, { timestamp: T(1) });
  await embed(store, NAMES);
  const provider = letterCounter();
  const near = async (more: object = {}) => {
    const { results } = await store.search({ query: 'maples', provider, ...more });
    return results.map(({ iri }) => short(iri));
  };
  assert.deepEqual(await near(), ['maple', 'apple', 'pear', 'zinc']);
  assert.deepEqual(await near({ entityType: `${EX}Fruit`, limit: 1 }), ['apple']);
  assert.deepEqual(await near({ groupIds: ['none'] }), []);
  const { results, truncated, scoped, embeddings } = await store.search({
    query: 'maples',
    provider,
    limit: 2,
    offset: 1,
  });
  assert.deepEqual([results.map(({ iri }) => short(iri)), truncated, scoped], [['apple', 'pear'], true, false]);
  assert.deepEqual(embeddings, { configured: true, embeddedEntities: 4 });
  assert.equal(results[0]?.text, 'apple. type: Fruit');
  assert.ok(Math.abs((results[0]?.score ?? 0) - cosine(vectorOf('maples'), vectorOf('apple. type: Fruit'))) < 1e-12);
  // Its text changes: the vector ends, and is there when one asks about then.
  await store.set(`${EX}maple`, 'http://www.w3.org/2000/01/rdf-schema#label', { str: 'oak' }, { timestamp: T(3) });
  assert.deepEqual(await near(), ['apple', 'pear', 'zinc']);
  assert.deepEqual(await near({ validAt: T(2) }), ['maple', 'apple', 'pear', 'zinc']);
  assert.deepEqual(await near({ tx: 1 }), ['maple', 'apple', 'pear', 'zinc']);
});

onBothStores('a text that is too long is refused before any provider is asked', async (store) => {
  await knot(store, FRUIT);
  await embed(store, NAMES);
  let asked = 0;
  const embedCounted = async (texts: readonly string[]): Promise<Float32Array[]> => {
    asked++;
    return texts.map(vectorOf);
  };
  const provider = letterCounter({ embed: embedCounted });
  const sparql = `SELECT ?s { ?s a <${EX}Fruit> }`;
  for (const query of ['a'.repeat(8193), 'apple '.repeat(200_000)]) {
    const tooLong = { code: 'invalid_request', message: /^'query' has \d+ characters; .* at most 8192$/ };
    await assert.rejects(store.search({ query, provider }), tooLong);
    await assert.rejects(store.hybridSearch({ sparql, query, provider }), tooLong);
  }
  assert.equal(asked, 0);
  assert.equal((await store.search({ query: ` ${'a'.repeat(8192)} `, provider })).results.length, 4);
  assert.equal(asked, 1);
});

onBothStores('hybrid: every candidate is ranked, then cut; one state of the store', async (store) => {
  await knot(store, FRUIT);
  await embed(store, NAMES);
  const provider = letterCounter();
  const sparql = `SELECT ?s ?x WHERE { ?s a <${EX}Fruit> OPTIONAL { ?s <${EX}near> ?x } }`;
  const { results, candidates, truncated } = await store.hybridSearch({
    sparql,
    query: 'pear tree',
    provider,
    limit: 1,
  });
  assert.deepEqual([results.map(({ iri }) => short(iri)), candidates, truncated], [['pear'], 2, true]);
  const none = await store.hybridSearch({ sparql: 'SELECT ?s { ?s <urn:none> ?o }', embedding: [...vectorOf('x')] });
  assert.deepEqual([none.results, none.candidates], [[], 0]);
  const literals = await store.hybridSearch({
    sparql: 'SELECT ?l { ?s ?p ?l FILTER(isLiteral(?l)) }',
    query: 'x',
    provider,
  });
  assert.equal(literals.candidates, 0);
  for (const wrong of ['ASK {}', 'DESCRIBE <urn:a>']) {
    await assert.rejects(store.hybridSearch({ sparql: wrong, query: 'x', provider }), {
      message: /'sparql' is no SELECT/,
    });
  }
  await assert.rejects(store.hybridSearch({ sparql: 'SELECT', query: 'x', provider }), { code: 'parse_error' });
});

onBothStores('unified: text, links, then what vectors find; every score between 0 and 1', async (store) => {
  await knot(store, FRUIT);
  await embed(store, NAMES);
  const provider = letterCounter();
  const told = async (more: object = {}) => {
    const { entities } = await store.context('apple', { provider, textBackend: 'substring', ...more });
    for (const { score } of entities) assert.ok(score >= 0 && score <= 1);
    return entities.map(({ iri, relevance }) => `${short(iri)} ${relevance}`);
  };
  // zinc points at what was found, so it is Linked already; maple is near only.
  assert.deepEqual(await told(), ['apple Direct', 'maple Semantic', 'Fruit Linked', 'pear Linked', 'zinc Linked']);
  assert.deepEqual(await told({ expandLinks: false }), [
    'apple Direct',
    'maple Semantic',
    'pear Semantic',
    'zinc Semantic',
  ]);
  assert.deepEqual(await told({ provider: null }), ['apple Direct', 'Fruit Linked', 'pear Linked', 'zinc Linked']);
  assert.deepEqual(
    await told({ provider: null, embedding: [...vectorOf('zinc')], expandLinks: false, maxEntities: 2 }),
    ['apple Direct', 'zinc Semantic'],
  );
  for (const ranking of ['reciprocal', 'convex', 'mmr', 'ppr'] as const) {
    const [first, ...rest] = await told({ ranking });
    assert.equal(first, 'apple Direct', ranking);
    assert.ok(rest.length > 1, ranking);
  }
  const { entities, summary } = await store.context('apple', { provider, ranking: 'convex', textBackend: 'substring' });
  const [apple] = entities;
  const near = cosine(vectorOf('apple'), vectorOf('apple. type: Fruit'));
  assert.ok(Math.abs((apple?.score ?? 0) - (0.25 + 0.75 * near)) < 1e-12, 'a part of each');
  assert.equal(apple?.parts.text?.kind, 'iri');
  assert.ok(Math.abs((apple?.parts.vector ?? 0) - near) < 1e-12);
  assert.equal(summary.directHits, 1);
  // Named nodes: those near first.
  const { nodes } = await store.namedNodes('pear', { provider, limit: 3 });
  const { results } = await store.search({ query: 'pear', provider, limit: 3 });
  assert.deepEqual(
    nodes.map(({ iri }) => iri),
    results.map(({ iri }) => iri),
  );
  const byName = await store.namedNodes('pear', { limit: 3 });
  assert.deepEqual(
    byName.nodes.map(({ name, types }) => [name, types]),
    [['pear', [`${EX}Fruit`]]],
  );
});

onBothStores(
  'a provider that fails or has another model: the text is searched, and the answer says why',
  async (store) => {
    await knot(store, FRUIT);
    await embed(store, NAMES);
    const failing = letterCounter({
      embed: async () => {
        throw new SvcError('embedding_unavailable', 'the provider has gone');
      },
    });
    const other = letterCounter({ model: 'other' });
    for (const [provider, error, code] of [
      [failing, /the provider has gone/, 'embedding_unavailable'],
      [other, /the model letters, and the provider has other/, 'invalid_request'],
    ] as const) {
      const { entities, summary } = await store.context('apple', { provider, expandLinks: false });
      assert.deepEqual(
        entities.map(({ iri }) => short(iri)),
        ['apple'],
      );
      assert.match(summary.embeddings.error ?? '', error);
      await assert.rejects(store.search({ query: 'apple', provider }), { code, message: error });
      await assert.rejects(store.hybridSearch({ query: 'apple', provider, sparql: 'SELECT ?s { ?s ?p ?o }' }), {
        code,
      });
    }
    await assert.rejects(store.context('apple', { embedding: [1] }), {
      message: /has 1 numbers, and those of the store have 26/,
    });
    await assert.rejects(store.search({ query: 'apple' }), {
      message: /^no embedding provider configured; supply a pre-computed/,
    });
    await assert.rejects(store.search({}), { message: /missing 'embedding' or 'query'/ });
  },
);

test('who may not read ROOT finds nothing near, and hears of no vectors', async () => {
  const { openStore } = await import('../../interfaces/library/index.js');
  const store = await openStore(':memory:');
  await knot(store, FRUIT);
  await embed(store, NAMES);
  const narrowed = store.as({ authenticated: null, readable: [`${EX}other`] });
  const embedding = [...vectorOf('apple')];
  const { results, embeddings } = await narrowed.search({ embedding });
  assert.deepEqual([results, embeddings.embeddedEntities], [[], 0]);
  assert.deepEqual((await narrowed.context('apple', { embedding })).entities, []);
  assert.equal((await store.search({ embedding })).results.length, 4);
  await store.close();
});

onBothStores(
  'mmr: entities are alike by their vectors, at any time, and by facts where one has none',
  async (store) => {
    await knot(store, 'ex:a ex:p1 "stone one" . ex:b ex:p2 "stone one" . ex:c ex:p3 "stone duck" .', {
      timestamp: T(1),
    });
    await embed(store, ['a', 'b', 'c']);
    const [one, duck] = [vectorOf('stone one'), vectorOf('stone duck')];
    // Nearer to the twins than to the other one.
    const embedding = [...one].map((number, at) => 2 * number + (duck[at] as number));
    const order = async (more: object = {}) => {
      const { entities } = await store.context('stone', { embedding, expandLinks: false, ...more });
      return entities.map(({ iri }) => short(iri));
    };
    assert.deepEqual(await order({ ranking: 'convex' }), ['a', 'b', 'c']);
    assert.deepEqual(await order({ ranking: 'mmr' }), ['a', 'c', 'b']);
    assert.deepEqual(await order({ ranking: 'mmr', embedding: undefined }), ['a', 'c', 'b']);
    // Another fact ends the vector of one of the twins: they have no vector in common, and share no fact.
    await store.set(`${EX}b`, `${EX}p2`, { str: 'one stone' }, { timestamp: T(3) });
    const withoutVector = await order({ ranking: 'mmr', embedding: undefined });
    assert.equal(withoutVector.at(-1), 'c');
    assert.deepEqual(await order({ ranking: 'mmr', validAt: T(2) }), ['a', 'c', 'b']);
    assert.deepEqual(await order({ ranking: 'mmr', tx: 1 }), ['a', 'c', 'b']);
  },
);

onBothStores(
  'pages of what is known around a text: each entity once, none left out, the first page as without pages',
  async (store) => {
    const names = Array.from({ length: 30 }, (_, at) => `n${at}`);
    const lines = names.map((name, at) => {
      const text = at % 3 === 0 ? `stone ${LETTERS[at % 26]}` : `other ${LETTERS[at % 26]}${LETTERS[(7 * at) % 26]}`;
      return `ex:${name} rdfs:label "${text}" ; ex:near ex:n${(at * 7 + 1) % 30}, ex:n${(at * 11 + 4) % 30} .`;
    });
    await knot(store, lines.join('\n'));
    await embed(store, names);
    const provider = letterCounter();
    for (const ranking of RANKINGS) {
      for (const size of [1, 4, 7]) {
        const page = async (offset: number) =>
          store.context('stone', { provider, ranking, maxEntities: size, offset, maxFactsPerEntity: 0 });
        const seen: string[] = [];
        for (let offset = 0, more = true; more; offset += size) {
          const { entities, truncated } = await page(offset);
          seen.push(...entities.map(({ iri }) => short(iri)));
          assert.ok(!truncated || entities.length === size, `${ranking} ${size} ${offset}`);
          more = truncated;
        }
        assert.equal(new Set(seen).size, seen.length, `${ranking} ${size}: ${seen}`);
        assert.deepEqual([...seen].sort(), [...names].sort(), `${ranking} ${size}`);
        const { entities } = await page(3);
        assert.deepEqual(
          entities.map(({ iri }) => short(iri)),
          seen.slice(3, 3 + size),
        );
      }
    }
  },
);
