/**
 * A transaction while its caller works on it: changes are staged beside the store, and what is read
 * shows the store with them. It is over when the caller's function is; used after that it throws.
 * A quad in the default graph means ROOT; blank nodes are stored with the labels that they have.
 */

import type { Readable } from 'node:stream';
import type { Control } from '../../base/control.js';
import { SvcError } from '../../base/errors.js';
import type { Quad } from '../../rdf/terms.js';
import type { TxId } from '../../storage/ids/layout.js';
import type { Stage } from '../../storage/seam/engine.js';
import { CURRENT } from '../../storage/seam/scan.js';
import { showInstant, type Time, toInstant } from '../options/store-options.js';
import type { QuadPattern, QuadTerms } from '../reads/quad-pattern.js';
import { StoreSnapshot } from '../reads/snapshot.js';
import { isQuad } from './quads.js';

export class Draft {
  readonly #stage: Stage;
  /** The view of the stage as it is now; null after a change. */
  #view: StoreSnapshot | null = null;
  /** How many streams read from each view that is open. */
  readonly #readers = new Map<StoreSnapshot, number>();
  readonly #streams = new Set<Readable>();
  #over = false;

  /** @internal Made by `Store.transact`. */
  constructor(stage: Stage) {
    this.#stage = stage;
  }

  /** The id that the transaction will have. */
  get tx(): TxId {
    return this.#stage.tx;
  }

  get timestamp(): string {
    return showInstant(this.#stage.timestamp);
  }

  /** Net changes so far: statements that were not open before and now are, and the converse. */
  get counts(): { readonly asserted: number; readonly retracted: number } {
    return this.#stage.counts;
  }

  /** Opens quads; those that are open stay as they are. Returns how many opened. */
  assert(quads: Quad | Iterable<Quad>, options: { readonly validFrom?: Time } = {}): number {
    const { validFrom } = options;
    const instant = validFrom === undefined ? undefined : toInstant(validFrom, false, 'valid_from');
    return this.#change((stage) => stage.assert(listOf(quads), instant));
  }

  /** Closes quads; those that are not open are passed over. Returns how many closed. */
  retract(quads: Quad | Iterable<Quad>): number {
    return this.#change((stage) => stage.retract(listOf(quads)));
  }

  /** The current quads that match, with the changes so far; later ones don't show in it. */
  match(...terms: QuadTerms): Readable & AsyncIterable<Quad> {
    const view = this.#current();
    this.#readers.set(view, (this.#readers.get(view) ?? 0) + 1);
    const stream = view.match(...terms);
    this.#streams.add(stream);
    stream.once('close', () => {
      this.#streams.delete(stream);
      this.#leave(view);
    });
    return stream;
  }

  /** The same in batches: the fast way to read many. */
  async *quads(pattern: QuadPattern = {}, control: Control = {}): AsyncGenerator<Quad[]> {
    const view = this.#current();
    this.#readers.set(view, (this.#readers.get(view) ?? 0) + 1);
    try {
      yield* view.quads(pattern, control);
    } finally {
      this.#leave(view);
    }
  }

  count(...terms: QuadTerms): number {
    return this.#current().count(...terms);
  }

  has(quad: Quad): boolean {
    return this.#current().has(quad);
  }

  /** Ends it, with everything that reads from it. */
  close(): void {
    this.#over = true;
    for (const stream of this.#streams) stream.destroy();
    this.#view?.close();
    this.#view = null;
    for (const view of this.#readers.keys()) view.close();
    this.#readers.clear();
  }

  #change(change: (stage: Stage) => number): number {
    this.#assertUsable();
    const view = this.#view;
    this.#view = null;
    if (view !== null && !this.#readers.has(view)) view.close();
    return change(this.#stage);
  }

  #current(): StoreSnapshot {
    this.#assertUsable();
    this.#view ??= new StoreSnapshot(this.#stage.snapshot(), CURRENT, () => undefined);
    return this.#view;
  }

  #leave(view: StoreSnapshot): void {
    const left = (this.#readers.get(view) ?? 1) - 1;
    if (left > 0) {
      this.#readers.set(view, left);
      return;
    }
    this.#readers.delete(view);
    if (view !== this.#view) view.close();
  }

  #assertUsable(): void {
    if (this.#over)
      throw new SvcError('invalid_request', 'the transaction is over; its draft can not be used any more');
  }
}

function listOf(quads: Quad | Iterable<Quad>): Iterable<Quad> {
  if (isQuad(quads)) return [quads];
  if (typeof quads === 'object' && quads !== null && Symbol.iterator in quads) return quads;
  throw new SvcError('invalid_request', 'quads are given as a quad or an iterable', {
    hint: 'read a stream with `for await` and hand its quads over, or use the form transact({ assert, retract })',
  });
}
