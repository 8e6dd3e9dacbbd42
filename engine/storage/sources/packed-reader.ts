/** Tests and decodes packed rows: the work of a scan on one block, in whichever thread has kernels over its memory. */

import { PADDING_BYTES, type ThreadMemory } from '../../kernels/memory.js';
import { BATCH_ROWS } from '../seam/scan.js';
import type { ScanTest } from '../seam/scan-tests.js';
import { applyTest, type RowNumbers } from './block-tests.js';

const SELECTION_BYTES = 4 * BATCH_ROWS;
const COLUMN_BYTES = 8 * BATCH_ROWS + PADDING_BYTES;

/** Rows `[from, to)` of a packed block; `dead`: where row numbers of dead rows are, u16. */
export interface PackedRows {
  readonly address: number;
  readonly rows: number;
  readonly from: number;
  readonly to: number;
  readonly open: number;
  readonly deadAt: number;
  readonly dead: number;
}

export class PackedReader {
  /** Where the columns of the rows are that were read last. */
  readonly addresses: readonly number[];
  readonly #memory: ThreadMemory;
  readonly #tests: readonly ScanTest[];
  readonly #columns: readonly number[];
  readonly #selection: number;
  #released = false;

  /** `columns`: numbers of those that are wanted. */
  constructor(memory: ThreadMemory, tests: readonly ScanTest[], columns: readonly number[]) {
    this.#memory = memory;
    this.#tests = tests;
    this.#columns = columns;
    this.#selection = memory.allocate(SELECTION_BYTES);
    this.addresses = columns.map(() => memory.allocate(COLUMN_BYTES));
  }

  /** Decodes the columns of the rows that live and pass; how many there are. */
  read(part: PackedRows): number {
    const selected = this.#select(part);
    if (selected === 0) return 0;
    const { kernels } = this.#memory;
    const { address, from, to } = part;
    const count = to - from;
    for (let at = 0; at < this.#columns.length; at++) {
      const [column, out] = [this.#columns[at] as number, this.addresses[at] as number];
      if (2 * selected <= count) kernels.decodeRows(address, column, from, this.#selection, selected, out);
      else {
        kernels.decodeColumn(address, column, from, to, out);
        if (selected < count) kernels.gatherColumn(out, this.#selection, selected, out);
      }
    }
    return selected;
  }

  #select({ address, rows: whole, from, to, open, deadAt, dead }: PackedRows): number {
    const [memory, selection] = [this.#memory, this.#selection];
    let rows: RowNumbers = { first: from, address: 0, count: to - from };
    if (dead > 0) {
      const count = memory.kernels.selectAlive(deadAt, dead, from, to, selection);
      if (count < rows.count) rows = { first: from, address: selection, count };
    }
    for (let at = 0; at < this.#tests.length && rows.count > 0; at++) {
      if ((open & (1 << at)) === 0) continue;
      const test = this.#tests[at] as ScanTest;
      const count = applyTest(memory, test, { address, rows: whole }, rows, selection);
      rows = { first: from, address: selection, count };
    }
    return rows.count;
  }

  release(): void {
    if (this.#released) return;
    this.#released = true;
    this.#memory.free(this.#selection, SELECTION_BYTES);
    for (const address of this.addresses) this.#memory.free(address, COLUMN_BYTES);
  }
}
