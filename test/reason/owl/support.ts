/** Stores with the feature, and what stands in their ROOT by who has written it. */

import type { Quad } from '../../../engine/rdf/terms.js';
import type { OpenOptions } from '../../../engine/service/options/store-options.js';
import { Store } from '../../../engine/service/store/store.js';
import { openLmdbEngine } from '../../../engine/storage/lmdb-store/open.js';
import { openMemoryEngine } from '../../../engine/storage/memory/engine.js';
import type { StorageEngine } from '../../../engine/storage/seam/engine.js';
import { ROOT_ONLY, readRows } from '../../../engine/storage/seam/rows.js';
import { CURRENT } from '../../../engine/storage/seam/scan.js';
import { StoreFolder } from '../../storage/support/store-folder.js';
import { type Fact, keyOf } from './naive.js';

const folder = new StoreFolder();

export interface Opened {
  readonly engine: StorageEngine;
  readonly store: Store;
}

export const ENGINES: readonly (readonly [name: string, open: () => Promise<StorageEngine>])[] = [
  ['memory', async () => openMemoryEngine()],
  ['file', () => openLmdbEngine(folder.fresh())],
];

export function withOwl(engine: StorageEngine, options: Omit<OpenOptions, 'features'> = {}): Store {
  return new Store(engine, { ...options, features: ['owl'] });
}

/** The current facts of ROOT, apart by whether a materialization has written them. */
export function standing(engine: StorageEngine): { readonly asserted: string[]; readonly derived: string[] } {
  const owners = new Set(engine.transactionsOf('owl:materialize'));
  const snapshot = engine.snapshot();
  const found = { asserted: [] as string[], derived: [] as string[] };
  const request = { graphs: ROOT_ONLY, pattern: {}, time: CURRENT, columns: ['s', 'p', 'o', 'txFrom'] } as const;
  for (const batch of readRows(snapshot, request)) {
    const [s, p, o] = (['s', 'p', 'o'] as const).map((name) => snapshot.decode(batch.column(name), batch.rows));
    for (let row = 0; row < batch.rows; row++) {
      const fact: Fact = {
        s: s?.[row] as Quad['subject'],
        p: p?.[row]?.value as string,
        o: o?.[row] as Quad['object'],
      };
      const list = owners.has(batch.tx('txFrom', row) as number) ? found.derived : found.asserted;
      list.push(keyOf(fact));
    }
  }
  snapshot.close();
  return { asserted: found.asserted.sort(), derived: found.derived.sort() };
}
