/** Episodes: what they write, when they write nothing, what they replace, what they refuse; random ones against a plain account. */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { fnv64 } from '../../engine/service/episodes/names.js';
import { type Episode, openStore, type Store } from '../../interfaces/library/index.js';
import { CHECKOUT } from '../../tools/tidy.js';
import { inFolder, runCommands } from '../pages.js';
import { StoreFolder } from '../storage/support/store-folder.js';
import { BASE, linesOf } from './episode-oracle.js';
import { knot, onBothStores, T, trace } from './time-support.js';

const RDF = 'http://www.w3.org/1999/02/22-rdf-syntax-ns#';
const RDFS = 'http://www.w3.org/2000/01/rdf-schema#';
const PROV = 'http://www.w3.org/ns/prov#';
const XSD = 'http://www.w3.org/2001/XMLSchema#';
const SVC = 'https://svc.dev/ontology/';

const DEPLOY: Episode = {
  name: 'deploy-42',
  body: 'App moved to node kota.',
  source: 'agent-1',
  groupId: 'infra',
  nodes: [
    {
      name: 'my app',
      type: 'WebApplication',
      description: 'front end',
      properties: { port: 8080, public: true, ratio: 0.5, tags: ['a', 'b'] },
      distinctFrom: [`${BASE}my_app_2`],
    },
    { name: 'kota', type: 'Host' },
  ],
  edges: [{ source: 'my app', target: 'kota', relation: 'runs_on', confidence: 0.9 }],
};

const base = (name: string) => `<${BASE}${name}>`;
const label = (subject: string, text: string) => `${base(subject)} <${RDFS}label> ${JSON.stringify(text)}`;
const iriOf = async (store: Store, name: string): Promise<string[]> =>
  linesOf(store)
    .filter((line) => line.endsWith(`<${RDFS}label> ${JSON.stringify(name)}`))
    .map((line) => line.slice(1, line.indexOf('>')));

onBothStores(
  'an episode writes its activity, nodes, edges and confidence; the transaction says who and whence',
  async (store) => {
    const written = await store.writeEpisode(DEPLOY, { timestamp: T(1) });
    const { findings: _, ...told } = written;
    assert.deepEqual(told, {
      outcome: 'created',
      count: 25,
      tx: 1,
      episode: 'deploy-42',
      iri: `${BASE}episode_deploy-42`,
      iris: new Map([
        ['kota', `${BASE}kota`],
        ['my app', `${BASE}my_app`],
      ]),
      hints: [],
      contentions: [],
      danglingNodes: [],
    });
    const statement = base(`stmt_${fnv64('my app|runs_on|kota')}`);
    const expected = [
      `${base('episode_deploy-42')} <${RDF}type> <${PROV}Activity>`,
      label('episode_deploy-42', 'deploy-42'),
      `${base('episode_deploy-42')} <${RDFS}comment> "App moved to node kota."`,
      `${base('episode_deploy-42')} <${PROV}wasAssociatedWith> "agent-1"`,
      `${base('episode_deploy-42')} ${base('groupId')} "infra"`,
      `${base('my_app')} <${RDF}type> ${base('WebApplication')}`,
      label('my_app', 'my app'),
      `${base('my_app')} <${RDFS}comment> "front end"`,
      `${base('my_app')} <${PROV}wasGeneratedBy> ${base('episode_deploy-42')}`,
      `${base('my_app')} <${SVC}distinctFrom> ${base('my_app_2')}`,
      `${base('my_app')} ${base('port')} "8080"^^<${XSD}integer>`,
      `${base('my_app')} ${base('public')} "true"^^<${XSD}boolean>`,
      `${base('my_app')} ${base('ratio')} "0.5"^^<${XSD}double>`,
      `${base('my_app')} ${base('tags')} "a"`,
      `${base('my_app')} ${base('tags')} "b"`,
      `${base('kota')} <${RDF}type> ${base('Host')}`,
      label('kota', 'kota'),
      `${base('kota')} <${PROV}wasGeneratedBy> ${base('episode_deploy-42')}`,
      `${base('my_app')} ${base('runs_on')} ${base('kota')}`,
      `${statement} <${RDF}type> <${RDF}Statement>`,
      `${statement} <${RDF}subject> ${base('my_app')}`,
      `${statement} <${RDF}predicate> ${base('runs_on')}`,
      `${statement} <${RDF}object> ${base('kota')}`,
      `${statement} <${SVC}confidence> "0.9"^^<${XSD}decimal>`,
    ];
    assert.deepEqual(linesOf(store), expected.sort());
    const [{ actor, source, timestamp }] = store.transactions() as [ReturnType<Store['transactions']>[0]];
    assert.deepEqual([actor, source, timestamp], ['agent-1', 'episode:deploy-42', T(1)]);
  },
);

