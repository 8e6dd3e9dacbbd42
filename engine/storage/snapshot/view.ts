/** What every read of a snapshot works on. */

import type { ReadTransaction } from '../lmdb/file.js';
import type { Manifest } from '../runs/manifest.js';
import type { SnapshotContext } from './context.js';

export interface View {
  readonly context: SnapshotContext;
  readonly manifest: Manifest;
  readonly transaction: ReadTransaction;
}
