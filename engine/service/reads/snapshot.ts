/**
 * A snapshot as the library shows it: RDF/JS patterns in, quads out, at one transaction and one
 * time slice. It never changes, whatever is written meanwhile, and holds a read transaction until
 * it is closed; used after that, it throws `store_closed`.
 */

import { Readable } from 'node:stream';
import { breathe, type Control, throwIfStopped } from '../../base/control.js';
import { SvcError } from '../../base/errors.js';
import { unlistedIds } from '../../query/registry/system-graphs.js';
import type { Quad, Term } from '../../rdf/terms.js';
import type { TxId } from '../../storage/ids/layout.js';
import { decodeIds } from '../../storage/seam/rows.js';
import type { StorageSnapshot, TimeSlice } from '../../storage/seam/scan.js';
import { StoreDataset } from './dataset.js';
import { countRows, matchRows, type QuadPattern, type QuadTerms, readQuadBatches, toPattern } from './quad-pattern.js';

export class StoreSnapshot {
  readonly #storage: StorageSnapshot;
  readonly #onClose: (snapshot: StoreSnapshot) => void;
  readonly #readers: ((failure: SvcError | null) => void)[] = [];
  /** Which rows are visible. */
  readonly time: TimeSlice;
  #closed = false;

  /** @internal Made by `Store.snapshot`. */
  constructor(storage: StorageSnapshot, time: TimeSlice, onClose: (snapshot: StoreSnapshot) => void) {
    this.#storage = storage;
    this.#onClose = onClose;
    this.time = time;
  }

  /** The newest transaction that the snapshot sees; 0 = an empty store. */
  get tx(): TxId {
    return this.storage.tx;
  }

  get closed(): boolean {
    return this.#closed;
  }

  /** @internal The seam below; for the engine's own rooms. */
  get storage(): StorageSnapshot {
    if (this.#closed) throw new SvcError('store_closed', 'the snapshot is closed');
    return this.#storage;
  }

  /**
   * Matching quads, as an RDF/JS stream that is an async iterable too. Absent, null and variables
   * match anything; `DefaultGraph` is ROOT.
   */
  match(...terms: QuadTerms): Readable & AsyncIterable<Quad> {
    return Readable.from(this.#each(toPattern(terms)), { objectMode: true });
  }

  /** Matching quads in batches: the fast way to read many. */
  async *quads(pattern: QuadPattern = {}, control: Control = {}): AsyncGenerator<Quad[]> {
    const rows = matchRows(this.storage, pattern, this.time);
    for (const batch of readQuadBatches(this.storage, rows)) {
      throwIfStopped(control, 'the read');
      yield batch;
      await breathe();
      if (this.#closed) throw new SvcError('store_closed', 'the snapshot was closed while it was read');
    }
  }

  /** How many quads match; reads as little as it can. */
  count(...terms: QuadTerms): number {
    return countRows(this.storage, matchRows(this.storage, toPattern(terms), this.time));
  }

  has(quad: Quad): boolean {
    return this.count(quad.subject, quad.predicate, quad.object, quad.graph) > 0;
  }

  /** The graphs that hold current quads, ROOT first, then by IRI. */
  graphs(): Term[] {
    const unlisted = new Set(unlistedIds(this.storage));
    const ids = this.storage.graphs().filter((id) => !unlisted.has(id));
    return decodeIds(this.storage, ids);
  }

  /** The same quads behind the synchronous RDF/JS `DatasetCore` interface, read only. */
  dataset(): StoreDataset {
    return new StoreDataset(this, {});
  }

  /**
   * @internal Has something that reads from the snapshot closed before it. `failure` says why it can't be read to
   * its end; null when nobody wants to.
   */
  beforeClose(close: (failure: SvcError | null) => void): void {
    this.#readers.push(close);
  }

  /** @internal Closes what reads from the snapshot. */
  endReaders(failure: SvcError | null): void {
    for (const close of this.#readers.splice(0)) close(failure);
  }

  /** Gives the read transaction back. Closing twice is harmless. */
  close(): void {
    if (this.#closed) return;
    this.#closed = true;
    this.endReaders(null);
    this.#storage.close();
    this.#onClose(this);
  }

  async *#each(pattern: QuadPattern): AsyncGenerator<Quad> {
    for await (const batch of this.quads(pattern)) yield* batch;
  }
}
