/** Quads of a load that stand in open rows of some transactions, gathered in columns that grow. */

import type { ThreadMemory } from '../../kernels/memory.js';
import type { RowColumns } from '../runs/writer.js';
import type { QuadColumns } from '../seam/engine.js';

const WIDTH = 4;
const ROWS_AT_FIRST = 256;

export class RepeatedRows {
  readonly isNoted: (tx: number) => boolean;
  #columns = Array.from({ length: WIDTH }, () => new Uint32Array(2 * ROWS_AT_FIRST));
  #rows = 0;

  constructor(isNoted: (tx: number) => boolean) {
    this.isNoted = isNoted;
  }

  /** Takes one row of some that stand in the memory of a thread. */
  take(memory: ThreadMemory, from: RowColumns, row: number): void {
    const at = 2 * this.#rows++;
    if (at === this.#columns[0]?.length) this.#columns = this.#columns.map(twice);
    for (const [c, column] of this.#columns.entries()) {
      const word = ((from.addresses[c] as number) >>> 2) + 2 * row;
      column[at] = memory.words[word] as number;
      column[at + 1] = memory.words[word + 1] as number;
    }
  }

  quads(): QuadColumns {
    const [s, p, o, g] = this.#columns.map((column) => column.slice(0, 2 * this.#rows)) as [
      Uint32Array,
      Uint32Array,
      Uint32Array,
      Uint32Array,
    ];
    return { rows: this.#rows, s, p, o, g };
  }
}

function twice(column: Uint32Array<ArrayBuffer>): Uint32Array<ArrayBuffer> {
  const larger = new Uint32Array(2 * column.length);
  larger.set(column);
  return larger;
}
