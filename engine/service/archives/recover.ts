/**
 * Looks after freezes that did not come to their end, when a store is opened for writing (semantics of graphs, 4.4): one
 * that is noted as `building` or `verified` has left the graph in the store, since the transaction that takes its rows
 * away changes the note with them. Its files go, and it is noted as `failed`. A graph that is frozen needs nothing: its
 * archive is opened by the registry when it is read, and one that is thawed by the registry's word is read in the store.
 */

import { FREEZES, unfinishedFreezes } from '../../query/registry/freeze-rows.js';
import type { StorageEngine } from '../../storage/seam/engine.js';
import { lookInto } from '../../storage/seam/rows.js';
import type { SeriesWrite } from '../pipeline/write-control.js';
import { removePack } from './remove-pack.js';

/** How many there were. */
export async function recoverFreezes(engine: StorageEngine, write: SeriesWrite): Promise<number> {
  const unfinished = lookInto(engine.snapshot(), unfinishedFreezes);
  if (unfinished.length === 0) return 0;
  for (const row of unfinished) await removePack(engine, row);
  await write(
    (stage, registry, events) => {
      events.onlyOwn();
      for (const row of unfinished) {
        FREEZES.store(stage, registry, { ...row, state: 'failed', error: 'the process ended before the freeze did' });
      }
    },
    { source: 'freeze-failed' },
  );
  return unfinished.length;
}
