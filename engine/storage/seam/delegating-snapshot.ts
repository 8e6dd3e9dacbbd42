/**
 * A snapshot that stands before another one and hands every question on to it: the base of all wrappers, which
 * override what they change. Each question passes `use`, so that a wrapper decides in one place who answers it:
 * one that expires refuses there, one that is renewed asks again.
 */

import type { Term } from '../../rdf/terms.js';
import type { TermId, TxId } from '../ids/layout.js';
import type {
  ChangedRows,
  CountRequest,
  Estimate,
  GraphSet,
  IdColumn,
  IndexView,
  NumberRange,
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
} from './scan.js';

export abstract class DelegatingSnapshot implements StorageSnapshot {
  /** Asks the snapshot behind this one. */
  protected abstract use<Result>(ask: (snapshot: StorageSnapshot) => Result): Result;

  get tx(): TxId {
    return this.use((snapshot) => snapshot.tx);
  }

  get catalogTx(): TxId {
    return this.use((snapshot) => snapshot.catalogTx);
  }

  get staged(): boolean {
    return this.use((snapshot) => snapshot.staged);
  }

  get layout(): number {
    return this.use((snapshot) => snapshot.layout);
  }

  get counters(): ScanCounters {
    return this.use((snapshot) => snapshot.counters);
  }

  scan(request: ScanRequest): ScanCursor {
    return this.use((snapshot) => snapshot.scan(request));
  }

  probe(request: ProbeRequest): ProbeCursor {
    return this.use((snapshot) => snapshot.probe(request));
  }

  estimate(request: CountRequest): Estimate {
    return this.use((snapshot) => snapshot.estimate(request));
  }

  count(request: CountRequest): number {
    return this.use((snapshot) => snapshot.count(request));
  }

  predicates(graphs: GraphSet): readonly PredicateStatistics[] {
    return this.use((snapshot) => snapshot.predicates(graphs));
  }

  derived<Value extends object>(name: string, find: () => Value): Value {
    return this.use((snapshot) => snapshot.derived(name, find));
  }

  orderedTerms(): readonly NumberRange[] {
    return this.use((snapshot) => snapshot.orderedTerms());
  }

  /** Each part is asked for anew, since a generator does nothing before its first step. */
  *changes(tx: TxId, graph?: TermId): Generator<ChangedRows> {
    const changes = this.use((snapshot) => snapshot.changes(tx, graph));
    try {
      for (let next = this.use(() => changes.next()); next.done !== true; next = this.use(() => changes.next())) {
        yield next.value;
      }
    } finally {
      changes.return(undefined);
    }
  }

  rootFigures(): RootFigures | null {
    return this.use((snapshot) => snapshot.rootFigures());
  }

  indexView(): IndexView {
    return this.use((snapshot) => snapshot.indexView());
  }

  graphs(): readonly TermId[] {
    return this.use((snapshot) => snapshot.graphs());
  }

  encode(term: Term, lasting?: boolean): TermId | null {
    return this.use((snapshot) => snapshot.encode(term, lasting));
  }

  decode(ids: IdColumn, rows: number): Term[] {
    return this.use((snapshot) => snapshot.decode(ids, rows));
  }

  stored(ids: IdColumn, count: number, take: (terms: StoredTerms) => void, part?: StoredPart): void {
    this.use((snapshot) => snapshot.stored(ids, count, take, part));
  }

  close(): void {
    this.use((snapshot) => snapshot.close());
  }
}
