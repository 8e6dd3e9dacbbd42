/**
 * A snapshot that shows what a transaction left as if it were the present: whoever asks about the present is answered as of
 * the transaction, so that what works on the newest state works on an earlier one. Other times are left as they are, and so
 * is what tells of the store as a whole: which graphs there are, the state of the registry, figures for estimates.
 */

import type { TxId } from '../ids/layout.js';
import { DelegatingSnapshot } from './delegating-snapshot.js';
import type {
  CountRequest,
  Estimate,
  ProbeCursor,
  ProbeRequest,
  RootFigures,
  ScanCursor,
  ScanRequest,
  StorageSnapshot,
  TimeSlice,
} from './scan.js';

export class PastSnapshot extends DelegatingSnapshot {
  readonly #inner: StorageSnapshot;
  readonly #tx: TxId;
  readonly #time: TimeSlice;

  /** `inner` stays the caller's to close. */
  constructor(inner: StorageSnapshot, tx: TxId) {
    super();
    this.#inner = inner;
    this.#tx = tx;
    this.#time = { kind: 'asOf', tx };
  }

  protected use<Result>(ask: (snapshot: StorageSnapshot) => Result): Result {
    return ask(this.#inner);
  }

  override get tx(): TxId {
    return this.#tx;
  }

  override scan(request: ScanRequest): ScanCursor {
    return this.#inner.scan(this.#then(request));
  }

  override probe(request: ProbeRequest): ProbeCursor {
    return this.#inner.probe(this.#then(request));
  }

  override estimate(request: CountRequest): Estimate {
    return this.#inner.estimate(this.#then(request));
  }

  override count(request: CountRequest): number {
    return this.#inner.count(this.#then(request));
  }

  override rootFigures(): RootFigures | null {
    return null;
  }

  override close(): void {
    // The inner one stays open.
  }

  #then<Request extends { readonly time: TimeSlice }>(request: Request): Request {
    return request.time.kind === 'current' ? { ...request, time: this.#time } : request;
  }
}
