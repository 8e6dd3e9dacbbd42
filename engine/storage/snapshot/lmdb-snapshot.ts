/**
 * A snapshot of a store file: one pinned read transaction, the manifest it sees, and the reads that
 * the seam promises.
 */

import { SvcError } from '../../base/errors.js';
import type { Term } from '../../rdf/terms.js';
import type { Delta } from '../delta/delta.js';
import type { StagedView, UncommittedLayer } from '../delta/uncommitted-layer.js';
import { dictionaryId, storedBytes, partsOf as termParts } from '../dictionary/stored-term.js';
import { inlineId } from '../ids/inline.js';
import { ROOT_ID, type TermId, type TxId } from '../ids/layout.js';
import type { ReadTransaction } from '../lmdb/file.js';
import { LogReader } from '../log/log-reader.js';
import { distinctOfUnion } from '../runs/distinct-union.js';
import { type Manifest, rootOf } from '../runs/manifest.js';
import {
  type ChangedRows,
  COLUMNS,
  type CountRequest,
  CURRENT,
  type Estimate,
  type GraphSet,
  type IdColumn,
  type NumberRange,
  type PredicateStatistics,
  type ProbeCursor,
  type ProbeRequest,
  type RootFigures,
  type ScanCounters,
  type ScanCursor,
  type ScanRequest,
  type StorageSnapshot,
  type StoredPart,
  type StoredTerms,
} from '../seam/scan.js';
import type { RunScan } from '../sources/run-source.js';
import { readChanges, rowsInRuns } from './changes.js';
import type { SnapshotContext } from './context.js';
import { openProbe } from './probe/open-probe.js';
import { countRows, estimateRows, isMerged } from './scan/count.js';
import { netPerGraph, overlayCount, overlayEstimate, overlayPredicates, overlaysAreVoid } from './scan/layers.js';
import { chooseOrder, openSource, partsOf, tendSlices, type View } from './scan/open-source.js';
import { countPredicates } from './scan/predicate-counts.js';
import { SourceCursor } from './scan/source-cursor.js';
import { stagedChanges, stagedRows } from './staged-changes.js';
import type { TermSource } from './term-decoder.js';

/** Graphs up to this size are counted when their figures are asked for. */
const EXACT_ROWS_MAX = 20_000;
/** Sets of more graphs have no name under which their figures are kept. */
const NAMED_GRAPHS_MAX = 16;

/** Figures of a predicate in the parts of a store that hold it. */
type Parts = Map<bigint, PredicateStatistics[]>;

function add(parts: Parts, entry: PredicateStatistics, most: number): void {
  const held = {
    predicate: entry.predicate,
    rows: Math.min(entry.rows, most),
    distinctSubjects: Math.min(entry.distinctSubjects, most),
    distinctObjects: Math.min(entry.distinctObjects, most),
  };
  const known = parts.get(entry.predicate);
  if (known === undefined) parts.set(entry.predicate, [held]);
  else known.push(held);
}

function sumOf(predicate: TermId, parts: readonly PredicateStatistics[]): PredicateStatistics {
  const distinctSubjects = distinctOfUnion(parts.map((part) => ({ rows: part.rows, distinct: part.distinctSubjects })));
  const distinctObjects = distinctOfUnion(parts.map((part) => ({ rows: part.rows, distinct: part.distinctObjects })));
  return { predicate, rows: parts.reduce((sum, { rows }) => sum + rows, 0), distinctSubjects, distinctObjects };
}

/** The same text for the same set of graphs; null for large ones, which are not asked about twice. */
function nameOf(graphs: GraphSet): string | null {
  switch (graphs.kind) {
    case 'all': {
      const { except = [] } = graphs;
      return except.length > NAMED_GRAPHS_MAX ? null : `all ${except.join()}`;
    }
    case 'one':
      return `one ${graphs.graph}`;
    case 'some':
      return graphs.graphs.length > NAMED_GRAPHS_MAX ? null : `some ${graphs.merged} ${graphs.graphs.join()}`;
    case 'named':
      return graphs.except.length > NAMED_GRAPHS_MAX ? null : `named ${graphs.except.join()}`;
  }
}

/** Batches of rows that are gathered when a snapshot is closed, and so many for each block that was read. */
const GATHERED_LEAST = 1;
const GATHERED_SHARE = 1 / 16;

