/** Alignment of two graphs (semantics of reasoning, 7): what is proposed, versions to the byte, and what is written. */
import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { test } from 'node:test';
import { jaroWinkler } from '../../engine/search/text/jaro-winkler.js';
import { openStore, type Store } from '../../interfaces/library/index.js';
import { json, sharedTestServer } from '../http/support.js';
import { LABEL, onBothStores, ROOT, trace } from '../service/time-support.js';

const SAME = 'http://www.w3.org/2002/07/owl#sameAs';
const DISTINCT = 'https://svc.dev/ontology/distinctFrom';
const sha = (text: string): string => createHash('sha256').update(text).digest('hex');

async function put(store: Store, graph: string, labels: Readonly<Record<string, string>>, more = ''): Promise<void> {
  const lines = Object.entries(labels).map(([iri, label]) => `<${iri}> <${LABEL}> ${JSON.stringify(label)} .`);
  await store.load({ text: lines.join('\n') + more, format: 'turtle' }, graph === ROOT ? {} : { graph });
}

const G1 = 'urn:g1';
const G2 = 'urn:g2';
const ALICE = { left: 'http://x/alice', right: 'http://y/alice' };

async function filled(store: Store): Promise<void> {
  await put(store, G1, { 'http://x/alice': 'Alice Smith' });
  await put(store, G2, { 'http://y/alice': 'Alice Smyth', 'http://y/bob': 'Bob Jones' });
}

onBothStores('EX-7.1: propose, decide, apply; versions to the byte', async (store) => {
  await filled(store);
  const graph = `urn:svc:graph:alignment:${sha(`${G1}|${G2}`).slice(0, 16)}`;
  const v = (t1: number, t2: number, tA: number) => `v1:${sha(`${G1}|${t1}|${G2}|${t2}|${graph}|${tA}`)}`;
  const proposed = await store.proposeAlignment(G1, G2);
  const mapping = { leftLabel: 'Alice Smith', rightLabel: 'Alice Smyth', score: 0.963636, contested: false };
  assert.deepEqual(proposed, {
    left: G1,
    right: G2,
    alignmentGraph: graph,
    expectedVersion: v(1, 2, 0),
    mappings: [{ ...ALICE, ...mapping, matchedOn: 'canonical_name:jaro_winkler:0.96' }],
    truncated: false,
  });
  const request = { left: G1, right: G2, expectedVersion: proposed.expectedVersion };
  const decided = await store.decideAlignment({ ...request, decisions: [{ ...ALICE, verdict: 'accept' }] });
  const hash = sha(`${ALICE.left}|${ALICE.right}|accept\n`);
  assert.equal(decided.expectedVersion, `${v(1, 2, 0)}+${hash}`);
  assert.deepEqual(decided.decided, [{ ...ALICE, verdict: 'accept', note: null }]);
  assert.deepEqual([decided.accepted, decided.negated], [1, 0]);
  const applied = await store.applyAlignment(decided);
  assert.deepEqual([applied.sameAs, applied.distinctFrom, applied.retracted, applied.tx], [1, 0, 0, 3]);
  assert.equal(applied.expectedVersion, v(1, 2, 3));
  assert.equal(store.transactions().at(-1)?.source, `align:${hash.slice(0, 12)}`);
  await assert.rejects(store.applyAlignment(decided), { code: 'version_conflict' });
  const again = await store.proposeAlignment(G1, G2);
  assert.deepEqual([again.mappings, again.expectedVersion], [[], v(1, 2, 3)]);
  // Any fact of one of the graphs moves the version.
  const next = await store.decideAlignment({
    ...request,
    expectedVersion: again.expectedVersion,
    decisions: [{ left: ALICE.left, right: 'http://y/bob', verdict: 'negate' }],
  });
  await put(store, G1, { 'http://x/eve': 'Eve' });
  const before = await trace(store);
  await assert.rejects(store.applyAlignment(next), { code: 'version_conflict' });
  assert.deepEqual(await trace(store), before);
});

onBothStores('a verdict takes back its opposite; nothing new is no transaction', async (store) => {
  await filled(store);
  const decide = async (verdict: 'accept' | 'negate') => {
    const { expectedVersion } = await store.proposeAlignment(G1, G2);
    const decisions = [{ ...ALICE, verdict }];
    return store.decideAlignment({ left: G1, right: G2, expectedVersion, decisions });
  };
  const negated = await store.applyAlignment(await decide('negate'));
  assert.deepEqual([negated.sameAs, negated.distinctFrom, negated.retracted], [0, 1, 0]);
  const nothing = await store.applyAlignment(await decide('negate'));
  assert.deepEqual([nothing.tx, nothing.distinctFrom, nothing.expectedVersion], [0, 0, negated.expectedVersion]);
  const accepted = await store.applyAlignment(await decide('accept'));
  assert.deepEqual([accepted.sameAs, accepted.distinctFrom, accepted.retracted], [1, 0, 1]);
  const { graphs } = await store.graphs();
  assert.equal(graphs.find(({ iri }) => iri === accepted.alignmentGraph)?.class, 'committed');
});

