/** Writes the rows of a sorted source as one run. */

import type { ThreadMemory } from '../../kernels/memory.js';
import type { FileSink } from '../runs/file-sink.js';
import type { RunRecord } from '../runs/manifest.js';
import { PackedRun } from '../runs/packed-run.js';
import type { Order } from '../seam/scan.js';
import type { RowSource } from '../sources/row-source.js';

/** The source gives dense batches of `rows` rows in all, every column decoded; it is closed here. */
export function writeSource(
  memory: ThreadMemory,
  sink: FileSink,
  source: RowSource,
  run: { readonly id: number; readonly kind: RunRecord['kind']; readonly order: Order; readonly rows: number },
): RunRecord {
  const packed = new PackedRun(memory, sink, run.order, run.rows);
  for (let batch = source.next(); batch !== null; batch = source.next()) packed.take(batch.columns, batch.rows);
  source.close();
  return packed.finish({ id: run.id, kind: run.kind });
}
