/** Vectors that are damaged: writes go on, nothing is found by what may be wrong, and a repair makes it good. */

import assert from 'node:assert/strict';
import { copyFileSync } from 'node:fs';
import { test } from 'node:test';
import { SvcError } from '../../engine/base/errors.js';
import { hashOfText } from '../../engine/storage/indexes/vectors/entity-text.js';
import { foldVectors } from '../../engine/storage/indexes/vectors/fold-vectors.js';
import { dropVectors, putVectors } from '../../engine/storage/indexes/vectors/put-vectors.js';
import { LmdbFile } from '../../engine/storage/lmdb/file.js';
import { openLmdbEngine } from '../../engine/storage/lmdb-store/open.js';
import { repairFile } from '../../engine/storage/repair/repair.js';
import type { StorageEngine } from '../../engine/storage/seam/engine.js';
import { idOf, node, randomNumbers } from './scan-support.js';
import { write } from './stage-support.js';
import { embed, nameOf, textOf } from './support/embedded-store.js';
import { StoreFolder } from './support/store-folder.js';
import { type Answer, answerOf, labelled } from './support/vector-oracle.js';

const folder = new StoreFolder();
const COUNT = 600;
const DIMENSION = 8;
/** Entities whose text is changed after the damage. */
const RENAMED = 40;

async function change(path: string, work: (file: LmdbFile) => void): Promise<void> {
  const file = LmdbFile.open(path, { readOnly: false });
  file.write(() => work(file));
  await file.close();
}

/** Null = they are told to be damaged. */
async function nearest(engine: StorageEngine, query: Float32Array): Promise<Answer | null> {
  const snapshot = engine.snapshot();
  try {
    return await answerOf(snapshot, { query, limit: COUNT }, 'brute');
  } catch (error) {
    assert.ok(error instanceof SvcError && error.code === 'store_corrupt', String(error));
    return null;
  } finally {
    snapshot.close();
  }
}

function rename(engine: StorageEngine, at: number) {
  return write(engine, {
    retract: [labelled(nameOf(at), textOf(at))],
    assert: [labelled(nameOf(at), `other text ${at}`)],
  });
}

test('a write goes on whatever of the vectors is damaged, and no entity is found by a text that it had', async () => {
  const whole = folder.fresh();
  let engine: StorageEngine = await openLmdbEngine(whole);
  const data = await embed(engine, COUNT, DIMENSION, 4, 2);
  await rename(engine, COUNT - 1);
  await foldVectors(engine);
  await engine.close();
  const file = LmdbFile.open(whole, { readOnly: true });
  const keys = file.keysAfter('vectors', null, 10_000).map(String);
  await file.close();
  const next = randomNumbers(6);
  const chosen = keys.filter((key) => !key.includes('/of/') || next(COUNT / 4) === 0);
  const kinds = new Set(chosen.map((key) => key.split('/')[1] ?? key));
  assert.deepEqual(kinds, new Set(['codes', 'ends', 'head', 'of', 'rows', 'values']));
  let told = 0;
  for (const key of chosen) {
    for (const damage of ['flipped', 'cut', 'gone'] as const) {
      const what = `${key} ${damage}`;
      const path = folder.fresh();
      copyFileSync(whole, path);
      await change(path, (target) => {
        const value = Buffer.from(target.readCopy('vectors', key) as Buffer);
        const at = next(value.length);
        value[at] = (value[at] as number) ^ (1 << next(8));
        if (damage === 'gone') target.remove('vectors', key);
        else target.put('vectors', key, damage === 'cut' ? value.subarray(0, next(value.length)) : value);
      });
      engine = await openLmdbEngine(path);
      for (let at = 0; at < RENAMED; at++) await rename(engine, at);
      const query = data.query();
      const found = await nearest(engine, query);
      if (found === null) told++;
      const names = new Set(Array.from({ length: RENAMED }, (_, at) => nameOf(at)));
      assert.ok(found === null || found.every(([name]) => !names.has(name)), what);
      await engine.close();
      const report = await repairFile(path, {});
      assert.deepEqual([report.ok, report.problems], [true, []], what);
      engine = await openLmdbEngine(path);
      const again = await nearest(engine, query);
      assert.ok(
        again?.every(([name]) => !names.has(name)),
        what,
      );
      // Vectors come again.
      const vector = Float32Array.from({ length: DIMENSION }, () => 1);
      const view = engine.snapshot();
      const entity = idOf(view, node(nameOf(0)));
      view.close();
      const put = { entity, textHash: hashOfText('other text 0'), vector };
      assert.equal((await putVectors(engine, 'model', DIMENSION, [put])).put, 1, what);
      assert.deepEqual((await engine.verify({})).problems, [], what);
      await engine.close();
    }
  }
  assert.ok(told > chosen.length, `${told} of ${3 * chosen.length} were told`);
});

test('vectors whose head is damaged leave nothing behind that those after a repair stumble over', async () => {
  const path = folder.fresh();
  let engine: StorageEngine = await openLmdbEngine(path);
  await embed(engine, 20, DIMENSION, 2, 3);
  await dropVectors(engine);
  const snapshot = engine.snapshot();
  const vectors = Array.from({ length: 20 }, (_, at) => ({
    entity: idOf(snapshot, node(nameOf(at))),
    textHash: hashOfText(textOf(at)),
    vector: Float32Array.from({ length: DIMENSION }, () => at + 1),
  }));
  snapshot.close();
  assert.equal((await putVectors(engine, 'model', DIMENSION, vectors)).put, 20);
  await engine.close();
  await change(path, (file) => file.put('vectors', 'head', Buffer.from('no head')));
  await repairFile(path, {});
  engine = await openLmdbEngine(path);
  assert.equal((await putVectors(engine, 'other', DIMENSION, vectors)).put, 20);
  assert.deepEqual((await engine.verify({})).problems, []);
  await engine.close();
});
