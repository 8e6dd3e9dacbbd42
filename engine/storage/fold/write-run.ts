/** Writes the rows of a sorted source as one run. */

import type { ThreadMemory } from '../../kernels/memory.js';
import type { FileSink } from '../runs/file-sink.js';
import type { RunRecord } from '../runs/manifest.js';
import { RunWriter } from '../runs/writer.js';
import { BATCH_ROWS, type Order } from '../seam/scan.js';
import { BlockFiller } from '../sources/block-filler.js';
import type { RowSource } from '../sources/row-source.js';

/** The source gives dense batches of `rows` rows in all, every column decoded; it is closed here. */
export function writeSource(
  memory: ThreadMemory,
  sink: FileSink,
  source: RowSource,
  run: { readonly id: number; readonly kind: RunRecord['kind']; readonly order: Order; readonly rows: number },
): RunRecord {
  const writer = new RunWriter(memory, sink.row, run.order, sink.reserveRows(Math.ceil(run.rows / BATCH_ROWS)));
  const filler = new BlockFiller(memory, (columns, rows) => writer.append(columns, rows));
  for (let batch = source.next(); batch !== null; batch = source.next()) filler.add(batch);
  filler.flush();
  source.close();
  filler.release();
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
