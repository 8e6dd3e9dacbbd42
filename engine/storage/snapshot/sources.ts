/**
 * From a scan request to sources over runs: which partitions hold the graphs that are asked for,
 * which order serves, which runs and tests the time slice needs.
 */

import { instantToColumn, OPEN, ROOT_ID, type TermId } from '../ids/layout.js';
import type { ReadTransaction } from '../lmdb/file.js';
import { idFromHex, idToHex, type Manifest, type PartitionRecord, type RunRecord } from '../runs/manifest.js';
import { keyColumns } from '../runs/orders.js';
import { COLUMNS, type GraphSet, type IdRange, type Order, type ScanPattern, type TimeSlice } from '../scan.js';
import type { SnapshotContext } from './context.js';
import { DistinctTriples, mergeAll } from './merge-source.js';
import { OneGraphSource } from './one-graph-source.js';
import { EMPTY_SOURCE, type RowSource } from './row-source.js';
import { type RunScan, RunSource } from './run-source.js';
import { bestOrder, planScan, type RowTest, type ScanPlan, type Tests } from './scan-plan.js';
import { SortedSource } from './sorted-source.js';

const WHOLE = 1n << 64n;
const ALL_COLUMNS = COLUMNS.map((_, i) => i);
/** Graphs up to this size are sorted rather than filtered out of the shared partition. */
const SORT_ROWS_MAX = 100_000;
/** Up to so many graphs are read one by one; more are one pass with a test on the graph. */
const GRAPHS_ONE_BY_ONE_MAX = 16;

/** A part of the store to be read: a partition, the tests on its graph column, and the pattern's. */
export interface Part {
  readonly partition: PartitionRecord;
  readonly tests: Tests;
  /** The graph that the part is confined to, and its rows, when it is one small graph. */
  readonly small: { readonly graph: TermId; readonly rows: number } | null;
}

export interface View {
  readonly context: SnapshotContext;
  readonly manifest: Manifest;
  readonly transaction: ReadTransaction;
}

/** The parts that hold the graphs of a set. */
export function partsOf(view: View, graphs: GraphSet, pattern: ScanPattern): Part[] {
  const tests: Tests = { ...pattern };
  const counts = view.context.graphCounts(view.manifest, view.transaction);
  switch (graphs.kind) {
    case 'one':
      return partsOfGraph(view, graphs.graph, tests, counts);
    case 'some': {
      const distinct = [...new Set(graphs.graphs)];
      if (distinct.length <= GRAPHS_ONE_BY_ONE_MAX) {
        return distinct.flatMap((graph) => partsOfGraph(view, graph, tests, counts));
      }
      return partsOfMany(view, tests, (graph) => distinct.includes(graph), pointRanges(distinct));
    }
    case 'named': {
      const except = [ROOT_ID, ...graphs.except];
      return partsOfMany(view, tests, (graph) => !except.includes(graph), gapsBetween(except));
    }
    case 'all':
      return partsOfMany(view, tests, () => true, null);
  }
}

function ownRows(partition: PartitionRecord | undefined): number {
  return (partition?.runs.SPOG ?? []).filter((run) => run.kind === 'current').reduce((sum, run) => sum + run.rows, 0);
}

function partsOfGraph(view: View, graph: TermId, tests: Tests, counts: ReadonlyMap<bigint, number>): Part[] {
  const own = view.manifest.partitions.find((partition) => partition.graph === idToHex(graph));
  const shared = view.manifest.partitions.find((partition) => partition.graph === null);
  const parts: Part[] = [];
  if (own) parts.push({ partition: own, tests, small: null });
  const rest = (counts.get(graph) ?? 0) - ownRows(own);
  if (shared && rest > 0) {
    parts.push({ partition: shared, tests: { ...tests, g: { kind: 'id', id: graph } }, small: { graph, rows: rest } });
  }
  return parts;
}

function partsOfMany(
  view: View,
  tests: Tests,
  wanted: (graph: TermId) => boolean,
  ranges: readonly IdRange[] | null,
): Part[] {
  const parts: Part[] = [];
  for (const partition of view.manifest.partitions) {
    if (partition.graph === null) {
      parts.push({ partition, tests: ranges ? { ...tests, g: { kind: 'ranges', ranges } } : tests, small: null });
    } else if (wanted(idFromHex(partition.graph))) parts.push({ partition, tests, small: null });
  }
  return parts;
}

function pointRanges(ids: readonly TermId[]): IdRange[] {
  return [...ids].sort((a, b) => (a < b ? -1 : a > b ? 1 : 0)).map((id) => ({ from: id, to: id + 1n }));
}

function gapsBetween(ids: readonly TermId[]): IdRange[] {
  const gaps: IdRange[] = [];
  let from = 0n;
  for (const { from: id } of pointRanges(ids)) {
    if (id > from) gaps.push({ from, to: id });
    from = id + 1n;
  }
  gaps.push({ from, to: WHOLE });
  return gaps;
}

