/**
 * A view of one transaction for reads that take longer than a read transaction may live: exports,
 * backups. From time to time it gives its snapshot back, opens a newer one and goes on in it:
 *
 * 1. A row carries its transactions, so the newer snapshot still shows the store as of the first one:
 *    `current` becomes `asOf`, `validAt` becomes `asOfValidAt`.
 * 2. A cursor notes the key of the last row that it gave. In the new snapshot it opens the same order
 *    again, seeks that key and leaves its row out: keys are unique where no column of time is asked for.
 * 3. A probe is made again when it gets its next keys.
 * 4. A snapshot that expired between two batches is replaced in the same way.
 *
 * While several cursors are open, or one that can't be resumed (keys that are not unique, a probe that has rows to
 * give, the changes of a transaction), nothing is renewed, since the batches of the others would become void; then the
 * age cap holds as for any snapshot. Figures for the planner
 * and the list of graphs are those of the newest snapshot.
 */

import { SvcError } from '../../base/errors.js';
import { idOfHalves } from '../ids/halves.js';
import type { TermId, TxId } from '../ids/layout.js';
import { DelegatingSnapshot } from './delegating-snapshot.js';
import type {
  Batch,
  ChangedRows,
  Column,
  CountRequest,
  Estimate,
  IdColumn,
  Order,
  ProbeBatch,
  ProbeCursor,
  ProbeRequest,
  ScanCounters,
  ScanCursor,
  ScanRequest,
  StorageSnapshot,
  TermColumn,
  TimeSlice,
} from './scan.js';
import { changeGraphs, isMerged } from './source.js';

export interface RenewalOptions {
  /** A snapshot of this age is renewed at the next batch. */
  readonly renewAfterMs: number;
}

const TIME_COLUMNS: readonly Column[] = ['txFrom', 'txTo', 'validFrom', 'validTo'];

/** The same rows, asked of a snapshot that knows later transactions; null when that can't be said. */
export function pinTime(time: TimeSlice, tx: TxId): TimeSlice | null {
  switch (time.kind) {
    case 'current':
      return { kind: 'asOf', tx };
    case 'validAt':
      return { kind: 'asOfValidAt', tx, validAt: time.validAt };
    case 'asOf':
      return { kind: 'asOf', tx: Math.min(time.tx, tx) };
    case 'asOfValidAt':
      return { kind: 'asOfValidAt', tx: Math.min(time.tx, tx), validAt: time.validAt };
    case 'all':
      return null;
  }
}

/**
 * How a reader bears a renewal: an idle one has no rows to give, one that is resumable goes on behind its last row,
 * a fixed one needs the snapshot of the moment.
 */
type Hold = 'idle' | 'resumable' | 'fixed';

interface Reader {
  readonly hold: Hold;
  close(): void;
}

export class RenewingSnapshot extends DelegatingSnapshot {
  readonly #tx: TxId;
  readonly #open: () => StorageSnapshot;
  readonly #options: RenewalOptions;
  readonly #readers = new Set<Reader>();
  readonly #past: ScanCounters = { blocksRead: 0, rowsScanned: 0, termsDecoded: 0 };
  #current: StorageSnapshot;
  #since = performance.now();
  #renewals = 0;

  constructor(open: () => StorageSnapshot, options: RenewalOptions) {
    super();
    this.#open = open;
    this.#options = options;
    this.#current = open();
    this.#tx = this.#current.tx;
  }

  override get tx(): TxId {
    return this.#tx;
  }

  /** How often it went on in a newer snapshot. */
  get renewals(): number {
    return this.#renewals;
  }

