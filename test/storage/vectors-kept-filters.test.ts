/** A filter that is asked again answers as one that is asked for the first time, whatever happened between. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { foldVectors } from '../../engine/storage/indexes/vectors/fold-vectors.js';
import { loadedVectors } from '../../engine/storage/indexes/vectors/loaded-vectors.js';
import type { VectorMoment } from '../../engine/storage/indexes/vectors/vector-reader.js';
import { readHead } from '../../engine/storage/indexes/vectors/vector-records.js';
import { VECTORS } from '../../engine/storage/indexes/vectors/vectors.js';
import { openLmdbEngine } from '../../engine/storage/lmdb-store/open.js';
import type { StorageSnapshot } from '../../engine/storage/seam/scan.js';
import { randomNumbers } from './scan-support.js';
import { write } from './stage-support.js';
import { embed, idsOf, nameOf, textOf } from './support/embedded-store.js';
import { StoreFolder } from './support/store-folder.js';
import { cosine, labelled } from './support/vector-oracle.js';

const folder = new StoreFolder();
const COUNT = 12_000;

test('filters that are kept answer as new ones: by turns, after writes, folds and of the past, within their room', async () => {
  const engine = await openLmdbEngine(folder.fresh());
  const next = randomNumbers(17);
  const all = Array.from({ length: COUNT }, (_, at) => at);
  const data = await embed(engine, COUNT, 24, 12, 5);
  // Some are kept side by side, others take their place, and the last is too large.
  const filters = [1100, 1300, 1500, 1700, 1900, COUNT / 2].map((count) => all.filter(() => next(COUNT) < count));
  const columns = filters.map((among) => idsOf(engine, among));
  const gone = new Set<number>();
  const check = async (snapshot: StorageSnapshot, hidden: ReadonlySet<number>, moment: VectorMoment = {}) => {
    const reader = VECTORS.at(snapshot.indexView());
    for (let ask = 0; ask < 30; ask++) {
      const at = ask < 12 ? ask >> 1 : next(filters.length);
      const query = data.query();
      const request = { query, limit: 5, candidates: (columns[at] as Uint32Array).slice(), ...moment };
      const found = await reader.nearest({ ...request, backend: ask % 3 === 0 ? 'ann' : 'brute' }, {});
      const scores = (filters[at] as number[])
        .filter((one) => !hidden.has(one))
        .map((one) => cosine(data.vectors[one] as Float32Array, query))
        .sort((a, b) => b - a);
      assert.deepEqual(
        found.map(({ score }) => score.toFixed(9)),
        scores.slice(0, 5).map((score) => score.toFixed(9)),
      );
    }
  };
  const now = async (): Promise<void> => {
    const snapshot = engine.snapshot();
    await check(snapshot, gone);
    snapshot.close();
  };
  await now();
  await foldVectors(engine, {}, true);
  await now();
  const before = engine.snapshot();
  const { tx } = before;
  for (const at of all) if (next(3) === 0) gone.add(at);
  await write(engine, {
    retract: [...gone].map((at) => labelled(nameOf(at), textOf(at))),
    assert: [...gone].map((at) => labelled(nameOf(at), 'another text')),
  });
  await now();
  // One that was opened before sees all; so does the past of a new one, by turns with its present.
  await check(before, new Set());
  before.close();
  const snapshot = engine.snapshot();
  await check(snapshot, new Set(), { asOf: tx });
  await check(snapshot, gone);
  await check(snapshot, new Set(), { asOf: tx });
  const { store, transaction } = snapshot.indexView();
  const { filters: kept } = loadedVectors({ head: readHead(store, transaction), store, transaction });
  assert.ok(kept.bytes > 0 && kept.bytes <= 65_536 + 1.25 * COUNT, `${kept.bytes} bytes are kept`);
  snapshot.close();
  await engine.close();
});
