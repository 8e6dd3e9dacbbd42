/**
 * Checks a store file, one part after the other, and reports everything that does not fit; it never
 * stops at the first fault.
 *
 * 1. Log: every transaction up to the last has a sound record.
 * 2. Runs: directories and blocks have right checksums, rows ascend strictly, directory entries say
 *    what the blocks hold, every term number exists, and all orders of a partition hold the same rows.
 * 3. Rows against the log and the table of graphs: the sums of row checksums agree, and the counts.
 * 4. Dictionary: every block decodes to as many terms as its segment says, and the hash index leads
 *    from every term back to its number.
 */

import { type Control, throwIfAborted } from '../../base/control.js';
import type { VerifyReport } from '../engine.js';
import type { ReadTransaction } from '../lmdb/file.js';
import { readHead } from '../log/head.js';
import { decodeLogRecord } from '../log/record.js';
import { idToHex, type Manifest } from '../runs/manifest.js';
import { ORDERS } from '../runs/orders.js';
import type { SnapshotContext } from '../snapshot/context.js';
import { Findings } from './findings.js';
import { verifyDictionary } from './verify-dictionary.js';
import { verifyRun } from './verify-run.js';

const WORD = (1n << 64n) - 1n;

export async function verifyStore(context: SnapshotContext, control: Control): Promise<VerifyReport> {
  throwIfAborted(control.signal, 'the verification');
  const findings = new Findings(control);
  const transaction = context.file.beginRead();
  try {
    const manifest = context.manifest(transaction);
    const logSum = await verifyLog(context, manifest, transaction, findings);
    const rowSum = await verifyRuns(context, manifest, transaction, findings);
    if (logSum !== rowSum) findings.add('log', 'the rows of the SPOG runs are not those that the log records');
    await findings.check('graphs', () => verifyGraphs(context, manifest, transaction, findings));
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

async function verifyLog(
  context: SnapshotContext,
  manifest: Manifest,
  transaction: ReadTransaction,
  findings: Findings,
): Promise<bigint> {
  let sum = 0n;
  const head = readHead(context.file, manifest, transaction);
  for (let tx = 1; tx <= head.lastTx; tx++) {
    await findings.check(`transaction ${tx}`, () => {
      const { record } = decodeLogRecord(context.file.readCopy('log', tx, transaction), tx);
      // What came after the last fold stands in the log alone.
      if (tx <= manifest.foldedTx) sum = (sum + BigInt(`0x${record.sum}`)) & WORD;
    });
    await findings.turn('log');
  }
  return sum;
}

/** Returns the sum of the row checksums of all SPOG runs. */
async function verifyRuns(
  context: SnapshotContext,
  manifest: Manifest,
  transaction: ReadTransaction,
  findings: Findings,
): Promise<bigint> {
  let total = 0n;
  for (const partition of manifest.partitions) {
    const name = partition.graph === null ? 'the shared partition' : `the partition of graph ${partition.graph}`;
    const sums = new Map<string, { rows: number; sum: bigint }>();
    for (const order of ORDERS) {
      for (const run of partition.runs[order] ?? []) {
        const where = `${order} run ${run.id} of ${name}`;
        await findings.check(where, async () => {
          await verifyRun(context, manifest, transaction, order, run, partition.graph === null, where, findings);
        });
        const before = sums.get(order) ?? { rows: 0, sum: 0n };
        const dead = BigInt(`0x${run.dead?.sum ?? '0'}`);
        sums.set(order, {
          rows: before.rows + run.rows - (run.dead?.rows ?? 0),
          sum: (before.sum + BigInt(`0x${run.sum}`) - dead) & WORD,
        });
      }
    }
    const first = sums.get('SPOG');
    for (const [order, { rows, sum }] of sums) {
      if (rows !== first?.rows || sum !== first.sum) findings.add(name, `${order} does not hold the rows of SPOG`);
    }
    total = (total + (first?.sum ?? 0n)) & WORD;
  }
  return total;
}
