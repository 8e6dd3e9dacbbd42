/** A snapshot that asks the gates of reads about each graph set, as of each time, before the first row of it is read. */

import type { Principal } from '../../base/principal.js';
import { askReadGates, type ReadGate } from '../../query/read-gate.js';
import { ROOT_ID, type TermId, type TxId } from '../../storage/ids/layout.js';
import { DelegatingSnapshot } from '../../storage/seam/delegating-snapshot.js';
import {
  type ChangedRows,
  type CountRequest,
  CURRENT,
  type Estimate,
  type GraphSet,
  type PredicateStatistics,
  type ProbeCursor,
  type ProbeRequest,
  type RootFigures,
  type ScanCursor,
  type ScanRequest,
  type StorageSnapshot,
  type TimeSlice,
} from '../../storage/seam/scan.js';

export class GatedSnapshot extends DelegatingSnapshot {
  /** What was accepted. */
  readonly #accepted = new Set<string>();

  constructor(
    private readonly inner: StorageSnapshot,
    private readonly gates: readonly ReadGate[],
    private readonly principal: Principal,
  ) {
    super();
  }

  protected use<Result>(ask: (snapshot: StorageSnapshot) => Result): Result {
    return ask(this.inner);
  }

  override scan(request: ScanRequest): ScanCursor {
    this.#ask(request.graphs, request.time);
    return super.scan(request);
  }

  override probe(request: ProbeRequest): ProbeCursor {
    this.#ask(request.graphs, request.time);
    return super.probe(request);
  }

  override estimate(request: CountRequest): Estimate {
    this.#ask(request.graphs, request.time);
    return super.estimate(request);
  }

  override count(request: CountRequest): number {
    this.#ask(request.graphs, request.time);
    return super.count(request);
  }

  override predicates(graphs: GraphSet): readonly PredicateStatistics[] {
    this.#ask(graphs, CURRENT);
    return super.predicates(graphs);
  }

  override *changes(tx: TxId, graph?: TermId): Generator<ChangedRows> {
    this.#ask(graph === undefined ? { kind: 'all' } : { kind: 'one', graph }, { kind: 'asOf', tx });
    yield* super.changes(tx, graph);
  }

  override rootFigures(): RootFigures | null {
    this.#ask({ kind: 'one', graph: ROOT_ID }, CURRENT);
    return super.rootFigures();
  }

  #ask(graphs: GraphSet, time: TimeSlice): void {
    const key = JSON.stringify([graphs, time], (_, value: unknown) => (typeof value === 'bigint' ? `${value}` : value));
    if (this.#accepted.has(key)) return;
    askReadGates(this.gates, { principal: this.principal, time, graphs: [graphs], snapshot: this.inner });
    this.#accepted.add(key);
  }
}
