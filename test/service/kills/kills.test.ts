/**
 * Processes that write, and make what searches and rules need besides, are killed at random moments: of the making of the
 * index of texts and its segments, of vectors and theirs, of the drop of vectors for those of another model, of runs of rules.
 * Reopened, the store is sound, has every batch that was acknowledged, and answers as a plain list of what was written does.
 *
 * SVC_KILLS sets how many are killed, SVC_KILLS_SEED what they write and when they die.
 */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setTimeout } from 'node:timers/promises';
import { VECTORS } from '../../../engine/storage/indexes/vectors/vectors.js';
import type { StorageEngine } from '../../../engine/storage/seam/engine.js';
import { lookInto } from '../../../engine/storage/seam/rows.js';
import { openStore, type Store } from '../../../interfaces/library/index.js';
import { vectorOfText } from '../../search/embeddings/fake-service.js';
import { randomNumbers } from '../../storage/scan-support.js';
import { child, killed as killedNow } from '../../storage/support/children.js';
import { StoreFolder } from '../../storage/support/store-folder.js';
import { cosine } from '../../storage/support/vector-oracle.js';
import { RULES, truthAfter, WORDS } from './batches.js';
import { MODELS, providerOf } from './models.js';

const KILLS = Number(process.env.SVC_KILLS ?? 6);
const SEED = Number(process.env.SVC_KILLS_SEED ?? 1);
const KILLS_PER_STORE = 20;
const LIFE_MS = 400;
const BATCHES_LIVED_MAX = 12;
const ALL = { limit: 10_000, limitMax: 10_000 };
const WRITE_BATCHES = new URL('./write-batches.js', import.meta.url);
const folder = new StoreFolder();

interface Life {
  readonly began: number;
  readonly acknowledged: number;
  readonly reasoned: number;
}

async function killed(path: string, seed: number, there: number, next: (below: number) => number): Promise<Life> {
  const writing = child(WRITE_BATCHES, [path, seed, there].map(String));
  await writing.line('opened');
  // However slow the machine is, most begin some batches.
  const lives = next(4) > 0;
  if (lives) await writing.line(`began ${there + 1 + next(BATCHES_LIVED_MAX)}`);
  await setTimeout(next(lives ? LIFE_MS / 4 : LIFE_MS));
  const { lines } = await killedNow(writing);
  const last = (word: string): number =>
    Math.max(0, ...lines.filter((line) => line.startsWith(word)).map((line) => Number(line.split(' ')[1])));
  return { began: last('began'), acknowledged: last('acknowledged'), reasoned: last('reasoned') };
}

async function rowsOf(store: Store, text: string): Promise<string[][]> {
  const answer = await store.select(text);
  const rows: string[][] = [];
  for await (const row of answer.rows()) rows.push(row.map((term) => term?.value ?? ''));
  return rows;
}

async function assertTexts(store: Store, labels: ReadonlyMap<string, string>, word: string): Promise<void> {
  const expected = [...labels].flatMap(([iri, label]) => (label.split(' ').includes(word) ? [iri] : [])).sort();
  for (const textBackend of ['index', 'substring'] as const) {
    const { nodes } = await store.searchNodes(word, { ...ALL, textBackend });
    assert.deepEqual(nodes.map(({ iri }) => iri).sort(), expected, `${textBackend}: ${word}`);
  }
  const asked = `SELECT ?s { ?s <http://www.w3.org/2000/01/rdf-schema#label> ?l FILTER(CONTAINS(?l, "${word}")) }`;
  assert.deepEqual((await rowsOf(store, asked)).flat().sort(), expected, `CONTAINS: ${word}`);
}

/** Every vector that is found is that of the text that its entity has. Returns how many there are. */
async function assertVectors(store: Store, labels: ReadonlyMap<string, string>, dimension: number, text: string) {
  const embedding = vectorOfText(text, dimension);
  const { results, embeddings } = await store.search({ embedding, ...ALL });
  assert.equal(results.length, embeddings.embeddedEntities);
  const scoreOf = (own: string): number =>
    cosine(Float32Array.from(vectorOfText(own, dimension)), Float32Array.from(embedding));
  const expected = results.map(({ iri }) => ({ iri, score: scoreOf(labels.get(iri) ?? 'batches') }));
  for (const [at, { iri, score }] of results.entries()) {
    if (!labels.has(iri)) continue;
    assert.ok(Math.abs(score - (expected[at]?.score ?? 2)) < 1e-9, `${iri} scores ${score}`);
  }
  return results.filter(({ iri }) => labels.has(iri)).length;
}

