/**
 * Writes rows as the runs of one order: in parts of bounded size that are sorted in memory, which are
 * then merged.
 */

import { Memtable } from '../delta/memtable.js';
import { writeSource } from '../fold/write-run.js';
import type { ReadTransaction } from '../lmdb/file.js';
import { mergeJob } from '../merge/merge-job.js';
import { MergedStatistics } from '../merge/merged-statistics.js';
import type { RunRecord } from '../runs/manifest.js';
import { encodeRunStatistics } from '../runs/run-statistics.js';
import type { Order } from '../seam/scan.js';
import { MemtableSource } from '../snapshot/memtable-source.js';
import { openRun } from '../snapshot/scan/key-range.js';
import { ALL_COLUMNS, allRows } from '../sources/all-rows.js';
import type { RowSource } from '../sources/row-source.js';
import { planScan } from '../sources/scan-plan.js';
import type { Rebuilding } from './rebuilding.js';

/** Rows that are sorted at once: 64 MB, and twice that while they are moved. */
const PART_ROWS = 1 << 20;
/** The planner counts current rows only. */
const NO_FIGURES = { distinctSubjects: 0, predicates: [] };

/** The rows of runs of one order, without the dead, merged. */
export function rowsOfRuns(
  { context }: Rebuilding,
  order: Order,
  runs: readonly RunRecord[],
  transaction: ReadTransaction,
): RowSource {
  const { memory, blocks } = context;
  const counters = { blocksRead: 0, rowsScanned: 0, termsDecoded: 0 };
  const read = runs.map((run) => openRun({ context, transaction }, run));
  return allRows({ memory, blocks, counters, transaction }, order, read);
}

/** Writes the rows of a source, which come in any order, as at most one run of an order; closes the source. */
export function writeOrder(
  rebuilding: Rebuilding,
  graph: string | null,
  order: Order,
  kind: RunRecord['kind'],
  source: RowSource,
): RunRecord[] {
  const { memory } = rebuilding.context;
  const parts: RunRecord[] = [];
  let set = new Memtable(memory);
  for (let batch = source.next(); batch !== null; batch = source.next()) {
    const to = set.reserve(batch.rows);
    for (const c of ALL_COLUMNS) {
      const from = batch.columns[c] as number;
      memory.bytes.copyWithin((to.addresses[c] as number) + 8 * set.count, from, from + 8 * batch.rows);
    }
    set.grow(batch.rows);
    if (set.count < PART_ROWS) continue;
    parts.push(writeSet(rebuilding, set, order, kind));
    set.release();
    set = new Memtable(memory);
  }
  source.close();
  if (set.count > 0) parts.push(writeSet(rebuilding, set, order, kind));
  set.release();
  return parts.length > 1 ? [merge(rebuilding, graph, order, parts)] : parts;
}

/** Writes the rows of a set as a run of an order. */
export function writeSet(rebuilding: Rebuilding, set: Memtable, order: Order, kind: RunRecord['kind']): RunRecord {
  const view = { tx: BigInt(rebuilding.manifest.foldedTx), validAt: null, all: true };
  const source = new MemtableSource(set, { plan: planScan(order, {}), view, kind: 'rows' }, ALL_COLUMNS, null);
  const id = takeRunId(rebuilding);
  return writeSource(rebuilding.context.memory, rebuilding.sink, source, { id, kind, order, rows: set.count });
}

function takeRunId(rebuilding: Rebuilding): number {
  const id = rebuilding.manifest.nextRun;
  rebuilding.manifest = { ...rebuilding.manifest, nextRun: id + 1 };
  return id;
}

function merge(rebuilding: Rebuilding, graph: string | null, order: Order, parts: readonly RunRecord[]): RunRecord {
  rebuilding.sink.flush();
  const partitions = [{ graph, runs: { [order]: parts } }];
  const { file, sink, context } = rebuilding;
  const due = { graph, order, runs: parts, split: false };
  const job = mergeJob({ file, memory: context.memory, sink }, { ...rebuilding.manifest, partitions }, due);
  let step = job.next();
  while (!step.done) step = job.next();
  const { manifest } = step.value;
  rebuilding.manifest = { ...rebuilding.manifest, nextRun: manifest.nextRun };
  file.write(() => {
    for (const part of parts) for (let i = 0; i < part.blocks; i++) file.remove('rows', part.firstBlock + i);
  });
  return manifest.partitions[0]?.runs[order]?.[0] as RunRecord;
}

/** Counts the planner's figures of a SPOG run that is in the file. */
export function recountStatistics(rebuilding: Rebuilding, run: RunRecord, transaction: ReadTransaction): void {
  const { file, sink, context } = rebuilding;
  if (run.kind === 'history') {
    sink.statistics(run.id, encodeRunStatistics(NO_FIGURES, run.id));
    return;
  }
  const statistics = new MergedStatistics(file, [], transaction);
  const source = rowsOfRuns(rebuilding, 'SPOG', [run], transaction);
  for (let batch = source.next(); batch !== null; batch = source.next()) {
    statistics.count(context.memory, batch.columns, batch.rows);
  }
  source.close();
  sink.statistics(run.id, encodeRunStatistics(statistics.list(), run.id));
}
