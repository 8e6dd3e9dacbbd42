/** Vectors that travel with a pack: they are verified with it, and hold where the entity has the text that they were made of. */
import assert from 'node:assert/strict';
import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { vectorsAt } from '../../engine/service/embedding/missing-texts.js';
import { openStore, type Store } from '../../interfaces/library/index.js';
import { inFolder } from '../cli/svc.js';
import { ownProvider } from '../service/embedding/own-provider.js';

const ROOT = 'urn:svc:graph:root';
const ITEMS = 12;
const turtle = Array.from({ length: ITEMS }, (_, at) => `<urn:e:${at}> <urn:name> "item ${at}" .`).join('\n');

function embedded(store: Store): number {
  const snapshot = store.snapshot();
  try {
    return vectorsAt(snapshot.storage).embedded;
  } finally {
    snapshot.close();
  }
}

async function source(): Promise<Store> {
  const store = await openStore(':memory:', { embeddings: { provider: ownProvider() } });
  await store.load({ text: turtle, format: 'turtle' });
  await store.load({ text: turtle, format: 'turtle' }, { graph: 'urn:g' });
  await store.embedBackfill();
  return store;
}

test(
  'a pack with vectors is verified with them, and they hold in the store that it is unpacked into',
  inFolder(async (cwd) => {
    const from = await source();
    const path = join(cwd, 'g.qpack.db');
    const packed = await from.packGraph('urn:g', path, { withVectors: true });
    assert.equal(packed.vectors, ITEMS);
    const plain = await from.packGraph('urn:g', join(cwd, 'plain.qpack.db'));
    assert.notEqual(plain.contentHash, packed.contentHash, 'vectors have lines of the content hash');
    assert.equal(plain.vectors, 0);
    assert.equal((await from.verifyPack(path)).contentHash, packed.contentHash);
    await from.packGraph('urn:g', join(cwd, 'folder'), { withVectors: true, format: 'turtle' });
    assert.deepEqual(readdirSync(join(cwd, 'folder')).sort(), ['graph.ttl', 'manifest.json', 'vectors.json']);
    await from.close();

    const provider = ownProvider();
    const to = await openStore(':memory:', { embeddings: { provider } });
    const unpacked = await to.unpack(path, { into: ROOT });
    assert.deepEqual([unpacked.facts, unpacked.vectors, unpacked.vectorsLeft], [ITEMS, ITEMS, 0]);
    assert.equal(embedded(to), ITEMS);
    assert.equal((await to.embedBackfill()).embedded, 0, 'nothing is left to be made');
    assert.equal(provider.calls.length, 0);
    await to.close();

    // Where ROOT says nothing of an entity, or something else, it has no such text.
    const other = await openStore(':memory:');
    await other.load({ text: '<urn:e:1> <urn:name> "another" . <urn:e:2> <urn:name> "item 2" .', format: 'turtle' });
    const beside = await other.unpack(path);
    assert.deepEqual([beside.facts, beside.vectors, beside.vectorsLeft], [ITEMS, 1, ITEMS - 1]);
    await other.close();
  }),
);

test(
  'vectors of another model are left, and a store without any has none to pack',
  inFolder(async (cwd) => {
    const from = await source();
    const path = join(cwd, 'g.qpack.db');
    await from.packGraph('urn:g', path, { withVectors: true });
    await from.close();
    const to = await openStore(':memory:', { embeddings: { provider: { ...ownProvider(), model: 'another' } } });
    await to.load({ text: '<urn:mine> <urn:name> "mine" .', format: 'turtle' });
    await to.embedBackfill();
    const { facts, vectors, vectorsLeft } = await to.unpack(path, { into: ROOT });
    assert.deepEqual([facts, vectors, vectorsLeft], [ITEMS, 0, ITEMS]);
    assert.equal(embedded(to), 1);
    await to.close();

    const none = await openStore(':memory:');
    await none.load({ text: turtle, format: 'turtle' }, { graph: 'urn:g' });
    await assert.rejects(none.packGraph('urn:g', join(cwd, 'none.db'), { withVectors: true }), {
      code: 'invalid_request',
      message: /no vectors to go along/,
    });
    assert.ok(!existsSync(join(cwd, 'none.db')));
    await none.close();
  }),
);
