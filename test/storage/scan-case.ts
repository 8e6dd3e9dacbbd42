/** The shape of a behaviour case of the storage seam. */

import type { StorageEngine } from '../../engine/storage/seam/engine.js';

export interface CaseContext {
  /** An empty store; closed after the case. */
  readonly engine: StorageEngine;
  /** More empty stores, for the case to close. */
  readonly open: () => Promise<StorageEngine>;
}

export interface Case {
  readonly name: string;
  readonly run: (context: CaseContext) => Promise<void>;
}