onBothStores(
  'the same content is unchanged and writes nothing; other content updates the activity, the rest adds up',
  async (store) => {
    await store.writeEpisode(DEPLOY, { timestamp: T(1) });
    const before = await trace(store);
    const shuffled = { ...DEPLOY, nodes: [...(DEPLOY.nodes ?? [])].reverse() };
    for (const again of [DEPLOY, shuffled]) {
      const { outcome, count, tx } = await store.writeEpisode(again, { timestamp: T(2) });
      assert.deepEqual([outcome, count, tx], ['unchanged', 0, 0]);
    }
    assert.deepEqual(await trace(store), before);
    const updated = await store.writeEpisode({ name: 'deploy-42', body: 'And on.', nodes: [{ name: 'lund' }] });
    assert.deepEqual([updated.outcome, updated.tx, updated.count], ['updated', 2, 6]);
    const lines = linesOf(store);
    assert.ok(lines.includes(`${base('episode_deploy-42')} <${RDFS}comment> "And on."`));
    for (const gone of ['App moved', 'agent-1', '"infra"']) assert.ok(!lines.some((line) => line.includes(gone)), gone);
    assert.ok(lines.includes(`${base('my_app')} ${base('runs_on')} ${base('kota')}`), 'nodes and edges add up');
    assert.equal((await store.writeEpisode(DEPLOY)).outcome, 'updated', 'back again is another content');
  },
);

onBothStores(
  'replace_snapshot retracts what the episode owns and does not repeat, in one transaction',
  async (store) => {
    await store.writeEpisode(DEPLOY, { timestamp: T(1) });
    await knot(store, `<${BASE}my_app> <${BASE}port> 8080, 9090 . <${BASE}other> <${BASE}uses> <${BASE}kota> .`, {
      source: 'ops',
    });
    const next: Episode = {
      name: 'deploy-42',
      replaceSnapshot: true,
      nodes: [{ name: 'my app', properties: { port: 1 } }],
    };
    const { outcome, tx } = await store.writeEpisode(next, { timestamp: T(3) });
    assert.deepEqual([outcome, tx], ['updated', 3]);
    assert.deepEqual(
      linesOf(store),
      [
        `${base('episode_deploy-42')} <${RDF}type> <${PROV}Activity>`,
        label('episode_deploy-42', 'deploy-42'),
        label('my_app', 'my app'),
        `${base('my_app')} <${PROV}wasGeneratedBy> ${base('episode_deploy-42')}`,
        `${base('my_app')} ${base('port')} "1"^^<${XSD}integer>`,
        `${base('my_app')} ${base('port')} "9090"^^<${XSD}integer>`,
        `${base('other')} ${base('uses')} ${base('kota')}`,
        label('kota', 'kota'),
      ].sort(),
      'the label of what others mention stays, its type goes',
    );
    const { history } = await store.history(`${BASE}my_app`);
    const kept = history.filter(({ predicate, op }) => op === 'assert' && predicate.value === `${RDFS}label`);
    assert.deepEqual(
      kept.map(({ tx: from, validTo }) => [from, validTo]),
      [[1, null]],
      'what is repeated stays as it was',
    );
    const replaced = await store.writeEpisode({ name: 'deploy-42', replaceSnapshot: true });
    assert.equal(replaced.count, 3);
    await store.retract(`${BASE}other`);
    await store.writeEpisode({ name: 'deploy-42', replaceSnapshot: true, body: 'x' });
    assert.deepEqual(await iriOf(store, 'kota'), [], 'the label goes with the last mention');
  },
);

