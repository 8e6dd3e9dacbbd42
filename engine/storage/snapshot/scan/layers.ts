/**
 * What stands above the runs: the delta, and the stage of a snapshot that has one. Their rows are
 * further sources of a scan, their tombstones take rows away from what is below them.
 */

import { getOrInsert } from '../../../base/maps.js';
import type { Layer } from '../../delta/layer.js';
import type { Memtable } from '../../delta/memtable.js';
import { instantToColumn, type TermId } from '../../ids/layout.js';
import { keyColumns } from '../../runs/orders.js';
import { COLUMNS, CURRENT, type Estimate, type Order, type ScanPattern, type TimeSlice } from '../../seam/scan.js';
import type { StoredGraphs } from '../../seam/source.js';
import { graphTestOf } from '../../sources/graph-ranges.js';
import { OneGraphSource } from '../../sources/one-graph-source.js';
import type { RowSource } from '../../sources/row-source.js';
import { planScan, type ScanPlan, type Tests } from '../../sources/scan-plan.js';
import { type TimeView, timeView } from '../../time/time-view.js';
import { countMemtable, keyRange, type MemtableScan, MemtableSource } from '../memtable-source.js';
import { type AddedTriples, addedTriples, NO_TRIPLES } from '../patch/added-triples.js';
import { TombstoneFilter } from '../tombstone-filter.js';
import type { PatchedGraph, RunPatch, ScanView, View } from '../view.js';

/** Key ranges of layers up to this length are counted for an estimate. */
export const EXACT_ROWS_MAX = 4096;
const VALID_FROM = COLUMNS.indexOf('validFrom');
const VALID_TO = COLUMNS.indexOf('validTo');

export interface LayerRequest {
  readonly graphs: StoredGraphs;
  readonly pattern: ScanPattern;
  readonly order: Order;
  readonly time: TimeSlice;
  /** Columns of time are wanted. */
  readonly timed?: boolean | undefined;
}

/** Rows and tombstones above the runs, lowest first. */
export function layersOf(view: View): readonly Pick<Layer, 'rows' | 'tombstones'>[] {
  if (view.patch !== undefined) return [view.delta, view.patch.layer];
  return view.stage === null ? [view.delta] : [view.delta, view.stage];
}

/** True when nothing stands above the runs: most snapshots of a store that is only read. */
export function isBare({ delta, stage, patch }: View): boolean {
  return stage === null && delta.size === 0 && (patch === undefined || isVoid(patch));
}

function isVoid({ layer: { rows, tombstones } }: RunPatch): boolean {
  return rows.count + tombstones.count === 0;
}

/**
 * True when nothing that stands above the runs can be seen at a time: all of it came later or holds later, or there is
 * nothing. Who asks for times (`timed`) sees ends of later, too.
 */
export function isBareAt(view: View, time: TimeSlice, timed = false): boolean {
  if (isBare(view) || ('tx' in time && time.tx <= view.manifest.foldedTx)) return true;
  return !timed && 'validAt' in time && view.stage === null && holdsAfter(view, instantToColumn(time.validAt));
}

/** True when the delta's rows begin to hold, and those that it closed end, after an instant: most are written of the day. */
function holdsAfter({ delta: { rows, tombstones } }: View, instant: bigint): boolean {
  return rows.least(VALID_FROM) > instant && tombstones.least(VALID_TO) > instant;
}

/** Address of the keys that are looked up in an order (`kernels/as/probe-rows.ts`); null = all rows are wanted. */
export type KeysOf = (order: Order) => number | null;
const NO_KEYS: KeysOf = () => null;

interface LayerPlan {
  readonly plan: ScanPlan;
  /** The one graph, when the plan's order puts it in front and the request's does not. */
  readonly graphInFront: TermId | null;
}

interface PlannedLayers extends LayerPlan {
  readonly graphs: StoredGraphs;
  readonly order: Order;
}

/** Plans of patterns, by their objects: a kept query asks with the same ones again, and an open does several times. */
const planned = new WeakMap<ScanPattern, PlannedLayers[]>();
/** Graphs and orders that are told apart of one pattern. */
const PLANNED_MAX = 8;

/** The plan of a request over rows of many graphs. */
export function planOf(request: LayerRequest): LayerPlan {
  const { graphs, pattern, order } = request;
  const known = getOrInsert(planned, pattern, () => []);
  let found = known.find((one) => one.graphs === graphs && one.order === order);
  if (found === undefined) {
    found = { graphs, order, ...makePlan(request) };
    if (known.length === PLANNED_MAX) known.shift();
    known.push(found);
  }
  return found;
}

function makePlan(request: LayerRequest): LayerPlan {
  const g = graphTestOf(request.graphs);
  const tests: Tests = g === null ? request.pattern : { ...request.pattern, g };
  // Rows of one graph have the same sequence in SPOG and GSPO; in the latter they lie together.
  const one = request.graphs.kind === 'one' && request.order === 'SPOG' ? request.graphs.graph : null;
  return { plan: planScan(one === null ? request.order : 'GSPO', tests), graphInFront: one };
}

/** Which rows of layers are read. */
interface LayerReading {
  /** Rows that were closed above the runs: those that stand there, and the tombstones of others. */
  readonly closed?: boolean;
  /** Only the rows of these keys. */
  readonly keysOf?: KeysOf;
}

