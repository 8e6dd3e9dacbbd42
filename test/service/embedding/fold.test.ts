/** A fold makes segments of vectors, too, and says how much it wrote. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { readHead } from '../../../engine/storage/indexes/vectors/vector-records.js';
import type { StorageEngine } from '../../../engine/storage/seam/engine.js';
import { lookInto } from '../../../engine/storage/seam/rows.js';
import { openStore } from '../../../interfaces/library/index.js';
import { StoreFolder } from '../../storage/support/store-folder.js';
import { knot } from '../time-support.js';
import { ownProvider } from './own-provider.js';

const folder = new StoreFolder();

test('a fold makes segments of vectors', async () => {
  const provider = ownProvider();
  const store = await openStore(folder.fresh(), { embeddings: { provider } });
  const { engine } = store as unknown as { readonly engine: StorageEngine };
  const segments = (): number =>
    lookInto(engine.snapshot(), (snapshot) => {
      const { store: index, transaction } = snapshot.indexView();
      return readHead(index, transaction).segments.length;
    });
  await knot(store, Array.from({ length: 300 }, (_, at) => `ex:e${at} ex:note "number ${at}" .`).join('\n'));
  await store.embedBackfill();
  const before = await store.search({ query: 'number 17', limit: 300, limitMax: 300 });
  assert.equal(segments(), 0);
  assert.ok((await store.fold()).bytesWritten > 0);
  assert.equal(segments(), 1);
  assert.equal((await store.fold()).bytesWritten, 0);
  assert.deepEqual(await store.search({ query: 'number 17', limit: 300, limitMax: 300 }), before);
  assert.deepEqual((await store.verify()).problems, []);
  await store.close();
});
