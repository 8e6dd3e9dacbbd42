/**
 * A fold: the delta up to a transaction becomes runs. Open rows become a current run per partition and
 * order, closed ones a history run, tombstones of rows in runs make those dead and stand in the history
 * run; terms become a segment. Nothing of it is visible before it is published.
 *
 * It goes on in steps, between which the delta may grow and rows of it may be closed: a fold reads
 * the delta as of its transaction.
 */

import { OWN_PARTITION_ROWS, OWN_PARTITIONS_MAX } from '../bulk/epoch-rows.js';
import type { Memtable } from '../delta/memtable.js';
import { ROOT_ID, type TermId, type TxId } from '../ids/layout.js';
import type { FileSink } from '../runs/file-sink.js';
import { idFromHex, idToHex, type Manifest, type PartitionRecord, type RunRecord } from '../runs/manifest.js';
import { OWN_ORDERS, SHARED_ORDERS } from '../runs/orders.js';
import { encodeRunStatistics } from '../runs/run-statistics.js';
import { COLUMNS, CURRENT, type Order, type PositionTest } from '../seam/scan.js';
import type { TransactionTime } from '../seam/transaction-times.js';
import { countMemtable, type MemtableScan, MemtableSource } from '../snapshot/memtable-source.js';
import { netPerGraph, tallyRows } from '../snapshot/scan/layer-figures.js';
import type { View } from '../snapshot/view.js';
import { gapsBetween } from '../sources/graph-ranges.js';
import { mergeAll } from '../sources/merge-source.js';
import { EMPTY_SOURCE, type RowSource } from '../sources/row-source.js';
import { planScan, type Tests } from '../sources/scan-plan.js';
import { timeView } from '../time/time-view.js';
import { extendDeletionVectors } from './deletion-vectors.js';
import { foldTerms } from './fold-terms.js';
import { type SealedLog, sealLog } from './seal-log.js';
import { type SplitTombstones, splitTombstones } from './split-tombstones.js';
import { writeSource } from './write-run.js';

/** The planner counts current rows only. */
const NO_FIGURES = { distinctSubjects: 0, predicates: [] };
const ALL_COLUMNS = COLUMNS.map((_, c) => c);

/** What a publication removes. */
export interface Removed {
  readonly runs: readonly RunRecord[];
  /** Keys in `directories`. */
  readonly directories: readonly number[];
}

export interface FoldResult {
  readonly manifest: Manifest;
  readonly removed: Removed;
  /** Change of the current rows of each graph. */
  readonly perGraph: ReadonlyMap<TermId, number>;
  /** Sources of the transactions that were folded, ascending. */
  readonly sources: readonly { readonly tx: TxId; readonly source: string }[];
  readonly times: readonly TransactionTime[];
  readonly rows: number;
  readonly log: SealedLog;
}

/** What of the delta goes into a partition. */
interface Scope {
  /** The graphs of its rows. */
  readonly g: PositionTest;
  readonly tombstones: Memtable;
  readonly closesOf: Tests;
  /** Rows of it that are open, and that were closed; tombstones. */
  readonly current: number;
  readonly closed: number;
  readonly closes: number;
}

export class FoldJob {
  readonly #view: View;
  readonly #sink: FileSink;
  readonly #terms: readonly Buffer[];
  readonly #sealTo: TxId;
  #manifest: Manifest;
  #own: readonly TermId[] = [];
  readonly #gone: RunRecord[] = [];
  readonly #directories: number[] = [];
  #rows = 0;

  /** `view.tx` is the last transaction that is folded; `view` has no stage, and terms below `termsEnd` are its. Log records up to `sealTo` are sealed. */
  constructor(view: View, sink: FileSink, termsEnd: number, sealTo: TxId) {
    this.#sealTo = sealTo;
    this.#view = view;
    this.#sink = sink;
    this.#manifest = view.manifest;
    this.#terms = view.delta.terms.list(termsEnd);
  }

