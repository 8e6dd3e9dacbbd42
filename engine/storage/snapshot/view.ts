/** What reads of a store file work on. */

import type { Delta } from '../delta/delta.js';
import type { Memtable } from '../delta/memtable.js';
import type { UncommittedLayer } from '../delta/uncommitted-layer.js';
import type { TxId } from '../ids/layout.js';
import type { ReadTransaction } from '../lmdb/file.js';
import type { Manifest } from '../runs/manifest.js';
import type { GraphSet, Order } from '../seam/scan.js';
import type { IndexQuestion, StoredGraphs, TimeSlice } from '../seam/source.js';
import type { RunScan } from '../sources/run-read.js';
import type { OpenRun, VisibleRun } from '../sources/visible-run.js';
import type { SnapshotContext } from './context.js';
import type { Insertions } from './patch/insertions.js';

/** Changes over one graph, which a view shows as rows of that graph. */
export interface RunPatch {
  /** What is added, and tombstones of what is taken from the delta. */
  readonly layer: { readonly rows: Memtable; readonly tombstones: Memtable };
  /** Runs of the graph with what is taken from them among their dead rows; `shared`: with rows of other graphs. */
  runs(runs: readonly VisibleRun[], order: Order, shared: boolean): readonly VisibleRun[];
}

/** A composed set as one graph of a view. */
export interface PatchedGraph {
  readonly view: ScanView;
  readonly graphs: StoredGraphs;
  /** The same without what is added. */
  readonly below: ScanView;
  /** Current rows of the graph that are no others of it. */
  readonly additions: Memtable;
  /** Their places in a run of the graph. */
  insertions(run: OpenRun, order: Order): Insertions;
}

/** What reads of runs work on. */
export interface RunView {
  readonly context: SnapshotContext;
  readonly manifest: Manifest;
  readonly transaction: ReadTransaction;
  /** True when no quad has two rows that hold at the same instant. */
  readonly disjoint: boolean;
  /** Of a view of one graph: what is changed in it. */
  readonly patch?: RunPatch | undefined;
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
  /** The triples with which an index answers; they hold at every time. */
  index(asked: IndexQuestion, time: TimeSlice): ScanView;
  /** A composed set as one graph, where it can be read so; null otherwise. */
  patched(graphs: GraphSet, time: TimeSlice): PatchedGraph | null;
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
