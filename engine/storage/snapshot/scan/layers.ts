/**
 * What stands above the runs: the delta, and the stage of a snapshot that has one. Their rows are
 * further sources of a scan, their tombstones take rows away from what is below them.
 */

import type { Memtable } from '../../delta/memtable.js';
import { instantToColumn, ROOT_ID, type TermId } from '../../ids/layout.js';
import { keyColumns } from '../../runs/orders.js';
import {
  COLUMNS,
  CURRENT,
  type Estimate,
  type GraphSet,
  type IdRange,
  type Order,
  type PositionTest,
  type PredicateStatistics,
  type ScanCounters,
  type ScanPattern,
  type TimeSlice,
} from '../../seam/scan.js';
import { OneGraphSource } from '../../sources/one-graph-source.js';
import type { RowSource, SourceBatch } from '../../sources/row-source.js';
import { planScan, type ScanPlan, type Tests } from '../../sources/scan-plan.js';
import { type TimeView, timeView } from '../../time/time-view.js';
import { countMemtable, keyRange, type MemtableKeys, type MemtableScan, MemtableSource } from '../memtable-source.js';
import { TombstoneFilter, tombstonesInRange } from '../tombstone-filter.js';
import type { View } from '../view.js';

const WHOLE = 1n << 64n;
/** Key ranges of overlays up to this length are counted for an estimate. */
const EXACT_ROWS_MAX = 4096;
const VALID_FROM = COLUMNS.indexOf('validFrom');
const VALID_TO = COLUMNS.indexOf('validTo');

export interface OverlayRequest {
  readonly graphs: GraphSet;
  readonly pattern: ScanPattern;
  readonly order: Order;
  readonly time: TimeSlice;
  /** Columns of time are wanted. */
  readonly timed?: boolean | undefined;
}

/** Rows and tombstones above the runs, lowest first. */
export function layersOf(view: View): readonly { readonly rows: Memtable; readonly tombstones: Memtable }[] {
  return view.stage === null ? [view.delta] : [view.delta, view.stage];
}

