/** The net changes of a stage that is not written yet, in batches of copied columns. */

import type { UncommittedLayer } from '../delta/uncommitted-layer.js';
import { type LiveRows, liveClosed, liveOpened } from '../log/live-rows.js';
import { RowColumns } from '../runs/writer.js';
import { BATCH_ROWS, type ChangedRows, COLUMNS } from '../seam/scan.js';
import { columnsBy } from './changes.js';

const ALL_MASK = 0xff;

/** Rows that it opens, then rows that it closes with their ends; each in SPOG order. */
export function* stagedChanges({ rows, tombstones }: UncommittedLayer): Generator<ChangedRows> {
  if (rows.count > 0) yield* batchesOf('assert', liveOpened(rows));
  if (tombstones.count > 0) yield* batchesOf('retract', liveClosed(tombstones));
}

function* batchesOf(op: ChangedRows['op'], live: LiveRows): Generator<ChangedRows> {
  const { set, list, count } = live;
  const { memory } = set;
  const batch = new RowColumns(memory, Math.max(1, Math.min(BATCH_ROWS, count)));
  try {
    for (let from = 0; from < count; from += BATCH_ROWS) {
      const to = Math.min(count, from + BATCH_ROWS);
      memory.kernels.gatherRows(set.columns.list, list, from, to, ALL_MASK, batch.list);
      const rows = to - from;
      const column = (name: keyof ChangedRows['columns']) => {
        const at = (batch.addresses[COLUMNS.indexOf(name)] as number) >>> 2;
        return memory.words.slice(at, at + 2 * rows);
      };
      yield { op, rows, columns: columnsBy(column) };
    }
  } finally {
    batch.release();
    memory.free(list, live.bytes);
  }
}
