/** How vectors are put and dropped: by model, beside writes that change their texts, and after damage. */
import assert from 'node:assert/strict';
import { copyFileSync } from 'node:fs';
import { test } from 'node:test';
import { SvcError } from '../../engine/base/errors.js';
import { foldVectors } from '../../engine/storage/indexes/vectors/fold-vectors.js';
import { dropVectors, putVectors } from '../../engine/storage/indexes/vectors/put-vectors.js';
import { readHead } from '../../engine/storage/indexes/vectors/vector-records.js';
import { VECTORS } from '../../engine/storage/indexes/vectors/vectors.js';
import { LmdbFile } from '../../engine/storage/lmdb/file.js';
import { openLmdbEngine } from '../../engine/storage/lmdb-store/open.js';
import { openMemoryEngine } from '../../engine/storage/memory/engine.js';
import { repairFile } from '../../engine/storage/repair/repair.js';
import type { StorageEngine } from '../../engine/storage/seam/engine.js';
import { node, randomNumbers } from './scan-support.js';
import { write } from './stage-support.js';
import { embed, nameOf, textOf } from './support/embedded-store.js';
import { StoreFolder } from './support/store-folder.js';
import { labelled, newVector } from './support/vector-oracle.js';

const folder = new StoreFolder();
const is = (code: string) => (error: unknown) => error instanceof SvcError && error.code === code;

function embedded(engine: StorageEngine): number {
  const snapshot = engine.snapshot();
  const { embedded: count } = VECTORS.at(snapshot.indexView());
  snapshot.close();
  return count;
}

