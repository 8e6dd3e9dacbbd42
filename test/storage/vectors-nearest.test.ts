/** How vectors are found among many: exactly, or nearly so; with filters that are complete before anything is ranked. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { foldVectors } from '../../engine/storage/indexes/vectors/fold-vectors.js';
import type { NearestRequest } from '../../engine/storage/indexes/vectors/vector-reader.js';
import { readHead } from '../../engine/storage/indexes/vectors/vector-records.js';
import { VECTORS } from '../../engine/storage/indexes/vectors/vectors.js';
import { openLmdbEngine } from '../../engine/storage/lmdb-store/open.js';
import type { StorageEngine } from '../../engine/storage/seam/engine.js';
import { columnOf } from '../../engine/storage/seam/rows.js';
import { randomNumbers } from './scan-support.js';
import { write } from './stage-support.js';
import { type Embedded, embed, idsOf, nameOf, textOf } from './support/embedded-store.js';
import { StoreFolder } from './support/store-folder.js';
import { cosine, labelled } from './support/vector-oracle.js';

const folder = new StoreFolder();

async function found(engine: StorageEngine, request: NearestRequest): Promise<[number, number][]> {
  const snapshot = engine.snapshot();
  try {
    const entities = await VECTORS.at(snapshot.indexView()).nearest(request, {});
    const names = snapshot.decode(columnOf(entities.map(({ entity }) => entity)), entities.length);
    return entities.map(({ score }, at) => [Number((names[at] as { value: string }).value.slice(-6)), score]);
  } finally {
    snapshot.close();
  }
}

function nearest({ vectors }: Embedded, query: Float32Array, limit: number, among: readonly number[]) {
  const scored = among.map((at): [number, number] => [at, cosine(vectors[at] as Float32Array, query)]);
  return scored.sort((a, b) => b[1] - a[1] || a[0] - b[0]).slice(0, limit);
}

const segmentsOf = (engine: StorageEngine) => {
  const snapshot = engine.snapshot();
  const { store, transaction } = snapshot.indexView();
  const { segments } = readHead(store, transaction);
  snapshot.close();
  return segments;
};

test('exact answers are those of a plain comparison with all, with any filter, folded and not', async () => {
  const engine = await openLmdbEngine(folder.fresh());
  const next = randomNumbers(3);
  const all = Array.from({ length: 4000 }, (_, at) => at);
  const data = await embed(engine, all.length, 33, 20, 9);
  const check = async (among: readonly number[], candidates?: Uint32Array) => {
    for (const limit of [1, 10, 300]) {
      const query = data.query();
      const answer = await found(engine, { query, limit, candidates, backend: 'brute' });
      const expected = nearest(data, query, limit, among);
      assert.deepEqual(
        answer.map(([at]) => at),
        expected.map(([at]) => at),
      );
      for (const [at, [, score]] of answer.entries()) {
        assert.ok(Math.abs(score - (expected[at] as [number, number])[1]) < 1e-12);
      }
    }
  };
  const filters = [0, 1, 63, 64, 65, 700].map((count) => all.filter(() => next(all.length) < count));
  for (const state of ['not folded', 'folded', 'whole']) {
    if (state !== 'not folded') await foldVectors(engine, {}, state === 'whole');
    await check(all);
    for (const among of filters) await check(among, idsOf(engine, among));
  }
  // Whose text is another now is not found any more, and nothing comes in its place but what was there.
  const gone = new Set(all.filter(() => next(3) === 0));
  await write(engine, {
    retract: [...gone].map((at) => labelled(nameOf(at), textOf(at))),
    assert: [...gone].map((at) => labelled(nameOf(at), 'another text')),
  });
  const left = all.filter((at) => !gone.has(at));
  await check(left);
  await check(
    (filters[5] as number[]).filter((at) => !gone.has(at)),
    idsOf(engine, filters[5] as number[]),
  );
  assert.deepEqual((await engine.verify({})).problems, []);
  await engine.close();
});

test('what scores alike at the cut comes by IRI, however many do', async () => {
  const engine = await openLmdbEngine(folder.fresh());
  const data = await embed(engine, 3000, 8, 1, 4);
  await foldVectors(engine);
  // All zeros: everything scores 0.
  const answer = await found(engine, { query: new Float32Array(8), limit: 7, backend: 'brute' });
  assert.deepEqual(
    answer,
    Array.from({ length: 7 }, (_, at) => [at, 0]),
  );
  assert.equal(data.vectors.length, 3000);
  await engine.close();
});

test('lists find nearly all of the nearest, with filters too', async () => {
  const engine = await openLmdbEngine(folder.fresh());
  const count = 60_000;
  const data = await embed(engine, count, 16, 300, 21);
  await foldVectors(engine, {}, true);
  assert.ok((segmentsOf(engine)[0]?.lists ?? 0) > 100);
  const all = Array.from({ length: count }, (_, at) => at);
  const next = randomNumbers(8);
  const kinds = {
    all,
    'most, by chance': all.filter(() => next(100) < 90),
    '1 %, by chance': all.filter(() => next(100) === 0),
    'clusters, 90 %': all.filter((at) => (data.clusterOf[at] as number) >= 30),
    'clusters, 1 %': all.filter((at) => (data.clusterOf[at] as number) < 3),
  };
  for (const [kind, among] of Object.entries(kinds)) {
    const candidates = kind === 'all' ? undefined : idsOf(engine, among);
    let right = 0;
    for (let at = 0; at < 10; at++) {
      const query = data.query();
      const expected = new Set(nearest(data, query, 10, among).map(([one]) => one));
      const answer = await found(engine, { query, limit: 10, candidates, backend: 'ann' });
      right += answer.filter(([one]) => expected.has(one)).length;
    }
    assert.ok(right >= 0.99 * 100, `${kind}: ${right} of 100`);
  }
  assert.deepEqual((await engine.verify({})).problems, []);
  await engine.close();
});
