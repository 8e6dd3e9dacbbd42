/** Rows of an order, apart: those that are open, and those that are not, each as a run. */

import type { ThreadMemory } from '../../kernels/memory.js';
import { OPEN_HALVES } from '../ids/layout.js';
import type { FileSink } from '../runs/file-sink.js';
import type { RunRecord } from '../runs/manifest.js';
import { PackedRun } from '../runs/packed-run.js';
import { RowColumns } from '../runs/writer.js';
import { BATCH_ROWS, COLUMNS, type IdColumn, type Order } from '../seam/scan.js';
import { type ContentBatch, isOpenAt } from './content-source.js';

export class SplitRows {
  readonly #memory: ThreadMemory;
  readonly #columns: RowColumns;
  readonly #lists: readonly [number, number];
  readonly #runs: readonly [PackedRun, PackedRun];

  constructor(memory: ThreadMemory, sink: FileSink, order: Order, open: number, closed: number) {
    this.#memory = memory;
    this.#columns = new RowColumns(memory);
    this.#lists = [memory.allocate(4 * BATCH_ROWS), memory.allocate(4 * BATCH_ROWS)];
    this.#runs = [new PackedRun(memory, sink, order, open), new PackedRun(memory, sink, order, closed)];
  }

  take({ rows, columns, selection }: ContentBatch): void {
    const { words } = this.#memory;
    for (const [c, name] of COLUMNS.entries()) {
      words.set(columns[name].subarray(0, 2 * rows), (this.#columns.addresses[c] as number) >>> 2);
    }
    const count = selection?.length ?? rows;
    // Mostly all rows of a graph are open, and then none is listed.
    if (selection === null && areOpen(columns.txTo, rows)) {
      this.#runs[0].take(this.#columns.addresses, rows, 0);
      return;
    }
    const [opened, closed] = this.#lists.map((list) => this.#memory.wordsAt(list, BATCH_ROWS)) as [
      Uint32Array,
      Uint32Array,
    ];
    let [openRows, closedRows] = [0, 0];
    for (let i = 0; i < count; i++) {
      const row = selection === null ? i : (selection[i] as number);
      if (isOpenAt(columns.txTo, 2 * row)) opened[openRows++] = row;
      else closed[closedRows++] = row;
    }
    for (const [kind, taken] of [openRows, closedRows].entries()) {
      if (taken === 0) continue;
      this.#runs[kind as 0 | 1].take(
        this.#columns.addresses,
        taken,
        taken === rows ? 0 : (this.#lists[kind] as number),
      );
    }
  }

  /** The runs of open and of closed rows; null where there are none. */
  finish(nextRun: () => number): [RunRecord | null, RunRecord | null] {
    const [current, history] = this.#runs;
    const made: [RunRecord | null, RunRecord | null] = [null, null];
    for (const [at, [run, kind]] of (
      [
        [current, 'current'],
        [history, 'history'],
      ] as const
    ).entries()) {
      if (run.rows > 0) made[at as 0 | 1] = run.finish({ id: nextRun(), kind });
    }
    return made;
  }

  release(): void {
    for (const run of this.#runs) run.release();
    for (const list of this.#lists) this.#memory.free(list, 4 * BATCH_ROWS);
    this.#columns.release();
  }
}

function areOpen(txTo: IdColumn, rows: number): boolean {
  for (let half = 0; half < 2 * rows; half++) if (txTo[half] !== OPEN_HALVES) return false;
  return true;
}
