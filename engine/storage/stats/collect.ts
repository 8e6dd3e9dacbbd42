/** Figures of a store file, from the manifest, the directories' sizes and the planner's statistics. */

import { ROOT_ID, type TxId } from '../ids/layout.js';
import type { ReadTransaction } from '../lmdb/file.js';
import { readHead } from '../log/head.js';
import { LogReader } from '../log/log-reader.js';
import { DIRECTORY_BLOCKS } from '../runs/directory.js';
import type { PartitionRecord, RunRecord } from '../runs/manifest.js';
import { ORDERS } from '../runs/orders.js';
import type { StorageStats, TransactionRecord, WrittenFigures } from '../seam/engine.js';
import { CURRENT } from '../seam/scan.js';
import type { SnapshotContext } from '../snapshot/context.js';
import { distinctSubjects, layerPredicates, netPerGraph } from '../snapshot/scan/layer-figures.js';
import { planScan } from '../sources/scan-plan.js';
import { timeView } from '../time/time-view.js';

/** Bytes of a directory entry: rows, first and last key, least and greatest of each column. */
const DIRECTORY_ENTRY_BYTES = 4 + 8 * 24;

/** `written`: what this process has written; null when it only reads. */
export function collectStats(context: SnapshotContext, written: WrittenFigures | null): StorageStats {
  // Before a view of our own is open, which would count as one that reads.
  const pages = context.file.pages();
  const transaction = context.file.beginRead();
  try {
    const manifest = context.manifest(transaction);
    const head = readHead(context.file, manifest, transaction);
    const delta = context.deltas.get(manifest, head, transaction);
    const counts = new Map(context.graphCounts(manifest, transaction));
    const view = { context, manifest, transaction, tx: head.lastTx, delta, stage: null, disjoint: false };
    for (const [graph, rows] of netPerGraph(view)) counts.set(graph, (counts.get(graph) ?? 0) + rows);
    const runs = manifest.partitions.flatMap((partition) => runsOf(partition));
    const quads = manifest.partitions.flatMap((partition) => partition.runs.SPOG ?? []);
    const bytesByPart: Record<string, number> = {};
    for (const order of ORDERS) {
      bytesByPart[order] = sum(
        manifest.partitions.flatMap((partition) => partition.runs[order] ?? []).map((run) => run.bytes),
      );
    }
    bytesByPart.directories = sum(
      runs.map((run) => run.blocks * DIRECTORY_ENTRY_BYTES + 8 * Math.ceil(run.blocks / DIRECTORY_BLOCKS)),
    );
    bytesByPart.log = head.logBytes;
    bytesByPart.terms = sum(manifest.segments.map((segment) => segment.storedBytes));
    bytesByPart.hashIndex = sum(manifest.hashRuns.map((run) => run.storedBytes));
    bytesByPart.termText = sum(manifest.segments.map((segment) => segment.rawBytes));
    const root = manifest.partitions.find(
      (partition) => partition.graph !== null && BigInt(`0x${partition.graph}`) === ROOT_ID,
    );
    const rootRuns = root?.runs.SPOG ?? [];
    const ofRoot = { kind: 'one', graph: ROOT_ID } as const;
    const plan = planScan('SPOG', { g: { kind: 'id', id: ROOT_ID } });
    const recent = { plan, view: timeView(CURRENT, head.lastTx), kind: 'rows' } as const;
    const statistics = [
      ...rootRuns.map((run) => context.statistics(run, transaction)),
      {
        distinctSubjects: distinctSubjects(view, delta.rows, recent),
        predicates: layerPredicates(view, ofRoot),
      },
    ];
    return {
      path: context.file.path,
      factsCurrent: counts.get(ROOT_ID) ?? 0,
      quadsCurrent: sum([...counts.values()]),
      rowsTotal: delta.rows.count + sum(quads.map((run) => run.rows - (run.dead?.rows ?? 0))),
      graphs: [...counts.values()].filter((rows) => rows > 0).length,
      terms: head.nextTermNumber - 1,
      transactions: head.lastTx,
      predicates: new Set(statistics.flatMap((entry) => entry.predicates.map(({ predicate }) => predicate))).size,
      entities: sum(statistics.map((entry) => entry.distinctSubjects)),
      runs: runs.length,
      currentRuns: runs.filter((run) => run.kind === 'current').length,
      historyRuns: runs.filter((run) => run.kind === 'history').length,
      historyRows: sum(quads.filter((run) => run.kind === 'history').map((run) => run.rows)),
      deadRows: sum(quads.map((run) => run.dead?.rows ?? 0)),
      delta: {
        rows: delta.rows.count,
        closes: delta.tombstones.count,
        terms: delta.terms.count,
        bytes: delta.bytes,
      },
      pages,
      written,
      lastTransaction: head.lastTx === 0 ? null : lastTransaction(context, head.lastTx, transaction),
      fileBytes: context.file.fileBytes(),
      bytesByPart,
      formatVersion: manifest.format,
    };
  } finally {
    context.file.release(transaction);
  }
}

function lastTransaction(context: SnapshotContext, tx: TxId, transaction: ReadTransaction): TransactionRecord {
  const { record } = new LogReader(context.file).entry(tx, transaction);
  const { id, timestamp, validFrom, actor, source, authenticated, quadsAdded, quadsRetracted } = record;
  return { id, timestamp, validFrom, actor, source, authenticated, quadsAdded, quadsRetracted };
}

function runsOf(partition: PartitionRecord): RunRecord[] {
  return ORDERS.flatMap((order) => partition.runs[order] ?? []);
}

function sum(values: readonly number[]): number {
  return values.reduce((total, value) => total + value, 0);
}
