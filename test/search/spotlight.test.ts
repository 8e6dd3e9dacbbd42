/** Mentions of entities in texts: the worked example, words of every script, offsets, and random texts against plain search. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { Labels } from '../../engine/search/labels/labels.js';
import type { NameTable } from '../../engine/search/names/name-table.js';
import { Names } from '../../engine/search/names/names.js';
import { resolveNames } from '../../engine/search/resolve.js';
import { findMentions } from '../../engine/search/spotlight.js';
import { withDefaults } from '../../engine/service/configuration/keys.js';
import { OPERATIONS } from '../../engine/service/operations/index.js';
import { openLmdbEngine } from '../../engine/storage/lmdb-store/open.js';
import { openStore, type Store, terms } from '../../interfaces/library/index.js';
import { knot, LABEL, onBothStores } from '../service/time-support.js';
import { StoreFolder } from '../storage/support/store-folder.js';

interface Annotation {
  readonly surface: string;
  readonly iri: string;
  readonly type: string;
  readonly confidence: number;
  readonly offset: number;
}

async function spot(store: Store, text: string, confidence?: number) {
  const operation = OPERATIONS.find(({ name }) => name === 'spotlight');
  assert.ok(operation !== undefined);
  const context = { store, configuration: withDefaults({}), control: {}, documents: [], representation: 'body' };
  const answer = await operation.run(context, confidence === undefined ? { text } : { text, confidence });
  assert.equal(answer.kind, 'body');
  return (answer as { body: unknown }).body as { annotations: Annotation[]; truncated: boolean };
}

const shown = ({ annotations }: { annotations: readonly Annotation[] }) =>
  annotations.map(({ surface, iri, offset, confidence }) => `${offset} ${surface} ${iri.slice(19)} ${confidence}`);

onBothStores('EX-8.2: labels at their offsets, whatever the case; not above their confidence', async (store) => {
  await knot(store, 'ex:traefik rdfs:label "Traefik" ; a ex:Proxy . ex:kota rdfs:label "Kota" .');
  const found = await spot(store, 'traefik on kota');
  assert.deepEqual(found.annotations, [
    { surface: 'traefik', iri: 'http://example.org/traefik', type: 'Proxy', confidence: 0.95, offset: 0 },
    { surface: 'kota', iri: 'http://example.org/kota', type: 'Thing', confidence: 0.95, offset: 11 },
  ]);
  assert.deepEqual((await spot(store, 'traefik on kota', 0.96)).annotations, []);
});

onBothStores(
  'local names, overlapping labels, one annotation per entity and place, names that ended',
  async (store) => {
    await knot(
      store,
      `ex:york rdfs:label "York" . ex:ny rdfs:label "New York", "new york city" . ex:plain ex:p 1 . ex:x rdfs:label "x" .
     <urn:thing:colon> ex:p 1 . ex:other rdfs:label "plain" . ex:gone rdfs:label "gone away" .`,
    );
    await spot(store, 'warm');
    await store.retract('http://example.org/gone');
    await knot(store, 'ex:l8 rdfs:label "too late" .');
    assert.deepEqual(shown(await spot(store, 'x New York City, plain; colon gone away too late')), [
      '2 New York City ny 0.95',
      '6 York york 0.95',
      '17 plain other 0.95',
      '17 plain plain 0.85',
      '24 colon  0.85',
      '40 too late l8 0.95',
    ]);
    assert.deepEqual(shown(await spot(store, 'yorkshire newyork _york york_ yorks 9york')), []);
    assert.deepEqual(shown(await spot(store, '(york)-york. "YORK"', 0.9)), [
      '1 york york 0.95',
      '7 york york 0.95',
      '14 YORK york 0.95',
    ]);
  },
);

onBothStores('words of every script; offsets count code points; case folds one code point at a time', async (store) => {
  await knot(
    store,
    `ex:net rdfs:label "网络" . ex:deploy rdfs:label "部署" . ex:street rdfs:label "Straße" . ex:road rdfs:label "ΟΔΟΣ" .
     ex:moscow rdfs:label "Москва" . ex:c1 rdfs:label "cafe\\u0301" . ex:thai rdfs:label "กรุงเทพ" . ex:rocket rdfs:label "🚀 one" .`,
  );
  assert.deepEqual(shown(await spot(store, '😀我部署了网络')), ['2 部署 deploy 0.95', '5 网络 net 0.95']);
  assert.deepEqual(shown(await spot(store, 'İ STRASSE οδος москва')), [
    '2 STRASSE street 0.95',
    '10 οδος road 0.95',
    '15 москва moscow 0.95',
  ]);
  assert.deepEqual(shown(await spot(store, 'москвас cafe cafe\u0301 อยู่กรุงเทพ 🚀 one')), [
    '13 cafe\u0301 c1 0.95',
    '23 กรุงเทพ thai 0.95',
    '31 🚀 one rocket 0.95',
  ]);
});

test('more than a thousand annotations are cut, and a long text is gone through once', async () => {
  const store = await openStore(':memory:');
  await knot(store, 'ex:kota rdfs:label "kota" . ex:long rdfs:label "a a a a a a a b" .');
  const found = await spot(store, 'kota '.repeat(1001));
  assert.deepEqual([found.annotations.length, found.truncated, found.annotations.at(-1)?.offset], [1000, true, 4995]);
  const { annotations, truncated } = await spot(store, `${'a '.repeat(100_000)}kota`);
  assert.deepEqual([annotations.length, truncated], [1, false]);
  await store.close();
});

test('names are looked up by the words of the text, however many there are; those beyond the bound of memory are found, too', async () => {
  const engine = await openLmdbEngine(new StoreFolder().fresh(), { create: true });
  const stage = engine.stage({ timestamp: 1 });
  const node = (at: number) => terms.namedNode(`http://example.org/n${at}`);
  const labels = Array.from({ length: 12_000 }, (_, at) => `host ${at} in hall ${at % 7}`);
  stage.assert(labels.map((one, at) => terms.quad(node(at), terms.namedNode(LABEL), terms.literal(one))));
  await stage.commit().durable;
  const snapshot = engine.snapshot();
  const given = `${'word '.repeat(2000)}host 17 in hall 3, n5 and host 3999 in hall 2. ${'host '.repeat(2000)}`;
  const find = (names: Names) => findMentions(snapshot, names, given, 0, {});
  const kept = new Names();
  const found = await find(kept);
  assert.deepEqual(
    found.annotations.map(({ iri, surface, confidence }) => [iri, surface, confidence]),
    [
      [node(17).value, 'host 17 in hall 3', 0.95],
      [node(5).value, 'n5', 0.85],
      [node(3999).value, 'host 3999 in hall 2', 0.95],
    ],
  );
  const small = new Names(undefined, 200_000);
  assert.deepEqual(await find(small), found);
  assert.deepEqual(await find(small), found);
  const tables: NameTable[] = [];
  for await (const table of kept.tables(snapshot, {})) tables.push(table);
  assert.equal(tables.length, 1);
  // A word and the few that follow it while they begin a name; the names themselves are not gone through.
  const [{ lookups }] = tables as [NameTable];
  const words = given.split(' ').length;
  assert.ok(lookups < 5 * words, `${lookups} for ${words} words`);
  let parts = 0;
  for await (const _ of small.tables(snapshot, {})) parts++;
  assert.ok(parts > 1);
  snapshot.close();
  await engine.close();
});

const piece = fc.constantFrom('a', 'b', 'ab', 'é', 'ß', ' ', ' ', '-', '_', '网', '😀', 'A');
const text = fc.array(piece, { maxLength: 14 }).map((parts) => parts.join(''));
const label = fc.array(piece, { minLength: 1, maxLength: 4 }).map((parts) => parts.join(''));

const foldOf = (character: string): string => character.toUpperCase().toLowerCase();
const isLetter = (character: string | undefined): boolean =>
  character !== undefined && /[\p{L}\p{N}_]/u.test(character) && character !== '网';

/** Every label at every place. */
function plainly(given: string, labels: readonly string[]): string[] {
  const characters = [...given];
  const found = new Map<string, string>();
  for (let from = 0; from < characters.length; from++) {
    for (let to = from + 1; to <= characters.length; to++) {
      const isBound = (at: number) => !(isLetter(characters[at - 1]) && isLetter(characters[at]));
      if (!isBound(from) || !isBound(to)) continue;
      const folded = characters.slice(from, to).map(foldOf).join('');
      for (const [at, one] of labels.entries()) {
        if ([...one].length < 2 || [...one].map(foldOf).join('') !== folded) continue;
        found.set(`${from} e${at}`, `${from} ${characters.slice(from, to).join('')} e${at} 0.95`);
      }
    }
  }
  return [...found.values()].sort();
}

