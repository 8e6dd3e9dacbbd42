/** Documents as a store that ends with its use, filled by the loader of every store. */

import type { Control } from '../../base/control.js';
import type { LoadSource } from '../seam/engine.js';
import type { StorageSnapshot } from '../seam/scan.js';
import { openTemporaryEngine } from './temporary.js';

export interface DocumentStore {
  readonly snapshot: StorageSnapshot;
  /** Closes the snapshot, too, and removes the file. */
  close(): Promise<void>;
}

/** Blank nodes keep the labels of the documents. `name`: what the store is called in messages. */
export async function storeDocuments(
  sources: readonly LoadSource[],
  name: string,
  control: Control,
): Promise<DocumentStore> {
  const engine = await openTemporaryEngine(name);
  try {
    const stage = await engine.stageLoad(sources, { blankNodeScope: 'store', threads: 1 }, control);
    await stage.commit().durable;
    const snapshot = engine.snapshot();
    const close = (): Promise<void> => {
      snapshot.close();
      return engine.close();
    };
    return { snapshot, close };
  } catch (error) {
    await engine.close();
    throw error;
  }
}
