/**
 * Sorted lookups as scans, one for each key: the plain form of `StorageSnapshot.probe`. It asks nothing
 * of a snapshot but `scan` and `count`, so every time slice, graph set and overlay is right in it, and it is
 * the oracle of the faster forms.
 */

import { idOfHalves } from '../ids/halves.js';
import {
  BATCH_ROWS,
  type Batch,
  COLUMNS,
  type Column,
  type IdColumn,
  NO_COLUMNS,
  type PositionTest,
  type ProbeBatch,
  type ProbeCursor,
  type ProbeRequest,
  type ScanCursor,
  type ScanPattern,
  type StorageSnapshot,
} from './scan.js';

/** Scans that one call may open. */
const SCANS_PER_CALL = 64;
/** Rows that there is room for at first. */
const ROWS_AT_FIRST = 64;

export class ScanProbe implements ProbeCursor {
  readonly #snapshot: Pick<StorageSnapshot, 'scan' | 'count'>;
  readonly #request: ProbeRequest;
  readonly #columns: Record<Column, IdColumn | null>;
  #numbers = new Uint32Array(ROWS_AT_FIRST);
  #counts: Uint32Array | null;
  /** The keys, and the one whose scan is at hand or that comes next. */
  #keys: readonly IdColumn[] = [];
  #count = 0;
  #at = 0;
  #cursor: ScanCursor | null = null;
  /** A batch of the cursor, and how many of its rows have been given. */
  #found: Batch | null = null;
  #given = 0;

  constructor(snapshot: Pick<StorageSnapshot, 'scan' | 'count'>, request: ProbeRequest) {
    this.#snapshot = snapshot;
    this.#request = request;
    const wanted = request.counted === true ? [] : request.columns;
    this.#columns = { ...NO_COLUMNS };
    for (const name of wanted) this.#columns[name] = new Uint32Array(2 * ROWS_AT_FIRST);
    this.#counts = request.counted === true ? new Uint32Array(ROWS_AT_FIRST) : null;
  }

  begin(keys: readonly IdColumn[], count: number): void {
    this.#drop();
    this.#keys = keys.map((column) => column.slice(0, 2 * count));
    this.#count = count;
    this.#at = 0;
  }

  next(): ProbeBatch | null {
    if (this.#at >= this.#count) return null;
    const rows = this.#counts === null ? this.#read() : this.#tally(this.#counts);
    return { rows, columns: this.#columns, keys: this.#numbers, counts: this.#counts };
  }

  close(): void {
    this.#drop();
    this.#count = 0;
  }

  #drop(): void {
    this.#cursor?.close();
    this.#cursor = null;
    this.#found = null;
  }

  #tally(counts: Uint32Array): number {
    const { graphs, time } = this.#request;
    const to = Math.min(this.#count, this.#at + ROWS_AT_FIRST);
    let rows = 0;
    for (; this.#at < to; this.#at++) {
      const count = this.#snapshot.count({ graphs, time, pattern: this.#pattern() });
      if (count === 0) continue;
      this.#numbers[rows] = this.#at;
      counts[rows++] = count;
    }
    return rows;
  }

  #read(): number {
    let scans = 0;
    let rows = 0;
    while (rows < BATCH_ROWS && this.#at < this.#count) {
      if (this.#cursor === null) {
        if (scans++ === SCANS_PER_CALL) break;
        const { graphs, order, time, columns } = this.#request;
        this.#cursor = this.#snapshot.scan({ graphs, pattern: this.#pattern(), order, time, columns });
      }
      if (this.#found === null) {
        this.#found = this.#cursor.next();
        this.#given = 0;
      }
      if (this.#found === null) {
        this.#drop();
        this.#at++;
      } else rows += this.#take(this.#found, rows);
    }
    return rows;
  }

  /** The constants and the key at hand. */
  #pattern(): ScanPattern {
    const pattern: Partial<Record<'s' | 'p' | 'o', PositionTest>> = { ...this.#request.pattern };
    this.#request.keys.forEach((position, i) => {
      const column = this.#keys[i] as IdColumn;
      const id = idOfHalves(column[2 * this.#at] as number, column[2 * this.#at + 1] as number);
      pattern[position] = { kind: 'id', id };
    });
    return pattern;
  }

  /** Copies what the batch at hand has left, as far as there is room; returns how many rows. */
  #take(found: Batch, to: number): number {
    const { selection } = found;
    const total = selection?.length ?? found.rows;
    const rows = Math.min(total - this.#given, BATCH_ROWS - to);
    this.#reserve(to + rows);
    for (const name of COLUMNS) {
      const target = this.#columns[name];
      if (target === null) continue;
      const source = found.columns[name] as IdColumn;
      for (let i = 0; i < rows; i++) {
        const row = selection === null ? this.#given + i : (selection[this.#given + i] as number);
        target[2 * (to + i)] = source[2 * row] as number;
        target[2 * (to + i) + 1] = source[2 * row + 1] as number;
      }
    }
    this.#numbers.fill(this.#at, to, to + rows);
    this.#given += rows;
    if (this.#given === total) this.#found = null;
    return rows;
  }

  #reserve(rows: number): void {
    if (rows <= this.#numbers.length) return;
    let size = this.#numbers.length;
    while (size < rows) size *= 2;
    const larger = (values: Uint32Array, length: number): Uint32Array<ArrayBuffer> => {
      const grown = new Uint32Array(length);
      grown.set(values);
      return grown;
    };
    this.#numbers = larger(this.#numbers, size);
    for (const name of COLUMNS) {
      const column = this.#columns[name];
      if (column !== null) this.#columns[name] = larger(column, 2 * size);
    }
  }
}
