/** Checks that every open quad has exactly one open row in the runs of its partition. */

import type { ReadTransaction } from '../lmdb/file.js';
import type { RunRecord } from '../runs/manifest.js';
import { packedKey } from '../runs/orders.js';
import { RowColumns } from '../runs/writer.js';
import type { Findings } from '../seam/findings.js';
import { BATCH_ROWS } from '../seam/scan.js';
import type { SnapshotContext } from '../snapshot/context.js';
import { openRun } from '../snapshot/scan/key-range.js';
import { allRows } from '../sources/all-rows.js';

const QUAD = [0, 1, 2, 3];
/** The columns that a merge compares. */
const KEY = [...QUAD, 4];

/** `runs`: those of the SPOG order. */
export async function verifyOpen(
  context: SnapshotContext,
  transaction: ReadTransaction,
  runs: readonly RunRecord[],
  where: string,
  findings: Findings,
): Promise<void> {
  const { memory, blocks } = context;
  const counters = { blocksRead: 0, rowsScanned: 0, termsDecoded: 0 };
  const current = runs.filter((run) => run.kind === 'current');
  if (current.length === 0) return;
  const open = current.map((run) => openRun({ context, transaction }, run));
  const source = allRows({ memory, blocks, counters, transaction }, 'SPOG', open, KEY);
  // One row more than a batch, so that the last row of the batch before stands in front.
  const columns = new RowColumns(memory, BATCH_ROWS + 1);
  let carried = 0;
  try {
    for (let batch = source.next(); batch !== null; batch = source.next()) {
      for (const c of QUAD) {
        const from = batch.columns[c] as number;
        memory.bytes.copyWithin((columns.addresses[c] as number) + 8 * carried, from, from + 8 * batch.rows);
      }
      const rows = batch.rows + carried;
      if (memory.kernels.firstDisorder(columns.list, rows, packedKey('SPOG'), QUAD.length) !== 0) {
        findings.add(where, 'a quad is open twice');
        return;
      }
      for (const c of QUAD) {
        const from = (columns.addresses[c] as number) + 8 * (rows - 1);
        memory.bytes.copyWithin(columns.addresses[c] as number, from, from + 8);
      }
      carried = 1;
      await findings.turn('verify open quads');
    }
  } finally {
    source.close();
    columns.release();
  }
}
