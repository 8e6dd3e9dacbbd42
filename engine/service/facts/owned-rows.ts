/**
 * Current statements by owner. The owner of a statement is the source of the transaction that its open
 * row was written by; a statement that stands open in several rows comes once.
 */

import type { TermId, TxId } from '../../storage/ids/layout.js';
import type { QuadColumns, StorageEngine } from '../../storage/seam/engine.js';
import { idIn, pickedQuads, type RowBatch, readRows } from '../../storage/seam/rows.js';
import { CURRENT, type StorageSnapshot } from '../../storage/seam/scan.js';

export interface Owners {
  readonly all: readonly TxId[];
  /** Those that may not be on the disk yet, so that the log has no record of them. */
  readonly pending: ReadonlySet<TxId>;
}

/** To be asked before the snapshot is opened that is read by it. */
export function ownersOf(engine: StorageEngine, source: string): Owners {
  const all = engine.transactionsOf(source);
  const pending = new Set<TxId>();
  for (let at = all.length - 1; at >= 0; at--) {
    const tx = all[at] as TxId;
    if (engine.transactions({ since: tx - 1, limit: 1 }).length > 0) break;
    pending.add(tx);
  }
  return { all, pending };
}

type Position = 's' | 'p' | 'o' | 'g';

export class OwnedBatch {
  constructor(readonly quads: QuadColumns) {}

  get rows(): number {
    return this.quads.rows;
  }

  id(column: Position, row: number): TermId {
    return idIn(this.quads[column], row);
  }

  /** True when the row differs in this column from a row of another batch, or of this one. */
  differs(column: Position, row: number, other: OwnedBatch, otherRow: number): boolean {
    const [a, b] = [this.quads[column], other.quads[column]];
    return a[2 * row] !== b[2 * otherRow] || a[2 * row + 1] !== b[2 * otherRow + 1];
  }

  picked(rows: readonly number[]): OwnedBatch {
    return new OwnedBatch(pickedQuads(this.quads, rows));
  }
}

/** The current statements of a graph that were written by some transactions, sorted by s, p, o. */
export function* ownedRows(snapshot: StorageSnapshot, graph: TermId, owners: ReadonlySet<TxId>): Generator<OwnedBatch> {
  if (owners.size === 0) return;
  const request = { graphs: { kind: 'one', graph }, pattern: {}, time: CURRENT, order: 'SPOG' } as const;
  let before: OwnedBatch | null = null;
  for (const batch of readRows(snapshot, { ...request, columns: ['s', 'p', 'o', 'g', 'txFrom'] })) {
    const owned = ownedOf(batch, owners, before);
    if (owned.rows === 0) continue;
    yield owned;
    before = owned;
  }
}

function ownedOf(batch: RowBatch, owners: ReadonlySet<TxId>, before: OwnedBatch | null): OwnedBatch {
  const all = new OwnedBatch(batch.quads());
  const kept: number[] = [];
  // Rows of one statement stand together.
  let [last, lastRow] = [before, (before?.rows ?? 0) - 1];
  for (let row = 0; row < batch.rows; row++) {
    if (!owners.has(batch.tx('txFrom', row) as TxId)) continue;
    if (last !== null && !isOther(all, row, last, lastRow)) continue;
    kept.push(row);
    [last, lastRow] = [all, row];
  }
  return all.picked(kept);
}

function isOther(a: OwnedBatch, aRow: number, b: OwnedBatch, bRow: number): boolean {
  return a.differs('o', aRow, b, bRow) || a.differs('s', aRow, b, bRow) || a.differs('p', aRow, b, bRow);
}
