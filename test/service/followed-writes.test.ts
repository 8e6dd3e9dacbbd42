/**
 * Every operation that writes, one after the other, and after each a follower takes what was written: it shows what the primary
 * shows, at the newest transaction and at every one before, with the same events, and is refused when it writes itself.
 */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { StoreReplication } from '../../engine/service/store/store-replication.js';
import { markCopy } from '../../engine/storage/admin/role-of-file.js';
import { openStore, type Store } from '../../interfaces/library/index.js';
import { show } from '../storage/scan-support.js';
import { StoreFolder } from '../storage/support/store-folder.js';
import { named, PATHS, run, seen } from './every-write.js';

const folder = new StoreFolder();
const SETTING = { features: ['owl', 'reactive-reasoner'], archives: { asOf: 'allow' } } as const;
const PIECE_BYTES = 1 << 20;

/** Frozen graphs are files beside the store, which both find here. */
async function copied(primary: Store): Promise<Store> {
  const path = folder.fresh();
  await primary.backup(path);
  await markCopy(path, { role: 'follower', epoch: 0, primary: 'https://primary.example', fencedBy: null });
  return openStore(path, SETTING);
}

async function follow(primary: Store, follower: Store): Promise<boolean> {
  for (;;) {
    const piece = await new StoreReplication(primary).log
      .changesAfter(new StoreReplication(follower).state(), PIECE_BYTES, {})
      .catch((error: { code?: string }) => {
        if (error.code === 'log_gone') return null;
        throw error;
      });
    if (piece === null) return false;
    await new StoreReplication(follower).apply(piece.changes);
    if (piece.place.tx === piece.lastTx) return true;
  }
}

async function lines(store: Store, tx: number): Promise<string> {
  const snapshot = store.snapshot({ tx });
  const found: string[] = [];
  for await (const { subject, predicate, object, graph } of snapshot.match()) {
    found.push([subject, predicate, object, graph].map(show).join(' '));
  }
  snapshot.close();
  return found.sort().join('\n');
}

async function events(store: Store): Promise<readonly { readonly offset: number }[]> {
  return (await store.events.read({ limit: 10_000 })).events;
}

test('a follower shows what every write has written', { timeout: 300_000 }, async () => {
  const primary = await openStore(folder.fresh(), SETTING);
  let follower = await copied(primary);
  const copiedFor: string[] = [];
  for (const [name, given] of Object.entries(PATHS)) {
    await run(primary, named(name), await given(primary));
    if (!(await follow(primary, follower))) {
      copiedFor.push(name);
      await follower.close();
      follower = await copied(primary);
    }
    assert.deepEqual(await seen(follower), await seen(primary), name);
  }
  assert.deepEqual(copiedFor, ['graph_freeze', 'graph_thaw'], 'nothing else needs a new copy');
  const { tx } = new StoreReplication(primary).state();
  for (let at = 0; at <= tx; at++)
    assert.equal(await lines(follower, at), await lines(primary, at), `transaction ${at}`);
  const told = await events(follower);
  assert.deepEqual(told, (await events(primary)).slice(0, told.length));
  assert.ok(told.length > 10);
  await assert.rejects(follower.update('INSERT DATA { <urn:a> <urn:b> 1 }'), /follower of https:\/\/primary\.example/);
  await assert.rejects(follower.events.commit('reader', 1), /follower of https:\/\/primary\.example/);
  for (const store of [follower, primary]) {
    const { problems } = await store.verify();
    assert.deepEqual(problems, []);
    await store.close();
  }
});
