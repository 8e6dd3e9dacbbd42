/**
 * Child process: writes batches, and in between makes the index of texts, vectors, segments of both, drops vectors for those
 * of another model, and runs rules, until it is killed.
 *   node write-batches.js <store> <seed> <batches that are there>
 * Lines: `opened`, `began <batch>`, `acknowledged <batch>` when it is durable, `reasoned <batch>`, `failed <message>`.
 */

import { setImmediate } from 'node:timers/promises';
import { TEXT_KINDS } from '../../../engine/storage/seam/engine.js';
import { openStore, type Store } from '../../../interfaces/library/index.js';
import { randomNumbers } from '../../storage/scan-support.js';
import { addedBy, isLoaded, RULES, updateOf } from './batches.js';
import { MODELS, providerOf } from './models.js';

const [path, seed, there] = process.argv.slice(2) as [string, string, string];
const next = randomNumbers(Number(seed));

async function writeBatch(store: Store, batch: number): Promise<void> {
  console.log(`began ${batch}`);
  if (isLoaded(batch)) await store.load({ text: addedBy(batch), format: 'ntriples' });
  else await store.update(updateOf(batch));
  console.log(`acknowledged ${batch}`);
}

/** One of what is done besides writing. */
async function care(store: Store, batch: number): Promise<void> {
  switch (next(5)) {
    case 0:
      await store.indexTexts(TEXT_KINDS.filter(() => next(3) > 0));
      return;
    case 1:
      await store.fold();
      return;
    case 2:
    case 3:
      // Vectors of the other model are dropped, others are completed.
      await store.migrateVectors();
      return;
    default:
      await store.reason({ rules: RULES, prefix: 'http://example.org/' });
      console.log(`reasoned ${batch}`);
  }
}

try {
  const provider = providerOf(MODELS[next(MODELS.length)] as (typeof MODELS)[number]);
  const store = await openStore(path, { embeddings: { provider, autoEmbed: next(3) === 0, batchSize: 1 + next(40) } });
  console.log('opened');
  for (let batch = Number(there); ; ) {
    for (let more = next(4); more > 0; more--) await writeBatch(store, ++batch);
    await care(store, batch);
    for (let turns = next(4); turns > 0; turns--) await setImmediate();
  }
} catch (error) {
  console.log(`failed ${(error as Error).stack?.replaceAll('\n', ' | ')}`);
  process.exitCode = 1;
}
