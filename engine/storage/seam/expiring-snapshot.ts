/**
 * A snapshot that its owner can close under its users. A pinned read transaction keeps every page alive
 * that was freed since, so a snapshot that is held for too long is expired: its read transaction is
 * given back at once, and whatever is asked of it or of its cursors afterwards throws
 * `snapshot_expired`. Likewise after `close`, with `store_closed`: nobody takes the end of a snapshot for
 * the end of the rows.
 */

import { SvcError } from '../../base/errors.js';
import type { TermId } from '../ids/layout.js';
import { DelegatingSnapshot } from './delegating-snapshot.js';
import type { PackedPart, PackedScan } from './packed-scan.js';
import type {
  Batch,
  IdColumn,
  ProbeBatch,
  ProbeCursor,
  ProbeRequest,
  ScanCounters,
  ScanCursor,
  ScanRequest,
  StorageSnapshot,
} from './scan.js';

export interface ExpiryOptions {
  /** The age that the message of an expired snapshot names. */
  readonly ageMaxMs: number;
  readonly onClose?: (snapshot: ExpiringSnapshot) => void;
}

/** `what` was open for too long: `the snapshot`. */
export function snapshotExpired(what: string, ageMaxMs: number): SvcError {
  return new SvcError(
    'snapshot_expired',
    `${what} was open for more than ${ageMaxMs} ms and was closed (server.reader_age_max_ms)`,
    { hint: 'read sooner, name the transaction (tx) in a new read, or allow a greater age' },
  );
}

export class ExpiringSnapshot extends DelegatingSnapshot {
  readonly openedAt = performance.now();
  readonly #inner: StorageSnapshot;
  readonly #options: ExpiryOptions;
  #state: 'open' | 'closed' | 'expired' = 'open';
  /** Told before the read transaction is given back; for those who hold more than cursors. */
  onExpire: ((error: SvcError) => void) | null = null;

  constructor(inner: StorageSnapshot, options: ExpiryOptions) {
    super();
    this.#inner = inner;
    this.#options = options;
  }

  /** Throws when the snapshot is closed or expired. */
  use<Result>(ask: (snapshot: StorageSnapshot) => Result): Result {
    if (this.#state === 'open') return ask(this.#inner);
    if (this.#state === 'closed') throw new SvcError('store_closed', 'the snapshot is closed');
    throw this.#expired();
  }

  #expired(): SvcError {
    return snapshotExpired('the snapshot', this.#options.ageMaxMs);
  }

  /** Of a snapshot that has ended, too. */
  override get counters(): ScanCounters {
    return this.#inner.counters;
  }

  override scan(request: ScanRequest): ScanCursor {
    return new ExpiringCursor(this, super.scan(request));
  }

  override probe(request: ProbeRequest): ProbeCursor {
    return new ExpiringProbe(this, super.probe(request));
  }

  override close(): void {
    this.#end('closed');
  }

  expire(): void {
    this.#end('expired');
  }

  #end(state: 'closed' | 'expired'): void {
    if (this.#state !== 'open') return;
    this.#state = state;
    if (state === 'expired') this.onExpire?.(this.#expired());
    this.#inner.close();
    this.#options.onClose?.(this);
  }
}

/** What cursors of both kinds have in common: a closed one gives nothing more, one of an ended snapshot throws. */
class ExpiringReader<Inner extends { close(): void }> {
  protected readonly snapshot: ExpiringSnapshot;
  protected readonly inner: Inner;
  #closed = false;

  constructor(snapshot: ExpiringSnapshot, inner: Inner) {
    this.snapshot = snapshot;
    this.inner = inner;
  }

  protected read<Result>(ask: () => Result): Result | null {
    return this.#closed ? null : this.snapshot.use(ask);
  }

  close(): void {
    this.#closed = true;
    this.inner.close();
  }
}

class ExpiringCursor extends ExpiringReader<ScanCursor> implements ScanCursor {
  get order(): ScanCursor['order'] {
    return this.inner.order;
  }

  next(): Batch | null {
    return this.read(() => this.inner.next());
  }

  seek(prefix: readonly TermId[]): void {
    this.read(() => this.inner.seek(prefix));
  }

  packed(): PackedScan | null {
    const packed = this.read(() => this.inner.packed?.() ?? null);
    return packed === null ? null : new ExpiringBlocks(this.snapshot, packed);
  }
}

class ExpiringBlocks extends ExpiringReader<PackedScan> implements PackedScan {
  get memory(): PackedScan['memory'] {
    return this.inner.memory;
  }

  get rows(): number {
    return this.inner.rows;
  }

  get tests(): PackedScan['tests'] {
    return this.inner.tests;
  }

  next(): PackedPart | null {
    return this.read(() => this.inner.next());
  }

  giveBack(part: PackedPart): void {
    this.inner.giveBack(part);
  }
}

class ExpiringProbe extends ExpiringReader<ProbeCursor> implements ProbeCursor {
  begin(keys: readonly IdColumn[], count: number): void {
    this.read(() => this.inner.begin(keys, count));
  }

  next(): ProbeBatch | null {
    return this.read(() => this.inner.next());
  }
}
