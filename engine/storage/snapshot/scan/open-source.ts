/**
 * From a scan request to the source that gives its rows in order. One run in its own order is read straight; anything
 * else is a merge of sorted sources: runs, and the layers above them, of every set of stored graphs that has part.
 */

import type { Memtable } from '../../delta/memtable.js';
import type { RunRecord } from '../../runs/manifest.js';
import { COLUMNS, type GraphSet, type Order, type ScanPattern, type TimeSlice } from '../../seam/scan.js';
import { isComposed, isMerged, type StoredGraphs } from '../../seam/source.js';
import { ChainedSource } from '../../sources/chained-source.js';
import {
  type ConstantColumns,
  columnsToMerge,
  DistinctQuads,
  DistinctTriples,
  mergeAll,
} from '../../sources/merge-source.js';
import { OneGraphSource } from '../../sources/one-graph-source.js';
import { EMPTY_SOURCE, type RowSource } from '../../sources/row-source.js';
import { RunSource } from '../../sources/run-source.js';
import { SortedSource } from '../../sources/sorted-source.js';
import { timeView } from '../../time/time-view.js';
import { SplicedRunSource } from '../patch/spliced-run-source.js';
import { inItsStore, type PatchedGraph, type ScanView } from '../view.js';
import { composedSource, type WeightedSource } from './compose.js';
import { addedRows, columnsFor, isBareAt, layerSources, tombstonesFor, withoutClosed } from './layers.js';
import { isTimed, partsOf, type RunPart, repeatsQuads, runsOf } from './parts.js';

const GRAPH = COLUMNS.indexOf('g');

/** A scan, with the numbers of the columns that are wanted. */
export interface SourceRequest<Graphs = GraphSet> {
  readonly graphs: Graphs;
  readonly pattern: ScanPattern;
  readonly order: Order;
  readonly time: TimeSlice;
  readonly wanted: readonly number[];
  readonly unordered?: boolean | undefined;
}

/** The source that gives the rows of a request in its order. */
export function openSource(asked: ScanView, given: SourceRequest): RowSource {
  const [view, request] = inItsStore(asked, given);
  const { graphs } = request;
  if (!isComposed(graphs)) return storedSource(view, { ...request, graphs });
  const patched = isOfTriples(request) ? view.patched(graphs, request.time) : null;
  if (patched !== null) {
    const one = { ...request, graphs: patched.graphs };
    const isAdded = addedRows(patched, request.pattern, request.order).rows > 0;
    if (!isAdded) return storedSource(patched.below, one);
    const large = request.unordered === true ? null : splicedRun(patched, one);
    return large === null ? storedSource(patched.view, one) : storedSource(patched.below, one, { patched, large });
  }
  return composedSource(view, { ...request, graphs }, (read) => {
    const one = { ...request, graphs: read.graphs, order: read.order, time: read.time, wanted: read.columns };
    const runs = runsOfRequest(read.view, one);
    const above = layerSources(read.view, one, read.columns, read);
    return [
      ...weighted(runs, runSources(read.view, one, runs, { wanted: read.columns, sorted: read.sorted })),
      ...above.map((source) => ({ source, weight: 1 })),
    ];
  });
}

/** Whether graphs and times of rows don't count, which are not those of the set where it is read as one graph. */
function isOfTriples({ order, wanted }: SourceRequest): boolean {
  return order !== 'GSPO' && wanted.every((column) => column < GRAPH);
}

function weighted(runs: readonly RunPart[], sources: readonly RowSource[]): WeightedSource[] {
  return sources.map((source, i) => ({ source, weight: (runs[i] as RunPart).run.rows }));
}

function runsOfRequest(
  view: ScanView,
  { graphs, pattern, order, time, wanted }: SourceRequest<StoredGraphs>,
): RunPart[] {
  return partsOf(view, graphs, pattern, time).flatMap((part) => runsOf(view, part, order, time, wanted));
}

/** A run, and a patch whose additions are read with it. */
interface Spliced {
  readonly patched: PatchedGraph;
  readonly large: RunRecord;
}

/** The largest run of a request, where the rows that are added to the graph can be read with it. */
function splicedRun({ below }: PatchedGraph, request: SourceRequest<StoredGraphs>): RunRecord | null {
  const runs = runsOfRequest(below, request);
  const [first, ...others] = runs;
  if (first === undefined) return null;
  const large = others.reduce((most, part) => (part.run.rows > most.run.rows ? part : most), first);
  const { run, directory, dead, plan, slice, sortInto } = large;
  const isWhole = plan.tests.length === 0 && slice.tests.length === 0 && slice.openAfter === null && sortInto === null;
  const isLiving = (dead?.rows ?? 0) <= DEAD_PER_BLOCK_MAX * directory.blocks;
  const { graphs, pattern, order, time } = request;
  const isClosed = tombstonesFor(below, { graphs, pattern, order, time }).length > 0;
  return run.kind === 'current' && isWhole && isLiving && !isClosed ? run : null;
}

/** A stretch of rows between dead ones is worth a call of a kernel. */
const DEAD_PER_BLOCK_MAX = 64;

