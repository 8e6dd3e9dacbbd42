/** Searches in the library, in memory and in a file: the worked examples by their numbers, and what each rule says. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { openStore, type Store } from '../../interfaces/library/index.js';
import { EX, knot, LABEL, onBothStores, T } from './time-support.js';

const SUBSTRING = { textBackend: 'substring' } as const;

/** `ex:traefik Direct 1`: what was found, in the order of the answer. */
async function found(store: Store, query: string, options: Parameters<Store['context']>[1] = {}): Promise<string[]> {
  const { entities } = await store.context(query, { ...SUBSTRING, ...options });
  return entities.map(({ iri, relevance, score }) => `${iri.replace(EX, 'ex:')} ${relevance} ${score}`);
}

async function nodes(
  store: Store,
  query: string,
  options: Parameters<Store['searchNodes']>[1] = {},
): Promise<string[]> {
  const answer = await store.searchNodes(query, { ...SUBSTRING, ...options });
  return answer.nodes.map(({ iri, score }) => `${iri.replace(EX, 'ex:')} ${score}`);
}

const KOTA = `ex:traefik rdfs:label "Traefik" ; ex:runsOn ex:kota . ex:kota rdfs:label "Kota" ; ex:manages ex:traefik .`;

onBothStores('EX-9.2: a direct hit, then what it is linked to', async (store) => {
  await knot(store, KOTA);
  assert.deepEqual(await found(store, 'traefik'), ['ex:traefik Direct 1', 'ex:kota Linked 0.5']);
  const { summary } = await store.context('traefik', SUBSTRING);
  assert.deepEqual([summary.directHits, summary.linkedAdditions, summary.totalEntities], [1, 1, 2]);
  assert.deepEqual(summary.embeddings, { configured: false, embeddedEntities: 0 });
  assert.deepEqual(await found(store, 'traefik', { expandLinks: false }), ['ex:traefik Direct 1']);
  assert.deepEqual(await found(store, 'TRAEFIK'), await found(store, 'traefik'));
  assert.deepEqual(await found(store, 'nothing of the kind'), []);
});

onBothStores('scores: own IRI, label, other literal, object IRI; ties by IRI', async (store) => {
  await knot(
    store,
    `ex:b ex:note "about tea" . ex:c rdfs:label "Tea" . ex:a ex:note "tea time"@en . ex:tea-pot ex:p 1 . ex:z ex:drinks ex:tea .
     ex:d <http://www.w3.org/2004/02/skos/core#altLabel> "teas" . ex:e ex:port 80832 .`,
  );
  const direct = ['ex:tea-pot Direct 1', 'ex:c Direct 0.9', 'ex:d Direct 0.9', 'ex:a Direct 0.7', 'ex:b Direct 0.7'];
  assert.deepEqual(await found(store, 'tea', { expandLinks: false }), direct);
  const matched = direct.map((line) => line.replace('Direct ', ''));
  assert.deepEqual(await nodes(store, 'tea'), [...matched, 'ex:z 0.5']);
  assert.deepEqual(await nodes(store, 'tea', { kinds: ['literal'] }), ['ex:a 0.7', 'ex:b 0.7']);
  assert.deepEqual(await nodes(store, '8083'), ['ex:e 0.7'], 'a number by its digits');
  assert.deepEqual(await nodes(store, 'tea', { labelPredicates: [LABEL] }), [
    'ex:tea-pot 1',
    'ex:c 0.9',
    'ex:a 0.7',
    'ex:b 0.7',
    'ex:d 0.7',
    'ex:z 0.5',
  ]);
});

