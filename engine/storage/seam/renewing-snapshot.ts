/**
 * A view of one transaction for reads that take longer than a read transaction may live: exports,
 * backups. From time to time it gives its snapshot back, opens a newer one and goes on in it:
 *
 * 1. A row carries its transactions, so the newer snapshot still shows the store as of the first one:
 *    `current` becomes `asOf`, `validAt` becomes `asOfValidAt`.
 * 2. A cursor notes the key of the last row that it gave. In the new snapshot it opens the same order
 *    again, seeks that key and leaves its row out: keys are unique where no column of time is asked for.
 * 3. A snapshot that expired between two batches is replaced in the same way.
 *
 * While several cursors are open, or one whose keys are not unique, nothing is renewed, since the batches
 * of the others would become void; then the age cap holds as for any snapshot. Figures for the planner
 * and the list of graphs are those of the newest snapshot.
 */

import { SvcError } from '../../base/errors.js';
import type { Term } from '../../rdf/terms.js';
import { idOfHalves } from '../ids/halves.js';
import type { TermId, TxId } from '../ids/layout.js';
import { ScanProbe } from './probe-by-scan.js';
import type {
  Batch,
  Column,
  Estimate,
  GraphSet,
  IdColumn,
  NumberRange,
  Order,
  PredicateStatistics,
  ProbeCursor,
  ProbeRequest,
  RootFigures,
  ScanCounters,
  ScanCursor,
  ScanRequest,
  StorageSnapshot,
  StoredPart,
  StoredTerms,
  TermColumn,
  TimeSlice,
} from './scan.js';

export interface RenewalOptions {
  /** A snapshot of this age is renewed at the next batch. */
  readonly renewAfterMs: number;
}

type CountRequest = Omit<ScanRequest, 'order' | 'columns'>;

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

export class RenewingSnapshot implements StorageSnapshot {
  readonly tx: TxId;
  readonly #open: () => StorageSnapshot;
  readonly #options: RenewalOptions;
  readonly #cursors = new Set<RenewingCursor>();
  readonly #past: ScanCounters = { blocksRead: 0, rowsScanned: 0, termsDecoded: 0 };
  #current: StorageSnapshot;
  #since = performance.now();
  #renewals = 0;

  constructor(open: () => StorageSnapshot, options: RenewalOptions) {
    this.#open = open;
    this.#options = options;
    this.#current = open();
    this.tx = this.#current.tx;
  }

  /** How often it went on in a newer snapshot. */
  get renewals(): number {
    return this.#renewals;
  }

  get counters(): ScanCounters {
    return sum(this.#past, this.#current.counters);
  }

  scan(request: ScanRequest): ScanCursor {
    const cursor: RenewingCursor = new RenewingCursor(this, request, () => this.#cursors.delete(cursor));
    this.#cursors.add(cursor);
    return cursor;
  }

  probe(request: ProbeRequest): ProbeCursor {
    return new ScanProbe(this, request);
  }

  estimate(request: CountRequest): Estimate {
    return this.use((snapshot) => snapshot.estimate(this.pin(request)));
  }

  count(request: CountRequest): number {
    return this.use((snapshot) => snapshot.count(this.pin(request)));
  }

  rootFigures(): RootFigures | null {
    return this.use((snapshot) => snapshot.rootFigures?.() ?? null);
  }

  orderedTerms(): readonly NumberRange[] {
    return this.use((snapshot) => snapshot.orderedTerms?.() ?? []);
  }

  derived<Value extends object>(name: string, find: () => Value): Value {
    return this.use((snapshot) => snapshot.derived?.(name, find) ?? find());
  }

  predicates(graphs: GraphSet): readonly PredicateStatistics[] {
    return this.use((snapshot) => snapshot.predicates(graphs));
  }

  graphs(): readonly TermId[] {
    return this.use((snapshot) => snapshot.graphs());
  }

  encode(term: Term, lasting = false): TermId | null {
    return this.use((snapshot) => snapshot.encode(term, lasting));
  }

  decode(ids: IdColumn, rows: number): Term[] {
    return this.use((snapshot) => snapshot.decode(ids, rows));
  }

  stored(ids: IdColumn, count: number, take: (terms: StoredTerms) => void, part?: StoredPart): void {
    this.use((snapshot) => snapshot.stored(ids, count, take, part));
  }

  close(): void {
    for (const cursor of [...this.#cursors]) cursor.close();
    this.#current.close();
  }

  /** The request as the snapshot of the moment has to be asked. */
  pin<Request extends CountRequest>(request: Request): Request {
    if (this.#renewals === 0) return request;
    const time = pinTime(request.time, this.tx);
    if (time !== null) return { ...request, time };
    throw new SvcError('unsupported', 'rows of every time cannot be read on in a newer snapshot');
  }

  /** Works on the snapshot of the moment, or on a new one when that has expired. */
  use<Result>(work: (snapshot: StorageSnapshot) => Result): Result {
    try {
      return work(this.#current);
    } catch (error) {
      if (!(error instanceof SvcError) || error.code !== 'snapshot_expired' || !this.#renewable()) throw error;
      this.#renew();
      return work(this.#current);
    }
  }

  /** Called by a cursor before it reads: the batches that it gave are void by then. */
  renewWhenDue(): void {
    if (performance.now() - this.#since >= this.#options.renewAfterMs && this.#renewable()) this.#renew();
  }

  #renewable(): boolean {
    if (this.#cursors.size > 1) return false;
    for (const cursor of this.#cursors) if (!cursor.resumable) return false;
    return true;
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
  if (request.graphs.kind !== 'some' || !request.graphs.merged) return key;
  return order === 'GSPO' ? null : key.slice(0, 3);
}

class RenewingCursor implements ScanCursor {
  readonly order: Order;
  readonly #snapshot: RenewingSnapshot;
  readonly #request: ScanRequest;
  readonly #key: readonly TermColumn[] | null;
  /** Columns that only the key needs. */
  readonly #extra: readonly Column[];
  readonly #onClose: () => void;
  #inner: ScanCursor;
  /** Which snapshot `inner` reads. */
  #renewals: number;
  #last: readonly TermId[] | null = null;
  #sought: readonly TermId[] = [];
  /** The row of `last` has not been passed yet. */
  #resuming = false;
  #closed = false;

  constructor(snapshot: RenewingSnapshot, request: ScanRequest, onClose: () => void) {
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

  get resumable(): boolean {
    return this.#key !== null;
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
    this.#onClose();
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

function idIn(batch: Batch, column: TermColumn, row: number): TermId {
  const ids = batch.columns[column] as IdColumn;
  return idOfHalves(ids[2 * row] as number, ids[2 * row + 1] as number);
}
