/** Rows of an order, apart: those that are open, and those that are not, each as a run. */

import type { ThreadMemory } from '../../kernels/memory.js';
import type { FileSink } from '../runs/file-sink.js';
import type { RunRecord } from '../runs/manifest.js';
import { PackedRun } from '../runs/packed-run.js';
import { RowColumns } from '../runs/writer.js';
import { BATCH_ROWS, COLUMNS, type Order } from '../seam/scan.js';
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
    const lists = this.#lists.map((list) => this.#memory.wordsAt(list, BATCH_ROWS)) as [Uint32Array, Uint32Array];
    const counts: [number, number] = [0, 0];
    const count = selection?.length ?? rows;
    for (let i = 0; i < count; i++) {
      const row = selection === null ? i : (selection[i] as number);
      const kind = isOpenAt(columns.txTo, 2 * row) ? 0 : 1;
      lists[kind][counts[kind]++] = row;
    }
    for (const kind of [0, 1] as const) {
      if (counts[kind] === 0) continue;
      const all = counts[kind] === rows;
      this.#runs[kind].take(this.#columns.addresses, counts[kind], all ? 0 : this.#lists[kind]);
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