onBothStores('links: ten unseen ones each way, by IRI, as far as there is room', async (store) => {
  const out = Array.from({ length: 14 }, (_, at) => `ex:hub ex:p ex:out${String(at).padStart(2, '0')} .`);
  const into = Array.from({ length: 14 }, (_, at) => `ex:in${String(at).padStart(2, '0')} ex:p ex:hub .`);
  await knot(store, `ex:hub rdfs:label "centre" ; ex:p ex:hub . ${[...out, ...into].reverse().join('\n')}`);
  const linked = (await found(store, 'centre', { maxEntities: 100 })).slice(1).map((line) => line.split(' ')[0]);
  const first = (name: string, count: number) =>
    Array.from({ length: count }, (_, at) => `ex:${name}${String(at).padStart(2, '0')}`);
  assert.deepEqual(linked, [...first('in', 10), ...first('out', 10)]);
  const few = (await found(store, 'centre', { maxEntities: 13 })).slice(1).map((line) => line.split(' ')[0]);
  assert.deepEqual(few, [...first('in', 2), ...first('out', 10)]);
});

onBothStores('facts: by predicate and value, capped, with what they are; or the most telling first', async (store) => {
  await knot(
    store,
    `ex:thing rdfs:label "thing" ; a ex:B, ex:A ; ex:b "2", 1, "x"@en, _:n ; ex:a ex:other ; ex:c "needle here" .`,
  );
  const [one] = (await store.context('ex', { ...SUBSTRING, expandLinks: false })).entities;
  const shown = one?.facts.map(
    ({ predicate, value }) => `${predicate.replace(EX, '')} ${value.termType} ${value.value}`,
  );
  assert.deepEqual(shown?.slice(0, 3), ['a NamedNode http://example.org/other', 'b Literal 1', 'b Literal 2']);
  assert.match(shown?.[3] ?? '', /^b BlankNode /);
  assert.deepEqual(shown?.slice(4, 6), ['b Literal x', 'c Literal needle here']);
  assert.equal(shown?.length, 9);
  assert.deepEqual([one?.label, one?.types, one?.factsCapped], ['thing', [`${EX}A`, `${EX}B`], false]);
  const [few] = (await store.context('needle', { ...SUBSTRING, maxFactsPerEntity: 3 })).entities;
  assert.deepEqual([few?.facts.length, few?.factsCapped], [3, true]);
  const [telling] = (await store.context('needle', { ...SUBSTRING, maxFactsPerEntity: 2, factOrder: 'telling' }))
    .entities;
  assert.deepEqual(
    telling?.facts.map(({ value }) => value.value),
    ['needle here', 'thing'],
  );
});

onBothStores('the past: what held, and what was known, is found then and not now', async (store) => {
  await knot(store, 'ex:a ex:name "old name" ; ex:at ex:here . ex:here rdfs:label "Place" .', { timestamp: T(1) });
  await store.set(`${EX}a`, `${EX}name`, { str: 'new name' }, { timestamp: T(3) });
  await store.retract(`${EX}a`, { predicate: `${EX}at`, timestamp: T(4) });
  assert.deepEqual(await nodes(store, 'old name'), []);
  assert.deepEqual(await nodes(store, 'old name', { validAt: T(2) }), ['ex:a 0.7']);
  assert.deepEqual(await nodes(store, 'old name', { tx: 1 }), ['ex:a 0.7']);
  assert.deepEqual(await nodes(store, 'new name', { tx: 1 }), []);
  assert.deepEqual(await found(store, 'place'), ['ex:here Direct 0.9'], 'the edge is gone');
  assert.deepEqual(await found(store, 'place', { validAt: T(2) }), ['ex:here Direct 0.9', 'ex:a Linked 0.5']);
  const { facts } = await store.searchFacts('here', { validAt: T(2) });
  assert.deepEqual(
    facts.map(({ source, target }) => [source.value, target.value]),
    [[`${EX}a`, `${EX}here`]],
  );
  assert.deepEqual((await store.searchFacts('here')).facts, []);
  await assert.rejects(store.searchNodes('x', { tx: 99 }), { code: 'invalid_request' });
});

