/**
 * Checks a store file, one part after the other, and reports everything that does not fit; it never
 * stops at the first fault.
 *
 * 1. Log: every transaction up to the last has a sound record that holds what it says it does, and the
 *    head is where the log ends (`verify-log.ts`).
 * 2. Runs: directories and blocks have right checksums, rows ascend strictly, directory entries say
 *    what the blocks hold, every term number exists, and all orders of a partition hold the same living
 *    rows and the same history. Every dead row stands in history as the row that was closed. Every open
 *    quad has one open row.
 * 3. Rows against the log and the table of graphs: by their sums and numbers, living rows and history are
 *    what the log opened, and history is what it closed, so that no row is lost, doubled, or alive again.
 *    The manifest's figures of ROOT are those of its rows.
 * 4. Delta: what its transactions open was not open below them, and what they close was.
 * 5. Secondary indexes, each by its own rules: that of sources lists what the log says; offsets of the event log follow each
 *    other and end where the head says, and what is stored of it is sound.
 * 6. Dictionary: every block decodes to as many terms as its segment says, and the hash index leads
 *    from every term back to its number.
 *
 * It reads in one view of the file, in bounded memory: that of a block, a log record, or the delta.
 */

import { type Control, throwIfAborted } from '../../base/control.js';
import { fileView } from '../indexes/file-view.js';
import { INDEXES } from '../indexes/index-list.js';
import type { FileIndex } from '../indexes/secondary-index.js';
import type { ReadTransaction } from '../lmdb/file.js';
import { type Relocations, readRelocations } from '../log/relocations.js';
import { idToHex, type Manifest } from '../runs/manifest.js';
import { OWN_ORDERS, SHARED_ORDERS } from '../runs/orders.js';
import type { VerifyReport } from '../seam/engine.js';
import { Findings } from '../seam/findings.js';
import type { SnapshotContext } from '../snapshot/context.js';
import { addSums, type RowSums, sumsOf } from './row-sums.js';
import { verifyDead } from './verify-deletion-vectors.js';
import { verifyDelta } from './verify-delta.js';
import { verifyDictionary } from './verify-dictionary.js';
import { type LogFigures, verifyLog } from './verify-log.js';
import { verifyOpen } from './verify-open.js';
import { verifyRoot } from './verify-root.js';
import { verifyRun } from './verify-run.js';

export async function verifyStore(
  context: SnapshotContext,
  control: Control,
  indexes: readonly FileIndex[] = INDEXES,
): Promise<VerifyReport> {
  throwIfAborted(control.signal, 'the verification');
  const findings = new Findings(control);
  const transaction = context.file.beginRead();
  try {
    const manifest = context.manifest(transaction);
    const log = await verifyLog(context, manifest, transaction, findings);
    const rows = await verifyRuns(context, manifest, transaction, findings);
    compare(log, rows, readRelocations(context.file, transaction), findings);
    await findings.check('delta', () => verifyDelta(context, manifest, transaction, log.head.lastTx, findings));
    const view = fileView(context, { manifest, head: log.head, transaction });
    for (const index of indexes) await findings.check(index.name, () => index.verify(view, findings));
    await findings.check('graphs', () => verifyGraphs(context, manifest, transaction, findings));
    await findings.check('manifest', () => verifyRoot(context, manifest, transaction, findings));
    await findings.check('dictionary', () => verifyDictionary(context, manifest, transaction, findings));
  } finally {
    context.file.release(transaction);
  }
  return {
    ok: findings.problems.length === 0,
    problems: findings.problems,
    blocksChecked: findings.blocksChecked,
    rowsChecked: findings.rowsChecked,
    termsChecked: findings.termsChecked,
  };
}

/** The rows of the SPOG runs, and those of graphs that left for packs, against what the log says of the transactions that were folded. */
function compare(log: LogFigures, stored: RowSums, relocations: Relocations, findings: Findings): void {
  const rows = { ...stored };
  for (const { rows: moved, historyRows, opened, closed } of relocations.values()) {
    rows.rows += moved;
    rows.historyRows += historyRows;
    rows.living = addSums(rows.living, addSums(opened, -closed));
    rows.history = addSums(rows.history, closed);
  }
  if (log.opened !== addSums(rows.living, rows.history)) {
    findings.add('log', 'the rows of the SPOG runs are not those that the log opened');
  }
  if (log.closed !== rows.history) findings.add('log', 'the history of the SPOG runs is not what the log closed');
  if (log.quadsAdded !== rows.rows) {
    findings.add('log', `the SPOG runs have ${rows.rows} rows, the log opened ${log.quadsAdded}`);
  }
  if (log.quadsRetracted !== rows.historyRows) {
    findings.add('log', `the SPOG runs have ${rows.historyRows} rows of history, the log closed ${log.quadsRetracted}`);
  }
}

function verifyGraphs(
  context: SnapshotContext,
  manifest: Manifest,
  transaction: ReadTransaction,
  findings: Findings,
): void {
  const stated = context.graphCounts(manifest, transaction);
  for (const graph of new Set([...stated.keys(), ...findings.graphRows.keys()])) {
    const [said, found] = [stated.get(graph) ?? 0, findings.graphRows.get(graph) ?? 0];
    if (said !== found)
      findings.add('graphs', `graph ${idToHex(graph)} has ${found} rows, the table of graphs says ${said}`);
  }
}

/** Returns the sums of the row checksums of all SPOG runs. */
async function verifyRuns(
  context: SnapshotContext,
  manifest: Manifest,
  transaction: ReadTransaction,
  findings: Findings,
): Promise<RowSums> {
  const total: RowSums = { rows: 0, historyRows: 0, living: 0n, history: 0n };
  for (const partition of manifest.partitions) {
    const name = partition.graph === null ? 'the shared partition' : `the partition of graph ${partition.graph}`;
    const sums = new Map<string, RowSums>();
    for (const order of partition.graph === null ? SHARED_ORDERS : OWN_ORDERS) {
      const runs = partition.runs[order] ?? [];
      for (const run of runs) {
        const where = `${order} run ${run.id} of ${name}`;
        const isShared = partition.graph === null;
        await findings.check(where, () =>
          verifyRun({ context, manifest, transaction, order, run, isShared, where, findings }),
        );
        await findings.check(where, () => verifyDead(context, transaction, order, run, runs, where, findings));
      }
      sums.set(order, sumsOf(runs));
    }
    const quads = partition.runs.SPOG ?? [];
    await findings.check(name, () => verifyOpen(context, transaction, quads, name, findings));
    const first = sums.get('SPOG');
    for (const [order, { rows, living, history }] of sums) {
      if (rows !== first?.rows || living !== first.living || history !== first.history) {
        findings.add(name, `${order} does not hold the rows of SPOG`);
      }
    }
    total.rows += first?.rows ?? 0;
    total.historyRows += first?.historyRows ?? 0;
    total.living = addSums(total.living, first?.living ?? 0n);
    total.history = addSums(total.history, first?.history ?? 0n);
  }
  return total;
}
