/**
 * The snapshot of somebody who may read some graphs only: every other graph is to it as if it were not there, whatever
 * is asked. A graph set is narrowed to what may be read of it before the snapshot behind is asked, so no row of another
 * graph is ever read.
 *
 * The catalog is a graph whose subjects are graphs, and what else is about one graph alone. Of it, the rows about graphs
 * that may be read are there when it is asked for by itself.
 */

import { getOrInsert } from '../../base/maps.js';
import type { TermId, TxId } from '../ids/layout.js';
import { ROOT_ID } from '../ids/layout.js';
import { aboutSubjects, inGraphs } from './changes-by-graph.js';
import { DelegatingSnapshot } from './delegating-snapshot.js';
import { ScanProbe } from './probe-by-scan.js';
import {
  type ChangedRows,
  type CountRequest,
  EMPTY_PROBE,
  type Estimate,
  type GraphSet,
  type IdRange,
  type IndexView,
  type PositionTest,
  type PredicateStatistics,
  type ProbeCursor,
  type ProbeRequest,
  type RootFigures,
  type ScanCursor,
  type ScanPattern,
  type ScanRequest,
  type StorageSnapshot,
} from './scan.js';
import { changeGraphs, isComposed, type StoredGraphs } from './source.js';

/** What may be read. */
export interface ReadableGraphs {
  /** Ascending. */
  readonly graphs: readonly TermId[];
  readonly catalog: TermId | null;
  /** Subjects of the catalog besides these graphs, whose rows tell of them alone; ascending. */
  readonly about?: readonly TermId[] | undefined;
  /** Tells what a store keeps for these readers from what it keeps for others. */
  readonly key: string;
}

interface GraphRequest {
  readonly graphs: GraphSet;
  readonly pattern: ScanPattern;
}

export class NarrowedSnapshot extends DelegatingSnapshot {
  readonly #inner: StorageSnapshot;
  readonly #readable: ReadableGraphs;
  readonly #graphs: ReadonlySet<TermId>;
  /** Subjects of the catalog that may be read. */
  readonly #catalogSubjects: readonly TermId[];

  constructor(inner: StorageSnapshot, readable: ReadableGraphs) {
    super();
    this.#inner = inner;
    this.#readable = readable;
    const { graphs, subjects } = getOrInsert(looked, readable, () => lookedUp(readable));
    this.#graphs = graphs;
    this.#catalogSubjects = subjects;
  }

