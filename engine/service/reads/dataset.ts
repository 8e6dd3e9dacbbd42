/**
 * A snapshot, or the part of it that a pattern selects, as a synchronous RDF/JS `DatasetCore`.
 * Nothing is copied: every call reads the snapshot. It is read only; `add` and `delete` throw,
 * since every write passes the write pipeline.
 */

import { SvcError } from '../../base/errors.js';
import type { Quad, RDF } from '../../rdf/terms.js';
import type { StorageSnapshot, TimeSlice } from '../../storage/seam/scan.js';
import {
  countRows,
  type MatchedRows,
  matchRows,
  type QuadPattern,
  type QuadTerms,
  readQuadBatches,
  toPattern,
} from './quad-pattern.js';

/** What a dataset needs of the snapshot that it shows. */
export interface DatasetSnapshot {
  readonly storage: StorageSnapshot;
  readonly time: TimeSlice;
  close(): void;
}

const POSITIONS = ['subject', 'predicate', 'object', 'graph'] as const;

/** Both patterns at once; null when they contradict each other. */
function narrow(a: QuadPattern, b: QuadPattern): QuadPattern | null {
  const both: { -readonly [Key in keyof QuadPattern]: QuadPattern[Key] } = { ...a };
  for (const position of POSITIONS) {
    const term = b[position];
    if (term === null || term === undefined || term.termType === 'Variable') continue;
    const known = both[position];
    if (known && known.termType !== 'Variable' && !known.equals(term)) return null;
    both[position] = term;
  }
  return both;
}

export class StoreDataset implements RDF.DatasetCore<Quad, Quad> {
  readonly #snapshot: DatasetSnapshot;
  /** Null selects nothing. */
  readonly #pattern: QuadPattern | null;

  /** @internal Made by `dataset`. */
  constructor(snapshot: DatasetSnapshot, pattern: QuadPattern | null) {
    this.#snapshot = snapshot;
    this.#pattern = pattern;
  }

  get size(): number {
    return countRows(this.#snapshot.storage, this.#rows(this.#pattern));
  }

  has(quad: Quad): boolean {
    const rows = this.#rows(this.#pattern === null ? null : narrow(this.#pattern, quad));
    return countRows(this.#snapshot.storage, rows) > 0;
  }

  match(...terms: QuadTerms): StoreDataset {
    const pattern = this.#pattern === null ? null : narrow(this.#pattern, toPattern(terms));
    return new StoreDataset(this.#snapshot, pattern);
  }

  *[Symbol.iterator](): Iterator<Quad> {
    for (const batch of readQuadBatches(this.#snapshot.storage, this.#rows(this.#pattern))) yield* batch;
  }

  add(): this {
    throw new SvcError('store_read_only', 'a dataset of a snapshot is read only', { hint: 'write with store.load()' });
  }

  delete(): this {
    throw new SvcError('store_read_only', 'a dataset of a snapshot is read only');
  }

  /** Closes the snapshot behind it, and with it every dataset made of it by `match`. */
  close(): void {
    this.#snapshot.close();
  }

  #rows(pattern: QuadPattern | null): MatchedRows {
    return pattern === null ? null : matchRows(this.#snapshot.storage, pattern, this.#snapshot.time);
  }
}
