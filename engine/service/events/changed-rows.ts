/**
 * The statements that a transaction asserted, or retracted, in the order of subject, predicate, object, graph: what the
 * events of the transaction are derived from. Rows of graphs that are nobody's, such as the registry, are left out.
 *
 * A small transaction is read as a whole and sorted. The rows of a large one stand in runs, and come in their order from a
 * scan, a batch at a time, from any row on.
 */

import type { TermId, TxId } from '../../storage/ids/layout.js';
import type { ChangesByGraph, QuadColumns } from '../../storage/seam/engine.js';
import { idIn, mapQuads, pickedQuads, quadColumns } from '../../storage/seam/rows.js';
import type { Batch, ChangedRows, IdColumn, ScanCursor, StorageSnapshot } from '../../storage/seam/scan.js';

/** Changes of a transaction that is read as a whole. */
export const SMALL_ROWS = 65_536;

export type Rows = QuadColumns;

export type Op = ChangedRows['op'];

/** Halves of the ids of a row in their order, low halves first. */
export type RowKey = readonly number[];

export interface RowFeed {
  /** Rows in order; valid until the next call. Null after the last. */
  next(): Rows | null;
  close(): void;
}

export interface ChangedTransaction {
  readonly tx: TxId;
  /** It was read as a whole, and needs no snapshot any more. */
  readonly whole: boolean;
  /** Rows of either kind from the first that is not before a key on. */
  feed(op: Op, from?: RowKey): RowFeed;
}

const COLUMNS = ['s', 'p', 'o', 'g'] as const;
const NO_ROWS: Rows = quadColumns(0);

export interface TransactionSize {
  readonly quadsAdded: number;
  readonly quadsRetracted: number;
}

/** `quiet`: graphs whose rows are left out; `staged`: its changes, where it is still staged. */
export function changedTransaction(
  snapshot: StorageSnapshot,
  tx: TxId,
  { quadsAdded, quadsRetracted }: TransactionSize,
  quiet: readonly TermId[],
  staged?: ChangesByGraph,
): ChangedTransaction {
  const small = quadsAdded + quadsRetracted <= SMALL_ROWS;
  if (small) return new SmallTransaction(staged?.rows() ?? snapshot.changes(tx), tx, quiet);
  return new LargeTransaction(snapshot, tx, quiet);
}

class SmallTransaction implements ChangedTransaction {
  readonly tx: TxId;
  readonly whole = true;
  readonly #rows: Readonly<Record<Op, Rows>>;

  constructor(changes: Iterable<ChangedRows>, tx: TxId, quiet: readonly TermId[]) {
    this.tx = tx;
    const found: Record<Op, Rows[]> = { assert: [], retract: [] };
    for (const { op, rows, columns } of changes) found[op].push({ rows, ...columns });
    this.#rows = { assert: inOrder(found.assert, quiet), retract: inOrder(found.retract, quiet) };
  }

  feed(op: Op, from?: RowKey): RowFeed {
    let rest: Rows | null = from === undefined ? this.#rows[op] : rowsFrom(this.#rows[op], from);
    return {
      next: () => {
        const rows = rest;
        rest = null;
        return rows === null || rows.rows === 0 ? null : rows;
      },
      close: () => undefined,
    };
  }
}

class LargeTransaction implements ChangedTransaction {
  readonly whole = false;

  constructor(
    private readonly snapshot: StorageSnapshot,
    readonly tx: TxId,
    private readonly quiet: readonly TermId[],
  ) {}

  feed(op: Op, from?: RowKey): RowFeed {
    const { snapshot, tx, quiet } = this;
    const end = op === 'assert' ? 'txFrom' : 'txTo';
    const cursor = snapshot.scan({
      graphs: { kind: 'all', except: quiet },
      pattern: {},
      order: 'SPOG',
      time: op === 'assert' ? { kind: 'all', openedBy: tx } : { kind: 'all', closedBy: tx },
      columns: [...COLUMNS, end],
    });
    if (from !== undefined) cursor.seek([0, 1, 2, 3].map((at) => idIn(Uint32Array.from(from), at)));
    return { next: () => nextOf(cursor, end, tx), close: () => cursor.close() };
  }
}

