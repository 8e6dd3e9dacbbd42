/**
 * A snapshot that its owner can close under its users. A pinned read transaction keeps every page alive
 * that was freed since, so a snapshot that is held for too long is expired: its read transaction is
 * given back at once, and whatever is asked of it or of its cursors afterwards throws
 * `snapshot_expired`. Likewise after `close`, with `store_closed`: nobody takes the end of a snapshot for
 * the end of the rows.
 */

import { invariant, SvcError } from '../../base/errors.js';
import type { Term } from '../../rdf/terms.js';
import type { TermId, TxId } from '../ids/layout.js';
import type {
  Batch,
  ChangedRows,
  Estimate,
  GraphSet,
  IdColumn,
  NumberRange,
  PredicateStatistics,
  ProbeBatch,
  ProbeCursor,
  ProbeRequest,
  RootFigures,
  ScanCounters,
  ScanCursor,
  ScanRequest,
  StorageSnapshot,
  StoredPart,
  StoredTerms,
} from './scan.js';

export interface ExpiryOptions {
  /** The age that the message of an expired snapshot names. */
  readonly ageMaxMs: number;
  readonly onClose?: (snapshot: ExpiringSnapshot) => void;
}

export class ExpiringSnapshot implements StorageSnapshot {
  readonly openedAt = performance.now();
  readonly #inner: StorageSnapshot;
  readonly #options: ExpiryOptions;
  #state: 'open' | 'closed' | 'expired' = 'open';
  /** Told before the read transaction is given back; for those who hold more than cursors. */
  onExpire: ((error: SvcError) => void) | null = null;

  constructor(inner: StorageSnapshot, options: ExpiryOptions) {
    this.#inner = inner;
    this.#options = options;
  }

  get tx(): TxId {
    return this.open.tx;
  }

  get staged(): boolean {
    return this.#inner.staged === true;
  }

  get layout(): number {
    return this.#inner.layout ?? 0;
  }

  get counters(): ScanCounters {
    return this.#inner.counters;
  }

  /** What stands behind it; throws when that is over. */
  get open(): StorageSnapshot {
    if (this.#state === 'open') return this.#inner;
    if (this.#state === 'closed') throw new SvcError('store_closed', 'the snapshot is closed');
    throw this.#expired();
  }

  #expired(): SvcError {
    return new SvcError(
      'snapshot_expired',
      `the snapshot was open for more than ${this.#options.ageMaxMs} ms and was closed (server.reader_age_max_ms)`,
      { hint: 'read sooner, name the transaction (tx) in a new read, or allow a greater age' },
    );
  }

  scan(request: ScanRequest): ScanCursor {
    return new ExpiringCursor(this, this.open.scan(request));
  }

  probe(request: ProbeRequest): ProbeCursor {
    return new ExpiringProbe(this, this.open.probe(request));
  }

  estimate(request: Omit<ScanRequest, 'order' | 'columns'>): Estimate {
    return this.open.estimate(request);
  }

  count(request: Omit<ScanRequest, 'order' | 'columns'>): number {
    return this.open.count(request);
  }

  *changes(tx: TxId, graph?: TermId): Generator<ChangedRows> {
    const changes = this.open.changes?.(tx, graph);
    invariant(changes !== undefined, 'a store tells what a transaction changed');
    for (const rows of changes) {
      yield rows;
      void this.open;
    }
  }

  rootFigures(): RootFigures | null {
    return this.open.rootFigures?.() ?? null;
  }

  orderedTerms(): readonly NumberRange[] {
    return this.open.orderedTerms?.() ?? [];
  }

  derived<Value extends object>(name: string, find: () => Value): Value {
    return this.open.derived?.(name, find) ?? find();
  }

  predicates(graphs: GraphSet): readonly PredicateStatistics[] {
    return this.open.predicates(graphs);
  }

  graphs(): readonly TermId[] {
    return this.open.graphs();
  }

  encode(term: Term, lasting = false): TermId | null {
    return this.open.encode(term, lasting);
  }

  decode(ids: IdColumn, rows: number): Term[] {
    return this.open.decode(ids, rows);
  }

  stored(ids: IdColumn, count: number, take: (terms: StoredTerms) => void, part?: StoredPart): void {
    this.open.stored(ids, count, take, part);
  }

  close(): void {
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

class ExpiringCursor implements ScanCursor {
  readonly #snapshot: ExpiringSnapshot;
  readonly #inner: ScanCursor;
  #closed = false;

  constructor(snapshot: ExpiringSnapshot, inner: ScanCursor) {
    this.#snapshot = snapshot;
    this.#inner = inner;
  }

  get order(): ScanCursor['order'] {
    return this.#inner.order;
  }

  next(): Batch | null {
    if (this.#closed) return null;
    void this.#snapshot.open;
    return this.#inner.next();
  }

  seek(prefix: readonly TermId[]): void {
    if (this.#closed) return;
    void this.#snapshot.open;
    this.#inner.seek(prefix);
  }

  close(): void {
    this.#closed = true;
    this.#inner.close();
  }
}

class ExpiringProbe implements ProbeCursor {
  readonly #snapshot: ExpiringSnapshot;
  readonly #inner: ProbeCursor;
  #closed = false;

  constructor(snapshot: ExpiringSnapshot, inner: ProbeCursor) {
    this.#snapshot = snapshot;
    this.#inner = inner;
  }

  begin(keys: readonly IdColumn[], count: number): void {
    if (this.#closed) return;
    void this.#snapshot.open;
    this.#inner.begin(keys, count);
  }

  next(): ProbeBatch | null {
    if (this.#closed) return null;
    void this.#snapshot.open;
    return this.#inner.next();
  }

  close(): void {
    this.#closed = true;
    this.#inner.close();
  }
}