async function judge(path: string, next: (below: number) => number, life: Life): Promise<{ batches: number }> {
  const store = await openStore(path);
  try {
    const report = await store.verify();
    assert.deepEqual(report.problems, []);
    const batches = (await rowsOf(store, 'SELECT ?b { ?s <http://example.org/has> ?b }')).length;
    assert.ok(batches >= life.acknowledged, `batch ${life.acknowledged} was acknowledged, there are ${batches}`);
    assert.ok(batches <= life.began, `batch ${life.began} was the last that was begun, there are ${batches}`);
    const { labels } = truthAfter(batches);
    const rows = await rowsOf(store, 'SELECT ?s ?l { ?s <http://www.w3.org/2000/01/rdf-schema#label> ?l }');
    assert.deepEqual(new Map(rows.map(([s = '', l = '']) => [s, l])), labels);
    for (let i = 0; i < 3; i++) await assertTexts(store, labels, WORDS[next(WORDS.length)] as string);
    await assertDerived(store, life, batches);
    const word = WORDS[next(WORDS.length)] as string;
    const { model } = await modelOf(store);
    const known = MODELS.find(({ name }) => name === model);
    if (known !== undefined) await assertVectors(store, labels, known.dimension, word);
    return { batches };
  } finally {
    await store.close();
  }
}

/** What rules derived is what follows from the batches up to one of them: a run is there as a whole, or not at all. */
async function assertDerived(store: Store, { reasoned }: Life, batches: number): Promise<void> {
  const asked = 'SELECT ?x ?y FROM <urn:svc:graph:root#inferred> { ?x <http://example.org/reaches> ?y }';
  const derived = (await rowsOf(store, asked)).map((row) => row.join(' ')).sort();
  const possible = Array.from({ length: batches - reasoned + 1 }, (_, at) => truthAfter(reasoned + at).reaches);
  const older = reasoned === 0 ? Array.from({ length: batches }, (_, at) => truthAfter(at).reaches) : [];
  const isWhole = [...possible, ...older].some(
    (one) => one.length === derived.length && one.every((pair, at) => pair === derived[at]),
  );
  assert.ok(isWhole, `${derived.length} derived facts are those of no batch from ${reasoned} to ${batches}`);
}

async function modelOf(store: Store): Promise<{ readonly model: string | null }> {
  const { engine } = store as unknown as { readonly engine: StorageEngine };
  return lookInto(engine.snapshot(), (snapshot) => ({ model: VECTORS.at(snapshot.indexView()).model }));
}

/** What was left half done is completed by who comes next. */
async function complete(path: string, next: (below: number) => number, batches: number): Promise<void> {
  const model = MODELS[next(MODELS.length)] as (typeof MODELS)[number];
  const store = await openStore(path, { embeddings: { provider: providerOf(model) } });
  try {
    const { labels } = truthAfter(batches);
    const { remaining, failure } = await store.migrateVectors();
    assert.deepEqual([remaining, failure], [0, null]);
    await store.reason({ rules: RULES, prefix: 'http://example.org/' });
    await assertDerived(store, { began: batches, acknowledged: batches, reasoned: batches }, batches);
    assert.equal(await assertVectors(store, labels, model.dimension, WORDS[next(WORDS.length)] as string), labels.size);
    await store.indexTexts();
    await store.fold();
    for (let i = 0; i < 3; i++) await assertTexts(store, labels, WORDS[next(WORDS.length)] as string);
    assert.deepEqual((await store.verify()).problems, []);
  } finally {
    await store.close();
  }
}

test(`${KILLS} kills of what searches and rules need`, { timeout: 60_000 + 20_000 * KILLS }, async () => {
  const next = randomNumbers(SEED);
  let [kills, written, path, newest] = [0, 0, '', 0];
  for (; kills < KILLS; kills++) {
    if (kills % KILLS_PER_STORE === 0) [path, newest] = [folder.fresh(), 0];
    const seed = SEED * 10_000 + kills;
    const life = await killed(path, seed, newest, next);
    const all = { ...life, began: Math.max(newest, life.began), acknowledged: Math.max(newest, life.acknowledged) };
    try {
      const { batches } = await judge(path, next, all);
      written += batches - newest;
      newest = batches;
      if (next(4) === 0) await complete(path, next, newest);
    } catch (error) {
      throw new Error(`seed ${SEED}, kill ${kills}: ${(error as Error).message}`, { cause: error });
    }
  }
  assert.ok(written >= KILLS, `they lived long enough to write: ${written} batches`);
});
