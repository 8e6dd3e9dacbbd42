/** What every read of a snapshot works on. */

import type { Delta } from '../delta/delta.js';
import type { UncommittedLayer } from '../delta/uncommitted-layer.js';
import type { TxId } from '../ids/layout.js';
import type { ReadTransaction } from '../lmdb/file.js';
import type { Manifest } from '../runs/manifest.js';
import type { SnapshotContext } from './context.js';

export interface View {
  readonly context: SnapshotContext;
  readonly manifest: Manifest;
  readonly transaction: ReadTransaction;
  /** The newest transaction that is seen. */
  readonly tx: TxId;
  readonly delta: Delta;
  readonly stage: UncommittedLayer | null;
  /** True when no quad has two rows that hold at the same instant. */
  readonly disjoint: boolean;
}
