/**
 * Child process: a follower without a server, which folds often.
 *   node follow-copy.js <store> <primary> <token>
 * Says `opened`, and `at <tx>` after commits.
 */

import { Follower } from '../../engine/follow/follower.js';
import { openLmdbEngine } from '../../engine/storage/lmdb-store/open.js';

const [path = '', url = '', token = ''] = process.argv.slice(2);
const engine = await openLmdbEngine(path, { create: false, bounds: { foldRows: 300, windowRows: 300 } });
const { replication } = engine;
if (replication === null) throw new Error('a file can be replicated');
console.log('opened');
const apply = async (changes: readonly Uint8Array[]): Promise<void> => {
  await replication.apply(changes);
  console.log(`at ${replication.newest()}`);
};
const following = {
  state: () => replication.state(),
  hashAt: (tx: number) => replication.hashAt(tx),
  learnEpoch: (epoch: number) => replication.learnEpoch(epoch),
  apply,
};
const ended = await new Follower({ url, token }, following, () => undefined).run();
console.log(`failed ${ended?.message}`);