  override get counters(): ScanCounters {
    return sum(this.#past, this.#current.counters);
  }

  override scan(request: ScanRequest): ScanCursor {
    return this.#hold(new RenewingCursor(this, request, (cursor) => this.#readers.delete(cursor)));
  }

  override probe(request: ProbeRequest): ProbeCursor {
    return this.#hold(new RenewingProbe(this, request, (probe) => this.#readers.delete(probe)));
  }

  override estimate(request: CountRequest): Estimate {
    return this.use((snapshot) => snapshot.estimate(this.pin(request)));
  }

  override count(request: CountRequest): number {
    return this.use((snapshot) => snapshot.count(this.pin(request)));
  }

  override *changes(tx: TxId, graph?: TermId): Generator<ChangedRows> {
    const reader = this.#hold({ hold: 'fixed', close: () => undefined });
    try {
      yield* super.changes(tx, graph);
    } finally {
      this.#readers.delete(reader);
    }
  }

  override close(): void {
    for (const reader of [...this.#readers]) reader.close();
    this.#current.close();
  }

  #hold<Held extends Reader>(reader: Held): Held {
    this.#readers.add(reader);
    return reader;
  }

  /** The request as the snapshot of the moment has to be asked. */
  pin<Request extends CountRequest>(request: Request): Request {
    if (this.#renewals === 0) return request;
    const { graphs, time } = request;
    return { ...request, graphs: changeGraphs(graphs, { time: (own) => this.#pinned(own) }), time: this.#pinned(time) };
  }

  #pinned(time: TimeSlice): TimeSlice {
    const pinned = pinTime(time, this.#tx);
    if (pinned !== null) return pinned;
    throw new SvcError('unsupported', 'rows of every time cannot be read on in a newer snapshot');
  }

  /** Asks the snapshot of the moment, or on a new one when that has expired. */
  use<Result>(ask: (snapshot: StorageSnapshot) => Result): Result {
    try {
      return ask(this.#current);
    } catch (error) {
      if (!(error instanceof SvcError) || error.code !== 'snapshot_expired' || !this.#renewable()) throw error;
      this.#renew();
      return ask(this.#current);
    }
  }

  /** Called by a cursor before it reads: the batches that it gave are void by then. */
  renewWhenDue(): void {
    if (performance.now() - this.#since >= this.#options.renewAfterMs && this.#renewable()) this.#renew();
  }

  #renewable(): boolean {
    const holds = Array.from(this.#readers, ({ hold }) => hold).filter((hold) => hold !== 'idle');
    return holds.length === 0 || (holds.length === 1 && holds[0] === 'resumable');
  }

  #renew(): void {
    const old = this.#current;
    Object.assign(this.#past, sum(this.#past, old.counters));
    this.#current = this.#open();
    this.#since = performance.now();
    this.#renewals++;
    old.close();
  }
}

function sum(a: ScanCounters, b: ScanCounters): ScanCounters {
  return {
    blocksRead: a.blocksRead + b.blocksRead,
    rowsScanned: a.rowsScanned + b.rowsScanned,
    termsDecoded: a.termsDecoded + b.termsDecoded,
  };
}

/** The columns, in their sequence in the order, that name one row of the request; null when none do. */
function keyOf(request: ScanRequest, order: Order): readonly TermColumn[] | null {
  if (request.time.kind === 'all' || request.columns.some((column) => TIME_COLUMNS.includes(column))) return null;
  const key = [...order.toLowerCase()] as TermColumn[];
  if (!isMerged(request.graphs)) return key;
  return order === 'GSPO' ? null : key.slice(0, 3);
}

class RenewingCursor implements ScanCursor {
  readonly order: Order;
  readonly #snapshot: RenewingSnapshot;
  readonly #request: ScanRequest;
  readonly #key: readonly TermColumn[] | null;
  /** Columns that only the key needs. */
  readonly #extra: readonly Column[];
  readonly #onClose: (cursor: RenewingCursor) => void;
  #inner: ScanCursor;
  /** Which snapshot `inner` reads. */
  #renewals: number;
  #last: readonly TermId[] | null = null;
  #sought: readonly TermId[] = [];
  /** The row of `last` has not been passed yet. */
  #resuming = false;
  #closed = false;

  constructor(snapshot: RenewingSnapshot, request: ScanRequest, onClose: (cursor: RenewingCursor) => void) {
    this.#snapshot = snapshot;
    this.#onClose = onClose;
    this.#inner = snapshot.use((current) => current.scan(snapshot.pin(request)));
    this.#renewals = snapshot.renewals;
    this.order = this.#inner.order;
    this.#key = keyOf(request, this.order);
    this.#extra = (this.#key ?? []).filter((column) => !request.columns.includes(column));
    this.#request = { ...request, order: this.order, columns: [...request.columns, ...this.#extra] };
    if (this.#extra.length > 0) this.#reopen();
  }

  get hold(): Hold {
    return this.#key === null ? 'fixed' : 'resumable';
  }

  next(): Batch | null {
    if (this.#closed) return null;
    this.#snapshot.renewWhenDue();
    for (;;) {
      const batch = this.#snapshot.use(() => {
        if (this.#renewals !== this.#snapshot.renewals) this.#reopen();
        return this.#inner.next();
      });
      if (batch === null) return null;
      const rest = this.#resuming ? this.#withoutLast(batch) : batch;
      if (rest === null) continue;
      this.#resuming = false;
      this.#note(rest);
      return this.#asAsked(rest);
    }
  }

  seek(prefix: readonly TermId[]): void {
    if (this.#closed) return;
    this.#sought = [...prefix];
    this.#snapshot.use(() => {
      if (this.#renewals !== this.#snapshot.renewals) this.#reopen();
      else this.#inner.seek(prefix);
    });
  }

  close(): void {
    if (this.#closed) return;
    this.#closed = true;
    this.#inner.close();
    this.#onClose(this);
  }

  #reopen(): void {
    this.#inner.close();
    this.#inner = this.#snapshot.use((current) => current.scan(this.#snapshot.pin(this.#request)));
    this.#renewals = this.#snapshot.renewals;
    this.#resuming = this.#last !== null;
    if (this.#last !== null) this.#inner.seek(this.#last);
    if (this.#sought.length > 0) this.#inner.seek(this.#sought);
  }

  #note(batch: Batch): void {
    if (this.#key === null) return;
    const row = batch.selection === null ? batch.rows - 1 : (batch.selection.at(-1) as number);
    this.#last = this.#key.map((column) => idIn(batch, column, row));
  }

  #asAsked(batch: Batch): Batch {
    if (this.#extra.length === 0) return batch;
    const columns = { ...batch.columns };
    for (const column of this.#extra) columns[column] = null;
    return { ...batch, columns };
  }

  /** The batch after the row that was given last; null when nothing is left of it. */
  #withoutLast(batch: Batch): Batch | null {
    const first = batch.selection === null ? 0 : (batch.selection[0] as number);
    const same = this.#key?.every((column, at) => idIn(batch, column, first) === this.#last?.[at]);
    if (!same) return batch;
    const selection =
      batch.selection === null
        ? Uint32Array.from({ length: batch.rows - 1 }, (_, at) => at + 1)
        : batch.selection.slice(1);
    return selection.length === 0 ? null : { ...batch, selection };
  }
}

/** A probe goes on in a newer snapshot between two lists of keys; while it has rows to give, nothing is renewed. */
class RenewingProbe implements ProbeCursor {
  readonly #snapshot: RenewingSnapshot;
  readonly #request: ProbeRequest;
  readonly #onClose: (probe: RenewingProbe) => void;
  #inner: ProbeCursor;
  #renewals: number;
  hold: Hold = 'idle';

  constructor(snapshot: RenewingSnapshot, request: ProbeRequest, onClose: (probe: RenewingProbe) => void) {
    this.#snapshot = snapshot;
    this.#request = request;
    this.#onClose = onClose;
    this.#inner = snapshot.use((current) => current.probe(snapshot.pin(request)));
    this.#renewals = snapshot.renewals;
  }

  begin(keys: readonly IdColumn[], count: number): void {
    this.hold = 'idle';
    this.#snapshot.renewWhenDue();
    this.#snapshot.use((current) => {
      if (this.#renewals !== this.#snapshot.renewals) {
        this.#inner.close();
        this.#inner = current.probe(this.#snapshot.pin(this.#request));
        this.#renewals = this.#snapshot.renewals;
      }
      this.#inner.begin(keys, count);
    });
    this.hold = 'fixed';
  }

  next(): ProbeBatch | null {
    const batch = this.#snapshot.use(() => this.#inner.next());
    this.hold = batch === null ? 'idle' : 'fixed';
    return batch;
  }

  close(): void {
    this.#inner.close();
    this.#onClose(this);
  }
}

function idIn(batch: Batch, column: TermColumn, row: number): TermId {
  const ids = batch.columns[column] as IdColumn;
  return idOfHalves(ids[2 * row] as number, ids[2 * row + 1] as number);
}
