/**
 * Counts and estimates from directories (`key-range.ts`), estimates of the past from a few rows too
 * (`visible-rows.ts`), and from the key ranges of the layers above the runs. Exact without looking at rows when the key
 * takes the whole pattern over, every run passes the slice's tests as a whole, and no quad can be
 * visible through several rows.
 */

import {
  type CountRequest,
  CURRENT,
  type Estimate,
  type Order,
  type ScanPattern,
  type TimeSlice,
} from '../../seam/scan.js';
import {
  type ComposedGraphs,
  changesTime,
  type GraphLeaf,
  type GraphSet,
  isComposed,
  isMerged,
  leavesOf,
  type StoredGraphs,
} from '../../seam/source.js';
import { inItsStore, type PatchedGraph, type ScanView, type View } from '../view.js';
import { rowsOfKeys } from './key-range.js';
import { addedRows, layerCount, layerEstimate, layersAreVoid } from './layers.js';
import { chooseOrder, partsOf, type RunPart, repeatsQuads, runsOf } from './parts.js';
import { visibleRows } from './visible-rows.js';

interface StoredCount {
  readonly graphs: StoredGraphs;
  readonly pattern: ScanPattern;
  /** The order that serves the pattern best. */
  readonly order: Order;
  readonly time: TimeSlice;
}

/** Written out: a planner asks thousands of times, and spreading costs microseconds. */
function storedCount(graphs: StoredGraphs, { pattern, time }: CountRequest): StoredCount {
  return { graphs, pattern, order: chooseOrder(pattern, undefined), time };
}

/** Share of rows that a test that is not in the key is guessed to let through. */
const EQUAL_SELECTIVITY = 0.1;
const RANGE_SELECTIVITY = 0.3;
const NOTHING: Estimate = { rows: 0, exact: true };

function partsInOrder(view: View, { graphs, pattern, order, time }: StoredCount): RunPart[] {
  return partsOf(view, graphs, pattern, time).flatMap((part) => runsOf(view, part, order, time));
}

/** True when the triples of several graphs are read as those of one: equal ones are one. */
function joinsGraphs(graphs: GraphSet): boolean {
  return graphs.kind === 'some' && graphs.merged && graphs.graphs.length > 1;
}

function isOneGraph({ graphs }: GraphLeaf): boolean {
  return graphs.kind === 'one' || (graphs.kind === 'some' && graphs.graphs.length <= 1);
}

const testsAreVoid = (part: RunPart): boolean => part.plan.tests.length + part.slice.tests.length === 0;

/** The exact number of rows when no row of a run need be looked at: those of runs, and what the layers add to them. */
export function countRows(asked: ScanView, given: CountRequest): number | null {
  const [view, request] = inItsStore(asked, given);
  const { graphs, time } = request;
  if (isComposed(graphs)) {
    const patched = view.patched(graphs, time);
    return patched === null ? null : countRows(patched.view, { ...request, graphs: patched.graphs });
  }
  const stored = storedCount(graphs, request);
  if (layersAreVoid(view, stored)) return countInRuns(view, stored, false);
  if (time.kind === 'all') return null;
  const rows = countInRuns(view, stored, true);
  return rows === null ? null : rows + layerCount(view, stored);
}

function countInRuns(view: View, request: StoredCount, overlaid: boolean): number | null {
  if (joinsGraphs(request.graphs)) return null;
  const parts = partsInOrder(view, request);
  if (!parts.every(testsAreVoid) || repeatsQuads(view, parts, request.time, [], overlaid)) return null;
  return parts.reduce((sum, part) => sum + rowsOfKeys(view, part, part.plan), 0);
}

