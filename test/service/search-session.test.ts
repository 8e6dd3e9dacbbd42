/** An agent's session over a thousand episodes: questions by name, by meaning, by neighbourhood, and about last month. */
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { hashOfText, textsOf } from '../../engine/storage/indexes/vectors/entity-text.js';
import { putVectors } from '../../engine/storage/indexes/vectors/put-vectors.js';
import type { StorageEngine } from '../../engine/storage/seam/engine.js';
import { lookInto } from '../../engine/storage/seam/rows.js';
import { CURRENT } from '../../engine/storage/seam/scan.js';
import { type EmbeddingProvider, openStore, type Store, terms } from '../../interfaces/library/index.js';
import { StoreFolder } from '../storage/support/store-folder.js';

const folder = new StoreFolder();
const EPISODES = 1000;
const TEAMS = ['infra', 'web', 'data', 'rare'];
const JUNE = '2026-06-01T00:00:00Z';
const JULY = '2026-07-01T00:00:00Z';

/** Words that mean alike have one place; the rest have none. */
const CONCEPTS: Readonly<Record<string, number>> = Object.fromEntries(
  [
    ['proxy', 'gateway', 'balancer', 'ingress'],
    ['database', 'store', 'postgres', 'tables'],
    ['queue', 'broker', 'messages', 'kafka'],
    ['alert', 'pager', 'incident'],
  ].flatMap((words, place) => words.map((word) => [word, place])),
);

function meaningOf(text: string): Float32Array {
  const vector = new Float32Array(5);
  vector[4] = 0.1;
  for (const word of text.toLowerCase().match(/[a-z]+/g) ?? []) {
    const place = CONCEPTS[word];
    if (place !== undefined) vector[place] = (vector[place] as number) + 1;
  }
  return vector;
}

const provider: EmbeddingProvider = {
  kind: 'http',
  model: 'concepts',
  dimension: 5,
  embed: async (texts) => texts.map(meaningOf),
  close: async () => undefined,
};

const KINDS = ['ingress', 'postgres', 'kafka', 'pager'];
const teamOf = (at: number): string => (at % 250 === 249 ? 'rare' : (TEAMS[at % 3] as string));

let store: Store;
const named = (name: string): string => `${store.baseNamespace}${name}`;

before(async () => {
  store = await openStore(folder.fresh());
  for (let at = 0; at < EPISODES; at++) {
    const service = `service-${String(at % 200).padStart(3, '0')}`;
    const host = `host-${String(at % 40).padStart(2, '0')}`;
    await store.writeEpisode(
      {
        name: `note-${at}`,
        body: `Seen at work, for the time number ${at}.`,
        groupId: teamOf(at),
        nodes: [
          { name: service, type: 'Service', description: `runs ${KINDS[at % KINDS.length]} for ${teamOf(at)}` },
          { name: host, type: 'Host' },
        ],
        edges: [{ source: service, target: host, relation: 'runs_on' }],
      },
      { timestamp: JUNE },
    );
  }
  // In July one service moved: the edge of June is gone.
  await store.retract(named('service-007'), { predicate: named('runs_on'), timestamp: JULY });
  await store.set(named('service-007'), named('moved_to'), { iri: named('host-39') }, { timestamp: JULY });
  const { engine } = store as unknown as { readonly engine: StorageEngine };
  const vectors = lookInto(engine.snapshot(), (snapshot) => {
    const ids = Array.from(
      { length: 200 },
      (_, at) => snapshot.encode(terms.namedNode(named(`service-${String(at).padStart(3, '0')}`))) as bigint,
    );
    return textsOf(snapshot, ids, CURRENT).map(({ entity, text }) => {
      return { entity, textHash: hashOfText(text), vector: meaningOf(text) };
    });
  });
  assert.equal((await putVectors(engine, 'concepts', 5, vectors)).put, 200);
});

after(async () => {
  await store.close();
});

