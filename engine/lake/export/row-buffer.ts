/** Rows of facts until they are enough for a row group. */

import { INSTANT_BIAS, OPEN_HALVES } from '../../storage/ids/layout.js';
import { COLUMNS, type Column, type IdColumn, type StorageSnapshot } from '../../storage/seam/scan.js';
import { GROUP_ROWS, type GroupColumn } from '../parquet/parquet-file.js';
import { writeMicros } from './micros.js';
import { objectValues } from './object-values.js';

const FIRST_ROWS = 1024;
const TWO_32 = 2 ** 32;

export type RowColumns = Readonly<Record<Column, IdColumn>>;

export class RowBuffer {
  rows = 0;
  #room: number;
  readonly #columns: Record<Column, Uint32Array>;

  /** `expected`: so many rows have room at once. */
  constructor(expected = FIRST_ROWS) {
    this.#room = Math.min(GROUP_ROWS, Math.max(FIRST_ROWS, expected));
    const columns = COLUMNS.map((name) => [name, new Uint32Array(2 * this.#room)]);
    this.#columns = Object.fromEntries(columns) as Record<Column, Uint32Array>;
  }

  get isFull(): boolean {
    return this.rows === GROUP_ROWS;
  }

  get columns(): RowColumns {
    return this.#columns;
  }

  append(from: RowColumns, row: number): void {
    if (this.rows === this.#room) this.#grow();
    const [at, source] = [2 * this.rows++, 2 * row];
    const own = this.#columns;
    copyHalves(own.s, at, from.s, source);
    copyHalves(own.p, at, from.p, source);
    copyHalves(own.o, at, from.o, source);
    copyHalves(own.g, at, from.g, source);
    copyHalves(own.txFrom, at, from.txFrom, source);
    copyHalves(own.txTo, at, from.txTo, source);
    copyHalves(own.validFrom, at, from.validFrom, source);
    copyHalves(own.validTo, at, from.validTo, source);
  }

  clear(): void {
    this.rows = 0;
  }

  /** In the order of `FACT_COLUMNS`. */
  group(snapshot: StorageSnapshot): GroupColumn[] {
    const { rows } = this;
    const { g, s, p, o, txFrom, txTo, validFrom, validTo } = this.#columns;
    const { number, time } = objectValues(snapshot, o, rows);
    const all = (halves: Uint32Array): GroupColumn => ({
      values: { kind: 'int64', halves },
      count: rows,
      present: null,
    });
    const ends = closedOnly(txTo, rows);
    return [
      ...[g, s, p, o].map(all),
      number,
      time,
      all(txFrom),
      ends,
      instants(validFrom, rows),
      instants(validTo, rows),
    ];
  }

  #grow(): void {
    this.#room = Math.min(GROUP_ROWS, 2 * this.#room);
    for (const name of COLUMNS) {
      const grown = new Uint32Array(2 * this.#room);
      grown.set(this.#columns[name]);
      this.#columns[name] = grown;
    }
  }
}

function copyHalves(to: Uint32Array, at: number, from: Uint32Array, source: number): void {
  to[at] = from[source] as number;
  to[at + 1] = from[source + 1] as number;
}

export function isOpen(column: Uint32Array, row: number): boolean {
  return column[2 * row] === OPEN_HALVES && column[2 * row + 1] === OPEN_HALVES;
}

const NONE: GroupColumn = { values: { kind: 'int64', halves: new Uint32Array(0) }, count: 0, present: null };

function closedOnly(column: Uint32Array, rows: number): GroupColumn {
  if (areOpen(column, rows)) return NONE;
  const halves = new Uint32Array(2 * rows);
  const present = new Uint8Array(rows);
  let count = 0;
  for (let row = 0; row < rows; row++) {
    if (isOpen(column, row)) continue;
    copyHalves(halves, 2 * count++, column, 2 * row);
    present[row] = 1;
  }
  return { values: { kind: 'int64', halves }, count, present };
}

function areOpen(column: Uint32Array, rows: number): boolean {
  for (let at = 0; at < 2 * rows; at++) if (column[at] !== OPEN_HALVES) return false;
  return true;
}

/** Instants of storage as microseconds; those of open rows are left out. */
function instants(column: Uint32Array, rows: number): GroupColumn {
  if (areOpen(column, rows)) return NONE;
  const halves = new Uint32Array(2 * rows);
  const present = new Uint8Array(rows);
  let count = 0;
  for (let row = 0; row < rows; row++) {
    const low = column[2 * row] as number;
    const high = column[2 * row + 1] as number;
    if (low === OPEN_HALVES && high === OPEN_HALVES) continue;
    const isSame = row > 0 && low === column[2 * row - 2] && high === column[2 * row - 1];
    if (isSame) copyHalves(halves, 2 * count, halves, 2 * count - 2);
    else writeMicros(halves, count, (high * TWO_32 + low - INSTANT_BIAS) * 1000);
    present[row] = 1;
    count++;
  }
  return { values: { kind: 'int64', halves }, count, present };
}