async function nearestNames(engine: StorageEngine, query: Float32Array, limit = 5): Promise<string[]> {
  const snapshot = engine.snapshot();
  try {
    const found = await VECTORS.at(snapshot.indexView()).nearest({ query, limit, backend: 'brute' }, {});
    const ids = new Uint32Array(BigUint64Array.from(found.map(({ entity }) => entity)).buffer);
    return snapshot.decode(ids, found.length).map(({ value }) => value.replace(/^.*\//, ''));
  } finally {
    snapshot.close();
  }
}

for (const [kind, open] of [
  ['a file', () => openLmdbEngine(folder.fresh())],
  ['memory', async () => openMemoryEngine()],
] as const) {
  test(`another model or dimension is refused until all is dropped, in ${kind}`, async () => {
    const engine = await open();
    await write(engine, { assert: [labelled('a', 'one'), labelled('b', 'two')] });
    const vector = Float32Array.of(1, 2);
    const some = ['a', 'b'].map((name, at) => newVector(engine, name, ['one', 'two'][at] as string, vector));
    const [first] = some as [(typeof some)[number]];
    assert.deepEqual(await putVectors(engine, 'small', 2, some), { put: 2, stale: 0, present: 0 });
    await assert.rejects(putVectors(engine, 'large', 2, some), (error: unknown) => {
      assert.ok(error instanceof SvcError && error.code === 'invalid_request');
      assert.match(error.message, /small \(2 numbers\).*large \(2 numbers\)/);
      return true;
    });
    await assert.rejects(
      putVectors(engine, 'small', 3, [{ ...first, vector: new Float32Array(3) }]),
      is('invalid_request'),
    );
    await assert.rejects(
      putVectors(engine, 'small', 2, [{ ...first, vector: Float32Array.of(1, Number.NaN) }]),
      is('invalid_request'),
    );
    await assert.rejects(
      putVectors(engine, 'small', 2, [{ ...first, vector: new Float32Array(3) }]),
      is('invalid_request'),
    );
    await assert.rejects(nearestNames(engine, new Float32Array(3)), is('invalid_request'));
    await assert.rejects(nearestNames(engine, Float32Array.of(Number.POSITIVE_INFINITY, 1)), is('invalid_request'));
    await assert.rejects(nearestNames(engine, vector, 0), is('invalid_request'));
    assert.deepEqual(await nearestNames(engine, vector), ['a', 'b']);
    const old = engine.snapshot();
    assert.equal(await dropVectors(engine), 2);
    assert.equal(embedded(engine), 0);
    assert.deepEqual(await nearestNames(engine, Float32Array.of(1, 2, 3)), []);
    const large = some.map((one) => ({ ...one, vector: Float32Array.of(3, 2, 1) }));
    assert.deepEqual(await putVectors(engine, 'large', 3, large), { put: 2, stale: 0, present: 0 });
    assert.deepEqual(await nearestNames(engine, Float32Array.of(1, 2, 3)), ['a', 'b']);
    const before = VECTORS.at(old.indexView());
    assert.deepEqual([before.model, before.dimension, before.embedded], ['small', 2, 2]);
    assert.equal((await before.nearest({ query: vector, limit: 9, backend: 'ann' }, {})).length, 2);
    old.close();
    assert.deepEqual((await engine.verify({})).problems, []);
    await engine.close();
  });

  test(`a write that is accepted while a vector is put ends it, or keeps it from coming, in ${kind}`, async () => {
    const engine = await open();
    const names = Array.from({ length: 30 }, (_, at) => `e${at}`);
    await write(engine, { assert: names.map((name) => labelled(name, 'first')) });
    const next = randomNumbers(17);
    const texts = new Map(names.map((name) => [name, 'first']));
    for (let round = 0; round < 40; round++) {
      const some = names.filter(() => next(2) === 0);
      const vectors = some.map((name) => newVector(engine, name, texts.get(name) as string, Float32Array.of(1, round)));
      const putting = putVectors(engine, 'model', 2, vectors);
      const writes: Promise<unknown>[] = [];
      for (let turn = next(5); turn > 0; turn--) {
        for (let wait = next(3); wait > 0; wait--) await new Promise(setImmediate);
        const name = names[next(names.length)] as string;
        const text = `text ${next(3)}`;
        const [from, to] = [labelled(name, texts.get(name) as string), labelled(name, text)];
        if (texts.get(name) === text) continue;
        texts.set(name, text);
        writes.push(write(engine, { retract: [from], assert: [to] }));
      }
      await Promise.all([putting, ...writes]);
      assert.deepEqual((await engine.verify({})).problems, [], `round ${round}`);
    }
    assert.ok(embedded(engine) > 0);
    await engine.close();
  });
}

test('damage is found, told when it is read, and made good but for vectors that are lost', async () => {
  const path = folder.fresh();
  const count = 2500;
  let engine: StorageEngine = await openLmdbEngine(path);
  const data = await embed(engine, count, 16, 5, 2);
  await foldVectors(engine);
  await write(engine, { retract: [labelled(nameOf(3), textOf(3))], assert: [labelled(nameOf(3), 'another')] });
  await engine.close();
  const whole = folder.fresh();
  copyFileSync(path, whole);
  const file = LmdbFile.open(path, { readOnly: true });
  const keys = file.keysAfter('vectors', null, 10_000).filter((key) => !String(key).includes('/of/'));
  const pointer = file.keysAfter('vectors', '0000/of/', 1)[0] as string;
  await file.close();
  assert.ok(['rows', 'ends', 'values', 'codes'].every((kind) => keys.some((key) => String(key).includes(`/${kind}/`))));
  const next = randomNumbers(6);
  const chosen = [...keys.filter((key) => key === 'head' || next(12) === 0), pointer];
  for (const key of chosen) {
    for (const damage of ['flipped', 'cut', 'gone'] as const) {
      if (key === 'head' && damage === 'gone') continue;
      const damaged = folder.fresh();
      copyFileSync(whole, damaged);
      const target = LmdbFile.open(damaged, { readOnly: false });
      target.write(() => {
        const value = Buffer.from(target.readCopy('vectors', key) as Buffer);
        const at = next(value.length);
        value[at] = (value[at] as number) ^ (1 << next(8));
        if (damage === 'gone') target.remove('vectors', key);
        else target.put('vectors', key, damage === 'cut' ? value.subarray(0, next(value.length)) : value);
      });
      await target.close();
      const what = `${key} ${damage}`;
      engine = await openLmdbEngine(damaged);
      const { problems } = await engine.verify({});
      // Room in a block of vectors that no row has can't be told from what was written.
      if (problems.length === 0 && String(key).includes('/values/')) {
        await engine.close();
        continue;
      }
      assert.ok(
        problems.length > 0 && problems.every(({ where }) => where === 'vectors'),
        `${what}: ${JSON.stringify(problems)}`,
      );
      await nearestNames(engine, data.query(), 3000).catch((error: unknown) => {
        assert.ok(error instanceof SvcError && error.code === 'store_corrupt', `${what}: ${error}`);
      });
      await engine.close();
      const report = await repairFile(damaged, {});
      assert.deepEqual([report.ok, report.problems, report.rebuilt], [true, [], ['the vectors']], what);
      engine = await openLmdbEngine(damaged);
      const left = embedded(engine);
      const lost = count - 1 - left;
      if (lost > 0)
        assert.ok(
          report.lost.some(({ what: told }) => told.includes('vectors')),
          what,
        );
      assert.ok(lost === 0 || /head|rows|values/.test(String(key)), `${what}: ${lost} are lost`);
      assert.equal((await nearestNames(engine, data.query())).length, Math.min(5, left), what);
      await engine.close();
    }
  }
});

test('a store that was copied at any moment of a fold is whole', async () => {
  const path = folder.fresh();
  const engine = await openLmdbEngine(path);
  const data = await embed(engine, 3000, 16, 5, 3);
  const query = data.query();
  const expected = await nearestNames(engine, query);
  const folding = foldVectors(engine);
  const copies: string[] = [];
  for (let at = 0; at < 6; at++) {
    const copy = folder.fresh();
    await engine.backup(copy, {}, {});
    copies.push(copy);
  }
  await folding;
  await engine.close();
  for (const copy of [...copies, path]) {
    const opened = await openLmdbEngine(copy);
    assert.deepEqual((await opened.verify({})).problems, []);
    assert.deepEqual(await nearestNames(opened, query), expected);
    await foldVectors(opened);
    assert.deepEqual(await nearestNames(opened, query), expected);
    await opened.close();
  }
});

test('a search stops when it is told to, and nothing is read of a write to a store without vectors', async () => {
  const engine = await openLmdbEngine(folder.fresh());
  await write(engine, { assert: [labelled('a', 'one')] });
  const file = engine.snapshot();
  const { store, transaction } = file.indexView();
  assert.equal(readHead(store, transaction).model, null);
  const unread = () => assert.fail('nothing is read of a transaction');
  const told = { store, changes: unread, snapshot: unread } as unknown as Parameters<
    NonNullable<typeof VECTORS.committed>
  >[0];
  const committed = VECTORS.committed?.(told);
  assert.equal(committed, null);
  file.close();
  await embed(engine, 100, 4, 2, 1);
  const stopped = AbortSignal.abort();
  const snapshot = engine.snapshot();
  const reader = VECTORS.at(snapshot.indexView());
  const request = { query: Float32Array.of(1, 2, 3, 4), limit: 3, backend: 'brute' } as const;
  await assert.rejects(reader.nearest(request, { signal: stopped }), is('aborted'));
  assert.equal(reader.textHashOf(snapshot.encode(node('a')) as bigint), null);
  assert.notEqual(reader.textHashOf(snapshot.encode(node(nameOf(0))) as bigint), null);
  snapshot.close();
  await engine.close();
});