test('by name: the thing itself comes first, with what was said of it', async () => {
  const { entities } = await store.context('service-042', {
    maxEntities: 12,
    textBackend: 'substring',
    factOrder: 'telling',
  });
  const [first] = entities;
  assert.deepEqual([first?.iri, first?.label, first?.relevance], [named('service-042'), 'service-042', 'Direct']);
  assert.equal(
    first?.facts[0]?.value.value.startsWith('runs ') || first?.facts[0]?.value.value === 'service-042',
    true,
  );
  assert.ok(
    entities.some(({ iri }) => iri === named('host-02')),
    'and the host that it runs on',
  );
});

test('by meaning: words that nobody wrote find what they mean', async () => {
  assert.equal((await store.searchNodes('load balancer')).nodes.length, 0);
  const { results } = await store.search({ query: 'load balancer', provider, limit: 10 });
  assert.equal(results.length, 10);
  for (const { text } of results) assert.match(text, /ingress/);
  const { entities } = await store.context('load balancer', { provider, maxEntities: 5 });
  assert.ok(entities.every(({ relevance, score }) => relevance === 'Semantic' && score > 0.9));
});

test('by neighbourhood: what hangs on a host is reached from it, nearer things first', async () => {
  const { entities } = await store.context('host-05', { maxEntities: 30, pprRerank: true, textBackend: 'substring' });
  assert.equal(entities[0]?.iri, named('host-05'));
  const linked = entities.filter(({ relevance }) => relevance === 'Linked').map(({ iri }) => iri);
  assert.ok(linked.includes(named('service-005')), linked.join(' '));
  assert.ok(linked.includes(named('episode_note-125')), linked.join(' '));
  const walked = await store.context('host-05', { maxEntities: 12, ranking: 'ppr', textBackend: 'substring' });
  assert.equal(walked.entities[0]?.iri, named('host-05'));
  const ranks = walked.entities.map(({ parts }) => parts.ppr as number);
  assert.deepEqual(
    ranks,
    [...ranks].sort((a, b) => b - a),
    'in the order of the walk',
  );
});

test('a filter whose rows stand beyond the first ten times limit keeps all that it should', async () => {
  // "service" stands in all 200; four episodes of a thousand are of the team.
  const { nodes } = await store.searchNodes('service', { groupIds: ['rare'], limit: 2, textBackend: 'substring' });
  assert.deepEqual(
    nodes.map(({ iri }) => iri),
    [named('service-049'), named('service-099')],
  );
  const all = await store.searchNodes('service', { groupIds: ['rare'], limit: 100, textBackend: 'substring' });
  assert.equal(all.nodes.length, 4);
  const near = await store.search({ query: 'pager', provider, groupIds: ['rare'], limit: 10 });
  assert.equal(near.results.length, 4);
});

test('last month: an edge that is gone is there as of then, and not now', async () => {
  const asked = { groupIds: [], limit: 1000 };
  const edges = async (more: object) => {
    const { facts } = await store.searchFacts('runs_on', { ...asked, ...more });
    return facts.filter(({ source }) => source.value === named('service-007')).map(({ target }) => target.value);
  };
  assert.deepEqual(await edges({}), []);
  assert.deepEqual(await edges({ validAt: '2026-06-15' }), [named('host-07')]);
  const { entities } = await store.context('service-007', {
    validAt: '2026-06-15',
    maxEntities: 30,
    textBackend: 'substring',
  });
  assert.ok(entities.some(({ iri }) => iri === named('host-07')));
  const now = await store.context('service-007', { maxEntities: 30, textBackend: 'substring' });
  assert.ok(!now.entities.some(({ iri }) => iri === named('host-07')));
  assert.ok(now.entities.some(({ iri }) => iri === named('host-39')));
});

test('a fact that five episodes tell stands once, with one of them', async () => {
  const { facts } = await store.searchFacts('runs_on', { limit: 1000 });
  const keys = facts.map(({ source, predicate, target }) => `${source.value} ${predicate.value} ${target.value}`);
  assert.equal(new Set(keys).size, keys.length);
  const one = facts.filter(({ source }) => source.value === named('service-042'));
  assert.deepEqual(
    one.map(({ target, episode }) => [target.value, episode]),
    [[named('host-02'), named('episode_note-242')]],
    'the first of its episodes by IRI',
  );
  assert.equal(facts.length, 199);
});
