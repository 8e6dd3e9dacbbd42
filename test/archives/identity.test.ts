/** The identity of a store, which packs name: there from the first moment, so that whoever only reads can pack and verify. */
import assert from 'node:assert/strict';
import { join } from 'node:path';
import { test } from 'node:test';
import { LmdbFile } from '../../engine/storage/lmdb/file.js';
import { readStoreId } from '../../engine/storage/lmdb/store-id.js';
import { openLmdbEngine } from '../../engine/storage/lmdb-store/open.js';
import { inFolder, svcHere } from '../cli/svc.js';
import { failure, fillGraph, freshFolder, G, packsIn, withStore } from './support.js';

const READ_ONLY = { readOnly: true };

async function idOf(path: string): Promise<string | null> {
  const engine = await openLmdbEngine(path, READ_ONLY);
  const id = engine.packs.storeId();
  await engine.close();
  return id;
}

/** Makes it a file of a version that named a store with its first pack. */
async function takeIdentity(path: string): Promise<void> {
  const file = LmdbFile.open(path, { readOnly: false });
  file.write(() => file.remove('meta', 'store_id'));
  assert.equal(readStoreId(file), null);
  await file.close();
}

test('a store has its identity when it is made, and keeps it in copies', async () => {
  const { folder, path } = freshFolder();
  await withStore(path, fillGraph);
  const id = await idOf(path);
  assert.match(id ?? '', /^urn:svc:store:[0-9a-f-]{36}$/);
  await withStore(path, (store) => store.backup(join(folder, 'copy.db')));
  assert.equal(await idOf(path), id);
  assert.equal(await idOf(join(folder, 'copy.db')), id);
  const other = freshFolder().path;
  await withStore(other, fillGraph);
  assert.notEqual(await idOf(other), id);
});

test('a store that is open for reading packs and verifies, also beside its writer', async () => {
  const { folder, path } = freshFolder();
  await withStore(path, async (writer) => {
    await fillGraph(writer);
    const packed = await withStore(path, (store) => store.packGraph(G, join(folder, 'g.db')), READ_ONLY);
    const check = await withStore(path, (store) => store.verifyPack(packed.path), READ_ONLY);
    assert.deepEqual([check.ok, check.contentHash], [true, packed.contentHash]);
    assert.equal((await writer.packGraph(G, join(folder, 'h.db'))).contentHash, packed.contentHash);
    const { archive } = await writer.freezeGraph(G);
    const frozen = await withStore(path, (store) => store.verifyPack(archive), READ_ONLY);
    assert.equal(frozen.format, 'archive/1');
  });
});

test('a file of before: reading it packs nothing and says so; opened for writing once, it has an identity', async () => {
  const { folder, path } = freshFolder();
  await withStore(path, fillGraph);
  await takeIdentity(path);
  await withStore(
    path,
    async (store) => {
      const error = await failure(store.packGraph(G, join(folder, 'g.db')));
      assert.equal(error.code, 'store_read_only');
      assert.match(`${error.message} ${error.hint}`, /without an identity.*open it for writing/);
      assert.deepEqual(packsIn(folder), []);
    },
    READ_ONLY,
  );
  await withStore(path, async () => undefined);
  const id = await idOf(path);
  assert.notEqual(id, null);
  await withStore(path, (store) => store.packGraph(G, join(folder, 'g.db')), READ_ONLY);
  await withStore(path, (store) => store.freezeGraph(G));
  assert.equal(await idOf(path), id);
});

test(
  'svc pack and svc pack --verify need no writer of their own',
  inFolder(async (cwd) => {
    const db = join(cwd, 'store.db');
    await withStore(db, async (store) => {
      await fillGraph(store);
      const run = (...words: string[]) => svcHere([...words, '--db', db], { cwd });
      const packed = await run('pack', G, '--out', 'g.qpack.db');
      assert.equal(packed.code, 0, packed.err);
      assert.match((await run('pack', '--verify', 'g.qpack.db')).out, /^pack: OK sha256:/);
      const folder = await run('pack', G, '--out', 'g', '--format', 'turtle');
      assert.equal(folder.code, 0, folder.err);
      assert.match((await run('update', 'INSERT DATA { <urn:a> <urn:b> 1 }')).err, /another|writ/);
    });
  }),
);