/** Sources of the rows above the runs, in the request's order; none where their range is empty. */
export function layerSources(
  view: ScanView,
  request: LayerRequest,
  wanted: readonly number[],
  { closed = false, keysOf = NO_KEYS }: LayerReading = {},
): RowSource[] {
  if (!closed && isBareAt(view, request.time)) return [];
  const { plan, graphInFront } = planOf(request);
  if (plan.empty) return [];
  const time = timeView(request.time, view.tx);
  const open = (
    set: Memtable,
    kind: MemtableScan['kind'],
    above: readonly Pick<Layer, 'tombstones'>[],
  ): RowSource[] => {
    if (rangeLength(set, plan) === 0) return [];
    const filters = tombstonesIn(above, plan);
    const columns = filters.length > 0 ? columnsFor(plan, wanted) : wanted;
    const rows = new MemtableSource(set, { plan, view: time, kind }, columns, view.scan.counters, keysOf(plan.order));
    const source = withoutClosed(view, rows, filters, plan, time, columns);
    return [graphInFront === null ? source : new OneGraphSource(source, graphInFront, request.order)];
  };
  const layers = layersOf(view);
  return closed
    ? layers.flatMap(({ rows, tombstones }) => [...open(rows, 'rows', []), ...open(tombstones, 'closed', [])])
    : layers.flatMap(({ rows }, i) => open(rows, 'rows', layers.slice(i + 1)));
}

/** Tombstones of layers, of those that have some in the key range of a plan. */
function tombstonesIn(layers: readonly Pick<Layer, 'tombstones'>[], plan: ScanPlan): readonly Memtable[] {
  return layers.flatMap(({ tombstones }) => (rangeLength(tombstones, plan) > 0 ? [tombstones] : []));
}

/** Columns that a source under filters must decode. */
export function columnsFor(plan: ScanPlan, wanted: readonly number[]): readonly number[] {
  return [...new Set([...wanted, ...keyColumns(plan.order), 4])];
}

/** Those of all layers, of a request. */
export function tombstonesFor(view: View, request: LayerRequest): readonly Memtable[] {
  return isBareAt(view, request.time, request.timed) ? [] : tombstonesIn(layersOf(view), planOf(request).plan);
}

/**
 * A source over rows of the plan's order, less what layers above have closed in its key range. It has `columns`, of which
 * `kept` are right afterwards.
 */
export function withoutClosed(
  view: View,
  source: RowSource,
  filters: readonly Memtable[],
  plan: ScanPlan,
  time: TimeView,
  columns: readonly number[],
  kept = columns,
): RowSource {
  let filtered = source;
  const top = filters.length - 1;
  for (const [i, tombstones] of filters.entries()) {
    const { memory } = view.context;
    filtered = new TombstoneFilter(memory, filtered, tombstones, plan.order, time, columns, i < top ? columns : kept);
  }
  return filtered;
}

/**
 * How many rows the layers add to a count of the rows of the runs that a slice shows: those that it shows of a
 * layer, less those below that it would show without their tombstones. Exact, since a close has exactly one row.
 */
export function layerCount(view: View, request: LayerRequest): number {
  const { plan } = planOf(request);
  if (plan.empty) return 0;
  const time = timeView(request.time, view.tx);
  let rows = 0;
  for (const layer of layersOf(view)) {
    rows += countMemtable(layer.rows, { plan, view: time, kind: 'rows' });
    rows -= countMemtable(layer.tombstones, { plan, view: time, kind: 'ended' });
  }
  return rows;
}

/** The same as a guess: exact for short key ranges of current rows, else the length of the ranges. */
export function layerEstimate(view: View, request: LayerRequest): Estimate {
  const { plan } = planOf(request);
  if (plan.empty || isBareAt(view, request.time)) return { rows: 0, exact: true };
  let [rows, tombstones] = [0, 0];
  for (const layer of layersOf(view)) {
    rows += rangeLength(layer.rows, plan);
    tombstones += rangeLength(layer.tombstones, plan);
  }
  if (rows + tombstones === 0) return { rows: 0, exact: true };
  const current = request.time.kind === 'current';
  if (current && rows + tombstones <= EXACT_ROWS_MAX) return { rows: layerCount(view, request), exact: true };
  return { rows: current ? rows - tombstones : rows, exact: false };
}

export function rangeLength(set: Memtable, plan: ScanPlan): number {
  if (set.count === 0) return 0;
  const range = keyRange(set, set.sorted(plan.order), plan);
  return Math.max(0, range.to - range.from);
}

/** How many rows of a pattern are added to a graph: exact where the key takes the whole pattern over, or they are few. */
export function addedRows(patched: PatchedGraph, pattern: ScanPattern, order: Order): Estimate {
  if (patched.additions.count <= EXACT_ROWS_MAX) {
    return { rows: triplesAdded(patched, pattern, order).rows, exact: true };
  }
  const { plan } = planOf({ graphs: patched.graphs, pattern, order, time: CURRENT });
  const rows = plan.empty ? 0 : rangeLength(patched.additions, plan);
  if (rows === 0 || plan.tests.length === 0) return { rows, exact: true };
  if (rows > EXACT_ROWS_MAX) return { rows, exact: false };
  return { rows: triplesAdded(patched, pattern, order).rows, exact: true };
}

/** The rows of a pattern that are added to a graph, in an order. */
export function triplesAdded(
  { additions, graphs, view }: PatchedGraph,
  pattern: ScanPattern,
  order: Order,
): AddedTriples {
  const { plan } = planOf({ graphs, pattern, order, time: CURRENT });
  if (plan.empty) return NO_TRIPLES;
  return addedTriples(additions, plan, timeView(CURRENT, view.tx));
}

/** True when no row and no close of the layers lies in the key range of a request. */
export function layersAreVoid(view: View, request: LayerRequest): boolean {
  if (isBareAt(view, request.time, request.timed)) return true;
  const { plan } = planOf(request);
  return (
    plan.empty ||
    layersOf(view).every(({ rows, tombstones }) => rangeLength(rows, plan) + rangeLength(tombstones, plan) === 0)
  );
}
