/**
 * From a scan request to the source that gives its rows in order. One run in its own order is read straight; anything
 * else is a merge of sorted sources: runs, and the layers above them, of every set of stored graphs that has part.
 */

import type { Memtable } from '../../delta/memtable.js';
import type { GraphSet, Order, ScanPattern, TimeSlice } from '../../seam/scan.js';
import { isComposed, isMerged, type StoredGraphs } from '../../seam/source.js';
import { ChainedSource } from '../../sources/chained-source.js';
import { columnsToMerge, DistinctQuads, DistinctTriples, mergeAll } from '../../sources/merge-source.js';
import { OneGraphSource } from '../../sources/one-graph-source.js';
import { EMPTY_SOURCE, type RowSource } from '../../sources/row-source.js';
import { RunSource } from '../../sources/run-source.js';
import { SortedSource } from '../../sources/sorted-source.js';
import { timeView } from '../../time/time-view.js';
import { inItsStore, type ScanView } from '../view.js';
import { composedSource, type WeightedSource } from './compose.js';
import { columnsFor, isBareAt, layerSources, tombstonesFor, withoutClosed } from './layers.js';
import { isTimed, partsOf, type RunPart, repeatsQuads, runsOf } from './parts.js';

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
  return composedSource(view, { ...request, graphs }, (read) => {
    const one = { ...request, graphs: read.graphs, order: read.order, time: read.time, wanted: read.columns };
    const runs = runsOfRequest(read.view, one);
    const above = layerSources(read.view, one, read.columns, read);
    return [
      ...weighted(runs, runSources(read.view, one, runs, { wanted: read.columns, dense: true, sorted: read.sorted })),
      ...above.map((source) => ({ source, weight: 1 })),
    ];
  });
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

function storedSource(view: ScanView, request: SourceRequest<StoredGraphs>): RowSource {
  const merged = isMerged(request.graphs);
  // Triples of a merged graph have no graph: its GSPO order is that of s, p, o.
  const order = merged && request.order === 'GSPO' ? 'SPOG' : request.order;
  const ordered = order === request.order ? request : { ...request, order };
  const { time } = request;
  const runs = runsOfRequest(view, ordered);
  const memory = view.context.memory;
  const bare = isBareAt(view, time, isTimed(request.wanted));
  if (bare && !merged && isPlain(runs) && !repeatsQuads(view, runs, time, request.wanted, false))
    return runSource(view, runs[0] as RunPart, request.wanted, false);
  const keyed = columnsToMerge(order, request.wanted);
  const above = bare ? [] : layerSources(view, ordered, keyed);
  if (runs.length + above.length === 0) return EMPTY_SOURCE;
  const distinct = !merged && repeatsQuads(view, runs, time, request.wanted, above.length > 0);
  const loose = request.unordered === true && !merged && !distinct;
  const single = loose || (runs.length + above.length === 1 && (runs[0]?.sortInto ?? null) === null && !merged);
  const wanted = single && !distinct ? request.wanted : keyed;
  const sources = runSources(view, ordered, runs, { wanted, dense: !single, sorted: !loose });
  if (loose) return new ChainedSource([...sources, ...above]);
  const weights = [...runs.map(({ run }) => run.rows), ...above.map(() => 1)];
  const joined = mergeAll(memory, [...sources, ...above], order, wanted, weights);
  if (merged) return new DistinctTriples(memory, joined, request.order === 'GSPO');
  return distinct ? new DistinctQuads(memory, joined) : joined;
}

interface RunReading {
  readonly wanted: readonly number[];
  /** Batches come without selection. */
  readonly dense: boolean;
  /** Rows come in the order of the request. */
  readonly sorted: boolean;
}

/** The sources of runs, less what the layers above have closed. */
function runSources(
  view: ScanView,
  request: SourceRequest<StoredGraphs>,
  runs: readonly RunPart[],
  { wanted, dense, sorted }: RunReading,
): RowSource[] {
  const { graphs, pattern, order, time } = request;
  const timed = isTimed(request.wanted);
  const filters = tombstonesFor(view, { graphs, pattern, order, time, timed });
  return runs.map((part): RowSource => {
    const { sortInto, graphOfKeys, plan } = part;
    const closing: readonly Memtable[] = part.run.kind === 'current' ? filters : [];
    const columns = closing.length > 0 ? columnsFor(plan, wanted) : wanted;
    const run = runSource(view, part, columns, dense || closing.length > 0);
    const source = withoutClosed(view, run, closing, plan, timeView(time, view.tx), columns);
    if (!sorted) return source;
    if (sortInto !== null) return new SortedSource(view.context.memory, source, sortInto, columns);
    return graphOfKeys === null ? source : new OneGraphSource(source, graphOfKeys, order);
  });
}

/** One run in its own order: what most scans of a store that is only read come to. */
function isPlain(runs: readonly RunPart[]): boolean {
  const [part] = runs;
  return runs.length === 1 && part !== undefined && part.sortInto === null && part.graphOfKeys === null;
}

function runSource(view: ScanView, part: RunPart, wanted: readonly number[], dense: boolean): RunSource {
  const { run, directory, dead, use, plan, slice } = part;
  const { openAfter } = slice;
  const tests = slice.tests.length === 0 ? plan.tests : [...plan.tests, ...slice.tests];
  return new RunSource(view.scan, { run, directory, dead, use, plan, tests, openAfter, wanted, dense });
}