onBothStores('names: exact labels merge, the minted IRI first, else the smallest; others are minted', async (store) => {
  await knot(
    store,
    `ex:z rdfs:label "kota" . ex:y rdfs:label "kota" . _:b rdfs:label "blank" . ex:t rdfs:label "tagged"@en .`,
  );
  await store.writeEpisode({
    name: 'e',
    nodes: [{ name: 'kota' }, { name: 'blank' }, { name: 'tagged' }, { name: 'Kota' }],
  });
  assert.ok(linesOf(store).includes(`<http://example.org/y> <${PROV}wasGeneratedBy> ${base('episode_e')}`));
  for (const name of ['blank', 'Kota']) assert.ok((await iriOf(store, name)).includes(BASE + name), name);
  assert.deepEqual(await iriOf(store, 'tagged'), [`${BASE}tagged`], 'a label with a language is another term');
  await knot(store, `<${BASE}kota> rdfs:label "kota" .`);
  await store.writeEpisode({
    name: 'f',
    nodes: [{ name: 'kota', type: 'Host' }],
    edges: [{ source: 'kota', target: 'Kota', relation: 'p' }],
  });
  const lines = linesOf(store);
  assert.ok(lines.includes(`${base('kota')} <${RDF}type> ${base('Host')}`));
  assert.ok(lines.includes(`${base('kota')} ${base('p')} ${base('Kota')}`));
});

onBothStores('names that would get the same IRI are kept apart, nodes and episodes alike', async (store) => {
  const first = await store.writeEpisode({
    name: 'a b',
    nodes: [{ name: 'my app' }, { name: 'my_app' }, { name: '部署' }, { name: '网络' }],
  });
  assert.deepEqual(
    first.hints.map(({ node, candidates }) => [node, ...candidates.map(({ iri, matchedOn }) => `${iri} ${matchedOn}`)]),
    [
      ['my_app', `${BASE}my_app iri_collision`],
      ['网络', `${BASE}__ iri_collision`],
    ],
  );
  assert.deepEqual(await iriOf(store, 'my app'), [`${BASE}my_app`]);
  assert.match((await iriOf(store, 'my_app'))[0] ?? '', /my_app_[0-9a-f]{8}$/);
  assert.match((await iriOf(store, '网络'))[0] ?? '', /ontology\/___[0-9a-f]{8}$/);
  const again = await store.writeEpisode({ name: 'c', nodes: [{ name: '网络', type: 'Net' }, { name: 'my_app' }] });
  assert.deepEqual(again.hints, [], 'found by their labels');
  const other = await store.writeEpisode({ name: 'a_b', body: 'another' });
  assert.equal(other.outcome, 'created');
  assert.match((await iriOf(store, 'a_b'))[0] ?? '', /episode_a_b_[0-9a-f]{8}$/);
  assert.equal((await store.writeEpisode({ name: 'a_b', body: 'another' })).outcome, 'unchanged');
  assert.equal((await store.writeEpisode({ name: 'a b', body: 'x' })).outcome, 'updated');
  const named = await store.writeEpisode({ name: 'kota', nodes: [{ name: 'kota' }, { name: 'episode_kota' }] });
  assert.equal(named.hints[0]?.node, 'episode_kota', 'an activity is not what a node means');
  const later = await store.writeEpisode({ name: 'later', nodes: [{ name: 'a b' }] });
  assert.deepEqual(later.hints, []);
  assert.deepEqual((await iriOf(store, 'a b')).sort(), [`${BASE}a_b`, `${BASE}episode_a_b`]);
});