/** True when nothing stands above the runs: most snapshots of a store that is only read. */
export function isBare({ delta, stage }: View): boolean {
  return stage === null && delta.size === 0;
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

/** The test on the graph column that a set of graphs means; null = any graph. */
export function graphTestOf(graphs: GraphSet): PositionTest | null {
  switch (graphs.kind) {
    case 'one':
      return { kind: 'id', id: graphs.graph };
    case 'some':
      return { kind: 'ranges', ranges: pointRanges([...new Set(graphs.graphs)]) };
    case 'named':
      return { kind: 'ranges', ranges: gapsBetween([...new Set([ROOT_ID, ...graphs.except])]) };
    case 'all': {
      const { except = [] } = graphs;
      return except.length === 0 ? null : { kind: 'ranges', ranges: gapsBetween([...new Set(except)]) };
    }
  }
}

export function pointRanges(ids: readonly TermId[]): IdRange[] {
  return [...ids].sort((a, b) => (a < b ? -1 : a > b ? 1 : 0)).map((id) => ({ from: id, to: id + 1n }));
}

export function gapsBetween(ids: readonly TermId[]): IdRange[] {
  const gaps: IdRange[] = [];
  let from = 0n;
  for (const { from: id } of pointRanges(ids)) {
    if (id > from) gaps.push({ from, to: id });
    from = id + 1n;
  }
  gaps.push({ from, to: WHOLE });
  return gaps;
}

interface OverlayPlan {
  readonly plan: ScanPlan;
  /** The one graph, when the plan's order puts it in front and the request's does not. */
  readonly graphInFront: TermId | null;
}

interface PlannedOverlay extends OverlayPlan {
  readonly graphs: GraphSet;
  readonly order: Order;
}

/** Plans of patterns, by their objects: a kept query asks with the same ones again, and an open does several times. */
const planned = new WeakMap<ScanPattern, PlannedOverlay[]>();
/** Graphs and orders that are told apart of one pattern. */
const PLANNED_MAX = 8;

/** The plan of a request over rows of many graphs. */
function planOf(request: OverlayRequest): OverlayPlan {
  const { graphs, pattern, order } = request;
  let known = planned.get(pattern);
  if (known === undefined) {
    known = [];
    planned.set(pattern, known);
  }
  let found = known.find((one) => one.graphs === graphs && one.order === order);
  if (found === undefined) {
    found = { graphs, order, ...makePlan(request) };
    if (known.length === PLANNED_MAX) known.shift();
    known.push(found);
  }
  return found;
}

function makePlan(request: OverlayRequest): OverlayPlan {
  const g = graphTestOf(request.graphs);
  const tests: Tests = g === null ? request.pattern : { ...request.pattern, g };
  // Rows of one graph have the same sequence in SPOG and GSPO; in the latter they lie together.
  const one = request.graphs.kind === 'one' && request.order === 'SPOG' ? request.graphs.graph : null;
  return { plan: planScan(one === null ? request.order : 'GSPO', tests), graphInFront: one };
}

/** Sources of the rows above the runs, in the request's order, with `keysOf` only those of its keys; none where their range is empty. */
export function overlaySources(
  view: View,
  request: OverlayRequest,
  wanted: readonly number[],
  counters: ScanCounters,
  keysOf: (order: Order) => MemtableKeys | null = () => null,
): RowSource[] {
  if (isBareAt(view, request.time)) return [];
  const layers = layersOf(view);
  const { plan, graphInFront } = planOf(request);
  const sources: RowSource[] = [];
  layers.forEach(({ rows }, i) => {
    if (plan.empty || rangeLength(rows, plan) === 0) return;
    const scan: MemtableScan = { plan, view: timeView(request.time, view.tx), kind: 'rows' };
    const filters = layers
      .slice(i + 1)
      .flatMap(({ tombstones }) => (tombstonesInRange(tombstones, plan) ? [tombstones] : []));
    const columns = filters.length > 0 ? columnsFor(plan, wanted) : wanted;
    let source: RowSource = new MemtableSource(rows, scan, columns, counters, keysOf(plan.order));
    source = withoutClosed(view, source, filters, plan, scan.view, columns);
    sources.push(graphInFront === null ? source : new OneGraphSource(source, graphInFront, request.order));
  });
  return sources;
}

/** Columns that a source under filters must decode. */
export function columnsFor(plan: ScanPlan, wanted: readonly number[]): readonly number[] {
  return [...new Set([...wanted, ...keyColumns(plan.order), 4])];
}

/** Closes of all layers, of those that have some in the key range of a request. */
export function closesFor(view: View, request: OverlayRequest): readonly Memtable[] {
  if (isBareAt(view, request.time, request.timed)) return [];
  const { plan } = planOf(request);
  return layersOf(view).flatMap(({ tombstones }) => (tombstonesInRange(tombstones, plan) ? [tombstones] : []));
}

/** A source over rows of the plan's order, less what layers above have closed in its key range. */
export function withoutClosed(
  view: View,
  source: RowSource,
  filters: readonly Memtable[],
  plan: ScanPlan,
  time: TimeView,
  columns: readonly number[],
): RowSource {
  let filtered = source;
  for (const tombstones of filters) {
    filtered = new TombstoneFilter(view.context.memory, filtered, tombstones, plan.order, time, columns);
  }
  return filtered;
}

/**
 * How many rows the overlays add to a count of current rows of the runs: rows that are open in a
 * layer, less tombstones of rows below. Exact, since a close has exactly one row.
 */
export function overlayCount(view: View, request: OverlayRequest): number {
  const { plan } = planOf(request);
  if (plan.empty) return 0;
  const time = timeView(request.time, view.tx);
  let rows = 0;
  for (const layer of layersOf(view)) {
    rows += countMemtable(layer.rows, { plan, view: time, kind: 'rows' });
    rows -= countMemtable(layer.tombstones, { plan, view: time, kind: 'closed' });
  }
  return rows;
}

/** The same as a guess: exact for short key ranges of current rows, else the length of the ranges. */
export function overlayEstimate(view: View, request: OverlayRequest): Estimate {
  if (isBareAt(view, request.time)) return { rows: 0, exact: true };
  const { plan } = planOf(request);
  if (plan.empty) return { rows: 0, exact: true };
  let [rows, tombstones] = [0, 0];
  for (const layer of layersOf(view)) {
    rows += rangeLength(layer.rows, plan);
    tombstones += rangeLength(layer.tombstones, plan);
  }
  if (rows + tombstones === 0) return { rows: 0, exact: true };
  const current = request.time.kind === 'current';
  if (current && rows + tombstones <= EXACT_ROWS_MAX) return { rows: overlayCount(view, request), exact: true };
  return { rows: current ? rows - tombstones : rows, exact: false };
}

function rangeLength(set: Memtable, plan: ScanPlan): number {
  if (set.count === 0) return 0;
  const range = keyRange(set, set.sorted(plan.order), plan);
  return Math.max(0, range.to - range.from);
}

/** True when no row and no close of the overlays lies in the key range of a request. */
export function overlaysAreVoid(view: View, request: OverlayRequest): boolean {
  if (isBareAt(view, request.time, request.timed)) return true;
  const { plan } = planOf(request);
  return (
    plan.empty ||
    layersOf(view).every(({ rows, tombstones }) => rangeLength(rows, plan) + rangeLength(tombstones, plan) === 0)
  );
}

/** By how many current rows each graph grew since the runs were written. */
export function netPerGraph(view: View): ReadonlyMap<TermId, number> {
  const net = new Map<TermId, number>();
  const time = timeView({ kind: 'current' }, view.tx);
  const plan = planScan('GSPO', {});
  const add = (set: Memtable, kind: MemtableScan['kind'], sign: number): void => {
    if (set.count === 0) return;
    const source = new MemtableSource(set, { plan, view: time, kind }, [3], null);
    for (let batch = source.next(); batch !== null; batch = source.next()) {
      const words = view.context.memory.words;
      const at = (batch.columns[3] as number) >>> 2;
      for (let from = 0; from < batch.rows; ) {
        const [low, high] = [words[at + 2 * from] as number, words[at + 2 * from + 1] as number];
        let to = from + 1;
        while (to < batch.rows && words[at + 2 * to] === low && words[at + 2 * to + 1] === high) to++;
        const graph = (BigInt(high) << 32n) | BigInt(low);
        net.set(graph, (net.get(graph) ?? 0) + sign * (to - from));
        from = to;
      }
    }
    source.close();
  };
  for (const layer of layersOf(view)) {
    add(layer.rows, 'rows', 1);
    add(layer.tombstones, 'closed', -1);
  }
  return net;
}

interface Tally {
  rows: number;
  objects: number;
  readonly subjects: Set<number>;
}

/**
 * Planner figures of what the overlays add; rows that they close are left uncounted. Exact for small
 * overlays, else upper bounds from the lengths of key ranges.
 */
export function overlayPredicates(view: View, graphs: GraphSet): PredicateStatistics[] {
  const { plan } = planOf({ graphs, pattern: {}, order: 'POSG', time: CURRENT });
  if (plan.empty || layersOf(view).every(({ rows }) => rows.count === 0)) return [];
  const sets = layersOf(view).map(({ rows }) => rows);
  if (sets.some((rows) => rows.count > EXACT_ROWS_MAX)) {
    const most = graphs.kind === 'one' ? sets.reduce((sum, rows) => sum + rowsOfGraph(rows, graphs.graph), 0) : null;
    return sets.flatMap((rows) => boundPredicates(view, rows, most ?? rows.count));
  }
  return tallyPredicates(view, sets, { plan, view: timeView(CURRENT, view.tx), kind: 'rows' });
}

function rowsOfGraph(rows: Memtable, graph: TermId): number {
  return rangeLength(rows, planScan('GSPO', { g: { kind: 'id', id: graph } }));
}

/** Goes from predicate to predicate in POSG; none has more than `most` rows. */
function boundPredicates(view: View, rows: Memtable, most: number): PredicateStatistics[] {
  if (rows.count === 0 || most === 0) return [];
  const { memory } = view.context;
  const permutation = rows.sorted('POSG');
  const numbers = memory.wordsAt(permutation.address, permutation.count);
  const key = memory.allocate(8);
  const figures: PredicateStatistics[] = [];
  for (let at = 0; at < permutation.count; ) {
    const row = numbers[at] as number;
    const predicate = (BigInt(rows.high(1, row)) << 32n) | BigInt(rows.low(1, row));
    memory.bigsAt(key, 1)[0] = predicate + 1n;
    const next = rows.lowerBound('POSG', permutation, key, 1, at);
    const count = Math.min(next - at, most);
    figures.push({ predicate, rows: count, distinctSubjects: count, distinctObjects: count });
    at = next;
  }
  memory.free(key, 8);
  return figures;
}

/** Distinct subjects of a scan in SPOG. */
export function distinctSubjects(view: View, rows: Memtable, scan: MemtableScan): number {
  if (rows.count === 0) return 0;
  const source = new MemtableSource(rows, scan, [0], null);
  let [distinct, low, high] = [0, 0, 0];
  for (let batch = source.next(); batch !== null; batch = source.next()) {
    const { words } = view.context.memory;
    const at = (batch.columns[0] as number) >>> 2;
    for (let row = 0; row < batch.rows; row++) {
      if (words[at + 2 * row] === low && words[at + 2 * row + 1] === high) continue;
      [low, high] = [words[at + 2 * row] as number, words[at + 2 * row + 1] as number];
      distinct++;
    }
  }
  source.close();
  return distinct;
}

/** Figures per predicate of scans in POSG. */
export function tallyPredicates(view: View, sets: readonly Memtable[], scan: MemtableScan): PredicateStatistics[] {
  const tallies = new Map<TermId, Tally>();
  for (const rows of sets) {
    if (rows.count === 0) continue;
    const source = new MemtableSource(rows, scan, [0, 1, 2], null);
    for (let batch = source.next(); batch !== null; batch = source.next()) tally(view, batch, tallies);
    source.close();
  }
  return [...tallies].map(([predicate, { rows, objects, subjects }]) => ({
    predicate,
    rows,
    distinctSubjects: subjects.size,
    distinctObjects: objects,
  }));
}

function tally(view: View, batch: SourceBatch, tallies: Map<TermId, Tally>): void {
  const { words } = view.context.memory;
  const [s, p, o] = batch.columns.slice(0, 3).map((address) => address >>> 2) as [number, number, number];
  const same = (column: number, a: number, b: number): boolean =>
    words[column + 2 * a] === words[column + 2 * b] && words[column + 2 * a + 1] === words[column + 2 * b + 1];
  let entry: Tally | undefined;
  for (let row = 0; row < batch.rows; row++) {
    if (entry === undefined || !same(p, row, row - 1)) {
      const predicate = (BigInt(words[p + 2 * row + 1] as number) << 32n) | BigInt(words[p + 2 * row] as number);
      entry = tallies.get(predicate) ?? { rows: 0, objects: 0, subjects: new Set() };
      tallies.set(predicate, entry);
      entry.objects++;
    } else if (!same(o, row, row - 1)) entry.objects++;
    entry.rows++;
    const high = words[s + 2 * row + 1] as number;
    // Number and kind of the term; together they fit a double.
    entry.subjects.add((words[s + 2 * row] as number) + (high & 0xffff) * 2 ** 32 + (high >>> 28) * 2 ** 48);
  }
}