test('random texts and labels: what plain search finds', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(label, { maxLength: 6 }), text, async (labels, given) => {
      const store = await openStore(':memory:');
      const lines = labels.map((one, at) => `ex:e${at} rdfs:label ${JSON.stringify(one)} .`);
      await knot(store, lines.join('\n'));
      assert.deepEqual(shown(await spot(store, given, 0.9)).sort(), plainly(given, labels));
      await store.close();
    }),
    { numRuns: 150 },
  );
});

test('names are the values of every predicate of labels, and of those that are given', async () => {
  const engine = await openLmdbEngine(new StoreFolder().fresh(), { create: true });
  const stage = engine.stage({ timestamp: 1 });
  const about = (name: string, predicate: string, label: string) =>
    terms.quad(terms.namedNode(`http://example.org/${name}`), terms.namedNode(predicate), terms.literal(label));
  stage.assert([
    about('a', LABEL, 'Blue Moon'),
    about('b', 'http://www.w3.org/2004/02/skos/core#prefLabel', 'Blue Sun'),
    about('c', 'https://schema.org/name', 'Blue Star'),
    about('d', 'http://example.org/title', 'Blue Sky'),
  ]);
  await stage.commit().durable;
  const snapshot = engine.snapshot();
  const text = 'blue moon, blue sun, blue star, blue sky';
  const found = async (names: Names): Promise<string[]> =>
    (await findMentions(snapshot, names, text, 0.9, {})).annotations.map(({ iri }) => iri.slice(-1));
  assert.deepEqual(await found(new Names()), ['a', 'b', 'c']);
  assert.deepEqual(await found(new Names(['http://example.org/title'])), ['d']);
  const means = async (labels: Labels): Promise<string[]> => {
    const [matches = []] = await resolveNames(snapshot, labels, [{ name: 'blue s' }], { topK: 9, threshold: 0.8 }, {});
    return matches.map(({ iri }) => iri.slice(-1)).sort();
  };
  assert.deepEqual(await means(new Labels()), ['a', 'b', 'c']);
  assert.deepEqual(await means(new Labels(['http://example.org/title', LABEL])), ['a', 'd']);
  snapshot.close();
  await engine.close();
});
