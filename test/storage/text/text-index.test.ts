/** The text index against a plain one that reads every term, over random writes, folds, and openings. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import stemmers from 'snowball-stemmers';
import { type Literal, type Quad, type Term, terms } from '../../../engine/rdf/terms.js';
import type { FileView } from '../../../engine/storage/indexes/secondary-index.js';
import { foldCase } from '../../../engine/storage/indexes/text/fold-case.js';
import {
  impactByte,
  impactTable,
  inverseFrequency,
  lesserImpact,
} from '../../../engine/storage/indexes/text/impact.js';
import { WORTH_UNIT } from '../../../engine/storage/indexes/text/rank.js';
import { TEXT } from '../../../engine/storage/indexes/text/text-index.js';
import type { TextReader } from '../../../engine/storage/indexes/text/text-reader.js';
import { wordsOf } from '../../../engine/storage/indexes/text/words.js';
import { LmdbFile } from '../../../engine/storage/lmdb/file.js';
import { openLmdbEngine } from '../../../engine/storage/lmdb-store/open.js';
import { repairFile } from '../../../engine/storage/repair/repair.js';
import type { StorageEngine } from '../../../engine/storage/seam/engine.js';
import { columnOf, idIn } from '../../../engine/storage/seam/rows.js';
import type { IdColumn, StorageSnapshot } from '../../../engine/storage/seam/scan.js';
import { load, node, quad, randomNumbers } from '../scan-support.js';
import { write } from '../stage-support.js';
import { StoreFolder } from '../support/store-folder.js';

const folder = new StoreFolder();
const WORDS = [
  'run',
  'runs',
  'running',
  'proxy',
  'Proxies',
  'Müller',
  'straße',
  'STRASSE',
  '東京都',
  'x1',
  'of',
  'the',
  'a',
  'internationalise',
  'internationalises',
  'internationalx',
];
const english = stemmers.newStemmer('english');
const noPace = (): void => undefined;

function reader(snapshot: StorageSnapshot): TextReader {
  return TEXT.at(snapshot.indexView() as FileView);
}

/** All literals and IRIs that the store has ever had, with their numbers. */
function everyTerm(known: readonly Term[], snapshot: StorageSnapshot): { term: Term; id: bigint }[] {
  const found = new Map<bigint, Term>();
  for (const term of known) {
    const id = snapshot.encode(term);
    if (id !== null) found.set(id, term);
  }
  return [...found].map(([id, term]) => ({ id, term }));
}

const idsIn = (column: IdColumn): bigint[] => Array.from({ length: column.length / 2 }, (_, row) => idIn(column, row));
const numberOf = (id: bigint): number => Number(id & 0xffffffffffffn);

/** What the index should answer to words: literal by literal. */
function plainBest(literals: readonly { term: Literal; id: bigint }[], query: readonly string[], limit: number) {
  const texts = literals.map(({ term, id }) => ({ words: wordsOf(term.value), id }));
  const mean = texts.reduce((sum, { words }) => sum + words.length, 0) / Math.max(1, texts.length);
  const table = impactTable(mean);
  const lists = query.map((word) =>
    texts.map(({ words }) => {
      const impacts: number[] = [];
      const times = words.filter((one) => one === word).length;
      if (times > 0) impacts.push(impactByte(times, words.length));
      const stem = english.stem(word);
      for (const form of new Set(
        words.filter((one) => one !== word && stem.length >= 3 && english.stem(one) === stem),
      )) {
        impacts.push(lesserImpact(impactByte(words.filter((one) => one === form).length, words.length)));
      }
      return Math.max(0, ...impacts.map((impact) => table[impact] as number));
    }),
  );
  const weights = lists.map((list) => inverseFrequency(texts.length, list.filter((worth) => worth > 0).length));
  return texts
    .map(({ id }, at) => ({
      id,
      score: lists.reduce((sum, list, word) => {
        const worth = list[at] as number;
        return sum + (worth === 0 ? 0 : Math.max(1, Math.round(worth * (weights[word] as number) * WORTH_UNIT)));
      }, 0),
    }))
    .filter(({ score }) => score > 0)
    .sort((a, b) => b.score - a.score || numberOf(a.id) - numberOf(b.id))
    .slice(0, limit)
    .map(({ id, score }) => ({ id, score: score / WORTH_UNIT }));
}