export class LmdbSnapshot implements StorageSnapshot {
  readonly tx: TxId;
  readonly staged: boolean;
  readonly counters: ScanCounters = { blocksRead: 0, rowsScanned: 0, termsDecoded: 0 };
  readonly #context: SnapshotContext;
  readonly #transaction: ReadTransaction;
  readonly #manifest: Manifest;
  readonly #delta: Delta;
  readonly #stage: UncommittedLayer | null;
  readonly #disjoint: boolean;
  /** Transactions from this one on are not in the log, and will not be before their stage is written. */
  readonly #stagedFrom: TxId;
  /** All that is staged stands in the uncommitted layer, as one transaction. */
  readonly #isLayer: boolean;
  /** Terms from this number on came later. */
  readonly #termsEnd: number;
  /** Terms from this number on are the stage's, with numbers that may yet become another's. */
  readonly #provisional: number;
  readonly #runScan: RunScan;
  readonly #onClose: () => void;
  /** Opened when it is asked for. */
  #log: LogReader | null = null;
  readonly #cursors = new Set<{ close(): void }>();
  #closed = false;

  /** With a stage it shows the store as the stage's transaction would leave it. */
  constructor(context: SnapshotContext, onClose: () => void, staged?: StagedView) {
    this.#context = context;
    this.#onClose = onClose;
    const shared = staged?.transaction;
    this.#transaction = shared === undefined ? context.file.beginRead() : context.file.share(shared);
    this.#runScan = {
      memory: context.memory,
      blocks: context.blocks,
      counters: this.counters,
      transaction: this.#transaction,
    };
    try {
      const { manifest, head } = context.state(this.#transaction);
      this.#manifest = manifest;
      this.#delta = context.deltas.get(this.#manifest, head, this.#transaction).pin();
      this.#stage = staged?.overlay?.pin() ?? null;
      this.#provisional = this.#stage?.terms.first ?? head.nextTermNumber;
      this.#termsEnd = this.#stage?.terms.next ?? head.nextTermNumber;
      // A stage may have rows that begin earlier; it is small, and read for a short time.
      this.#disjoint = this.#stage === null && head.disjoint === true;
      this.tx = staged?.tx ?? head.lastTx;
      this.staged = staged !== undefined;
      this.#stagedFrom = staged === undefined ? Number.POSITIVE_INFINITY : (staged.stagedFrom ?? staged.tx);
      this.#isLayer = this.#stage !== null && this.#stagedFrom === this.tx && staged?.inRuns !== true;
    } catch (error) {
      context.file.release(this.#transaction);
      throw error;
    }
  }

  get #view(): View {
    if (this.#closed) throw new SvcError('store_closed', 'the snapshot is closed');
    return {
      context: this.#context,
      manifest: this.#manifest,
      transaction: this.#transaction,
      tx: this.tx,
      delta: this.#delta,
      stage: this.#stage,
      disjoint: this.#disjoint,
    };
  }

  get layout(): number {
    return this.#context.layout;
  }

  scan(request: ScanRequest): ScanCursor {
    const view = this.#view;
    const order = chooseOrder(request.pattern, request.order);
    const source = openSource(view, this.#runScan, {
      graphs: request.graphs,
      pattern: request.pattern,
      order,
      time: request.time,
      wanted: request.columns.map((column) => COLUMNS.indexOf(column)),
      unordered: request.unordered,
    });
    const cursor: SourceCursor = new SourceCursor(this.#context.memory, source, order, request.columns, () =>
      this.#cursors.delete(cursor),
    );
    this.#cursors.add(cursor);
    return cursor;
  }

