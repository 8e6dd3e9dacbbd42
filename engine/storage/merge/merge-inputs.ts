/** What every merge of runs has in common: its inputs, read in steps, and what it changes in the manifest. */

import type { ThreadMemory } from '../../kernels/memory.js';
import type { LmdbFile, ReadTransaction } from '../lmdb/file.js';
import { BlockReader } from '../runs/block-reader.js';
import type { FileSink } from '../runs/file-sink.js';
import { loadDeletionVector, loadDirectory } from '../runs/load-directory.js';
import type { Manifest, RunRecord } from '../runs/manifest.js';
import type { Order } from '../seam/scan.js';
import { allRows } from '../sources/all-rows.js';
import type { RowSource, SourceBatch } from '../sources/row-source.js';
import type { RunScan } from '../sources/run-read.js';
import type { DueMerge } from './merge-policy.js';

/** Batches that one step reads, a block each: about a quarter of a million rows. */
export const STEP_BLOCKS = 64;
const BLOCK_CACHE_BYTES = 1 << 20;

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
  /** True: nothing names the inputs yet, nor ever will, so each block of them is removed once it is read. */
  readonly removesInputs?: boolean;
  /** Rows of a window of history, if not the usual; for tests. */
  readonly windowRows?: number | undefined;
  /** Most batches that a step reads, if not `STEP_BLOCKS`; for tests. */
  readonly stepBlocks?: number;
}

/** A scan whose transaction is that of the step that reads. */
type StepScan = Omit<RunScan, 'transaction'> & { transaction: ReadTransaction };

/** The living rows of a merge's inputs in their order. */
function openInputs(context: MergeContext, due: DueMerge, scan: StepScan): RowSource {
  const { file } = context;
  const runs = due.runs.map((run) => ({
    run,
    directory: loadDirectory(file, run, scan.transaction),
    dead: loadDeletionVector(file, run, scan.transaction),
  }));
  return allRows(scan, due.order, runs);
}

/** Tells which blocks were read. */
class NotingBlockReader extends BlockReader {
  read: number[] = [];

  override load(number: number, transaction: ReadTransaction | undefined): number {
    this.read.push(number);
    return super.load(number, transaction);
  }
}

/** Reads the inputs once, from beginning to end, in steps. Between them no read transaction is held. */
export function* eachBatch(
  context: MergeContext,
  due: DueMerge,
  take: (batch: SourceBatch) => void,
): Generator<void, void> {
  const { file, memory, stepBlocks = STEP_BLOCKS, removesInputs = false, sink } = context;
  const blocks = new NotingBlockReader(file, memory, BLOCK_CACHE_BYTES);
  const counters = { blocksRead: 0, rowsScanned: 0, termsDecoded: 0 };
  let source: RowSource | null = null;
  let scan: StepScan | null = null;
  try {
    for (let ended = false; !ended; ) {
      const transaction = file.beginRead();
      try {
        if (scan === null) scan = { memory, blocks, counters, transaction };
        else scan.transaction = transaction;
        source ??= openInputs(context, due, scan);
        for (let step = 0; step < stepBlocks && !ended; step++) {
          const batch: SourceBatch | null = source.next();
          if (batch === null) ended = true;
          else take(batch);
        }
      } finally {
        file.release(transaction);
      }
      if (removesInputs) sink.removeRows(blocks.read);
      blocks.read = [];
      if (!ended) yield;
    }
  } finally {
    source?.close();
    blocks.clear();
  }
}

/** What a merge comes to: `made` in the place of its inputs. */
export function outcomeOf(
  { sink }: MergeContext,
  manifest: Manifest,
  { graph, order, runs }: DueMerge,
  made: readonly RunRecord[],
  nextRun: number,
): MergeOutcome {
  return {
    rowsWritten: made.reduce((sum, run) => sum + run.rows, 0),
    bytesWritten: made.reduce((sum, run) => sum + run.bytes, 0),
    manifest: {
      ...replaceRuns(manifest, graph, order, runs, made),
      nextRun,
      nextRowBlock: sink.nextRowBlock,
      nextDirectory: sink.nextDirectory,
    },
    replaced: runs,
  };
}

/** Puts the new runs where the first of the old ones stood: history runs stay in closing order. */
function replaceRuns(
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
