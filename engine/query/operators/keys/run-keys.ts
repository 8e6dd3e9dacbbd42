/**
 * Keys of rows that come sorted, or at least with equal keys side by side: a row whose key is not that of
 * the row before begins a new one. Nothing is looked up.
 */

import type { IdColumn } from '../../../storage/scan.js';
import { KeyTable } from './key-table.js';

export class RunKeys extends KeyTable {
  assign(columns: readonly IdColumn[], rows: number, into: Int32Array): void {
    if (this.width === 1) this.assignOne(columns, rows, into);
    else this.assignMany(columns, rows, into);
  }

  find(columns: readonly IdColumn[], rows: number, into: Int32Array): void {
    const last = this.count - 1;
    let row = 0;
    while (row < rows && last >= 0 && this.hasKey(columns, row, last)) into[row++] = last;
    into.fill(-1, row, rows);
  }

  private assignOne(columns: readonly IdColumn[], rows: number, into: Int32Array): void {
    const column = columns[0] as IdColumn;
    const keys = this.columns[0] as IdColumn;
    let number = this.count - 1;
    let low = number < 0 ? 0 : (keys[2 * number] as number);
    let high = number < 0 ? 0 : (keys[2 * number + 1] as number);
    for (let row = 0; row < rows; row++) {
      if (number < 0 || column[2 * row] !== low || column[2 * row + 1] !== high) {
        low = column[2 * row] as number;
        high = column[2 * row + 1] as number;
        number = this.append(columns, row);
      }
      into[row] = number;
    }
  }

  private assignMany(columns: readonly IdColumn[], rows: number, into: Int32Array): void {
    let number = this.count - 1;
    for (let row = 0; row < rows; row++) {
      if (number < 0 || !this.hasKey(columns, row, number)) number = this.append(columns, row);
      into[row] = number;
    }
  }
}
