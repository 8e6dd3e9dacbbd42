/**
 * Disks that are full, and one that can't be written, while graphs are frozen, thawed and packed: nothing half written stays,
 * the error says what is the matter, and the store goes on.
 */
import assert from 'node:assert/strict';
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import type { Store, SvcError } from '../../interfaces/library/index.js';
import { EX } from '../service/time-support.js';
import { leaveFree, mountSmall, remount, removeBallast } from '../storage/support/small-disk.js';
import {
  answersOf,
  assertOneCopy,
  failure,
  fillGraph,
  folders,
  freshFolder,
  G,
  lifecycleOf,
  withStore,
} from './support.js';

const KIB = 1024;
const MIB = 1024 * KIB;
const FACTS = 3000;
/** What is left of the disk, up to enough. */
const ROOMS = [0, 48 * KIB, 128 * KIB];

/** The graph of the other tests with so many facts more that a pack of it needs a disk. */
async function fillLarge(store: Store): Promise<void> {
  await fillGraph(store);
  const line = (at: number): string => {
    const mixed = Math.imul(at + 1, 0x9e3779b1) >>> 0;
    return `<urn:s:${mixed.toString(36)}> <urn:p:${at % 7}> "value ${(mixed ^ (at << 9)).toString(16)}" .`;
  };
  const text = Array.from({ length: FACTS }, (_, at) => line(at)).join('\n');
  await store.load({ text, format: 'ntriples' }, { graph: G });
}

let written = 0;

/** The store answers as before, takes writes, and is sound. */
async function assertServes(store: Store, answers: unknown): Promise<void> {
  assert.deepEqual(await answersOf(store), answers);
  await store.update(`INSERT DATA { <${EX}more> <${EX}p> ${written++} }`);
  assert.deepEqual((await store.verify()).problems, []);
}

const filesIn = (place: string): string[] => readdirSync(place).filter((name) => name !== 'ballast');

async function assertFull(work: Promise<unknown>): Promise<void> {
  const error = await failure(work);
  assert.deepEqual([error.code, error.httpStatus], ['disk_full', 507], error.message);
  assert.match(error.message, /the disk is full/);
}

test('the disk of the packs is full: the graph stays in the store, and no file stays behind', async (context) => {
  const place = mountSmall(context, folders.fresh(''), 4 * MIB);
  if (place === null) return;
  await withStore(freshFolder().path, async (store) => {
    await fillLarge(store);
    const answers = await answersOf(store);
    for (const room of ROOMS) {
      leaveFree(place, room);
      await assertFull(store.freezeGraph(G, { outDir: place }));
      assert.equal(await lifecycleOf(store), null);
      assert.deepEqual(filesIn(place), [], `${room}`);
      await assertFull(store.packGraph(G, join(place, 'given.db')));
      assert.deepEqual(filesIn(place), [], `${room}`);
      if (room < 160 * KIB) {
        await assertFull(store.packGraph(G, join(place, 'given'), { format: 'turtle' }));
        assert.deepEqual(filesIn(place), [], `${room}`);
      }
      await assertServes(store, answers);
    }
    removeBallast(place);
    await store.freezeGraph(G, { outDir: place });
    assert.equal(await assertOneCopy(store, place, answers), 'frozen');
  });
});

test('the disk of the store is full: a freeze and a thaw leave one whole copy, and reads go on', async (context) => {
  const place = mountSmall(context, folders.fresh(''), 12 * MIB);
  if (place === null) return;
  const { folder } = freshFolder();
  const path = join(place, 'store.db');
  const answers = await withStore(path, async (store) => {
    await fillLarge(store);
    return answersOf(store);
  });
  let [refused, done] = [0, 0];
  for (const room of [...ROOMS, 4 * MIB]) {
    await withStore(path, async (store) => {
      const isFrozen = (await lifecycleOf(store)) === 'frozen';
      for (const work of isFrozen ? ['thaw', 'freeze'] : ['freeze', 'thaw']) {
        leaveFree(place, room);
        const before = await lifecycleOf(store);
        const outcome = work === 'freeze' ? store.freezeGraph(G, { outDir: folder }) : store.thawGraph(G);
        const error = await outcome.then(
          () => null,
          (failed: SvcError) => failed,
        );
        if (error === null) done++;
        else {
          refused++;
          assert.match(error.code, /^(disk_full|state_conflict)$/, `${room} ${work}: ${error.message}`);
          assert.equal(await lifecycleOf(store), before);
        }
        assert.deepEqual(await answersOf(store), answers, `${room} ${work}`);
      }
      removeBallast(place);
      await assertServes(store, answers);
    });
    await withStore(path, async (store) => {
      assert.deepEqual((await store.verify()).problems, []);
      assert.deepEqual(await answersOf(store), answers);
      assert.deepEqual(
        readdirSync(folder).filter((name) => name.includes('building')),
        [],
      );
    });
  }
  assert.ok(refused > 0 && done >= 2, `${refused} refused, ${done} done`);
});

test('a folder that can not be written is refused before anything is begun', async (context) => {
  const place = mountSmall(context, folders.fresh(''), MIB);
  if (place === null) return;
  const { path } = freshFolder();
  const answers = await withStore(path, async (store) => {
    await fillGraph(store);
    const before = await answersOf(store);
    const transactions = store.transactions().length;
    remount(place, 'ro');
    const error = await failure(store.freezeGraph(G, { outDir: place }));
    assert.equal(error.code, 'invalid_request');
    assert.match(error.message, /out_dir: .* can't be written/);
    const packed = await failure(store.packGraph(G, join(place, 'given.db')));
    assert.equal(packed.code, 'store_read_only', packed.message);
    assert.equal(store.transactions().length, transactions);
    assert.deepEqual(filesIn(place), []);
    await assertServes(store, before);
    remount(place, 'rw');
    await store.freezeGraph(G, { outDir: place });
    return before;
  });
  remount(place, 'ro');
  // A pack is only read, so it can lie where nothing is written.
  await withStore(path, async (store) => {
    assert.equal(await assertOneCopy(store, place, answers), 'frozen');
    await store.thawGraph(G);
    await assertServes(store, answers);
  });
});
