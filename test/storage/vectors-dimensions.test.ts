/** Vectors of unusual lengths, norms and filters, asked exactly and in lists, held against plain cosines. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { hashOfText } from '../../engine/storage/indexes/vectors/entity-text.js';
import { foldVectors } from '../../engine/storage/indexes/vectors/fold-vectors.js';
import { putVectors } from '../../engine/storage/indexes/vectors/put-vectors.js';
import type { NearestRequest } from '../../engine/storage/indexes/vectors/vector-reader.js';
import { VECTORS } from '../../engine/storage/indexes/vectors/vectors.js';
import { openLmdbEngine } from '../../engine/storage/lmdb-store/open.js';
import type { StorageEngine } from '../../engine/storage/seam/engine.js';
import { columnOf } from '../../engine/storage/seam/rows.js';
import { node, randomNumbers } from './scan-support.js';
import { write } from './stage-support.js';
import { idsOf, nameOf, textOf } from './support/embedded-store.js';
import { StoreFolder } from './support/store-folder.js';
import { cosine, labelled } from './support/vector-oracle.js';

const folder = new StoreFolder();
const DIMENSIONS = [1, 2, 3, 383, 385, 1536, 4096];
const CLUSTERS = 9;
/** So few rows have lists here. */
const LISTS_ROWS_MIN = 1;

/** Near to few directions, of lengths that f32 can only just hold; some all zeros, ten the same. */
function vectorsOf(count: number, dimension: number, next: (below: number) => number): Float32Array[] {
  const numbers = (size: number) => Float32Array.from({ length: dimension }, () => size * (next(2001) / 1000 - 1));
  const centres = Array.from({ length: CLUSTERS }, () => numbers(1));
  return Array.from({ length: count }, (_, at) => {
    if (at % 97 === 5) return new Float32Array(dimension);
    const size = [1, 1e37, 1e-37, 1e-3][next(4)] as number;
    const centre = centres[at < 10 ? 0 : at % CLUSTERS] as Float32Array;
    const noise = numbers(at < 10 ? 0 : 0.4);
    return noise.map((number, i) => size * (number + (centre[i] as number)));
  });
}

async function fill(engine: StorageEngine, vectors: readonly Float32Array[]): Promise<void> {
  const { tx } = await write(engine, { assert: vectors.map((_, at) => labelled(nameOf(at), textOf(at))) });
  assert.equal(tx, 1);
  const snapshot = engine.snapshot();
  const kept = vectors.map((vector, at) => ({
    entity: snapshot.encode(node(nameOf(at))) as bigint,
    textHash: hashOfText(textOf(at)),
    vector,
  }));
  snapshot.close();
  await putVectors(engine, 'model', (vectors[0] as Float32Array).length, kept);
}

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

/** Which rows come last may differ where they score alike within rounding; what they score may not. */
function assertNearest(
  answer: readonly [number, number][],
  query: Float32Array,
  vectors: readonly Float32Array[],
  among: readonly number[],
  limit: number,
  what: string,
): void {
  const scores = among.map((at) => cosine(vectors[at] as Float32Array, query)).sort((a, b) => b - a);
  assert.equal(answer.length, Math.min(limit, among.length), what);
  assert.equal(new Set(answer.map(([at]) => at)).size, answer.length, what);
  const allowed = new Set(among);
  for (const [place, [at, score]] of answer.entries()) {
    assert.ok(allowed.has(at), `${what}: ${at} does not pass the filter`);
    assert.ok(Math.abs(score - (scores[place] as number)) < 1e-12, `${what}, place ${place}`);
    assert.ok(Math.abs(score - cosine(vectors[at] as Float32Array, query)) < 1e-12, `${what}, place ${place}`);
  }
}

test('vectors of every length are found exactly, with filters that let none, one, some near, half and all pass, now and in the past', async () => {
  const next = randomNumbers(11);
  for (const dimension of DIMENSIONS) {
    const count = dimension > 1000 ? 530 : 700;
    const engine = await openLmdbEngine(folder.fresh());
    const vectors = vectorsOf(count, dimension, next);
    await fill(engine, vectors);
    const all = vectors.map((_, at) => at);
    const filters = {
      none: [],
      one: [count - 1],
      'near to each other': all.filter((at) => at % CLUSTERS === 3),
      'one of ten': all.filter(() => next(10) === 0),
      half: all.filter(() => next(2) === 0),
      'nearly all': all.slice(1),
      all,
    };
    const check = async (state: string, isThere: (at: number) => boolean, moment: { readonly asOf?: number }) => {
      const queries = [vectorsOf(CLUSTERS + 9, dimension, next).at(-1), vectors[1], new Float32Array(dimension)];
      for (const query of queries as Float32Array[]) {
        for (const [filter, among] of Object.entries(filters)) {
          const candidates = filter === 'all' ? undefined : idsOf(engine, among);
          for (const backend of ['brute', 'ann'] as const) {
            const limit = [1, 10, 40][next(3)] as number;
            const answer = await found(engine, { query, limit, candidates, backend, ...moment });
            const what = `${dimension} numbers, ${state}, ${filter}, ${backend}, ${limit}`;
            assertNearest(answer, query, vectors, among.filter(isThere), limit, what);
          }
        }
      }
    };
    await check('not folded', () => true, {});
    await foldVectors(engine, {}, true, LISTS_ROWS_MIN);
    await check('folded', () => true, {});
    const gone = new Set(all.filter((at) => at < 4 || next(3) === 0));
    await write(engine, { retract: [...gone].map((at) => labelled(nameOf(at), textOf(at))) });
    await check('some gone', (at) => !gone.has(at), {});
    await check('as of before', () => true, { asOf: 1 });
    const first = vectors[1] as Float32Array;
    const again = { entity: idIn(engine, 7), textHash: hashOfText(textOf(7)), vector: first };
    await assert.rejects(putVectors(engine, 'another model', dimension, [again]), /are those of the model model/);
    assert.deepEqual((await engine.verify({})).problems, []);
    await engine.close();
  }
});

function idIn(engine: StorageEngine, at: number): bigint {
  const snapshot = engine.snapshot();
  try {
    return snapshot.encode(node(nameOf(at))) as bigint;
  } finally {
    snapshot.close();
  }
}

test('equal vectors come by IRI, in lists too', async () => {
  const engine = await openLmdbEngine(folder.fresh());
  const vectors = vectorsOf(600, 5, randomNumbers(4));
  const same = vectors[300] as Float32Array;
  for (let at = 300; at < 600; at += 30) vectors[at] = same;
  await fill(engine, vectors);
  await foldVectors(engine, {}, true, LISTS_ROWS_MIN);
  const answer = await found(engine, {
    query: same,
    limit: 4,
    backend: 'brute',
    candidates: idsOf(engine, vectors.map((_, at) => at).slice(250)),
  });
  assert.deepEqual(
    answer.map(([at]) => at),
    [300, 330, 360, 390],
  );
  await engine.close();
});