function assertRight(snapshot: StorageSnapshot, known: readonly Term[], next: (most: number) => number): void {
  const all = everyTerm(known, snapshot);
  const literals = all.filter((one): one is { term: Literal; id: bigint } => one.term.termType === 'Literal');
  const index = reader(snapshot);
  for (let round = 0; round < 6; round++) {
    const query = [...new Set(Array.from({ length: 1 + next(3) }, () => WORDS[next(WORDS.length)] as string))];
    const words = [...new Set(query.flatMap((word) => wordsOf(word)))];
    const limit = 1 + next(30);
    const { ids, scores } = index.best(query.join(' '), limit, {}, noPace);
    const found = ids.map((id, at) => ({ id, score: scores[at] as number }));
    assert.deepEqual(found, plainBest(literals, words, limit), query.join(' '));
    const part = ['r', 'ru', 'prox', 'STRASS', 'üL', '京', 's x1 o', 'example.org/s1', 'nowhere to be found'][
      next(9)
    ] as string;
    // What the test does not know are the names of the store itself.
    const own = new Set(all.map(({ id }) => id));
    for (const kinds of ['literals', 'iris', 'both'] as const) {
      const type = { literals: 'Literal', iris: 'NamedNode', both: null }[kinds];
      const holding = all.filter(
        ({ term }) => (type === null || term.termType === type) && foldCase(term.value).includes(foldCase(part)),
      );
      const given = idsIn(index.containing(part, kinds, noPace)).filter((id) => own.has(id));
      const expected = holding.map(({ id }) => id).sort((a, b) => (a < b ? -1 : 1));
      assert.deepEqual(given, expected, `${part}, ${kinds}`);
    }
  }
}

test('words and parts are found as a plain reading finds them, whatever is in segments', async () => {
  for (const seed of [3, 4, 5]) {
    const path = folder.fresh();
    const options = { bounds: { foldRows: 200 } };
    let engine: StorageEngine = await openLmdbEngine(path, options);
    const next = randomNumbers(seed);
    const known: Term[] = [];
    const some = (): Quad[] =>
      Array.from({ length: next(40) }, () => {
        const text = Array.from({ length: 1 + next(8) }, () => WORDS[next(WORDS.length)]).join(' ');
        const literal = next(3) === 0 ? terms.literal(text, 'en') : terms.literal(text);
        const subject = node(`s${next(30)}`);
        known.push(literal, subject);
        return quad(subject, node('says'), literal);
      });
    for (let round = 0; round < 24; round++) {
      if (round === 3) await engine.indexTexts(['words', 'parts']);
      if (next(4) === 0) await load(engine, some());
      else await write(engine, { assert: some() });
      if (next(3) === 0) await engine.fold({}, next(2) === 0);
      if (next(6) === 0) {
        await engine.close();
        engine = await openLmdbEngine(path, options);
      }
      const snapshot = engine.snapshot();
      assertRight(snapshot, known, next);
      // An older view still finds what it saw.
      const before = [...known];
      await write(engine, { assert: some() });
      if (next(3) === 0) await engine.fold({}, true);
      assertRight(snapshot, before, next);
      snapshot.close();
    }
    await engine.fold({}, true);
    const last = engine.snapshot();
    assert.equal(reader(last).lag('words'), 0);
    assert.equal(reader(last).lag('parts'), 0);
    last.close();
    assert.deepEqual((await engine.verify({})).problems, []);
    await engine.close();
  }
});

