/** Checks the rows of a pack: each order block by block, and that all orders hold the same rows. */

import type { Control } from '../../base/control.js';
import { SvcError } from '../../base/errors.js';
import { idFromHex, type Manifest, type PartitionRecord } from '../runs/manifest.js';
import { OWN_ORDERS } from '../runs/orders.js';
import { Findings } from '../seam/findings.js';
import type { Order } from '../seam/scan.js';
import { type RowSums, sumsOf } from '../verify/row-sums.js';
import { verifyRun } from '../verify/verify-run.js';
import type { Pack } from './pack-reader.js';

function partitionOf({ parts, layout, path }: Pack): PartitionRecord | null {
  const [only, ...others] = parts.partitions;
  if (others.length > 0 || (only?.graph ?? null) !== (only === undefined ? null : layout.graph)) {
    throw new SvcError('store_corrupt', `${path} has rows of other graphs than its own`);
  }
  return only ?? null;
}

/** Throws `store_corrupt` with the first that is wrong. */
export async function checkRuns(pack: Pack, control: Control): Promise<void> {
  const partition = partitionOf(pack);
  if (partition === null) return;
  const findings = new Findings(control);
  const { context, file, layout, parts, path } = pack;
  // Rows name terms by the numbers of the store.
  const nextTermNumber = 1 + Math.max(0, ...layout.numbers.map(({ last }) => last));
  const manifest: Manifest = { ...parts, nextTermNumber };
  const transaction = file.beginRead();
  try {
    const sums = new Map<Order, RowSums>();
    for (const order of OWN_ORDERS) {
      const runs = partition.runs[order] ?? [];
      for (const run of runs) {
        const where = `${order} run ${run.id}`;
        const about = { context, manifest, transaction, order, run, isShared: false, where, findings };
        await findings.check(where, () => verifyRun(about));
      }
      sums.set(order, sumsOf(runs));
    }
    const first = sums.get('SPOG') as RowSums;
    for (const [order, { rows, living, history }] of sums) {
      if (rows === first.rows && living === first.living && history === first.history) continue;
      findings.add(order, 'it does not hold the rows of SPOG');
    }
    for (const graph of findings.graphRows.keys()) {
      if (graph !== idFromHex(partition.graph as string)) findings.add('SPOG', 'it has rows of another graph');
    }
  } finally {
    file.release(transaction);
  }
  const [worst] = findings.problems;
  if (worst !== undefined) {
    throw new SvcError('store_corrupt', `${path} is damaged: ${worst.where}: ${worst.what}`, {
      hint: 'take the file from a copy',
    });
  }
}
