/** The plan fuzzer: worlds and queries follow from the seed, queries are queries, findings are reduced and kept. */
import assert from 'node:assert/strict';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { Random } from '../../bench/data/random.js';
import { svc } from '../../bench/peers/svc.js';
import { drawWorld } from '../../bench/plan-fuzz/drawn-world.js';
import { type Duel, Duellists } from '../../bench/plan-fuzz/duel.js';
import { type Finding, FindingFolder } from '../../bench/plan-fuzz/folder.js';
import { parsePlanFuzzOptions } from '../../bench/plan-fuzz/options.js';
import { randomQuery } from '../../bench/plan-fuzz/queries.js';
import { reduce, textOf } from '../../bench/plan-fuzz/reduce.js';
import { featuresOf, render, type Tree } from '../../bench/plan-fuzz/tree.js';
import { MADE_KINDS, makeWorld, NAMESPACE, type World, writeWorld } from '../../bench/plan-fuzz/world.js';
import { placeOf, Session } from '../../bench/sparql/session.js';
import { SvcError } from '../../engine/base/errors.js';
import { openStore } from '../../interfaces/library/index.js';

const folder = mkdtempSync(join(tmpdir(), 'svc-plan-fuzz-'));
after(() => rmSync(folder, { recursive: true, force: true }));

const QUERIES = 400;
const TRIPLES = 2000;

function queriesOf(seed: number): Tree[] {
  const world = makeWorld(seed, TRIPLES);
  return Array.from({ length: QUERIES }, (_, at) => randomQuery(new Random(seed + at), world));
}

test('worlds and queries follow from the seed, and have everything in them', () => {
  const path = join(folder, 'world.nt');
  const first = writeWorld(makeWorld(5, TRIPLES), path);
  const text = readFileSync(path, 'utf8');
  assert.equal(writeWorld(makeWorld(5, TRIPLES), path), first);
  assert.equal(readFileSync(path, 'utf8'), text);
  assert.equal(text.split('\n').length - 1, first);
  assert.ok(first > TRIPLES / 4 && first < TRIPLES * 4, String(first));
  assert.deepEqual(queriesOf(5).map(render), queriesOf(5).map(render));
  assert.notDeepEqual(queriesOf(5).map(render), queriesOf(6).map(render));
  const features = new Set([1, 2, 3, 4].flatMap((seed) => queriesOf(seed).flatMap((query) => [...featuresOf(query)])));
  for (const feature of [
    'star',
    'chain',
    'OPTIONAL',
    'UNION',
    'MINUS',
    'EXISTS',
    'path',
    'subquery',
    'ASK',
    'LIMIT',
    'BIND',
  ]) {
    assert.ok(features.has(feature), feature);
  }
  assert.ok(features.has('parts that a condition connects'));
  const kinds = new Set(
    Array.from({ length: 40 }, (_, seed) => makeWorld(seed, TRIPLES)).flatMap(({ properties }) =>
      properties.map(({ range }) => range),
    ),
  );
  for (const kind of MADE_KINDS) assert.ok(kinds.has(kind), kind);
});

test('the world of a document has its classes, what their things have, and values that stand there', async () => {
  const path = join(folder, 'drawn.nq');
  const made = makeWorld(13, TRIPLES);
  const written = writeWorld(made, path);
  const { world, triples } = await drawWorld({ path, quads: false }, 1);
  assert.equal(triples, written);
  const named = world.classes.flatMap(({ name }) => name ?? []);
  assert.deepEqual(
    named.filter((name) => !name.endsWith('/Any')).sort(),
    made.classes.map(({ name }) => `${NAMESPACE}${name}`).sort(),
  );
  const label = made.properties.find(({ name }) => name === world.properties[0]?.name.slice(NAMESPACE.length));
  assert.ok(label !== undefined && (world.properties[0]?.values ?? []).length > 0);
  const text = readFileSync(path, 'utf8');
  for (const { name, values = [] } of world.properties) {
    for (const value of values.slice(0, 5)) assert.ok(text.includes(` <${name}> ${value} .`), value);
  }
  const again = await drawWorld({ path, quads: false }, 1);
  const textsOf = (of: World): string[] =>
    Array.from({ length: 100 }, (_, at) => textOf(randomQuery(new Random(at), of)));
  assert.deepEqual(textsOf(again.world), textsOf(world));
  const quads = join(folder, 'graphs.nq');
  writeFileSync(quads, text.replaceAll(/ \.$/gm, ' <http://fuzz.test/g> .'));
  const inGraph = await drawWorld({ path: quads, quads: true }, 1);
  assert.deepEqual(inGraph.world.graphs, ['<http://fuzz.test/g>']);
  assert.ok(textsOf(inGraph.world).every((query) => query.includes('GRAPH ')));
  const store = await openStore(':memory:');
  try {
    await store.load(quads);
    for (const query of textsOf(inGraph.world).slice(0, 40)) await assert.doesNotReject(store.explain(query), query);
  } finally {
    await store.close();
  }
});

