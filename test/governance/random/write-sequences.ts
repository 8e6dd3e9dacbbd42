/**
 * Child process: runs random sequences in a store, one after the other, until it is killed.
 *   node write-sequences.js <store> <folder of the key> <first seed>
 * Lines: `opened`, `began <seed> <turn>`, `ended <seed> <turn> accepted|refused`, `failed <message>`.
 */

import { openStore } from '../../../engine/service/host/open-store.js';
import { runSequence } from './run-sequence.js';

const [path, keyPath, first] = process.argv.slice(2) as [string, string, string];

try {
  const store = await openStore(path, { governance: { enforceOnWrite: true, signing: { keyPath } } });
  console.log('opened');
  for (let seed = Number(first); ; seed++) {
    await runSequence(store, seed, {
      began: (_, turn) => console.log(`began ${seed} ${turn}`),
      ended: (_, turn, refused) => console.log(`ended ${seed} ${turn} ${refused ? 'refused' : 'accepted'}`),
    });
  }
} catch (error) {
  console.log(`failed ${(error as Error).stack?.replaceAll('\n', ' | ')}`);
  process.exitCode = 1;
}