onBothStores('pairs that are decided anywhere, in either direction, are left out', async (store) => {
  await put(store, G1, { 'urn:a': 'One', 'urn:b': 'Two', 'urn:c': 'Three', 'urn:same': 'Four' });
  await put(store, G2, { 'urn:a2': 'One', 'urn:b2': 'Two', 'urn:c2': 'Three', 'urn:same': 'Four' });
  const left = async () => (await store.proposeAlignment(G1, G2)).mappings.map((one) => one.left);
  assert.deepEqual(await left(), ['urn:a', 'urn:b', 'urn:c']);
  await store.load({ text: `<urn:a2> <${SAME}> <urn:a> .`, format: 'turtle' });
  await store.load({ text: `<urn:b> <${DISTINCT}> <urn:b2> .`, format: 'turtle' }, { graph: G2 });
  await store.load({ text: `<urn:c> <${SAME}> <urn:c2> .`, format: 'turtle' }, { graph: G1 });
  assert.deepEqual(await left(), []);
});

test('contested, top_k, threshold, types and pages', async (t) => {
  const store = await openStore(':memory:');
  t.after(() => store.close());
  const car = '<urn:l1> a <urn:Car> . <urn:r1> a <urn:Car> .';
  await put(store, ROOT, { 'urn:l1': 'Paris', 'urn:l2': 'Pariss', 'urn:l3': 'London' }, car);
  await put(store, G2, { 'urn:r1': 'Paris', 'urn:r2': 'London', 'urn:r3': 'LONDON' }, car);
  const all = await store.proposeAlignment(ROOT, G2);
  const lines = all.mappings.map(({ left, right, score, contested }) => `${left} ${right} ${score} ${contested}`);
  assert.deepEqual(lines, [
    'urn:l1 urn:r1 1 true',
    'urn:l3 urn:r2 1 true',
    'urn:l3 urn:r3 1 true',
    'urn:l2 urn:r1 0.966667 true',
  ]);
  // The tie of a left entity is seen though one candidate is shown.
  const one = await store.proposeAlignment(ROOT, G2, { topK: 1, threshold: 1 });
  assert.deepEqual(
    one.mappings.map(({ left, right, contested }) => [left, right, contested]),
    [
      ['urn:l1', 'urn:r1', false],
      ['urn:l3', 'urn:r2', true],
    ],
  );
  const typed = await store.proposeAlignment(ROOT, G2, { entityType: 'urn:Car' });
  assert.deepEqual(
    typed.mappings.map(({ left, contested }) => [left, contested]),
    [['urn:l1', false]],
  );
  assert.deepEqual((await store.proposeAlignment(ROOT, G2, { entityType: 'urn:None' })).mappings, []);
  const page = await store.proposeAlignment(ROOT, G2, { offset: 1, limit: 2 });
  assert.deepEqual(page.mappings, all.mappings.slice(1, 3));
  assert.equal(page.truncated, true);
});

test('random labels: what every pair compared gives', async (t) => {
  const store = await openStore(':memory:');
  t.after(() => store.close());
  let seed = 7;
  const random = (most: number): number => {
    seed = (seed * 1103515245 + 12345) % 2 ** 31;
    return seed % most;
  };
  const word = (): string => Array.from({ length: 3 + random(6) }, () => 'aeinrst'[random(7)]).join('');
  const side = (prefix: string, size: number) =>
    Object.fromEntries(Array.from({ length: size }, (_, at) => [`urn:${prefix}${at}`, word()]));
  const [lefts, rights] = [side('l', 1100), side('r', 60)];
  await put(store, G1, lefts);
  await put(store, G2, rights);
  const naive = Object.entries(lefts).flatMap(([left, label]) =>
    Object.entries(rights)
      .map(([right, other]) => ({ left, right, score: Math.round(jaroWinkler(label, other) * 1e6) / 1e6 }))
      .filter(({ score }) => score >= 0.8)
      .sort((a, b) => b.score - a.score || (a.right < b.right ? -1 : 1))
      .slice(0, 2),
  );
  naive.sort((a, b) => b.score - a.score || (a.left < b.left ? -1 : a.left > b.left ? 1 : a.right < b.right ? -1 : 1));
  const { mappings } = await store.proposeAlignment(G1, G2, { topK: 2, threshold: 0.8 });
  assert.ok(mappings.length > 50);
  assert.deepEqual(
    mappings.map(({ left, right, score }) => ({ left, right, score })),
    naive,
  );
});

