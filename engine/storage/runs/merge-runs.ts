/**
 * Keeps the number of runs small: when an order of a partition has more than `RUNS_MAX` runs, its
 * smallest ones are merged into one. The merged run is written beside them and replaces them in the
 * manifest that is published, so a crash in between loses nothing.
 */

import { type Control, throwIfAborted } from '../../base/control.js';
import { ThreadMemory } from '../../kernels/memory.js';
import type { FileSink } from '../bulk/file-sink.js';
import { decodeRunStatistics, encodeRunStatistics, type RunStatistics } from '../bulk/run-statistics.js';
import type { LmdbFile, ReadTransaction } from '../lmdb/file.js';
import { BATCH_ROWS, COLUMNS, type Order, type PredicateStatistics } from '../scan.js';
import { mergeAll } from '../snapshot/merge-source.js';
import { RunSource } from '../snapshot/run-source.js';
import { planScan } from '../snapshot/scan-plan.js';
import { BlockReader } from './block-reader.js';
import { DIRECTORY_BLOCKS } from './directory.js';
import { loadDirectory } from './load-directory.js';
import type { Manifest, PartitionRecord, RunRecord } from './manifest.js';
import { ORDERS } from './orders.js';
import { RowColumns, RunWriter } from './writer.js';

/** Runs of one order that a scan may have to merge. */
export const RUNS_MAX = 6;
/** Runs left after merging the smallest. */
const RUNS_AFTER = 4;
const BLOCK_CACHE_BYTES = 1 << 20;
const ALL_COLUMNS = COLUMNS.map((_, i) => i);

/** What a merged run leaves behind, to be removed when the new manifest is published. */
export interface ReplacedRun {
  readonly run: number;
  readonly firstBlock: number;
  readonly blocks: number;
  readonly directory: number;
  readonly directories: number;
}

export interface MergeResult {
  readonly manifest: Manifest;
  readonly replaced: readonly ReplacedRun[];
}

/** Merges wherever there are too many runs. */
export async function mergeManyRuns(
  file: LmdbFile,
  manifest: Manifest,
  sink: FileSink,
  control: Control,
): Promise<MergeResult> {
  let next = manifest;
  const replaced: ReplacedRun[] = [];
  const crowded = manifest.partitions.some((partition) =>
    ORDERS.some((order) => (partition.runs[order]?.length ?? 0) > RUNS_MAX),
  );
  if (!crowded) return { manifest, replaced };
  const memory = new ThreadMemory();
  const blocks = new BlockReader(file, memory, BLOCK_CACHE_BYTES);
  for (const partition of manifest.partitions) {
    const runs: Partial<Record<Order, readonly RunRecord[]>> = { ...partition.runs };
    for (const order of ORDERS) {
      const all = runs[order] ?? [];
      if (all.length <= RUNS_MAX) continue;
      throwIfAborted(control.signal, 'merging runs');
      const smallest = [...all].sort((a, b) => a.rows - b.rows).slice(0, all.length - RUNS_AFTER + 1);
      sink.flush();
      const transaction = file.beginRead();
      try {
        const merged = mergeOrder({ file, memory, blocks, transaction, sink }, order, smallest, next.nextRun);
        runs[order] = [...all.filter((run) => !smallest.includes(run)), merged];
      } finally {
        file.release(transaction);
      }
      for (const run of smallest) replaced.push(replacedRun(run));
      next = { ...next, nextRun: next.nextRun + 1 };
    }
    next = replacePartition(next, { graph: partition.graph, runs });
  }
  return {
    manifest: { ...next, nextRowBlock: sink.nextRowBlock, nextDirectory: sink.nextDirectory },
    replaced,
  };
}

function replacePartition(manifest: Manifest, partition: PartitionRecord): Manifest {
  return {
    ...manifest,
    partitions: manifest.partitions.map((other) => (other.graph === partition.graph ? partition : other)),
  };
}

function replacedRun(run: RunRecord): ReplacedRun {
  return {
    run: run.id,
    firstBlock: run.firstBlock,
    blocks: run.blocks,
    directory: run.directory,
    directories: Math.ceil(run.blocks / DIRECTORY_BLOCKS),
  };
}

interface MergeContext {
  readonly file: LmdbFile;
  readonly memory: ThreadMemory;
  readonly blocks: BlockReader;
  readonly transaction: ReadTransaction;
  readonly sink: FileSink;
}

function mergeOrder(context: MergeContext, order: Order, runs: readonly RunRecord[], id: number): RunRecord {
  const { file, memory, blocks, transaction, sink } = context;
  const plan = planScan(order, {});
  const scan = { memory, blocks, transaction, counters: { blocksRead: 0, rowsScanned: 0, termsDecoded: 0 } };
  const sources = runs.map(
    (run) =>
      new RunSource(scan, {
        run,
        directory: loadDirectory(file, run, transaction),
        dead: null,
        plan,
        tests: [],
        openAfter: null,
        wanted: ALL_COLUMNS,
        dense: true,
      }),
  );
  const source = mergeAll(memory, sources, order);
  const rows = runs.reduce((sum, run) => sum + run.rows, 0);
  const writer = new RunWriter(memory, sink.row, order, sink.reserveRows(Math.ceil(rows / BATCH_ROWS)));
  const columns = new RowColumns(memory);
  let filled = 0;
  for (let batch = source.next(); batch !== null; batch = source.next()) {
    // Blocks are full but for the last, whatever the batches are.
    for (let at = 0; at < batch.rows; ) {
      const count = Math.min(batch.rows - at, BATCH_ROWS - filled);
      for (const column of ALL_COLUMNS) {
        const from = (batch.columns[column] as number) + 8 * at;
        memory.bytes.copyWithin((columns.addresses[column] as number) + 8 * filled, from, from + 8 * count);
      }
      filled += count;
      at += count;
      if (filled < BATCH_ROWS) continue;
      writer.append(columns, filled);
      filled = 0;
    }
  }
  if (filled > 0) writer.append(columns, filled);
  columns.release();
  source.close();
  const written = writer.finish();
  const directories = written.directory.map((bytes) => sink.directory(bytes));
  if (order === 'SPOG') sink.statistics(id, encodeRunStatistics(sumStatistics(file, runs, transaction), id));
  return {
    id,
    kind: 'current',
    rows: written.rows,
    firstBlock: written.firstBlock,
    blocks: written.blocks,
    directory: directories[0] as number,
    bytes: written.bytes,
    sum: written.sum,
    txMin: Math.min(...runs.map((run) => run.txMin)),
    txMax: Math.max(...runs.map((run) => run.txMax)),
  };
}

/** Rows add up; distinct counts are bounded by their sum. */
function sumStatistics(file: LmdbFile, runs: readonly RunRecord[], transaction: ReadTransaction): RunStatistics {
  const sums = new Map<bigint, PredicateStatistics>();
  let distinctSubjects = 0;
  for (const run of runs) {
    const statistics = decodeRunStatistics(file.readCopy('statistics', run.id, transaction), run.id);
    distinctSubjects += statistics.distinctSubjects;
    for (const entry of statistics.predicates) {
      const sum = sums.get(entry.predicate);
      sums.set(entry.predicate, {
        predicate: entry.predicate,
        rows: (sum?.rows ?? 0) + entry.rows,
        distinctSubjects: (sum?.distinctSubjects ?? 0) + entry.distinctSubjects,
        distinctObjects: (sum?.distinctObjects ?? 0) + entry.distinctObjects,
      });
    }
  }
  return { distinctSubjects, predicates: [...sums.values()].sort((a, b) => (a.predicate < b.predicate ? -1 : 1)) };
}