function nextOf(cursor: ScanCursor, end: 'txFrom' | 'txTo', tx: TxId): Rows | null {
  for (let batch = cursor.next(); batch !== null; batch = cursor.next()) {
    const rows = rowsOf(batch, batch.columns[end] as IdColumn, tx);
    if (rows.rows > 0) return rows;
  }
  return null;
}

/** Copies the rows of a batch that the transaction began or ended: the batch does not outlast other reads. */
function rowsOf({ rows, selection, columns }: Batch, ends: IdColumn, tx: TxId): Rows {
  const [low, high] = [tx % 2 ** 32, Math.floor(tx / 2 ** 32)];
  const { s, p, o, g } = columns as Readonly<Record<'s' | 'p' | 'o' | 'g', IdColumn>>;
  const count = selection?.length ?? rows;
  const chosen = new Uint32Array(count);
  let kept = 0;
  for (let at = 0; at < count; at++) {
    const row = selection === null ? at : (selection[at] as number);
    if (ends[2 * row] === low && ends[2 * row + 1] === high) chosen[kept++] = row;
  }
  const all = { rows, s, p, o, g };
  return kept === rows ? mapQuads(all, rows, (column) => column.slice()) : pickedQuads(all, chosen.subarray(0, kept));
}

/** Negative when row `a` of one comes before row `b` of the other. */
function compare(one: Rows, a: number, other: Rows, b: number): number {
  for (const name of COLUMNS) {
    const [left, right] = [one[name], other[name]];
    const high = (left[2 * a + 1] as number) - (right[2 * b + 1] as number);
    if (high !== 0) return high;
    const low = (left[2 * a] as number) - (right[2 * b] as number);
    if (low !== 0) return low;
  }
  return 0;
}

/** Rows of several batches as one, in order, without those of quiet graphs. */
function inOrder(batches: readonly Rows[], quiet: readonly TermId[]): Rows {
  const all = joined(batches);
  const order = new Uint32Array(all.rows);
  let [kept, ascends] = [0, true];
  for (let row = 0; row < all.rows; row++) {
    if (quiet.length > 0 && quiet.includes(idIn(all.g, row))) continue;
    if (kept > 0 && compare(all, order[kept - 1] as number, all, row) > 0) ascends = false;
    order[kept++] = row;
  }
  if (ascends && kept === all.rows) return all;
  const chosen = order.subarray(0, kept);
  if (!ascends) chosen.sort((a, b) => compare(all, a, all, b));
  return pickedQuads(all, chosen);
}

function joined(batches: readonly Rows[]): Rows {
  if (batches.length <= 1) return batches[0] ?? NO_ROWS;
  const rows = batches.reduce((sum, batch) => sum + batch.rows, 0);
  const whole = quadColumns(rows);
  let at = 0;
  for (const batch of batches) {
    for (const name of COLUMNS) whole[name].set(batch[name].subarray(0, 2 * batch.rows), 2 * at);
    at += batch.rows;
  }
  return whole;
}

/** The rows from the first that is not before the key. */
function rowsFrom(rows: Rows, key: RowKey): Rows {
  const column = (at: number): IdColumn => Uint32Array.of(key[2 * at] as number, key[2 * at + 1] as number);
  const wanted: Rows = { rows: 1, s: column(0), p: column(1), o: column(2), g: column(3) };
  let [low, high] = [0, rows.rows];
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (compare(rows, middle, wanted, 0) < 0) low = middle + 1;
    else high = middle;
  }
  return mapQuads(rows, rows.rows - low, (column) => column.subarray(2 * low, 2 * rows.rows));
}