onBothStores(
  'ends of edges that are no nodes are bare; relations and types are names, prefixed names or IRIs',
  async (store) => {
    const { danglingNodes } = await store.writeEpisode({
      name: 'e',
      nodes: [
        { name: 'a', type: 'skos:Concept' },
        { name: 'b', type: '<http://example.org/B,>'.replace(',', '') },
      ],
      edges: [
        { source: 'a', target: 'x y', relation: 'owl:sameAs' },
        { source: 'x y', target: 'é', relation: '<http://example.org/läuft>', confidence: 'high' },
        { source: 'a', target: 'b', relation: 'rdf:type' },
        { source: 'a', target: 'b', relation: 'runs.on-2_x' },
      ],
    });
    assert.deepEqual(danglingNodes, ['x y', 'é']);
    const lines = linesOf(store);
    for (const line of [
      `${base('a')} <${RDF}type> <http://www.w3.org/2004/02/skos/core#Concept>`,
      `${base('b')} <${RDF}type> <http://example.org/B>`,
      `${base('a')} <http://www.w3.org/2002/07/owl#sameAs> ${base('x_y')}`,
      `${base('x_y')} <http://example.org/läuft> ${base('_')}`,
      `${base('a')} <${RDF}type> ${base('b')}`,
      `${base('a')} ${base('runs.on-2_x')} ${base('b')}`,
    ]) {
      assert.ok(lines.includes(line), line);
    }
    assert.deepEqual(
      lines.filter((line) => line.startsWith(base('x_y')) && line.includes(RDFS)),
      [],
    );
    assert.ok(lines.some((line) => line.endsWith(`<${SVC}confidence> "high"`)));
    const labelled = await store.writeEpisode({ name: 'f', nodes: [{ name: 'x y' }] });
    assert.deepEqual([labelled.hints, await iriOf(store, 'x y')], [[], [`${BASE}x_y`]], 'a bare node gets its label');
  },
);

onBothStores('values of properties: what each JSON value becomes', async (store) => {
  const properties = {
    text: 'http://example.org/not-an-iri',
    empty: '',
    'with space/ü': 'x',
    zero: -0,
    half: 0.5,
    tiny: 1e-7,
    no: false,
    list: ['a', 1, null, true],
    nothing: null,
    none: [],
    __proto__x: 1,
    type: 'not a class',
  };
  await store.writeEpisode({ name: 'e', nodes: [{ name: 'n', properties }] });
  const found = linesOf(store)
    .filter((line) => line.startsWith(`${base('n')} <${BASE}`))
    .map((line) =>
      line
        .slice(base('n').length + BASE.length + 2)
        .replaceAll(`^^<${XSD}`, ' ')
        .replaceAll('>', ''),
    );
  assert.deepEqual(
    found,
    [
      '__proto__x "1" integer',
      'empty ""',
      'half "0.5" double',
      'list "1" integer',
      'list "a"',
      'list "true" boolean',
      'no "false" boolean',
      'text "http://example.org/not-an-iri"',
      'tiny "1e-7" double',
      'type "not a class"',
      'with_space__ "x"',
      'zero "0" integer',
    ].sort(),
  );
});

const REFUSED: readonly (readonly [what: RegExp, episode: unknown])[] = [
  [/^missing 'name' parameter/, {}],
  [/^name: is empty/, { name: '' }],
  [/^name: .*surrogate/, { name: 'a\ud800' }],
  [/^nodes\[1\]\.name: .*nodes\[0\]/, { name: 'e', nodes: [{ name: 'a' }, { name: 'a' }] }],
  [/^nodes\[0\]\.name: is empty/, { name: 'e', nodes: [{ name: '' }] }],
  [/^missing 'nodes\[0\]\.name'/, { name: 'e', nodes: [{}] }],
  [/^nodes\[0\]: expected an object/, { name: 'e', nodes: ['a'] }],
  [/^nodes: expected a list/, { name: 'e', nodes: { name: 'a' } }],
  [/^nodes\[0\]\.properties\.a: /, { name: 'e', nodes: [{ name: 'a', properties: { a: {} } }] }],
  [/^nodes\[0\]\.properties\.a: /, { name: 'e', nodes: [{ name: 'a', properties: { a: ['x', ['y']] } }] }],
  [/^nodes\[0\]\.properties\.big: .*digits/, { name: 'e', nodes: [{ name: 'a', properties: { big: 2 ** 60 } }] }],
  [/^nodes\[0\]\.properties\.n: /, { name: 'e', nodes: [{ name: 'a', properties: { n: Number.NaN } }] }],
  [/^nodes\[0\]\.properties\.t: .*surrogate/, { name: 'e', nodes: [{ name: 'a', properties: { t: '\udc00' } }] }],
  [/^nodes\[0\]\.properties: .*empty name/, { name: 'e', nodes: [{ name: 'a', properties: { '': 1 } }] }],
  [/^nodes\[0\]\.distinct_from\[0\]: /, { name: 'e', nodes: [{ name: 'a', distinctFrom: ['b'] }] }],
  [/^nodes\[0\]\.type: .*one class/, { name: 'e', nodes: [{ name: 'a', type: 'A,B' }] }],
  [/^edges\[0\]\.target: is empty/, { name: 'e', edges: [{ source: 'a', target: '', relation: 'r' }] }],
  [/^edges\[0\]\.relation: is empty/, { name: 'e', edges: [{ source: 'a', target: 'b', relation: '' }] }],
  [/^edges\[0\]\.relation: .*angle brackets/, { name: 'e', edges: [{ source: 'a', target: 'b', relation: 'ex:r' }] }],
  [/^edges\[0\]\.confidence: /, { name: 'e', edges: [{ source: 'a', target: 'b', relation: 'r', confidence: {} }] }],
  [/^unknown graph: http:\/\/example\.org\/g/, { name: 'e', graph: 'http://example.org/g' }],
  [/can not be written/, { name: 'e', graph: 'urn:svc:graph:root#inferred' }],
  [/can not be written/, { name: 'e', graph: 'urn:svc:graph:meta' }],
];