function storedSource(view: ScanView, request: SourceRequest<StoredGraphs>, spliced: Spliced | null = null): RowSource {
  const merged = isMerged(request.graphs);
  // Triples of a merged graph have no graph: its GSPO order is that of s, p, o.
  const order = merged && request.order === 'GSPO' ? 'SPOG' : request.order;
  const ordered = order === request.order ? request : { ...request, order };
  const { time } = request;
  const runs = runsOfRequest(view, ordered);
  const memory = view.context.memory;
  const bare = isBareAt(view, time, isTimed(request.wanted));
  if (bare && !merged && isPlain(runs) && !repeatsQuads(view, runs, time, request.wanted, false))
    return runSource(view, runs[0] as RunPart, request.wanted, spliced);
  const distinctRuns = !merged && repeatsQuads(view, runs, time, request.wanted, !bare);
  const constants =
    merged || distinctRuns || runs.some(({ sortInto }) => sortInto !== null) ? NONE : constantsOf(request);
  const keyed = columnsToMerge(order, request.wanted, constants);
  const above = bare ? [] : layerSources(view, ordered, keyed, { closed: asksForClosed(time) });
  if (runs.length + above.length === 0) return EMPTY_SOURCE;
  const distinct = !merged && repeatsQuads(view, runs, time, request.wanted, above.length > 0);
  const loose = request.unordered === true && !merged && !distinct;
  const single = loose || (runs.length + above.length === 1 && (runs[0]?.sortInto ?? null) === null && !merged);
  const wanted = single && !distinct ? request.wanted : keyed;
  const sources = runSources(view, ordered, runs, { wanted, sorted: !loose, spliced });
  if (loose) return new ChainedSource([...sources, ...above]);
  const weights = [...runs.map(({ run }) => run.rows), ...above.map(() => 1)];
  const joined = mergeAll(memory, [...sources, ...above], order, wanted, weights, constants);
  if (merged) return new DistinctTriples(memory, joined, request.order === 'GSPO');
  return distinct ? new DistinctQuads(memory, joined) : joined;
}

const NONE: ConstantColumns = new Map();
/** Of the pattern, and the graph where it is one: what rows of the request have in all of them. */
function constantsOf({ graphs, pattern }: SourceRequest<StoredGraphs>): ConstantColumns {
  const constants = new Map<number, bigint>();
  for (const [column, name] of COLUMNS.slice(0, GRAPH).entries()) {
    const test = pattern[name as keyof ScanPattern];
    if (test?.kind === 'id') constants.set(column, test.id);
  }
  if (graphs.kind === 'one') constants.set(GRAPH, graphs.graph);
  return constants;
}

interface RunReading {
  readonly wanted: readonly number[];
  /** Rows come in the order of the request. */
  readonly sorted: boolean;
  readonly spliced?: Spliced | null;
}

/** The sources of runs, less what the layers above have closed. */
function runSources(
  view: ScanView,
  request: SourceRequest<StoredGraphs>,
  runs: readonly RunPart[],
  { wanted, sorted, spliced = null }: RunReading,
): RowSource[] {
  const { graphs, pattern, order, time } = request;
  const timed = isTimed(request.wanted);
  const filters = tombstonesFor(view, { graphs, pattern, order, time, timed });
  return runs.map((part): RowSource => {
    const { sortInto, graphOfKeys, plan } = part;
    const closing: readonly Memtable[] = part.run.kind === 'current' ? filters : [];
    const columns = closing.length > 0 ? columnsFor(plan, wanted) : wanted;
    const run = runSource(view, part, columns, spliced);
    // What is sorted needs its keys; who merges has asked for those that it compares.
    const kept = sortInto === null ? wanted : columns;
    const source = withoutClosed(view, run, closing, plan, timeView(time, view.tx), columns, kept);
    if (!sorted) return source;
    if (sortInto !== null) return new SortedSource(view.context.memory, source, sortInto, columns);
    return graphOfKeys === null ? source : new OneGraphSource(source, graphOfKeys, order);
  });
}

/** Rows that were closed above the runs are among what is wanted; no run of current rows tells of them. */
function asksForClosed(time: TimeSlice): boolean {
  return time.kind === 'all' && (time.closedBy ?? time.closedSince) !== undefined;
}

/** One run in its own order: what most scans of a store that is only read come to. */
function isPlain(runs: readonly RunPart[]): boolean {
  const [part] = runs;
  return runs.length === 1 && part !== undefined && part.sortInto === null && part.graphOfKeys === null;
}

function runSource(view: ScanView, part: RunPart, wanted: readonly number[], spliced: Spliced | null): RowSource {
  const { run, directory, dead, use, plan, slice } = part;
  if (spliced?.large === run) {
    const insertions = spliced.patched.insertions(part, plan.order);
    return new SplicedRunSource(view.scan, { run, directory, dead, use, plan, insertions, wanted });
  }
  const { openAfter } = slice;
  const tests = slice.tests.length === 0 ? plan.tests : [...plan.tests, ...slice.tests];
  return new RunSource(view.scan, { run, directory, dead, use, plan, tests, openAfter, wanted });
}
