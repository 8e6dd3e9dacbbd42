/**
 * Child process: a follower without a server, which folds often, and copies the store again when it has to.
 *   node follow-copy.js <store> <primary> <token>
 * Says `opened`, `at <tx>` after commits, and `level` when it has had all.
 */

import { existsSync } from 'node:fs';
import { Follower } from '../../engine/follow/follower.js';
import { placeCopy, receiveCopy } from '../../engine/follow/receive-copy.js';
import { openLmdbEngine } from '../../engine/storage/lmdb-store/open.js';

const [path = '', url = '', token = ''] = process.argv.slice(2);
const primary = { url, token };

async function copied(): Promise<void> {
  for (;;) {
    const copy = await receiveCopy(primary, path, {}).catch(() => null);
    if (copy !== null) return placeCopy(copy, path);
  }
}

if (!existsSync(path)) await copied();
for (;;) {
  const engine = await openLmdbEngine(path, { create: false, bounds: { foldRows: 300, windowRows: 300 } });
  const { replication } = engine;
  if (replication === null) throw new Error('a file can be replicated');
  console.log('opened');
  const following = {
    state: () => replication.state(),
    hashAt: (tx: number) => replication.hashAt(tx),
    besidePlace: () => replication.besidePlace(),
    learnEpoch: (epoch: number) => replication.learnEpoch(epoch),
    apply: async (changes: readonly Uint8Array[]): Promise<void> => {
      await replication.apply(changes);
      console.log(`at ${replication.newest()}`);
    },
    applyBeside: async (change: Uint8Array): Promise<void> => {
      await replication.applyBeside(change);
    },
  };
  const follower = new Follower(primary, following, (error) => console.log(`told ${(error as Error).message}`));
  const watch = setInterval(() => {
    if (follower.status.caughtUp) console.log('level');
  }, 50);
  const ended = await follower.run();
  clearInterval(watch);
  console.log(`copies again: ${ended?.message}`);
  await engine.close();
  await copied();
}