  *run(): Generator<void, FoldResult> {
    const { delta, context, tx } = this.#view;
    const perGraph = netPerGraph(this.#view);
    this.#own = this.#ownGraphs(perGraph);
    const tombstones = splitTombstones(this.#view, this.#own);
    try {
      for (const target of this.#targets(tombstones)) yield* this.#foldPartition(target, tombstones);
    } finally {
      tombstones.release();
    }
    this.#manifest = yield* foldTerms(context.memory, context.dictionary, this.#sink, this.#manifest, this.#terms);
    yield;
    const { manifest, transaction } = this.#view;
    const log = yield* sealLog(context.file, context.memory, transaction, manifest.foldedTx, this.#sealTo);
    const sources = delta.sources.filter((entry) => entry.tx <= tx);
    const times = delta.times.filter((entry) => entry.tx <= tx);
    return {
      manifest: {
        ...this.#manifest,
        foldedTx: tx,
        lastTx: tx,
        nextTermBlock: this.#sink.nextTermBlock,
        nextHashBlock: this.#sink.nextHashBlock,
        nextRowBlock: this.#sink.nextRowBlock,
        nextDirectory: this.#sink.nextDirectory,
      },
      removed: { runs: this.#gone, directories: this.#directories },
      perGraph,
      sources,
      times,
      rows: this.#rows,
      log,
    };
  }

  /** Partitions of the graphs that the delta touches: ROOT and those that have one have their own. */
  #targets(tombstones: SplitTombstones): (TermId | null)[] {
    const own = this.#own;
    const touched = graphsOf(this.#view);
    const targets: (TermId | null)[] = own.filter((graph) => touched.has(graph));
    const strays = tombstones.shared !== tombstones.own && tombstones.shared.count > 0;
    if (strays || [...touched].some((graph) => !own.includes(graph))) targets.push(null);
    return targets;
  }

  /** Those that have a partition of their own, and those that get one, since what is added to them is much. */
  #ownGraphs(perGraph: ReadonlyMap<TermId, number>): TermId[] {
    const own = new Set<TermId>([ROOT_ID]);
    for (const { graph } of this.#view.manifest.partitions) if (graph !== null) own.add(idFromHex(graph));
    for (const [graph, rows] of perGraph) {
      if (rows >= OWN_PARTITION_ROWS && own.size < OWN_PARTITIONS_MAX) own.add(graph);
    }
    return [...own];
  }

  *#foldPartition(target: TermId | null, tombstones: SplitTombstones): Generator<void, void> {
    const graph = target === null ? null : idToHex(target);
    const test: PositionTest =
      target === null ? { kind: 'ranges', ranges: gapsBetween(this.#own) } : { kind: 'id', id: target };
    const split = tombstones.shared !== tombstones.own;
    const closing = target === null ? tombstones.shared : tombstones.own;
    const closesOf = target === null && split ? {} : { g: test };
    // The same in every order; in this one the rows of a graph lie together.
    const counted = (set: Memtable, g: Tests, kind: MemtableScan['kind']): number =>
      countMemtable(set, { plan: planScan('GSPO', g), view: timeView(CURRENT, this.#view.tx), kind });
    const { rows } = this.#view.delta;
    const scope: Scope = {
      g: test,
      tombstones: closing,
      closesOf,
      current: counted(rows, { g: test }, 'rows'),
      closed: counted(rows, { g: test }, 'closed'),
      closes: counted(closing, closesOf, 'closed'),
    };
    const before = this.#manifest.partitions.find((partition) => partition.graph === graph);
    const runs: Partial<Record<Order, readonly RunRecord[]>> = { ...before?.runs };
    for (const order of target === null ? SHARED_ORDERS : OWN_ORDERS) {
      runs[order] = yield* this.#foldOrder(order, scope, runs[order] ?? []);
    }
    const partition: PartitionRecord = { graph, runs };
    const others = this.#manifest.partitions.filter((other) => other.graph !== graph);
    this.#manifest = { ...this.#manifest, partitions: [...others, partition] };
  }

  *#foldOrder(order: Order, scope: Scope, before: readonly RunRecord[]): Generator<void, RunRecord[]> {
    const { delta, context } = this.#view;
    const plan = planScan(order, { g: scope.g });
    const view = timeView(CURRENT, this.#view.tx);
    const open: MemtableScan = { plan, view, kind: 'rows' };
    const closed: MemtableScan = { plan, view, kind: 'closed' };
    const closing: MemtableScan = { plan: planScan(order, scope.closesOf), view, kind: 'closed' };
    // Sorting is a step of its own.
    delta.rows.sorted(order);
    yield;
    const { current, closes: tombstones } = scope;
    const marked =
      tombstones === 0
        ? { runs: before, gone: [], replaced: [] }
        : extendDeletionVectors(this.#view, this.#sink, order, before, sourceOf(scope.tombstones, closing), tombstones);
    this.#gone.push(...marked.gone);
    this.#directories.push(...marked.replaced);
    yield;
    const runs = [...marked.runs];
    if (current > 0) {
      const run = this.#write(sourceOf(delta.rows, open), 'current', order, current);
      yield;
      if (order === 'SPOG') this.#writeStatistics(run, scope.g);
      yield;
      runs.push(run);
    }
    const past = scope.closed + tombstones;
    if (past > 0) {
      const source = mergeAll(
        context.memory,
        [sourceOf(delta.rows, closed), sourceOf(scope.tombstones, closing)],
        order,
      );
      const run = this.#write(source, 'history', order, past);
      if (order === 'SPOG') this.#sink.statistics(run.id, encodeRunStatistics(NO_FIGURES, run.id));
      runs.push(run);
    }
    if (order === 'SPOG') this.#rows += current + past;
    yield;
    return runs;
  }

  #writeStatistics(run: RunRecord, g: PositionTest): void {
    const scan = (order: Order): MemtableScan => ({
      plan: planScan(order, { g }),
      view: timeView(CURRENT, this.#view.tx),
      kind: 'rows',
    });
    const figures = tallyRows(this.#view, this.#view.delta.rows, scan);
    this.#sink.statistics(run.id, encodeRunStatistics(figures, run.id));
  }

  #write(source: RowSource, kind: RunRecord['kind'], order: Order, rows: number): RunRecord {
    const id = this.#manifest.nextRun;
    this.#manifest = { ...this.#manifest, nextRun: id + 1 };
    const run = writeSource(this.#view.context.memory, this.#sink, source, { id, kind, order, rows });
    return run;
  }
}

function sourceOf(set: Memtable, scan: MemtableScan): RowSource {
  return set.count === 0 ? EMPTY_SOURCE : new MemtableSource(set, scan, ALL_COLUMNS, null);
}

/** Graphs of all rows and tombstones of the delta, later ones too. */
function graphsOf(view: View): ReadonlySet<TermId> {
  const graphs = new Set<TermId>();
  for (const set of [view.delta.rows, view.delta.tombstones]) {
    let [low, high] = [0, 0];
    // As they came: rows of a graph mostly stand together, and to sort them would cost more than to look at each.
    for (let row = 0; row < set.count; row++) {
      if (set.low(3, row) === low && set.high(3, row) === high) continue;
      [low, high] = [set.low(3, row), set.high(3, row)];
      graphs.add((BigInt(high) << 32n) | BigInt(low));
    }
  }
  return graphs;
}
