/** The rows of one graph as they are hashed and packed: from a snapshot of a store, whichever engine has it, or of a pack. */

import { terms } from '../../rdf/terms.js';
import { OPEN_HALVES, type TermId, type TxId } from '../ids/layout.js';
import type { PackTransaction } from '../seam/pack.js';
import {
  COLUMNS,
  type Column,
  CURRENT,
  type IdColumn,
  type Order,
  type StorageSnapshot,
  type StoredTerms,
  type TimeSlice,
} from '../seam/scan.js';

/** Rows in columns of halves; those that `selection` lists, or all. Valid until the next batch. */
export interface ContentBatch {
  readonly rows: number;
  readonly columns: Readonly<Record<Column, IdColumn>>;
  readonly selection: Uint32Array | null;
}

export interface ContentSource {
  /** All of its rows, open and closed; `order` absent = as they come. */
  batches(order?: Order): Iterable<ContentBatch>;
  /** Stored bytes of dictionary terms, whose ids ascend. */
  stored(ids: IdColumn, count: number, take: (terms: StoredTerms) => void): void;
  transaction(tx: TxId): PackTransaction;
}

const ALL: TimeSlice = { kind: 'all' };

/** Where transactions are looked up. */
export type TransactionLookup = (tx: TxId) => PackTransaction;

export class SnapshotContent implements ContentSource {
  readonly snapshot: StorageSnapshot;
  /** Null: nothing was ever said about it, or in it. */
  readonly graph: TermId | null;
  readonly time: TimeSlice;
  readonly #lookup: TransactionLookup;
  #rows: { readonly open: number; readonly closed: number } | null = null;

  /** `current`: of open rows only. */
  constructor(snapshot: StorageSnapshot, graph: string, lookup: TransactionLookup, current = false) {
    this.snapshot = snapshot;
    this.graph = snapshot.encode(terms.namedNode(graph));
    this.time = current ? CURRENT : ALL;
    this.#lookup = lookup;
  }

  *batches(order?: Order): Generator<ContentBatch> {
    if (this.graph === null) return;
    const cursor = this.snapshot.scan({
      graphs: { kind: 'one', graph: this.graph },
      pattern: {},
      time: this.time,
      columns: COLUMNS,
      ...(order === undefined ? { unordered: true } : { order }),
    });
    try {
      for (let batch = cursor.next(); batch !== null; batch = cursor.next()) yield batch as ContentBatch;
    } finally {
      cursor.close();
    }
  }

  stored(ids: IdColumn, count: number, take: (terms: StoredTerms) => void): void {
    this.snapshot.stored(ids, count, take);
  }

  transaction(tx: TxId): PackTransaction {
    return this.#lookup(tx);
  }

  /** How many rows are open, and how many are not. A count of the snapshot would be one of quads. */
  get rows(): { readonly open: number; readonly closed: number } {
    this.#rows ??= this.#countRows();
    return this.#rows;
  }

  #countRows(): { readonly open: number; readonly closed: number } {
    const counts = { open: 0, closed: 0 };
    if (this.graph === null) return counts;
    const cursor = this.snapshot.scan({
      graphs: { kind: 'one', graph: this.graph },
      pattern: {},
      time: this.time,
      columns: ['txTo'],
      unordered: true,
    });
    try {
      for (let batch = cursor.next(); batch !== null; batch = cursor.next()) {
        const txTo = batch.columns.txTo as IdColumn;
        const rows = batch.selection?.length ?? batch.rows;
        for (let i = 0; i < rows; i++) {
          const row = batch.selection === null ? i : (batch.selection[i] as number);
          if (isOpenAt(txTo, 2 * row)) counts.open++;
          else counts.closed++;
        }
      }
    } finally {
      cursor.close();
    }
    return counts;
  }
}

/** Whether the end of a transaction at a place of a column, in halves, is open. */
export function isOpenAt(txTo: IdColumn, at: number): boolean {
  return txTo[at] === OPEN_HALVES && txTo[at + 1] === OPEN_HALVES;
}