test('of what names contain a text, literals that contain it are not read', async () => {
  const engine = await openLmdbEngine(folder.fresh());
  const quads = Array.from({ length: 300 }, (_, at) => quad(node(`s${at}`), node('says'), terms.literal(`run ${at}`)));
  await load(engine, [...quads, quad(node('runner'), node('says'), terms.literal('last'))]);
  await engine.indexTexts(['parts']);
  await engine.fold({}, true);
  const snapshot = engine.snapshot();
  const view = snapshot.indexView() as FileView;
  let read = 0;
  const dictionary = new Proxy(view.dictionary, {
    get: (target, name) => {
      if (name !== 'decodeMany') return Reflect.get(target, name);
      const counted: typeof target.decodeMany = (manifest, transaction, numbers, count, take) => {
        read += count;
        target.decodeMany(manifest, transaction, numbers, count, take);
      };
      return counted;
    },
  });
  const found = (part: string, kinds: 'iris' | 'literals'): number =>
    TEXT.at({ ...view, dictionary }).containing(part, kinds, noPace).length / 2;
  for (const part of ['ru', 'run']) {
    assert.equal(found(part, 'iris'), 1, part);
    assert.equal(found(part, 'literals'), 300, part);
    assert.equal(read, 0, part);
  }
  assert.equal(found('runn', 'iris'), 1);
  assert.equal(read, 1);
  snapshot.close();
  await engine.close();
});

const SAYINGS = [
  'the quick brown fox',
  'a fox of brown',
  'brown fox runs',
  'foxes run',
  'box of brown foxglove',
  'quick fix',
];

async function withSayings(): Promise<StorageEngine> {
  const engine = await openLmdbEngine(folder.fresh());
  await write(engine, { assert: SAYINGS.map((text, at) => quad(node(`s${at}`), node('says'), terms.literal(text))) });
  return engine;
}

function textsOf(snapshot: StorageSnapshot, query: string, all = false): string[] {
  const { ids } = reader(snapshot).best(query, 100, { all }, noPace);
  return snapshot.decode(columnOf(ids), ids.length).map(({ value }) => value);
}

test('phrases, beginnings, near words, and all words', async () => {
  const engine = await withSayings();
  for (const indexed of [false, true]) {
    if (indexed) {
      await engine.indexTexts(['words']);
      await engine.fold({}, true);
    }
    const snapshot = engine.snapshot();
    const sorted = (query: string, all = false): string[] => textsOf(snapshot, query, all).sort();
    assert.deepEqual(sorted('"brown fox"'), ['brown fox runs', 'the quick brown fox']);
    assert.deepEqual(sorted('"fox brown"'), []);
    assert.deepEqual(sorted('fox*'), [
      'a fox of brown',
      'box of brown foxglove',
      'brown fox runs',
      'foxes run',
      'the quick brown fox',
    ]);
    assert.deepEqual(textsOf(snapshot, 'fox~').at(-1), 'box of brown foxglove');
    assert.deepEqual(sorted('fux~').includes('the quick brown fox'), true);
    assert.deepEqual(sorted('brown quick', true), ['the quick brown fox']);
    assert.deepEqual(sorted('"brown fox'), ['brown fox runs', 'the quick brown fox']);
    assert.deepEqual(sorted('?! ...'), []);
    snapshot.close();
  }
  await engine.close();
});

test('whoever may not see all is not told how frequent a word is', async () => {
  const engine = await withSayings();
  const snapshot = engine.snapshot();
  const scoresOf = (): number[] => [...reader(snapshot).best('quick fox', 10, { blind: true }, noPace).scores];
  const before = scoresOf();
  await write(engine, {
    assert: Array.from({ length: 50 }, (_, at) => quad(node('t'), node('says'), terms.literal(`quick ${at} b c`))),
  });
  const after = engine.snapshot();
  const { ids, scores } = reader(after).best('quick fox', 100, { blind: true }, noPace);
  const own = new Set(reader(snapshot).best('quick fox', 10, { blind: true }, noPace).ids);
  assert.deepEqual(
    [...scores].filter((_, at) => own.has(ids[at] as bigint)),
    before,
  );
  snapshot.close();
  after.close();
  await engine.close();
});

