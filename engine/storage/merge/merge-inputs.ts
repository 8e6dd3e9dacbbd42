/** What every merge of runs has in common: its inputs, read in steps, and what it changes in the manifest. */

import type { ThreadMemory } from '../../kernels/memory.js';
import type { LmdbFile, ReadTransaction } from '../lmdb/file.js';
import type { FileSink } from '../runs/file-sink.js';
import { loadDeletionVector, loadDirectory } from '../runs/load-directory.js';
import type { Manifest, RunRecord } from '../runs/manifest.js';
import { COLUMNS, type Order } from '../seam/scan.js';
import { mergeAll } from '../sources/merge-source.js';
import type { RowSource } from '../sources/row-source.js';
import { type RunScan, RunSource } from '../sources/run-source.js';
import { planScan } from '../sources/scan-plan.js';
import type { DueMerge } from './merge-policy.js';

/** Blocks that one step writes: about a quarter of a million rows. */
export const STEP_BLOCKS = 64;
const ALL_COLUMNS = COLUMNS.map((_, i) => i);

export interface MergeOutcome {
  readonly rowsWritten: number;
  readonly bytesWritten: number;
  /** The manifest with the new run in the place of the old ones. */
  readonly manifest: Manifest;
  /** The old runs, to be removed by the transaction that publishes the manifest. */
  readonly replaced: readonly RunRecord[];
}

export interface MergeContext {
  readonly file: LmdbFile;
  readonly memory: ThreadMemory;
  readonly sink: FileSink;
  /** Rows of a window of history, if not the usual; for tests. */
  readonly windowRows?: number | undefined;
  /** Most blocks that a step writes, if not `STEP_BLOCKS`; for tests. */
  readonly stepBlocks?: number;
}

/** A scan whose transaction is that of the step that reads. */
export type StepScan = Omit<RunScan, 'transaction'> & { transaction: ReadTransaction };

/** The living rows of a merge's inputs in their order. */
export function openInputs(context: MergeContext, due: DueMerge, scan: StepScan): RowSource {
  const { file, memory } = context;
  const plan = planScan(due.order, {});
  const sources = due.runs.map(
    (run) =>
      new RunSource(scan, {
        run,
        directory: loadDirectory(file, run, scan.transaction),
        dead: loadDeletionVector(file, run, scan.transaction),
        plan,
        tests: [],
        openAfter: null,
        wanted: ALL_COLUMNS,
        dense: true,
      }),
  );
  return mergeAll(memory, sources, due.order);
}

/** Puts the new runs where the first of the old ones stood: history runs stay in closing order. */
export function replaceRuns(
  manifest: Manifest,
  graph: string | null,
  order: Order,
  old: readonly RunRecord[],
  made: readonly RunRecord[],
): Manifest {
  const partitions = manifest.partitions.map((partition) => {
    if (partition.graph !== graph) return partition;
    const runs = partition.runs[order] ?? [];
    const at = runs.indexOf(old[0] as RunRecord);
    const kept = (run: RunRecord): boolean => !old.includes(run);
    const next = [...runs.slice(0, at).filter(kept), ...made, ...runs.slice(at).filter(kept)];
    return { graph, runs: { ...partition.runs, [order]: next } };
  });
  return { ...manifest, partitions };
}