  probe(request: ProbeRequest): ProbeCursor {
    return openProbe(this.#view, this.#runScan, request, this.#cursors);
  }

  estimate(request: CountRequest): Estimate {
    const view = this.#view;
    const below = estimateRows(view, request);
    const above = overlayEstimate(view, { ...request, order: chooseOrder(request.pattern, undefined) });
    const isVoid = above.rows === 0 && above.exact;
    const exact = below.exact && above.exact && (isVoid || !isMerged(request));
    const estimate = { rows: Math.max(0, below.rows + above.rows), exact };
    const parts = (below.parts ?? 1) + (isVoid ? 0 : 1);
    return parts > 1 ? { ...estimate, parts } : estimate;
  }

  count(request: CountRequest): number {
    const { graphs } = request;
    if (graphs.kind === 'all' && graphs.except !== undefined && graphs.except.length > 0) {
      // Counts of all graphs and of one come from directories where nothing is left out.
      const left = graphs.except.map((graph) => this.count({ ...request, graphs: { kind: 'one', graph } }));
      return this.count({ ...request, graphs: { kind: 'all' } }) - left.reduce((sum, count) => sum + count, 0);
    }
    const view = this.#view;
    const direct = this.#countDirectly(view, request);
    if (direct !== null) return direct;
    const cursor = this.scan({ ...request, columns: [], unordered: true });
    let rows = 0;
    for (let batch = cursor.next(); batch !== null; batch = cursor.next()) {
      rows += batch.selection === null ? batch.rows : batch.selection.length;
    }
    cursor.close();
    return rows;
  }

  /** Counts by keys alone, where that is exact: rows of runs, and the overlays' share of what is current. */
  #countDirectly(view: View, request: CountRequest): number | null {
    const overlaid = { ...request, order: chooseOrder(request.pattern, undefined) };
    if (overlaysAreVoid(view, overlaid)) return countRows(view, request);
    const current = request.time.kind === 'current' || (request.time.kind === 'asOf' && request.time.tx >= this.tx);
    const direct = current ? countRows(view, { ...request, time: CURRENT }) : null;
    return direct === null ? null : direct + overlayCount(view, { ...overlaid, time: CURRENT });
  }

  predicates(graphs: GraphSet): readonly PredicateStatistics[] {
    const view = this.#view;
    const name = this.staged ? null : nameOf(graphs);
    if (name === null) return this.#sumPredicates(view, graphs);
    return this.#context.predicates(view.manifest.version, this.tx, name, () => this.#sumPredicates(view, graphs));
  }

  #sumPredicates(view: View, graphs: GraphSet): readonly PredicateStatistics[] {
    const parts: Parts = new Map();
    for (const entry of overlayPredicates(view, graphs)) add(parts, entry, Number.POSITIVE_INFINITY);
    for (const { partition, small } of partsOf(view, graphs, {})) {
      if (small !== null && small.rows <= EXACT_ROWS_MAX) {
        for (const entry of this.#smallGraph(small.graph)) add(parts, entry, Number.POSITIVE_INFINITY);
        continue;
      }
      for (const run of partition.runs.SPOG ?? []) {
        if (run.kind !== 'current') continue;
        for (const entry of this.#context.statistics(run, this.#transaction).predicates) {
          // Of a graph among others the shared figures are all there is; its size bounds them.
          add(parts, entry, small?.rows ?? Number.POSITIVE_INFINITY);
        }
      }
    }
    const sums = new Map([...parts].map(([predicate, entries]) => [predicate, sumOf(predicate as TermId, entries)]));
    this.#leaveOut(view, graphs, sums);
    return [...sums.values()].filter(({ rows }) => rows > 0);
  }

