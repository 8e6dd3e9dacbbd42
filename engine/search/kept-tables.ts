/**
 * Tables of what rows of ROOT say, kept from one use to the next: made once by a scan, then brought up to date by what each
 * later transaction opened of them, or made anew where that would be longer. What has ended stays in the table, which is
 * made anew when there is much of it.
 *
 * A table that needs more memory than `bytesMax` is not kept: it is read from the store for every use, in tables of a part
 * of it one after another.
 */

import { breathe, type Control, throwIfStopped } from '../base/control.js';
import type { TxId } from '../storage/ids/layout.js';
import { pickedRows, ROOT_ONLY, type RowBatch, readRows } from '../storage/seam/rows.js';
import {
  CURRENT,
  type IdColumn,
  type ScanRequest,
  type StorageSnapshot,
  type TimeSlice,
} from '../storage/seam/scan.js';

/** Transactions that are followed one by one. */
const STEPS_MAX = 512;
/** Rows that have ended, from which on they are too many: so many, and a part of all. */
const STALE_LEAST = 1000;
const STALE_SHARE = 1 / 4;
/** Of what is kept, in each thread: two million labels of 20 characters. */
const BYTES_MAX = 256 * 2 ** 20;
/** Of what is not kept, at a time: so much less. */
const PART = 1 / 4;

export interface KeptTable {
  readonly rows: number;
  /** Of memory. */
  readonly bytes: number;
  /** Rows that were found not to hold any more. */
  stale: number;
}

type Position = 's' | 'p' | 'o';
/** Takes some rows, of which it asks for columns. */
export type AddRows = (rows: number, column: (name: Position) => IdColumn) => void;

type TableRows = Pick<ScanRequest, 'pattern' | 'order'> & { readonly columns: readonly Position[] };

export abstract class KeptTables<Table extends KeptTable> {
  #table: Table | null = null;
  #tx: TxId = 0;
  /** There was too much to be kept. */
  #isLarge = false;

  constructor(private readonly bytesMax = BYTES_MAX) {}

  /** What stopped work is called. */
  protected abstract readonly what: string;
  protected abstract make(): Table;
  /** Of ROOT; null where it can't have any. */
  protected abstract rowsIn(snapshot: StorageSnapshot): TableRows | null;
  /** What adds rows to a table; they come in the order of the scan. */
  protected abstract adding(table: Table, snapshot: StorageSnapshot): AddRows;

  /** At least what a snapshot shows; of a stage, what the store that it builds on does, so nothing may be staged yet. */
  async *tables(snapshot: StorageSnapshot, control: Control): AsyncGenerator<Table> {
    const rows = this.rowsIn(snapshot);
    if (rows === null) return;
    const kept = this.#isLarge ? null : await this.#kept(snapshot, rows, control);
    if (kept !== null) {
      yield kept;
      return;
    }
    let bytes = 0;
    for await (const table of this.#parts(snapshot, rows, this.bytesMax * PART, control)) {
      yield table;
      bytes += table.bytes;
    }
    this.#isLarge = bytes > this.bytesMax;
  }

  /** A row of the table that is kept was found not to hold any more. */
  noteStale(): void {
    if (this.#table !== null) this.#table.stale++;
  }

  /** Forgets it: what it was made of may not have lasted. */
  clear(): void {
    this.#table = null;
  }

  /** Null where it is too large. */
  async #kept(snapshot: StorageSnapshot, rows: TableRows, control: Control): Promise<Table | null> {
    const tx = snapshot.staged ? snapshot.tx - 1 : snapshot.tx;
    let table = this.#table;
    if (table !== null && table.stale > STALE_LEAST && table.stale > table.rows * STALE_SHARE) table = null;
    if (table === null || tx - this.#tx > STEPS_MAX) {
      const parts = this.#parts(snapshot, rows, this.bytesMax, control);
      const made: Table = (await parts.next()).value ?? this.make();
      table = made;
      await parts.return(undefined);
      // Another may have been made meanwhile, of a later state.
      if (this.#table !== null && this.#tx > tx) return table;
    } else {
      for (let next = this.#tx + 1; next <= tx; next++) this.#follow(table, snapshot, rows, next);
    }
    this.#isLarge = table.bytes > this.bytesMax;
    this.#table = this.#isLarge ? null : table;
    this.#tx = Math.max(this.#tx, tx);
    return this.#table;
  }

  /** Tables one after another, each of as many bytes or a little more. */
  async *#parts(snapshot: StorageSnapshot, rows: TableRows, bytes: number, control: Control): AsyncGenerator<Table> {
    let table = this.make();
    let add = this.adding(table, snapshot);
    for (const batch of scanned(snapshot, rows, CURRENT)) {
      add(batch.rows, (name) => batch.column(name));
      throwIfStopped(control, this.what);
      await breathe();
      if (table.bytes <= bytes) continue;
      yield table;
      table = this.make();
      add = this.adding(table, snapshot);
    }
    if (table.rows > 0) yield table;
  }

  /** What is not in a run yet is in memory, and runs are passed over by their zone maps. */
  #follow(table: Table, snapshot: StorageSnapshot, rows: TableRows, tx: TxId): void {
    const add = this.adding(table, snapshot);
    for (const batch of scanned(snapshot, rows, { kind: 'all', openedBy: tx }, ['txFrom'])) {
      const own = [...Array(batch.rows).keys()].filter((row) => batch.tx('txFrom', row) === tx);
      add(own.length, (name) => pickedRows(batch.column(name), own));
    }
  }
}

function scanned(
  snapshot: StorageSnapshot,
  { columns, ...rows }: TableRows,
  time: TimeSlice,
  more: readonly 'txFrom'[] = [],
): Generator<RowBatch> {
  return readRows(snapshot, { graphs: ROOT_ONLY, ...rows, time, columns: [...columns, ...more] });
}