onBothStores('facts by text: predicate or value, once each, with an episode; groups narrow them', async (store) => {
  for (const [name, groupId] of [
    ['one', 'infra'],
    ['two', 'other'],
  ] as const) {
    await store.writeEpisode({
      name,
      groupId,
      nodes: [{ name: 'app', type: 'Service' }, { name: 'kota' }],
      edges: [{ source: 'app', target: 'kota', relation: 'runs_on' }],
    });
  }
  const base = store.baseNamespace;
  const { facts, truncated } = await store.searchFacts('runs_on');
  assert.deepEqual(
    facts.map(({ source, predicate, target, episode }) => [source.value, predicate.value, target.value, episode]),
    [[`${base}app`, `${base}runs_on`, `${base}kota`, `${base}episode_one`]],
    'the same fact of two episodes stands once',
  );
  assert.equal(truncated, false);
  const [other] = (await store.searchFacts('runs_on', { groupIds: ['other'] })).facts;
  assert.equal(other?.episode, `${base}episode_two`);
  assert.deepEqual((await store.searchFacts('runs_on', { groupIds: ['none'] })).facts, []);
  await knot(store, 'ex:loose ex:p "runs_on" .');
  assert.equal((await store.searchFacts('runs_on')).facts.length, 2);
  assert.equal((await store.searchFacts('runs_on', { groupIds: ['other', 'infra'] })).facts.length, 1);
});

onBothStores('what a filter keeps stands beyond ten times the limit, and comes all the same', async (store) => {
  const crowd = Array.from({ length: 300 }, (_, at) => `ex:a${String(at).padStart(3, '0')} rdfs:label "match" .`);
  await knot(
    store,
    `${crowd.join('\n')} ex:z1 rdfs:label "match" ; a ex:Rare . ex:z2 rdfs:label "match" ; a ex:Rarer .
    ex:Rarer rdfs:subClassOf ex:Rare .`,
  );
  const rare = { limit: 2, entityType: `${EX}Rare` };
  assert.deepEqual(await nodes(store, 'match', rare), ['ex:z1 0.9', 'ex:z2 0.9']);
  assert.deepEqual(await nodes(store, 'match', { ...rare, inference: false }), ['ex:z1 0.9']);
  assert.deepEqual(await found(store, 'match', { maxEntities: 2, entityType: `${EX}Rare` }), [
    'ex:z1 Direct 0.9',
    'ex:z2 Direct 0.9',
  ]);
  await store.writeEpisode({ name: 'e', groupId: 'g', nodes: [{ name: 'zz match' }] });
  assert.equal((await nodes(store, 'match', { limit: 1, groupIds: ['g'] })).length, 1);
  const named = await store.namedNodes('match', { ...SUBSTRING, limit: 5, typeText: 'rare' });
  assert.deepEqual(
    named.nodes.map(({ iri }) => iri),
    [`${EX}z1`, `${EX}z2`],
  );
});

test('pages: each entry once, whatever their size', async () => {
  const store = await openStore(':memory:');
  await knot(
    store,
    Array.from({ length: 57 }, (_, at) => `ex:n${at} rdfs:label "page ${at % 3}" ; ex:p "page" .`).join('\n'),
  );
  const whole = await nodes(store, 'page', { limit: 1000 });
  assert.equal(whole.length, 57);
  for (const limit of [1, 7, 57]) {
    const pages: string[] = [];
    for (let offset = 0; ; offset += limit) {
      const { nodes: some, truncated } = await store.searchNodes('page', { ...SUBSTRING, limit, offset });
      pages.push(...some.map(({ iri, score }) => `${iri.replace(EX, 'ex:')} ${score}`));
      if (!truncated) break;
      assert.equal(some.length, limit);
    }
    assert.deepEqual(pages, whole);
    const facts: string[] = [];
    for (let offset = 0; ; offset += limit) {
      const page = await store.searchFacts('page', { limit, offset });
      facts.push(...page.facts.map(({ source, predicate }) => `${source.value} ${predicate.value}`));
      if (!page.truncated) break;
    }
    assert.equal(new Set(facts).size, 2 * 57);
    assert.deepEqual(facts, [...facts].sort());
  }
  await store.close();
});