/** Tests of a time slice on the columns txFrom (4), txTo (5), validFrom (6), validTo (7). */
export function timeTests(time: TimeSlice): RowTest[] {
  const before = (column: number, value: bigint): RowTest => ({
    kind: 'ranges',
    column,
    ranges: [{ from: 0n, to: value + 1n }],
  });
  const after = (column: number, value: bigint): RowTest => ({
    kind: 'ranges',
    column,
    ranges: [
      { from: value + 1n, to: OPEN },
      { from: OPEN, to: WHOLE },
    ],
  });
  switch (time.kind) {
    case 'all':
    case 'current':
      return [];
    case 'validAt': {
      const at = instantToColumn(time.validAt);
      return [before(6, at), after(7, at)];
    }
    case 'asOf':
      return [before(4, BigInt(time.tx))];
    case 'asOfValidAt':
      return [before(4, BigInt(time.tx)), before(6, instantToColumn(time.validAt))];
  }
}

export interface RunPart {
  readonly run: RunRecord;
  readonly plan: ScanPlan;
  readonly tests: readonly RowTest[];
  /** The order in which the rows of the run are to come, when it is not the run's own. */
  readonly sortInto: Order | null;
  /** The one graph of the run's rows, when the request's order and the run's place it differently. */
  readonly graphOfKeys: TermId | null;
}

/** Runs and plans that serve a part in the wanted order. */
export function runsOf(part: Part, order: Order, time: TimeSlice): RunPart[] {
  const { partition, small } = part;
  let runOrder: Order = order;
  let sortInto: Order | null = null;
  if (partition.graph !== null) {
    // One graph: s, p, o behind a constant g.
    if (order === 'GSPO') runOrder = 'SPOG';
  } else if (small !== null) {
    // The rows of one graph lie together in GSPO, where they are in SPOG order too.
    const direct = order === 'GSPO' || order === 'SPOG';
    if (direct) runOrder = 'GSPO';
    else if (small.rows <= SORT_ROWS_MAX && !isSelective(part.tests, order)) {
      runOrder = 'GSPO';
      sortInto = order;
    }
  }
  const plan = planScan(runOrder, part.tests);
  if (plan.empty) return [];
  const graph = partition.graph !== null ? idFromHex(partition.graph) : (small?.graph ?? null);
  const graphOfKeys = runOrder !== order && sortInto === null ? graph : null;
  const slices = timeTests(time);
  return (partition.runs[runOrder] ?? [])
    .filter((run) => isRelevant(run, time))
    .map((run) => ({ run, plan, tests: [...plan.tests, ...slices], sortInto, graphOfKeys }));
}

/** True when the order's first position is bound, so that filtering by graph reads little. */
function isSelective(tests: Tests, order: Order): boolean {
  const first = order === 'POSG' ? tests.o !== undefined && tests.p !== undefined : tests.o !== undefined;
  return first;
}

function isRelevant(run: RunRecord, time: TimeSlice): boolean {
  if (time.kind === 'current') return run.kind === 'current';
  if (time.kind === 'asOf' || time.kind === 'asOfValidAt') return run.txMin <= time.tx;
  return true;
}

/** The source that gives the rows of a request in its order. */
export function openSource(
  view: View,
  scan: RunScan,
  request: {
    readonly graphs: GraphSet;
    readonly pattern: ScanPattern;
    readonly order: Order;
    readonly time: TimeSlice;
    readonly wanted: readonly number[];
  },
): RowSource {
  const merged = request.graphs.kind === 'some' && request.graphs.merged;
  // Triples of a merged graph have no graph: its GSPO order is that of s, p, o.
  const order = merged && request.order === 'GSPO' ? 'SPOG' : request.order;
  const runs = partsOf(view, request.graphs, request.pattern).flatMap((part) => runsOf(part, order, request.time));
  if (runs.length === 0) return EMPTY_SOURCE;
  const single = runs.length === 1 && runs[0]?.sortInto === null && !merged;
  const key = [...keyColumns(order), 4];
  const wanted = single ? request.wanted : [...new Set([...request.wanted, ...key])];
  const memory = view.context.memory;
  const sources: RowSource[] = [];
  for (const entry of runs) {
    const directory = view.context.directory(entry.run, view.transaction);
    const columns = entry.sortInto === null ? wanted : ALL_COLUMNS;
    const source = new RunSource(scan, entry.run, directory, entry.plan, entry.tests, columns, !single);
    if (entry.sortInto !== null) sources.push(new SortedSource(memory, source, entry.sortInto));
    else if (entry.graphOfKeys === null) sources.push(source);
    else sources.push(new OneGraphSource(source, entry.graphOfKeys, order));
  }
  const joined = mergeAll(memory, sources, order);
  if (!merged) return joined;
  return new DistinctTriples(memory, joined, request.order === 'GSPO');
}

export function chooseOrder(pattern: ScanPattern, wanted: Order | undefined): Order {
  return wanted ?? bestOrder(pattern);
}
