/** Rows above the runs, tombstones of rows below, and terms that are in no segment yet; freed when nobody reads them. */

import type { DeltaTerms } from './delta-terms.js';
import type { Memtable } from './memtable.js';

export class Layer {
  readonly rows: Memtable;
  readonly tombstones: Memtable;
  readonly terms: DeltaTerms;
  #pins = 1;

  constructor(rows: Memtable, tombstones: Memtable, terms: DeltaTerms) {
    this.rows = rows;
    this.tombstones = tombstones;
    this.terms = terms;
  }

  /** Somebody reads it besides its owner. */
  get shared(): boolean {
    return this.#pins > 1;
  }

  pin(): this {
    this.#pins++;
    return this;
  }

  unpin(): void {
    if (--this.#pins > 0) return;
    this.rows.release();
    this.tombstones.release();
  }
}
