/** The planner's figures per predicate, summed over the parts of the store that hold a set of graphs. */

import { addTo } from '../../../base/maps.js';
import { ROOT_ID, type TermId } from '../../ids/layout.js';
import { distinctOfUnion } from '../../runs/distinct-union.js';
import { CURRENT, type GraphSet, type IdColumn, type PredicateStatistics } from '../../seam/scan.js';
import { leavesOf, type StoredGraphs } from '../../seam/source.js';
import type { ScanView } from '../view.js';
import { layerPredicates } from './layer-figures.js';
import { partsOf } from './parts.js';
import { PredicateCounts } from './predicate-counts.js';
import { openCursor } from './source-cursor.js';

/** Graphs up to this size are counted when their figures are asked for. */
const EXACT_ROWS_MAX = 20_000;
/** Sets of more graphs have no name under which their figures are kept. */
const NAMED_GRAPHS_MAX = 16;

/** Figures of a predicate in the parts of a store that hold it. */
type Parts = Map<TermId, PredicateStatistics[]>;

function add(parts: Parts, entry: PredicateStatistics, most = Number.POSITIVE_INFINITY): void {
  const held = {
    predicate: entry.predicate,
    rows: Math.min(entry.rows, most),
    distinctSubjects: Math.min(entry.distinctSubjects, most),
    distinctObjects: Math.min(entry.distinctObjects, most),
  };
  addTo(parts, entry.predicate, held);
}

function sumOf(predicate: TermId, parts: readonly PredicateStatistics[]): PredicateStatistics {
  const distinctSubjects = distinctOfUnion(parts.map((part) => ({ rows: part.rows, distinct: part.distinctSubjects })));
  const distinctObjects = distinctOfUnion(parts.map((part) => ({ rows: part.rows, distinct: part.distinctObjects })));
  return { predicate, rows: parts.reduce((sum, { rows }) => sum + rows, 0), distinctSubjects, distinctObjects };
}

/** The same text for the same set of graphs; null for large ones, which are not asked about twice. */
function nameOf(graphs: StoredGraphs): string | null {
  if (graphs.kind === 'one') return `one ${graphs.graph}`;
  const named = graphs.kind === 'some' ? graphs.graphs : (graphs.except ?? []);
  const merged = graphs.kind === 'some' && graphs.merged;
  return named.length > NAMED_GRAPHS_MAX ? null : `${graphs.kind} ${merged} ${named.join()}`;
}

/** `lasting`: the snapshot's rows are those of its transaction for good, so that figures may be kept. */
export function predicatesOf(view: ScanView, graphs: GraphSet, lasting: boolean): readonly PredicateStatistics[] {
  const figures = leavesOf(graphs, CURRENT).map(({ store, graphs: stored, time, asked }) => {
    const place = store === undefined ? view : view.store(store);
    return asked === undefined ? figuresOf(place, stored, lasting) : sumPredicates(place.index(asked, time), stored);
  });
  if (figures.length === 1) return figures[0] as readonly PredicateStatistics[];
  const parts: Parts = new Map();
  for (const entry of figures.flat()) add(parts, entry);
  return [...parts].map(([predicate, entries]) => sumOf(predicate, entries));
}

function figuresOf(view: ScanView, graphs: StoredGraphs, lasting: boolean): readonly PredicateStatistics[] {
  const name = lasting ? nameOf(graphs) : null;
  const sum = (): readonly PredicateStatistics[] => sumPredicates(view, graphs);
  return name === null ? sum() : view.context.known.predicates.get(`${view.manifest.version} ${view.tx}`, name, sum);
}

function sumPredicates(view: ScanView, graphs: StoredGraphs): readonly PredicateStatistics[] {
  const parts: Parts = new Map();
  for (const entry of layerPredicates(view, graphs)) add(parts, entry);
  for (const { partition, small } of partsOf(view, graphs, {})) {
    if (small !== null && small.rows <= EXACT_ROWS_MAX) {
      for (const entry of smallGraph(view, small.graph)) add(parts, entry);
      continue;
    }
    for (const run of partition.runs.SPOG ?? []) {
      if (run.kind !== 'current') continue;
      for (const entry of view.context.statistics(run, view.transaction).predicates) {
        // Of a graph among others the shared figures are all there is; its size bounds them.
        add(parts, entry, small?.rows ?? Number.POSITIVE_INFINITY);
      }
    }
  }
  const sums = new Map([...parts].map(([predicate, entries]) => [predicate, sumOf(predicate, entries)]));
  leaveOut(view, graphs, sums);
  return [...sums.values()].filter(({ rows }) => rows > 0);
}

/** Takes the rows of small graphs that a set leaves out from the figures of the shared partition. */
function leaveOut(view: ScanView, graphs: StoredGraphs, sums: Map<TermId, PredicateStatistics>): void {
  if (graphs.kind !== 'named' && graphs.kind !== 'all') return;
  for (const graph of new Set(graphs.except)) {
    if (graph === ROOT_ID) continue;
    for (const { small } of partsOf(view, { kind: 'one', graph }, {})) {
      if (small === null || small.rows > EXACT_ROWS_MAX) continue;
      for (const entry of smallGraph(view, graph)) {
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
function smallGraph(view: ScanView, graph: TermId): readonly PredicateStatistics[] {
  return view.context.known.smallGraphs.get(view.manifest.version, String(graph), () => {
    const cursor = openCursor(view, {
      graphs: { kind: 'some', graphs: [graph], merged: false },
      pattern: {},
      order: 'POSG',
      time: CURRENT,
      columns: ['s', 'p', 'o'],
    });
    try {
      const counts = new PredicateCounts();
      for (let batch = cursor.next(); batch !== null; batch = cursor.next()) {
        const { rows, columns, selection } = batch;
        const { s, p, o } = columns as Record<'s' | 'p' | 'o', IdColumn>;
        counts.add(selection?.length ?? rows, [s, p, o], selection);
      }
      return counts.figures();
    } finally {
      cursor.close();
    }
  });
}