onBothStores('what is wrong is named by its place, and nothing is written', async (store) => {
  await store.writeEpisode(DEPLOY);
  const before = await trace(store);
  for (const [what, episode] of REFUSED) {
    await assert.rejects(store.writeEpisode(episode as Episode), ({ message }: Error) => {
      assert.match(message, what);
      return true;
    });
    await assert.rejects(store.writeEpisode(DEPLOY, { timestamp: 'yesterday' }));
  }
  assert.deepEqual(await trace(store), before);
});

onBothStores('an episode in a named graph stands there alone, and its names are found in ROOT', async (store) => {
  await store.createGraph('http://example.org/g');
  await knot(store, 'ex:k rdfs:label "kota" .');
  const there = { name: 'e', graph: 'http://example.org/g', nodes: [{ name: 'kota' }, { name: 'lund' }] };
  const before = linesOf(store);
  assert.equal((await store.writeEpisode(there)).outcome, 'created');
  assert.equal((await store.writeEpisode(there)).outcome, 'unchanged');
  assert.deepEqual(linesOf(store), before);
  const { graph: _, ...here } = there;
  assert.equal((await store.writeEpisode(here)).outcome, 'created', 'in ROOT it is another');
  const quads = [...store.dataset()].filter(({ graph }) => graph.value === 'http://example.org/g');
  assert.ok(quads.some(({ subject }) => subject.value === 'http://example.org/k'));
  assert.equal(quads.length, 3 + 2 + 2);
});

test('an episode is unchanged only when what it repeats is on the disk', async () => {
  const store = await openStore(new StoreFolder().fresh());
  const order: string[] = [];
  const told = async () => {
    const { outcome } = await store.writeEpisode(DEPLOY);
    order.push(outcome);
  };
  await Promise.all([told(), told(), told()]);
  assert.deepEqual(order, ['created', 'unchanged', 'unchanged']);
  await store.close();
});

test(
  'the commands of docs/episodes.md print what it shows',
  inFolder((folder) => runCommands(folder, readFileSync(join(CHECKOUT, 'docs/episodes.md'), 'utf8'), 3)),
);

test('many nodes in one episode, and the same store with a writer thread', async () => {
  const folder = new StoreFolder();
  const store = await openStore(folder.fresh(), { writerThread: true });
  const nodes = Array.from({ length: 5_000 }, (_, at) => ({
    name: `node ${at}`,
    type: 'Thing',
    properties: { termType: at },
  }));
  const edges = nodes.slice(1).map(({ name }, at) => ({ source: name, target: `node ${at}`, relation: 'follows' }));
  const { count, tx } = await store.writeEpisode({ name: 'many', nodes, edges });
  assert.deepEqual([count, tx], [3 + 5_000 * 4 + 4_999, 1]);
  assert.equal(store.stats().factsCurrent, count);
  const fewer = await store.writeEpisode({ name: 'many', nodes: nodes.slice(0, 10), replaceSnapshot: true });
  assert.equal(fewer.outcome, 'updated');
  assert.equal(store.stats().factsCurrent, 43);
  await store.close();
});