const DAMAGES: Readonly<Record<string, (value: Buffer) => Buffer>> = {
  flipped: (value) => {
    value[value.length - 3] = (value[value.length - 3] as number) ^ 0xff;
    return value;
  },
  truncated: (value) => value.subarray(0, value.length >> 1),
  empty: (value) => value.subarray(0, 0),
};

async function assertDamageIsFound(damaged: (value: Buffer) => Buffer): Promise<void> {
  const path = folder.fresh();
  let engine: StorageEngine = await openLmdbEngine(path);
  await write(engine, { assert: SAYINGS.map((text, at) => quad(node(`s${at}`), node('says'), terms.literal(text))) });
  await engine.indexTexts(['words', 'parts']);
  await engine.fold({}, true);
  await engine.close();
  const file = LmdbFile.open(path, { readOnly: false, more: TEXT.databases });
  const keys = file.keysAfter('texts', 'words/', 100) as string[];
  for (const key of keys.filter((one) => one.includes('/v/'))) {
    const value = damaged(file.readCopy('texts', key) as Buffer);
    file.write(() => file.put('texts', key, value));
  }
  await file.close();
  engine = await openLmdbEngine(path);
  const snapshot = engine.snapshot();
  assert.throws(() => textsOf(snapshot, 'fox'), { code: 'store_corrupt' });
  snapshot.close();
  const { problems } = await engine.verify({});
  assert.ok(problems.length > 0 && problems.every(({ where }) => where === 'text index'), JSON.stringify(problems));
  await engine.close();
  const report = await repairFile(path, {});
  assert.deepEqual([report.ok, report.rebuilt, report.lost], [true, ['the text index'], []]);
  engine = await openLmdbEngine(path);
  for (const folded of [false, true]) {
    if (folded) await engine.fold({}, true);
    const repaired = engine.snapshot();
    assert.deepEqual(textsOf(repaired, 'fox').length, 4);
    assert.equal(reader(repaired).lag('words') === 0, folded);
    repaired.close();
  }
  await engine.close();
}

for (const [name, damaged] of Object.entries(DAMAGES)) {
  test(`damage of the index is found, is an error to who reads it, and is taken away by a repair: ${name}`, async () => {
    await assertDamageIsFound(damaged);
  });
}

test('an index that is not wanted any more goes', async () => {
  const path = folder.fresh();
  const engine = await openLmdbEngine(path);
  await write(engine, { assert: SAYINGS.map((text, at) => quad(node(`s${at}`), node('says'), terms.literal(text))) });
  await engine.indexTexts(['words', 'parts']);
  await engine.fold({}, true);
  await engine.indexTexts(['words']);
  await engine.fold({}, true);
  await engine.close();
  const file = LmdbFile.open(path, { readOnly: true, more: TEXT.databases });
  const keys = file.keysAfter('texts', null, 100) as string[];
  assert.deepEqual(
    [keys.some((key) => key.startsWith('words/')), keys.some((key) => key.startsWith('parts/'))],
    [true, false],
  );
  await file.close();
});

test('every word of a query counts, however many there are; a phrase of as many is found nowhere', async () => {
  const engine = await withSayings();
  const snapshot = engine.snapshot();
  const words = Array.from({ length: 20_000 }, (_, at) => `word${at}`).join(' ');
  assert.deepEqual(textsOf(snapshot, `fox ${words}`), textsOf(snapshot, 'fox'));
  assert.deepEqual(textsOf(snapshot, `${words} fox`), textsOf(snapshot, 'fox'));
  assert.deepEqual(textsOf(snapshot, `"${words}"`), []);
  snapshot.close();
  await engine.close();
});
