/**
 * From a scan request to the runs that hold its rows: which partitions hold the graphs that are asked for, which order
 * serves, which runs and tests the time slice needs.
 */

import type { TermId } from '../../ids/layout.js';
import { graphOfPartition, type PartitionRecord } from '../../runs/manifest.js';
import { ORDERS } from '../../runs/orders.js';
import { COLUMNS, CURRENT, type Order, type ScanPattern, type TimeSlice } from '../../seam/scan.js';
import { graphTest, type StoredGraphs } from '../../seam/source.js';
import { graphTestOf } from '../../sources/graph-ranges.js';
import { bestOrder, blocksOfKeys, planScan, type ScanPlan, type Tests } from '../../sources/scan-plan.js';
import type { OpenRun, VisibleRun } from '../../sources/visible-run.js';
import { mayRepeatQuads, readsHistory, sliceOfRun, sliceOfRuns } from '../../time/time-slice.js';
import { type Gathers, isGathered } from '../slices/materialised-slice.js';
import type { RunView, View } from '../view.js';
import { openRun, rowsOfKeys } from './key-range.js';

/** Numbers of the columns of time: those from here on. */
const TX_FROM = COLUMNS.indexOf('txFrom');
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

/** The parts that hold the graphs of a set. */
export function partsOf(view: View, graphs: StoredGraphs, pattern: ScanPattern, time: TimeSlice = CURRENT): Part[] {
  const past = readsHistory(sliceOfRuns(time, view.manifest.foldedTx));
  if (graphs.kind === 'one') return partsOfGraph(view, graphs.graph, pattern, past);
  if (graphs.kind === 'some' && graphs.graphs.length <= GRAPHS_ONE_BY_ONE_MAX) {
    return [...new Set(graphs.graphs)].flatMap((graph) => partsOfGraph(view, graph, pattern, past));
  }
  const isWanted = graphTest(graphs);
  const g = graphTestOf(graphs);
  return view.manifest.partitions.flatMap((partition) => {
    const graph = graphOfPartition(partition);
    if (graph !== null) return isWanted(graph) ? { partition, tests: pattern, small: null } : [];
    return { partition, tests: g === null ? pattern : { ...pattern, g }, small: null };
  });
}

function livingRows(partition: PartitionRecord | undefined): number {
  const current = (partition?.runs.SPOG ?? []).filter((run) => run.kind === 'current');
  return current.reduce((sum, run) => sum + run.rows - (run.dead?.rows ?? 0), 0);
}

function partsOfGraph(view: View, graph: TermId, tests: Tests, past: boolean): Part[] {
  const own = view.manifest.partitions.find((partition) => graphOfPartition(partition) === graph);
  const shared = view.manifest.partitions.find((partition) => partition.graph === null);
  const parts: Part[] = [];
  if (own) parts.push({ partition: own, tests, small: null });
  if (shared === undefined) return parts;
  const counts = view.context.graphCounts(view.manifest, view.transaction);
  const rows = (counts.get(graph) ?? 0) - livingRows(own) + (past ? closedRows(view, shared, graph) : 0);
  if (rows > 0)
    parts.push({ partition: shared, tests: { ...tests, g: { kind: 'id', id: graph } }, small: { graph, rows } });
  return parts;
}

/** Rows of history of a graph of the shared partition. */
function closedRows(view: View, shared: PartitionRecord, graph: TermId): number {
  const plan = planScan('GSPO', { g: { kind: 'id', id: graph } });
  const runs = (shared.runs.GSPO ?? []).filter((run) => run.kind === 'history');
  return runs.reduce((sum, run) => sum + rowsOfKeys(view, openRun(view, run), plan), 0);
}

/** A run that takes part in a scan. */
export interface RunPart extends VisibleRun {
  readonly plan: ScanPlan;
  /** The order in which the rows of the run are to come, when it is not the run's own. */
  readonly sortInto: Order | null;
  /** The one graph of the run's rows, when the request's order and the run's place it differently. */
  readonly graphOfKeys: TermId | null;
}