test('refusals in the library', async (t) => {
  const store = await openStore(':memory:');
  t.after(() => store.close());
  await filled(store);
  const { expectedVersion } = await store.proposeAlignment(G1, G2);
  const decide = (decisions: unknown) =>
    store.decideAlignment({ left: G1, right: G2, expectedVersion, decisions: decisions as never });
  const bob = 'http://y/bob';
  await assert.rejects(store.proposeAlignment(G1, 'urn:none'), /^SvcError: unknown graph: urn:none$/);
  await assert.rejects(store.proposeAlignment(G1, 'urn:svc:graph:registry'), /unknown graph/);
  await assert.rejects(store.proposeAlignment(G1, G1), /the same graph/);
  await assert.rejects(store.proposeAlignment(G1, G2, { threshold: 2 }), /threshold is 2/);
  await assert.rejects(store.proposeAlignment(G1, G2, { topK: 0 }), /top_k is 0/);
  await assert.rejects(decide([]), /'decisions' is empty/);
  await assert.rejects(decide([{ ...ALICE, verdict: 'maybe' }]), /decisions\[0\]\.verdict is "maybe"/);
  await assert.rejects(
    decide([{ ...ALICE, left: 'http://x/none', verdict: 'accept' }]),
    /entity not found: http:\/\/x\/none/,
  );
  const both = [
    { ...ALICE, verdict: 'accept' },
    { ...ALICE, verdict: 'negate' },
  ];
  await assert.rejects(decide(both), /is decided both ways/);
  const two = [
    { ...ALICE, verdict: 'accept' },
    { left: ALICE.left, right: bob, verdict: 'accept' },
  ];
  await assert.rejects(decide(two), /is accepted with two/);
  await assert.rejects(decide([{ left: ALICE.left, right: ALICE.left, verdict: 'accept' }]), /on both sides/);
  const good = await decide([{ ...ALICE, verdict: 'accept' }]);
  const other = { ...good, decided: [{ ...ALICE, verdict: 'negate' as const, note: null }] };
  await assert.rejects(store.applyAlignment(other), /the decisions are not those/);
  await assert.rejects(store.applyAlignment({ ...good, expectedVersion }), { code: 'version_conflict' });
  await assert.rejects(store.applyAlignment({ ...good, expectedVersion: '' }), /missing 'expected_version'/);
});

const served = sharedTestServer();

test('over HTTP: the whole way, 409 where something was written since, 400 for what is wrong', async () => {
  const server = await served();
  for (const graph of [G1, G2]) await server.post('/graph/create', { graph });
  const say = (graph: string, iri: string, label: string) =>
    server.post('/knot', { graph, turtle: `<${iri}> <${LABEL}> "${label}" .` });
  await say(G1, ALICE.left, 'Alice Smith');
  await say(G2, ALICE.right, 'Alice Smyth');
  const pair = { left: G1, right: G2 };
  const proposed = await json(await server.post('/align/propose', pair));
  assert.deepEqual(Object.keys(proposed), [
    'left',
    'right',
    'alignment_graph',
    'expected_version',
    'mappings',
    'count',
    'truncated',
  ]);
  const { expected_version } = proposed;
  const request = { ...pair, expected_version, decisions: [{ ...ALICE, verdict: 'accept', note: 'seen' }] };
  const decided = await json(await server.post('/align/decide', request));
  assert.deepEqual(decided.decided, [{ ...ALICE, verdict: 'accept', note: 'seen' }]);
  const applied = await json(await server.post('/align/apply', { ...decided, actor: 'ann' }));
  assert.deepEqual([applied.same_as, applied.distinct_from, applied.retracted], [1, 0, 0]);
  const curies = { left: 'skos:g', right: 'prov:g' };
  await server.post('/knot', { graph: 'skos:g', turtle: '' });
  for (const graph of Object.values(curies)) {
    await server.post('/graph/create', { graph });
    await server.post('/knot', { graph, turtle: `<http://www.w3.org/2004/02/skos/core#${graph[0]}> <${LABEL}> "x" .` });
  }
  const byCurie = await json(await server.post('/align/propose', curies));
  const decision = { left: 'skos:s', right: 'skos:p', verdict: 'accept' };
  const version = byCurie.expected_version;
  const decidedSo = await json(
    await server.post('/align/decide', { ...curies, expected_version: version, decisions: [decision] }),
  );
  const appliedSo = { ...curies, decided: [decision], expected_version: decidedSo.expected_version };
  assert.equal((await json(await server.post('/align/apply', appliedSo))).same_as, 1);
  const again = await server.post('/align/apply', decided);
  assert.equal(again.status, 409);
  assert.equal((await json(again)).code, 'version_conflict');
  assert.equal((await server.post('/align/decide', request)).status, 409);
  const cases: readonly (readonly [string, object, RegExp])[] = [
    ['/align/propose', { left: G1 }, /missing 'right' parameter/],
    ['/align/propose', { left: G1, right: 'urn:none' }, /^unknown graph: urn:none$/],
    ['/align/propose', { ...pair, threshold: 1.5 }, /threshold/],
    ['/align/decide', { ...request, decisions: [] }, /'decisions' is empty/],
    ['/align/decide', { ...request, decisions: [{ ...ALICE, verdict: 'maybe' }] }, /verdict/],
    ['/align/apply', { ...decided, expected_version: undefined }, /missing 'expected_version' parameter/],
  ];
  for (const [path, body, message] of cases) {
    const answer = await server.post(path, body);
    assert.equal(answer.status, 400, path + JSON.stringify(body));
    assert.match(String((await json(answer)).error), message);
  }
});
