/** What reads of a store file work on. */

import type { Delta } from '../delta/delta.js';
import type { UncommittedLayer } from '../delta/uncommitted-layer.js';
import type { TxId } from '../ids/layout.js';
import type { ReadTransaction } from '../lmdb/file.js';
import type { Manifest } from '../runs/manifest.js';
import type { GraphSet } from '../seam/source.js';
import type { RunScan } from '../sources/run-source.js';
import type { SnapshotContext } from './context.js';

/** What reads of runs work on. */
export interface RunView {
  readonly context: SnapshotContext;
  readonly manifest: Manifest;
  readonly transaction: ReadTransaction;
  /** True when no quad has two rows that hold at the same instant. */
  readonly disjoint: boolean;
}

/** What every read of a snapshot works on. */
export interface View extends RunView {
  /** The newest transaction that is seen. */
  readonly tx: TxId;
  readonly delta: Delta;
  readonly stage: UncommittedLayer | null;
}

/** What scans and probes work on. */
export interface ScanView extends View {
  readonly scan: RunScan;
  /** The same of a store that is attached under a name. */
  store(name: string): ScanView;
}

/** A request that is all about another store, as one of that store: it is read as its own graphs are. */
export function inItsStore<Request extends { readonly graphs: GraphSet }>(
  view: ScanView,
  request: Request,
): readonly [ScanView, Request] {
  const { graphs } = request;
  if (graphs.kind !== 'store') return [view, request];
  return inItsStore(view.store(graphs.store), { ...request, graphs: graphs.graphs });
}