/** The order in which the runs of a part are read for a wanted order; `sortInto`: their rows are sorted into that one. */
export function runOrderOf(part: Part, order: Order): { readonly runOrder: Order; readonly sortInto: Order | null } {
  const { partition, small } = part;
  // One graph: s, p, o behind a constant g.
  if (partition.graph !== null) return { runOrder: order === 'GSPO' ? 'SPOG' : order, sortInto: null };
  if (small === null) return { runOrder: order, sortInto: null };
  // The rows of one graph lie together in GSPO, where they are in SPOG order too.
  if (order === 'GSPO' || order === 'SPOG') return { runOrder: 'GSPO', sortInto: null };
  const sorts = small.rows <= SORT_ROWS_MAX && !isSelective(part.tests, order);
  return sorts ? { runOrder: 'GSPO', sortInto: order } : { runOrder: order, sortInto: null };
}

/**
 * Runs and plans that serve a part in the wanted order, for whoever wants such columns; those that hold no visible row of
 * the key range are left out.
 */
export function runsOf(
  view: View,
  part: Part,
  order: Order,
  time: TimeSlice,
  wanted: readonly number[] = [],
): RunPart[] {
  const { partition, small } = part;
  const { runOrder, sortInto } = runOrderOf(part, order);
  const plan = planScan(runOrder, part.tests);
  if (plan.empty) return [];
  const graph = graphOfPartition(partition) ?? small?.graph ?? null;
  const graphOfKeys = runOrder !== order && sortInto === null ? graph : null;
  const parts: RunPart[] = [];
  // Written out: spreading costs microseconds, and a lookup comes by here for every run.
  for (const { run, directory, dead, use, slice } of visibleRuns(view, partition, runOrder, time, wanted)) {
    const blocks = blocksOfKeys(directory, plan);
    if (blocks.from < blocks.to) parts.push({ run, directory, dead, use, plan, slice, sortInto, graphOfKeys });
  }
  return parts;
}

/** The runs of an order that hold rows of a slice. */
export function visibleRuns(
  view: RunView,
  partition: PartitionRecord,
  order: Order,
  time: TimeSlice,
  wanted: readonly number[] = [],
): readonly VisibleRun[] {
  const { context, manifest, transaction } = view;
  const past = sliceOfRuns(time, manifest.foldedTx);
  const { version } = manifest;
  const question = { version, partition, order, time: past, gathers: gathersOf(view, past), timed: isTimed(wanted) };
  return context.slices.runs(question, transaction, () => {
    const visible: VisibleRun[] = [];
    for (const run of partition.runs[order] ?? []) {
      const slice = sliceOfRun(past, run, () => context.directory(run, transaction));
      if (slice !== null) visible.push({ ...openRun(view, run), slice });
    }
    return visible;
  });
}

function gathersOf(view: RunView, past: TimeSlice): Gathers {
  if (past.kind === 'all') return 'nothing';
  return view.disjoint || !mayRepeatQuads(past) ? 'rows' : 'quads';
}

/** Whether columns of time are wanted, so that rows of one quad are different rows. */
export function isTimed(wanted: readonly number[]): boolean {
  return wanted.some((column) => column >= TX_FROM);
}

/**
 * A step of maintenance: goes on materialising slices, by so many batches of rows. When an order of a slice is
 * complete, the others are to follow.
 */
export function materialiseSlices(view: RunView, batches: number): void {
  const { context, manifest, transaction } = view;
  const complete = context.slices.step(manifest.version, transaction, batches);
  if (complete === null) return;
  const { partition, time } = complete;
  for (const order of ORDERS) if (partition.runs[order] !== undefined) visibleRuns(view, partition, order, time);
}

/**
 * True when a quad may be visible through several of the rows, and the columns that are wanted don't
 * tell them apart. Rows of the delta, which are among those that are read when `overlaid`, may repeat those of runs that it
 * closed. A graph may have rows in two partitions, each of which is gathered by itself.
 */
export function repeatsQuads(
  view: View,
  parts: readonly Pick<OpenRun, 'run'>[],
  time: TimeSlice,
  wanted: readonly number[],
  overlaid: boolean,
): boolean {
  return (
    mayRepeatQuads(time) &&
    !(view.disjoint && time.kind !== 'all') &&
    (overlaid || parts.some(({ run }) => run.kind === 'history' || (parts.length > 1 && isGathered(run)))) &&
    !isTimed(wanted)
  );
}

/** True when the order's first position is bound, so that filtering by graph reads little. */
function isSelective(tests: Tests, order: Order): boolean {
  return tests.o !== undefined && (order !== 'POSG' || tests.p !== undefined);
}

export function chooseOrder(pattern: ScanPattern, wanted: Order | undefined): Order {
  return wanted ?? bestOrder(pattern);
}
