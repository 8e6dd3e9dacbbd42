/**
 * Closes by the partition that their rows stand in. The rows of a graph that has a partition of its own
 * may stand in the shared one all the same: those that were written while the graph was small. Such a
 * close makes a row of the shared partition dead, and its history belongs there too.
 */

import { Memtable } from '../delta/memtable.js';
import { ROOT_ID, type TermId } from '../ids/layout.js';
import { RowColumns } from '../runs/writer.js';
import { BATCH_ROWS, COLUMNS, CURRENT } from '../seam/scan.js';
import { MemtableSource } from '../snapshot/memtable-source.js';
import type { View } from '../snapshot/view.js';
import { gapsBetween, pointRanges } from '../sources/graph-ranges.js';
import type { RowSource } from '../sources/row-source.js';
import { planScan } from '../sources/scan-plan.js';
import { timeView } from '../time/time-view.js';
import { findInRun } from './deletion-vectors.js';

const ALL_COLUMNS = COLUMNS.map((_, c) => c);
const ALL_MASK = 0xff;

export interface SplitTombstones {
  /** Closes of rows in partitions of one graph. */
  readonly own: Memtable;
  /** Closes of rows in the shared partition. */
  readonly shared: Memtable;
  release(): void;
}

/** `graphs`: those with a partition of their own. The tombstones of the view's delta, as of the view's transaction. */
export function splitTombstones(view: View, graphs: readonly TermId[]): SplitTombstones {
  const { tombstones } = view.delta;
  const partition = view.manifest.partitions.find(({ graph }) => graph === null);
  const runs = (partition?.runs.GSPO ?? []).filter((run) => run.kind === 'current');
  // Rows of ROOT never stand in the shared partition.
  const grown = graphs.filter((graph) => graph !== ROOT_ID);
  if (tombstones.count === 0 || grown.length === 0 || runs.length === 0) {
    return { own: tombstones, shared: tombstones, release: () => undefined };
  }
  const { memory } = view.context;
  const split = { own: new Memtable(memory), shared: new Memtable(memory) };
  const searches = runs.map((run) => ({ run, block: 0 }));
  const numbers = memory.allocate(4 * BATCH_ROWS);
  const found = new Uint8Array(BATCH_ROWS);
  forEachBatch(view, pointRanges(grown), (batch) => {
    found.fill(0);
    for (const search of searches) {
      findInRun(view, 'GSPO', search, batch, numbers, (_, close) => {
        found[close] = 1;
      });
    }
    copySelected(view, batch, found, 1, split.shared);
    copySelected(view, batch, found, 0, split.own);
  });
  found.fill(0);
  forEachBatch(view, pointRanges([ROOT_ID]), (batch) => copySelected(view, batch, found, 0, split.own));
  forEachBatch(view, gapsBetween(graphs), (batch) => copySelected(view, batch, found, 0, split.shared));
  memory.free(numbers, 4 * BATCH_ROWS);
  return {
    ...split,
    release: () => {
      split.own.release();
      split.shared.release();
    },
  };
}

type Batch = NonNullable<ReturnType<RowSource['next']>>;

/** The tombstones of some graphs in GSPO. */
function forEachBatch(view: View, ranges: ReturnType<typeof pointRanges>, take: (batch: Batch) => void): void {
  const plan = planScan('GSPO', { g: { kind: 'ranges', ranges } });
  const scan = { plan, view: timeView(CURRENT, view.tx), kind: 'closed' } as const;
  const source = new MemtableSource(view.delta.tombstones, scan, ALL_COLUMNS, null);
  for (let batch = source.next(); batch !== null; batch = source.next()) take(batch);
  source.close();
}

/** Appends the rows of a batch that bear a mark. */
function copySelected(view: View, batch: Batch, marks: Uint8Array, mark: number, to: Memtable): void {
  const { memory } = view.context;
  const list = memory.allocate(4 * BATCH_ROWS);
  const numbers = memory.wordsAt(list, BATCH_ROWS);
  let count = 0;
  for (let row = 0; row < batch.rows; row++) if (marks[row] === mark) numbers[count++] = row;
  if (count > 0) {
    const columns = new RowColumns(memory);
    memory.kernels.gatherRows(batch.list, list, 0, count, ALL_MASK, columns.list);
    to.append(columns, 0, count);
    columns.release();
  }
  memory.free(list, 4 * BATCH_ROWS);
}