  protected use<Result>(ask: (snapshot: StorageSnapshot) => Result): Result {
    return ask(this.#inner);
  }

  override scan(request: ScanRequest): ScanCursor {
    const narrowed = this.#narrow(request);
    return narrowed === null ? emptyScan(request) : super.scan(narrowed);
  }

  override probe(request: ProbeRequest): ProbeCursor {
    // Keys can't be narrowed, the scans of each of them can.
    if (this.#isCatalog(request.graphs) && request.keys.includes('s')) return new ScanProbe(this, request);
    const narrowed = this.#narrow(request);
    return narrowed === null ? EMPTY_PROBE : super.probe(narrowed);
  }

  override estimate(request: CountRequest): Estimate {
    const narrowed = this.#narrow(request);
    return narrowed === null ? { rows: 0, exact: true } : super.estimate(narrowed);
  }

  override count(request: CountRequest): number {
    const narrowed = this.#narrow(request);
    return narrowed === null ? 0 : super.count(narrowed);
  }

  override predicates(graphs: GraphSet): readonly PredicateStatistics[] {
    const within = this.#within(graphs);
    return within === null ? [] : super.predicates(within);
  }

  override derived<Value extends object>(name: string, find: () => Value): Value {
    return super.derived(`${name} of ${this.#readable.key}`, find);
  }

  override *changes(tx: TxId, graph?: TermId): Generator<ChangedRows> {
    const isCatalog = graph !== undefined && graph === this.#readable.catalog;
    if (graph !== undefined && !isCatalog && !this.#graphs.has(graph)) return;
    for (const changed of super.changes(tx, graph)) {
      const readable = isCatalog
        ? aboutSubjects(
            inGraphs(changed, (id) => id === graph),
            (id) => this.#graphs.has(id) || this.#readable.about?.includes(id) === true,
          )
        : inGraphs(changed, (id) => this.#graphs.has(id));
      if (readable.rows > 0) yield readable;
    }
  }

  override rootFigures(): RootFigures | null {
    return this.#graphs.has(ROOT_ID) ? super.rootFigures() : null;
  }

  override indexView(): IndexView {
    const view = super.indexView();
    const snapshot = (): StorageSnapshot => new NarrowedSnapshot(view.snapshot(), this.#readable);
    return Object.create(view, { isNarrowed: { value: true }, snapshot: { value: snapshot } }) as IndexView;
  }

  override graphs(): readonly TermId[] {
    return super.graphs().filter((graph) => this.#graphs.has(graph));
  }

  #isCatalog(graphs: GraphSet): boolean {
    return graphs.kind === 'one' && graphs.graph === this.#readable.catalog;
  }

  /** The request for what may be read; null = nothing of it. */
  #narrow<Request extends GraphRequest>(request: Request): Request | null {
    if (this.#isCatalog(request.graphs)) {
      const s = this.#subjects(request.pattern.s);
      return s === null ? null : { ...request, pattern: { ...request.pattern, s } };
    }
    const graphs = this.#within(request.graphs);
    return graphs === null ? null : { ...request, graphs };
  }

  #within(graphs: GraphSet): GraphSet | null {
    if (!isComposed(graphs)) return this.#withinStored(graphs);
    return changeGraphs(graphs, { stored: (part) => this.#withinStored(part) ?? NO_GRAPHS });
  }

  #withinStored(graphs: StoredGraphs): StoredGraphs | null {
    switch (graphs.kind) {
      case 'one':
        return this.#graphs.has(graphs.graph) ? graphs : null;
      case 'some':
        return some(
          graphs.graphs.filter((graph) => this.#graphs.has(graph)),
          graphs.merged,
        );
      case 'named':
        return some(this.#readable.graphs.filter((graph) => graph !== ROOT_ID && !graphs.except.includes(graph)));
      case 'all':
        return some(this.#readable.graphs.filter((graph) => graphs.except?.includes(graph) !== true));
    }
  }

  /** Those of the subjects of the catalog that may be read. */
  #subjects(test: PositionTest | undefined): PositionTest | null {
    const subjects = this.#catalogSubjects.filter((subject) => test === undefined || passes(subject, test));
    if (subjects.length === 0) return null;
    const ranges = subjects.map((subject): IdRange => ({ from: subject, to: subject + 1n }));
    return subjects.length === 1 ? { kind: 'id', id: subjects[0] as TermId } : { kind: 'ranges', ranges };
  }
}

/** What may be read as it is looked up; many snapshots share it. */
const looked = new WeakMap<ReadableGraphs, ReturnType<typeof lookedUp>>();

function lookedUp({ graphs, about = [] }: ReadableGraphs) {
  const subjects = about.length === 0 ? graphs : [...graphs, ...about].sort((a, b) => (a < b ? -1 : 1));
  return { graphs: new Set(graphs) as ReadonlySet<TermId>, subjects };
}

const NO_GRAPHS: StoredGraphs = { kind: 'some', graphs: [], merged: false };

function some(graphs: readonly TermId[], merged = false): StoredGraphs | null {
  return graphs.length === 0 ? null : { kind: 'some', graphs, merged };
}

function passes(id: TermId, test: PositionTest): boolean {
  return test.kind === 'id' ? test.id === id : test.ranges.some(({ from, to }) => id >= from && id < to);
}

function emptyScan({ order = 'SPOG' }: ScanRequest): ScanCursor {
  return { order, next: () => null, seek: () => undefined, close: () => undefined };
}
