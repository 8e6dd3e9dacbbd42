/** Writes the rows of a sorted source as one run. */

import type { ThreadMemory } from '../../kernels/memory.js';
import type { FileSink } from '../runs/file-sink.js';
import type { RunRecord } from '../runs/manifest.js';
import { RowColumns, RunWriter } from '../runs/writer.js';
import { BATCH_ROWS, COLUMNS, type Order } from '../seam/scan.js';
import type { RowSource } from '../sources/row-source.js';

/** The source gives dense batches of `rows` rows in all, every column decoded; it is closed here. */
export function writeSource(
  memory: ThreadMemory,
  sink: FileSink,
  source: RowSource,
  run: { readonly id: number; readonly kind: RunRecord['kind']; readonly order: Order; readonly rows: number },
): RunRecord {
  const writer = new RunWriter(memory, sink.row, run.order, sink.reserveRows(Math.ceil(run.rows / BATCH_ROWS)));
  const columns = new RowColumns(memory);
  let filled = 0;
  for (let batch = source.next(); batch !== null; batch = source.next()) {
    // Blocks are full but for the last, whatever the batches are.
    for (let at = 0; at < batch.rows; ) {
      const count = Math.min(batch.rows - at, BATCH_ROWS - filled);
      for (let c = 0; c < COLUMNS.length; c++) {
        const from = (batch.columns[c] as number) + 8 * at;
        memory.bytes.copyWithin((columns.addresses[c] as number) + 8 * filled, from, from + 8 * count);
      }
      filled += count;
      at += count;
      if (filled < BATCH_ROWS) continue;
      writer.append(columns, filled);
      filled = 0;
    }
  }
  if (filled > 0) writer.append(columns, filled);
  source.close();
  columns.release();
  const written = writer.finish();
  const directories = written.directory.map((bytes) => sink.directory(bytes));
  return {
    id: run.id,
    kind: run.kind,
    rows: written.rows,
    firstBlock: written.firstBlock,
    blocks: written.blocks,
    directory: directories[0] as number,
    bytes: written.bytes,
    sum: written.sum,
    txMin: written.txMin,
    txMax: written.txMax,
  };
}