test('every query is one, and the data loads', async () => {
  const path = join(folder, 'loaded.nt');
  const written = writeWorld(makeWorld(7, TRIPLES), path);
  const store = await openStore(':memory:');
  try {
    assert.equal((await store.load(path)).quadsAdded, written);
    for (const query of queriesOf(7).slice(0, 120)) {
      const text = textOf(query);
      await assert.doesNotReject(store.explain(text), text);
    }
  } finally {
    await store.close();
  }
});

/** Says of each query what a test makes of its text. */
function judge(verdictOf: (text: string) => Duel['verdict']): Duellists {
  const judged = { fight: async (text: string) => ({ verdict: verdictOf(text), oursMs: 9, theirsMs: 1, rows: 1 }) };
  return judged as Pick<Duellists, 'fight'> as Duellists;
}

test('a finding is reduced to the part that makes it one', async () => {
  const query = queriesOf(9).find((one) => render(one).includes(' UNION ') && render(one).includes('OPTIONAL')) as Tree;
  const duellists = judge((text) => (text.includes(' UNION ') ? 'cliff' : 'fine'));
  const reduced = await reduce(query, await duellists.fight(textOf(query)), duellists);
  const text = render(reduced.query);
  assert.ok(text.includes(' UNION ') && !text.includes('OPTIONAL'), text);
  assert.ok(text.length < render(query).length / 2, text);
});

test('two stores are compared: the same one is no cliff, what differs is told', async () => {
  const path = join(folder, 'duel.nt');
  writeWorld(makeWorld(11, TRIPLES), path);
  const [whole, same] = ['whole', 'same'].map(
    (name) => new Session(svc, placeOf(join(folder, name), svc, { path, quads: false }), null),
  ) as [Session, Session];
  try {
    for (const session of [whole, same]) await session.load();
    const query = 'PREFIX xsd: <http://www.w3.org/2001/XMLSchema#>\nSELECT ?s { ?s ?p ?o }';
    const equal = await new Duellists(whole, same, 60_000).fight(query);
    assert.match(equal.verdict, /^(fine|cliff)$/);
    assert.ok((equal.rows as number) > 1000 && (equal.oursMs as number) > 0);
    const broken = await new Duellists(whole, same, 60_000).fight(`${query} nonsense`);
    assert.equal(broken.verdict, 'alone');
    const other = await new Duellists(whole, same, 60_000).fight(query.replace('?s {', '(RAND() AS ?r) {'));
    assert.equal(other.verdict, 'different');
  } finally {
    for (const session of [whole, same]) await session.close();
  }
});

test('what was found stays in its folder, and so does how far the run is', () => {
  const kept = new FindingFolder(join(folder, 'found'));
  assert.equal(kept.progress().next, 0);
  const duel: Duel = { verdict: 'cliff', oursMs: 10, theirsMs: 1, rows: 1 };
  const finding: Finding = {
    ...{ seed: 1, number: 7, world: 0, triples: 10, text: 'ASK {}', duel, reduced: 'ASK {}', reducedDuel: duel },
    features: ['ASK'],
  };
  kept.add(finding);
  kept.writeProgress({ next: 8, verdicts: { cliff: 1 }, logRatios: 0, compared: 0 });
  const again = new FindingFolder(join(folder, 'found'));
  assert.equal(again.progress().next, 8);
  assert.deepEqual(again.findings(), [finding]);
});

test('options are checked', () => {
  const options = parsePlanFuzzOptions(['--seed', '3', '--count', '20', '--size', '10k', '--out', folder]);
  assert.deepEqual([options.seed, options.count, options.triples, options.out], [3, 20, 10_000, folder]);
  for (const args of [['--count', 'many'], ['--peer', 'nobody'], ['--size', '3'], ['--data', 'nothing'], ['--no']]) {
    assert.throws(
      () => parsePlanFuzzOptions(args),
      (error) => error instanceof SvcError && error.code === 'usage',
    );
  }
});
