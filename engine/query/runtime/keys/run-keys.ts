/**
 * Keys of rows that come sorted, or at least with equal keys side by side: a row whose key is not that of
 * the row before begins a new one. Nothing is looked up.
 */

import { threadMemory } from '../../../kernels/thread-memory.js';
import { KeyTable } from './key-table.js';

export class RunKeys extends KeyTable {
  protected tryAssign(head: Uint32Array, columnsAt: number, row: number, to: number, numbersAt: number): number {
    return threadMemory().kernels.assignRuns(head.byteOffset, columnsAt, row, to, numbersAt);
  }

  /** Only the last key may come again. */
  findRows(columnsAt: number, rows: number, numbersAt: number): void {
    threadMemory().kernels.findRun((this.head as Uint32Array).byteOffset, columnsAt, rows, numbersAt);
  }
}