test('texts of every kind: one character, a megabyte, marks alone, only stop words, mixed directions, other cases', async () => {
  const store = await openStore(':memory:');
  const long = 'long '.repeat(210_000);
  await store.transact({ assert: [] }, { recordEmpty: true });
  await knot(store, `ex:a ex:n "STRASSE", "straße", "ΟΔΟΣ", "cafe\\u0301", "שלום abc" . ex:b ex:n "x" .`);
  assert.deepEqual(await nodes(store, 'x', { kinds: ['literal'] }), ['ex:b 0.7']);
  assert.deepEqual(await nodes(store, 'straße'), ['ex:a 0.7']);
  assert.deepEqual(await nodes(store, 'οδος'), ['ex:a 0.7']);
  assert.deepEqual(await nodes(store, '\u0301'), ['ex:a 0.7']);
  assert.deepEqual(await nodes(store, 'שלום ABC'), ['ex:a 0.7']);
  // No word is too frequent to be asked for.
  await knot(store, 'ex:c ex:n "The Who" . ex:d ex:n "who is in it" .');
  const stopped = (await store.searchNodes('the of and who')).nodes.map(({ iri }) => iri);
  assert.deepEqual(stopped, [`${EX}c`, `${EX}d`]);
  // However it is cut into words: these took minutes.
  for (const query of [long, `"${'a '.repeat(5000)}"`, 'ก'.repeat(300_000)]) {
    const tooLong = { code: 'invalid_request', message: /^'query' has \d+ characters; .* at most 8192$/ };
    await assert.rejects(store.searchNodes(query), tooLong);
    await assert.rejects(store.context(query), tooLong);
    const asked = `SELECT * { SERVICE <urn:svc:search> { [] <urn:svc:search:query> ${JSON.stringify(query)} ; <urn:svc:search:entity> ?e } }`;
    await assert.rejects(store.select(asked), { code: 'invalid_request', message: /8192/ });
  }
  assert.deepEqual(await nodes(store, long, { textBackend: 'substring' }), []);
  // Each word of a question counts, however many there are before it.
  const many = Array.from({ length: 1500 }, (_, at) => (at + 46_656).toString(36)).join(' ');
  const found = async (query: string) => (await store.searchNodes(query)).nodes.map(({ iri }) => iri);
  assert.deepEqual(await found(`${many} οδος`), [`${EX}a`]);
  const last = `SELECT ?e { SERVICE <urn:svc:search> { [] <urn:svc:search:query> "${many} οδος" ; <urn:svc:search:entity> ?e } }`;
  const bound: unknown[] = [];
  for await (const { e } of (await store.select(last)).bindings()) bound.push(e?.value);
  assert.deepEqual(bound, [`${EX}a`]);
  // Every pair of a script without spaces is a word.
  const han = Array.from({ length: 3000 }, (_, at) => String.fromCodePoint(0x4e00 + at)).join('');
  assert.deepEqual(await found(`${han} οδος`), [`${EX}a`]);
  assert.equal((await store.searchNodes(`${' '.repeat(10_000)}οδος`)).nodes.length, 1);
  for (const blank of ['', ' ', '\n\t\u3000']) {
    const searches = [
      store.searchNodes(blank),
      store.searchFacts(blank),
      store.context(blank),
      store.namedNodes(blank),
    ];
    for (const search of searches) await assert.rejects(search, { code: 'invalid_request', message: /'query'/ });
    await assert.rejects(store.search({ query: blank }), { code: 'invalid_request' });
  }
  await assert.rejects(store.searchNodes('x', { entityType: 'a b' }), {
    code: 'invalid_request',
    message: /entity_type/,
  });
  await assert.rejects(store.context('x', { ranking: 'best' as never }), {
    message: /ranking.*expected default, reciprocal/,
  });
  await store.close();
});
