/**
 * The labels of ROOT, kept from one use to the next: made once by a scan, then brought up to date by what each later
 * transaction opened of them, or made anew where that would be longer. Labels that have ended stay in the table, which is
 * made anew when there are many of them.
 *
 * Labels that need more memory than `bytesMax` are not kept: they are read from the store for every use, in tables of a part
 * of it one after another.
 */

import { breathe, type Control, throwIfStopped } from '../../base/control.js';
import { RDFS, terms } from '../../rdf/terms.js';
import { ROOT_ID, type TermId, type TxId } from '../../storage/ids/layout.js';
import { type Batch, CURRENT, type IdColumn, type ScanRequest, type StorageSnapshot } from '../../storage/seam/scan.js';
import { LabelTable } from './label-table.js';

export const RDFS_LABEL = terms.namedNode(`${RDFS}label`);
/** Transactions that are followed one by one. */
const STEPS_MAX = 512;
/** Labels that have ended, from which on they are too many: so many, and a part of all. */
const STALE_LEAST = 1000;
const STALE_SHARE = 1 / 4;
/** Of kept labels, in each thread that compares names: two million labels of 20 characters. */
const BYTES_MAX = 256 * 2 ** 20;
/** Of labels that are not kept, at a time: so much less. */
const PART = 1 / 4;

type RowIds = readonly [number, number, number, number];

export class Labels {
  #table: LabelTable | null = null;
  #tx: TxId = 0;
  /** There were too many of them to be kept. */
  #isLarge = false;
  /** How many were found not to hold any more. */
  stale = 0;

  constructor(private readonly bytesMax: number = BYTES_MAX) {}

  /** At least those that a snapshot shows; of a stage, those of the store that it builds on, so nothing may be staged yet. */
  async *tables(snapshot: StorageSnapshot, control: Control): AsyncGenerator<LabelTable> {
    const p = snapshot.encode(RDFS_LABEL);
    if (p === null) return;
    const kept = this.#isLarge ? null : await this.#kept(snapshot, p, control);
    if (kept !== null) {
      yield kept;
      return;
    }
    const parts = tablesOf(snapshot, p, this.bytesMax * PART, control);
    let bytes = 0;
    for await (const table of parts) {
      yield table;
      bytes += table.bytes;
    }
    this.#isLarge = bytes > this.bytesMax;
  }

  /** Forgets them: what they were made of may not have lasted. */
  clear(): void {
    this.#table = null;
  }

  /** Null where they are too many. */
  async #kept(snapshot: StorageSnapshot, p: TermId, control: Control): Promise<LabelTable | null> {
    const tx = snapshot.staged ? snapshot.tx - 1 : snapshot.tx;
    let table = this.#table;
    if (table !== null && this.stale > STALE_LEAST && this.stale > table.rows * STALE_SHARE) table = null;
    if (table === null || tx - this.#tx > STEPS_MAX) {
      const parts = tablesOf(snapshot, p, this.bytesMax, control);
      const made: LabelTable = (await parts.next()).value ?? new LabelTable();
      table = made;
      await parts.return(undefined);
      // Another may have been made meanwhile, of a later state.
      if (this.#table !== null && this.#tx > tx) return table;
      this.stale = 0;
    } else {
      for (let next = this.#tx + 1; next <= tx; next++) addAll(table, snapshot, openedBy(snapshot, p, next));
    }
    const { bytes } = table;
    this.#isLarge = bytes > this.bytesMax;
    this.#table = this.#isLarge ? null : table;
    this.#tx = Math.max(this.#tx, tx);
    return this.#table;
  }
}

function requestOf(p: TermId, time: ScanRequest['time'], columns: ScanRequest['columns']): ScanRequest {
  return {
    graphs: { kind: 'one', graph: ROOT_ID },
    pattern: { p: { kind: 'id', id: p } },
    order: 'POSG',
    time,
    columns,
  };
}

/** Tables of the labels one after another, each of as many bytes or a little more. */
async function* tablesOf(
  snapshot: StorageSnapshot,
  p: TermId,
  bytes: number,
  control: Control,
): AsyncGenerator<LabelTable> {
  let table = new LabelTable();
  const cursor = snapshot.scan(requestOf(p, CURRENT, ['s', 'o']));
  try {
    for (let batch = cursor.next(); batch !== null; batch = cursor.next()) {
      addAll(
        table,
        snapshot,
        idsOf(batch, () => true),
      );
      throwIfStopped(control, 'the comparison of labels');
      await breathe();
      if (table.bytes <= bytes) continue;
      yield table;
      table = new LabelTable();
    }
  } finally {
    cursor.close();
  }
  if (table.rows > 0) yield table;
}

function addAll(table: LabelTable, snapshot: StorageSnapshot, rows: readonly RowIds[]): void {
  const column = new Uint32Array(2 * rows.length);
  for (const [at, [, , low, high]] of rows.entries()) {
    column[2 * at] = low;
    column[2 * at + 1] = high;
  }
  const labels = snapshot.decode(column, rows.length);
  for (const [at, ids] of rows.entries()) {
    const label = labels[at];
    if (label?.termType === 'Literal') table.add(ids, label.value);
  }
}

/** What is not in a run yet is in memory, and runs are passed over by their zone maps. */
function openedBy(snapshot: StorageSnapshot, p: TermId, tx: TxId): RowIds[] {
  const [low, high] = [tx % 2 ** 32, Math.floor(tx / 2 ** 32)];
  const cursor = snapshot.scan(requestOf(p, { kind: 'all', openedBy: tx }, ['s', 'o', 'txFrom']));
  const found: RowIds[] = [];
  try {
    for (let batch = cursor.next(); batch !== null; batch = cursor.next()) {
      const begins = batch.columns.txFrom as IdColumn;
      found.push(...idsOf(batch, (row) => begins[2 * row] === low && begins[2 * row + 1] === high));
    }
  } finally {
    cursor.close();
  }
  return found;
}

function idsOf({ rows, selection, columns }: Batch, wanted: (row: number) => boolean): RowIds[] {
  const [s, o] = [columns.s as IdColumn, columns.o as IdColumn];
  const found: RowIds[] = [];
  const count = selection?.length ?? rows;
  for (let at = 0; at < count; at++) {
    const row = selection === null ? at : (selection[at] as number);
    if (!wanted(row)) continue;
    found.push([s[2 * row] as number, s[2 * row + 1] as number, o[2 * row] as number, o[2 * row + 1] as number]);
  }
  return found;
}
