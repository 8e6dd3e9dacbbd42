/**
 * What a stage would change, as a source of scans above the delta: rows that it opens, closes of rows
 * that are open in the store, terms that are new. Rows and closes that were taken back stay in their
 * sets with times that no view sees.
 *
 * A snapshot of the stage shares the overlay until the stage changes again, which copies it first.
 */

import type { ThreadMemory } from '../../kernels/memory.js';
import type { TxId } from '../ids/layout.js';
import type { ReadTransaction } from '../lmdb/file.js';
import { DeltaTerms } from './delta-terms.js';
import { RowSet } from './memtable.js';

export class Overlay {
  readonly rows: RowSet;
  readonly closes: RowSet;
  readonly terms: DeltaTerms;
  #pins = 1;

  constructor(rows: RowSet, closes: RowSet, terms: DeltaTerms) {
    this.rows = rows;
    this.closes = closes;
    this.terms = terms;
  }

  static empty(memory: ThreadMemory, firstTerm: number): Overlay {
    return new Overlay(new RowSet(memory), new RowSet(memory), new DeltaTerms(firstTerm));
  }

  get shared(): boolean {
    return this.#pins > 1;
  }

  /** Terms are only ever added, so the copy shares them. */
  clone(): Overlay {
    return new Overlay(this.rows.clone(), this.closes.clone(), this.terms);
  }

  pin(): this {
    this.#pins++;
    return this;
  }

  unpin(): void {
    if (--this.#pins > 0) return;
    this.rows.release();
    this.closes.release();
  }
}

/** What a snapshot shows on top of the store, and the transaction that it would be. */
export interface StagedView {
  /** Null for a load, which the context already has. */
  readonly overlay: Overlay | null;
  /** True for an overlay without rows above a transaction that was accepted. */
  readonly isAccepted?: boolean | undefined;
  readonly tx: TxId;
  /** The view of the file that the stage has, which the snapshot shares; absent = one of its own. */
  readonly transaction?: ReadTransaction | undefined;
}