export function estimateRows(asked: ScanView, given: CountRequest): Estimate {
  const [view, request] = inItsStore(asked, given);
  const { graphs } = request;
  if (isComposed(graphs)) {
    const patched = view.patched(graphs, request.time);
    if (patched !== null) return estimatePatched(patched, request);
    const composed = estimateComposed(view, graphs, request);
    // Triples of a merged set may stand in several graphs of one of its parts.
    const repeats = composed.rows > 0 && isMerged(graphs) && !leavesOf(graphs, CURRENT).every(isOneGraph);
    return repeats ? { ...composed, exact: false } : composed;
  }
  const stored = storedCount(graphs, request);
  const below = estimateInRuns(view, stored);
  const above = layerEstimate(view, stored);
  const isVoid = above.rows === 0 && above.exact;
  const exact = below.exact && above.exact && (isVoid || !joinsGraphs(graphs));
  return estimateOf(Math.max(0, below.rows + above.rows), exact, (below.parts ?? 1) + (isVoid ? 0 : 1));
}

/** A probe looks into what is added by itself, so that it is no part of its own. */
function estimatePatched(patched: PatchedGraph, { pattern, time }: CountRequest): Estimate {
  const below = estimateRows(patched.below, { graphs: patched.graphs, pattern, time });
  const added = addedRows(patched, pattern, chooseOrder(pattern, undefined));
  return added.rows === 0 ? below : estimateOf(below.rows + added.rows, below.exact && added.exact, below.parts ?? 1);
}

function estimateOf(rows: number, exact: boolean, parts: number): Estimate {
  return parts > 1 ? { rows, exact, parts } : { rows, exact };
}

function estimateInRuns(view: View, request: StoredCount): Estimate {
  const parts = partsInOrder(view, request);
  let rows = 0;
  let exact = true;
  for (const part of parts) {
    const visible = visibleRows(view, part, part.plan);
    let share = visible.rows;
    for (const test of part.plan.tests) share *= test.kind === 'equal' ? EQUAL_SELECTIVITY : RANGE_SELECTIVITY;
    exact = exact && (visible.rows === 0 || part.plan.tests.length === 0) && visible.exact;
    rows += share;
  }
  // Rows that are the same quad or triple may have been counted; no rows are none all the same.
  if (rows > 0) exact = exact && !joinsGraphs(request.graphs) && !repeatsQuads(view, parts, request.time, [], false);
  return estimateOf(exact ? rows : Math.ceil(rows), exact, parts.length);
}

function estimateComposed(view: ScanView, graphs: ComposedGraphs, request: CountRequest): Estimate {
  const of = (part: GraphSet, time: TimeSlice = request.time): Estimate =>
    estimateRows(view, { ...request, graphs: part, time });
  switch (graphs.kind) {
    case 'layers':
      return together(graphs.layers.map((layer) => of(layer)));
    case 'overlay': {
      const [base, removals] = [of(graphs.base), of(graphs.removals)];
      const untouched = removals.exact && removals.rows === 0;
      // How many of the removals the base has is not known; some rows may be left.
      const left = Math.max(Math.min(1, base.rows), base.rows - removals.rows);
      const below = untouched ? base : { ...base, rows: left, exact: base.exact && base.rows === 0 };
      return together([below, of(graphs.additions)]);
    }
    case 'changes': {
      const { rows, exact, parts = 1 } = of(graphs.graphs, changesTime(graphs));
      return estimateOf(exact ? rows : Math.max(1, rows), exact, parts);
    }
    case 'timed':
      return of(graphs.graphs, graphs.time);
    case 'store':
      return estimateRows(view.store(graphs.store), { ...request, graphs: graphs.graphs });
    case 'index':
      return estimateRows(view.index(graphs, request.time), { ...request, graphs: { kind: 'all' }, time: CURRENT });
  }
}

/** Of several sets; what stands in two of them is one row, so that the sum is exact where one alone has rows. */
function together(estimates: readonly Estimate[]): Estimate {
  const some = estimates.filter(({ rows, exact }) => rows > 0 || !exact);
  if (some.length === 0) return NOTHING;
  const rows = some.reduce((sum, one) => sum + one.rows, 0);
  const parts = some.reduce((sum, one) => sum + (one.parts ?? 1), 0);
  return estimateOf(rows, some.length === 1 && (some[0] as Estimate).exact, parts);
}
