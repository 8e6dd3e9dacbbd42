/** Log records that are damaged before they are folded: their copies answer, verification tells, and a fold heals. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { LmdbFile } from '../../engine/storage/lmdb/file.js';
import { openLmdbEngine } from '../../engine/storage/lmdb-store/open.js';
import type { StorageEngine } from '../../engine/storage/seam/engine.js';
import { scan, shown } from './scan-support.js';
import { fact, write } from './stage-support.js';
import { assertSound } from './support/compare.js';
import { type Damaged, damagedCopy } from './support/damaging.js';
import { StoreFolder } from './support/store-folder.js';

const folder = new StoreFolder();

function flip(file: Damaged, database: 'log' | 'log_copies', tx: number): void {
  const value = file.file.readCopy(database, tx) as Buffer;
  value[value.length >>> 1] = (value[value.length >>> 1] as number) ^ 0x10;
  file.put(database, tx, value);
}

/** Transactions 1 and 2 are folded, 3 to 7 are not; each of these builds on terms or rows of those before it. */
async function makeStore(): Promise<string> {
  const path = folder.fresh();
  const engine = await openLmdbEngine(path);
  await write(engine, { assert: [1, 2].map((value) => fact(value)), actor: 'ann' });
  await write(engine, { retract: [fact(1)] });
  await engine.fold({});
  await write(engine, { assert: [fact(3, 'http://e/new')], actor: 'bob' });
  await write(engine, { retract: [fact(2), fact(3, 'http://e/new')] });
  await write(engine, { assert: [fact(2), fact(4, 'http://e/newer')] });
  await write(engine, { assert: [fact(5, 'http://e/newer')] });
  await write(engine, { retract: [fact(4, 'http://e/newer')] });
  await engine.close();
  return path;
}

function contents(engine: StorageEngine): unknown {
  const snapshot = engine.snapshot();
  const lines = shown(snapshot, scan(snapshot, {}));
  snapshot.close();
  return { lines, log: engine.transactions() };
}

async function copies(path: string): Promise<unknown[]> {
  const file = LmdbFile.open(path, { readOnly: true });
  const keys = file.keysAfter('log_copies', null, 10);
  await file.close();
  return keys;
}

test('what is not folded stands twice, until it is folded', async () => {
  const path = await makeStore();
  assert.deepEqual(await copies(path), [3, 4, 5, 6, 7]);
  const engine = await openLmdbEngine(path);
  await engine.fold({});
  await engine.close();
  assert.deepEqual(await copies(path), []);
});

for (const damaged of [[3], [5, 6], [3, 4, 5, 6, 7]]) {
  test(`damaged: ${damaged.join(', ')}`, async () => {
    const sound = await makeStore();
    const path = await damagedCopy(sound, folder.fresh(), (file) => {
      for (const tx of damaged) flip(file, 'log', tx);
    });
    const [whole, engine] = [await openLmdbEngine(sound), await openLmdbEngine(path)];
    assert.deepEqual(contents(engine), contents(whole));
    const { problems } = await engine.verify({});
    assert.deepEqual(
      problems.map(({ where }) => where),
      damaged.map((tx) => `transaction ${tx}`),
    );
    for (const { what } of problems) assert.match(what, /its copy serves/);
    for (const one of [whole, engine]) {
      await write(one, { assert: [fact(6, 'http://e/newest')], retract: [fact(5, 'http://e/newer')], timestamp: 1e9 });
      await one.fold({});
      await assertSound(one);
    }
    assert.deepEqual(contents(engine), contents(whole));
    await whole.close();
    await engine.close();
  });
}

test('a damaged record that a fold leaves by itself is put back', async () => {
  const path = folder.fresh();
  let engine = await openLmdbEngine(path);
  await write(engine, { assert: [fact(1)], actor: 'ann' });
  await engine.close();
  const copy = await damagedCopy(path, folder.fresh(), (file) => flip(file, 'log', 1));
  engine = await openLmdbEngine(copy);
  await engine.fold({});
  await assertSound(engine);
  assert.equal(engine.transactions()[0]?.actor, 'ann');
  await engine.close();
});