  /** Takes the rows of small graphs that a set leaves out from the figures of the shared partition. */
  #leaveOut(view: View, graphs: GraphSet, sums: Map<bigint, PredicateStatistics>): void {
    if (graphs.kind !== 'named' && graphs.kind !== 'all') return;
    for (const graph of new Set(graphs.except)) {
      if (graph === ROOT_ID) continue;
      for (const { small } of partsOf(view, { kind: 'one', graph }, {})) {
        if (small === null || small.rows > EXACT_ROWS_MAX) continue;
        for (const entry of this.#smallGraph(graph)) {
          const sum = sums.get(entry.predicate);
          if (sum === undefined) continue;
          const rows = sum.rows - entry.rows;
          sums.set(entry.predicate, {
            predicate: sum.predicate,
            rows,
            distinctSubjects: Math.min(sum.distinctSubjects, rows),
            distinctObjects: Math.min(sum.distinctObjects, rows),
          });
        }
      }
    }
  }

  /** Figures of a small graph, counted from its rows in the shared partition and kept. */
  #smallGraph(graph: TermId): readonly PredicateStatistics[] {
    return this.#context.smallGraph(this.#manifest.version, graph, () => {
      const cursor = this.scan({
        graphs: { kind: 'some', graphs: [graph], merged: false },
        pattern: {},
        order: 'POSG',
        time: CURRENT,
        columns: ['s', 'p', 'o'],
      });
      const figures = countPredicates(cursor);
      cursor.close();
      return figures;
    });
  }

  derived<Value extends object>(name: string, find: () => Value): Value {
    return this.#context.derived(this.#view.manifest.version, name, find);
  }

  changes(tx: TxId, graph?: TermId): Generator<ChangedRows> {
    const { context, transaction, stage, delta } = this.#view;
    if (tx < this.#stagedFrom) {
      this.#log ??= new LogReader(context.file);
      return readChanges(this, this.#log.entry(tx, transaction), context.memory, graph);
    }
    if (this.#isLayer) return stagedChanges(stage as UncommittedLayer);
    return stagedRows(rowsInRuns(this, tx, 'assert', graph), stage === null ? [delta] : [delta, stage], tx);
  }

  rootFigures(): RootFigures | null {
    return rootOf(this.#view.manifest);
  }

  orderedTerms(): readonly NumberRange[] {
    const sorted = this.#view.manifest.segments.filter((segment) => segment.sorted === true);
    return sorted.map(({ firstNumber, terms }) => ({ from: firstNumber, to: firstNumber + terms }));
  }

  graphs(): readonly TermId[] {
    const view = this.#view;
    const counts = new Map(this.#context.graphCounts(this.#manifest, this.#transaction));
    for (const [graph, rows] of netPerGraph(view)) counts.set(graph, (counts.get(graph) ?? 0) + rows);
    const ids = [...counts].filter(([, rows]) => rows > 0).map(([graph]) => graph);
    const column = new Uint32Array(2 * ids.length);
    ids.forEach((id, i) => {
      column[2 * i] = Number(id & 0xffffffffn);
      column[2 * i + 1] = Number(id >> 32n);
    });
    const names = this.decode(column, ids.length).map((term) => term.value);
    return ids
      .map((id, i) => ({ id, name: names[i] as string }))
      .sort((a, b) => (a.id === ROOT_ID ? -1 : b.id === ROOT_ID ? 1 : compareCodePoints(a.name, b.name)))
      .map(({ id }) => id);
  }

  encode(term: Term, lasting = false): TermId | null {
    const view = this.#view;
    const known = lasting ? this.#context.lasting.get(term) : undefined;
    if (known !== undefined && known.number < view.manifest.nextTermNumber) return known.id;
    if (term.termType === 'DefaultGraph') return ROOT_ID;
    if (term.termType === 'Literal' && !term.language) {
      const inlined = inlineId(term.datatype.value, term.value);
      if (inlined !== null) return inlined;
    }
    const parts = termParts(term);
    if (parts === null) return null;
    const stored = storedBytes(parts);
    const above = this.#stage?.terms.find(stored) ?? this.#delta.terms.find(stored);
    if (above !== undefined) return above < this.#termsEnd ? dictionaryId(parts, above) : null;
    const number = this.#context.dictionary.find(
      view.manifest,
      view.transaction,
      stored,
      Buffer.byteLength(parts.qualifier),
    );
    if (number === null) return null;
    const id = dictionaryId(parts, number);
    // It is in a segment, whose numbers stay; those of a delta or a stage may yet become another's.
    if (lasting) this.#context.lasting.set(term, { number, id });
    return id;
  }

  decode(ids: IdColumn, rows: number): Term[] {
    return this.#context.decoder.decode(this.#termSource(), ids, rows);
  }

  stored(ids: IdColumn, count: number, take: (terms: StoredTerms) => void, part?: StoredPart): void {
    this.#context.decoder.stored(this.#termSource(), ids, count, take, part);
  }

  #termSource(): TermSource {
    const { manifest, transaction } = this.#view;
    return {
      manifest,
      transaction,
      above: this.#stage === null ? [this.#delta.terms] : [this.#delta.terms, this.#stage.terms],
      provisional: this.#provisional,
      counters: this.counters,
    };
  }

  close(): void {
    if (this.#closed) return;
    for (const cursor of [...this.#cursors]) cursor.close();
    const batches = GATHERED_LEAST + Math.floor(this.counters.blocksRead * GATHERED_SHARE);
    tendSlices(this.#view, batches);
    this.#closed = true;
    this.#log?.release();
    this.#stage?.unpin();
    this.#delta.unpin();
    this.#context.file.release(this.#transaction);
    this.#onClose();
  }
}

function compareCodePoints(a: string, b: string): number {
  return Buffer.compare(Buffer.from(a), Buffer.from(b));
}
