/** Which transactions up to the last fold have not the rows in the SPOG runs that their records tell of. */

import { LogReader } from '../log/log-reader.js';
import { readRelocations } from '../log/relocations.js';
import { unlessDamaged } from '../seam/findings.js';
import type { Rebuilding } from './rebuilding.js';
import { rowsOfRuns } from './write-order.js';

const [TX_FROM, TX_TO] = [4, 5];

export async function touchedTransactions(rebuilding: Rebuilding): Promise<number[]> {
  const { file, manifest } = rebuilding;
  const opened = new Float64Array(manifest.foldedTx + 1);
  const closed = new Float64Array(manifest.foldedTx + 1);
  await rebuilding.reading((transaction) => {
    for (const run of manifest.partitions.flatMap(({ runs }) => runs.SPOG ?? [])) {
      unlessDamaged(() => {
        const source = rowsOfRuns(rebuilding, 'SPOG', [run], transaction);
        for (let batch = source.next(); batch !== null; batch = source.next()) {
          count(rebuilding, batch.columns[TX_FROM as number] as number, batch.rows, opened);
          if (run.kind === 'history') count(rebuilding, batch.columns[TX_TO as number] as number, batch.rows, closed);
        }
        source.close();
      });
    }
  });
  const reader = new LogReader(file);
  const withoutRows: number[] = [];
  // Rows in packs are not told of by transaction: as long as just so many are missing, they are those.
  let [missing, missingClosed] = [0, 0];
  for (let tx = 1; tx <= manifest.foldedTx; tx++) {
    const entry = unlessDamaged(() => reader.entry(tx, undefined));
    if (entry === null) continue;
    const { quadsAdded, quadsRetracted } = entry.record;
    if (quadsAdded === opened[tx] && quadsRetracted === closed[tx]) continue;
    withoutRows.push(tx);
    missing += quadsAdded - (opened[tx] as number);
    missingClosed += quadsRetracted - (closed[tx] as number);
  }
  reader.release();
  for (const { rows, historyRows } of readRelocations(file).values()) {
    missing -= rows;
    missingClosed -= historyRows;
  }
  return missing === 0 && missingClosed === 0 ? [] : withoutRows;
}

function count({ context }: Rebuilding, column: number, rows: number, counts: Float64Array): void {
  const { words } = context.memory;
  for (let i = 0; i < rows; i++) {
    const tx = (words[(column >>> 2) + 2 * i] as number) + (words[(column >>> 2) + 2 * i + 1] as number) * 2 ** 32;
    if (tx < counts.length) counts[tx] = (counts[tx] as number) + 1;
  }
}
