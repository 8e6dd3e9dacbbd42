/**
 * Current statements that some transactions own, found by what they opened: their rows in the log, sorted, each looked up
 * by a sorted probe. One is owned while its open row is still the one that such a transaction wrote.
 */

import type { TermId, TxId } from '../../storage/ids/layout.js';
import type { QuadColumns } from '../../storage/seam/engine.js';
import {
  compareRows,
  idIn,
  mapQuads,
  pickedQuads,
  quadColumns,
  readRows,
  rowsWrittenBy,
} from '../../storage/seam/rows.js';
import { BATCH_ROWS, type IdColumn, type StorageSnapshot } from '../../storage/seam/scan.js';
import { OwnedBatch, type Owners } from './owned-rows.js';

type Columns = Omit<QuadColumns, 'rows'>;

const POSITIONS = ['g', 's', 'p', 'o'] as const;
const ROWS_AT_FIRST = 256;

/** Sorted by graph, then s, p, o; null when the transactions opened more rows than `rowsMax`. */
export function ownedByLog(
  snapshot: StorageSnapshot,
  graphs: readonly TermId[],
  owners: Owners,
  rowsMax: number,
): Generator<OwnedBatch> | null {
  if (snapshot.changes === undefined) return null;
  const opened = new OpenedRows(graphs);
  const only = graphs.length === 1 ? graphs[0] : undefined;
  for (const tx of owners.all) {
    if (owners.pending.has(tx)) addPending(snapshot, tx, opened);
    else {
      for (const { op, rows, columns } of snapshot.changes(tx, only)) {
        if (op === 'assert') opened.add(columns, rows);
        if (opened.rows > rowsMax) return null;
      }
    }
    if (opened.rows > rowsMax) return null;
  }
  return stillOwned(snapshot, opened.sorted(), new Set(owners.all));
}

/** What is not in the log yet is newer than every run, so that this reads no block of any. */
function addPending(snapshot: StorageSnapshot, tx: TxId, opened: OpenedRows): void {
  const time = { kind: 'all', openedBy: tx } as const;
  const columns = ['s', 'p', 'o', 'g', 'txFrom'] as const;
  for (const batch of readRows(snapshot, { graphs: { kind: 'all' }, pattern: {}, time, columns, unordered: true })) {
    const all = batch.quads();
    for (let row = 0; row < batch.rows; row++) if (batch.tx('txFrom', row) === tx) opened.addRow(all, row);
  }
}

/** Rows of some graphs, gathered in columns that grow. */
class OpenedRows {
  readonly #graphs: ReadonlySet<TermId>;
  #columns: Columns = quadColumns(ROWS_AT_FIRST);
  rows = 0;

  constructor(graphs: readonly TermId[]) {
    this.#graphs = new Set(graphs);
  }

  add(from: Columns, rows: number): void {
    for (let row = 0; row < rows; row++) this.addRow(from, row);
  }

  addRow(from: Columns, row: number): void {
    if (!this.#isWanted(from.g, row)) return;
    if (2 * this.rows === this.#columns.g.length) this.#grow();
    for (const name of POSITIONS) {
      const to = this.#columns[name];
      to[2 * this.rows] = from[name][2 * row] as number;
      to[2 * this.rows + 1] = from[name][2 * row + 1] as number;
    }
    this.rows++;
  }

  #last: { low: number; high: number; wanted: boolean } | null = null;

  #isWanted(graphs: IdColumn, row: number): boolean {
    const [low, high] = [graphs[2 * row] as number, graphs[2 * row + 1] as number];
    if (this.#last?.low !== low || this.#last.high !== high) {
      this.#last = { low, high, wanted: this.#graphs.has(idIn(graphs, row)) };
    }
    return this.#last.wanted;
  }

  #grow(): void {
    const larger = quadColumns(this.#columns.g.length);
    for (const name of POSITIONS) larger[name].set(this.#columns[name]);
    this.#columns = larger;
  }

  /** Each quad once, by g, s, p, o. Rows of one transaction mostly are sorted already. */
  sorted(): QuadColumns {
    const { rows } = this;
    const columns = this.#columns;
    const places = Uint32Array.from({ length: rows }, (_, at) => at);
    const compare = (a: number, b: number): number => compareRows(columns, POSITIONS, a, b);
    let ascends = true;
    for (let row = 1; row < rows && ascends; row++) ascends = compare(row - 1, row) < 0;
    if (ascends) return { ...columns, rows };
    places.sort(compare);
    const distinct = places.filter((place, at) => at === 0 || compare(places[at - 1] as number, place) !== 0);
    return pickedQuads({ ...columns, rows }, distinct);
  }
}

/** The rows whose open row was written by one of the owners. */
function* stillOwned(snapshot: StorageSnapshot, quads: QuadColumns, owners: ReadonlySet<TxId>): Generator<OwnedBatch> {
  const { g, rows } = quads;
  for (let from = 0; from < rows; ) {
    const [low, high] = [g[2 * from] as number, g[2 * from + 1] as number];
    let to = from + 1;
    while (to < rows && to - from < BATCH_ROWS && g[2 * to] === low && g[2 * to + 1] === high) to++;
    const part = new OwnedBatch(mapQuads(quads, to - from, (column) => column.slice(2 * from, 2 * to)));
    const kept = rowsWrittenBy(snapshot, idIn(g, from), part.quads, (tx) => owners.has(tx));
    if (kept.length > 0) yield part.picked(kept);
    from = to;
  }
}
