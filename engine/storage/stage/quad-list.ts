/** Quads that are picked out of slices in kernel memory, as columns of their own. */

import type { ThreadMemory } from '../../kernels/memory.js';
import type { RowColumns } from '../runs/writer.js';
import type { QuadColumns } from '../seam/engine.js';
import type { IdColumn } from '../seam/scan.js';

/** Columns of s, p, o, g. */
const WIDTH = 4;

export class QuadList {
  readonly #memory: ThreadMemory;
  readonly #columns: readonly IdColumn[];
  #count = 0;

  /** `rows`: most quads that it takes. */
  constructor(memory: ThreadMemory, rows: number) {
    this.#memory = memory;
    this.#columns = Array.from({ length: WIDTH }, () => new Uint32Array(2 * rows));
  }

  /** Takes those of the first `rows` rows that are marked. */
  take(from: RowColumns, rows: number, marked: Uint8Array): void {
    const { words } = this.#memory;
    for (let row = 0; row < rows; row++) {
      if (marked[row] === 0) continue;
      for (let c = 0; c < WIDTH; c++) {
        const at = ((from.addresses[c] as number) >>> 2) + 2 * row;
        const column = this.#columns[c] as IdColumn;
        column[2 * this.#count] = words[at] as number;
        column[2 * this.#count + 1] = words[at + 1] as number;
      }
      this.#count++;
    }
  }

  columns(): QuadColumns {
    const [s, p, o, g] = this.#columns as readonly [IdColumn, IdColumn, IdColumn, IdColumn];
    return { rows: this.#count, s, p, o, g };
  }
}
