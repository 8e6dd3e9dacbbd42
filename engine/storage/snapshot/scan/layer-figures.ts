/** What the layers above the runs add to the figures of a planner: rows per graph, rows and distinct terms per predicate. */

import type { Memtable } from '../../delta/memtable.js';
import { idOfHalves } from '../../ids/halves.js';
import type { TermId } from '../../ids/layout.js';
import type { RunStatistics } from '../../runs/run-statistics.js';
import { CURRENT, type Order, type PredicateStatistics } from '../../seam/scan.js';
import type { StoredGraphs } from '../../seam/source.js';
import { planScan } from '../../sources/scan-plan.js';
import { timeView } from '../../time/time-view.js';
import { eachBatch, type MemtableScan } from '../memtable-source.js';
import type { View } from '../view.js';
import { EXACT_ROWS_MAX, layersOf, planOf, rangeLength } from './layers.js';
import { numberOfId, PredicateCounts } from './predicate-counts.js';

/** By how many current rows each graph grew since the runs were written. */
export function netPerGraph(view: View): ReadonlyMap<TermId, number> {
  const net = new Map<TermId, number>();
  const time = timeView({ kind: 'current' }, view.tx);
  const plan = planScan('GSPO', {});
  const add = (set: Memtable, kind: MemtableScan['kind'], sign: number): void =>
    eachBatch(set, { plan, view: time, kind }, [3], ({ rows, columns }) => {
      const { words } = view.context.memory;
      const at = (columns[3] as number) >>> 2;
      for (let from = 0; from < rows; ) {
        const [low, high] = [words[at + 2 * from] as number, words[at + 2 * from + 1] as number];
        let to = from + 1;
        while (to < rows && words[at + 2 * to] === low && words[at + 2 * to + 1] === high) to++;
        const graph = idOfHalves(low, high);
        net.set(graph, (net.get(graph) ?? 0) + sign * (to - from));
        from = to;
      }
    });
  for (const layer of layersOf(view)) {
    add(layer.rows, 'rows', 1);
    add(layer.tombstones, 'closed', -1);
  }
  return net;
}

/**
 * Planner figures of what the layers add; rows that they close are left uncounted. Exact for small
 * layers, else upper bounds from the lengths of key ranges.
 */
export function layerPredicates(view: View, graphs: StoredGraphs): PredicateStatistics[] {
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
    const predicate = idOfHalves(rows.low(1, row), rows.high(1, row));
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
  let [distinct, low, high] = [0, 0, 0];
  eachBatch(rows, scan, [0], (batch) => {
    const { words } = view.context.memory;
    const at = (batch.columns[0] as number) >>> 2;
    for (let row = 0; row < batch.rows; row++) {
      if (words[at + 2 * row] === low && words[at + 2 * row + 1] === high) continue;
      [low, high] = [words[at + 2 * row] as number, words[at + 2 * row + 1] as number];
      distinct++;
    }
  });
  return distinct;
}

/** Figures per predicate of scans in POSG. */
function tallyPredicates(view: View, sets: readonly Memtable[], scan: MemtableScan): PredicateStatistics[] {
  const counts = new PredicateCounts();
  const { memory } = view.context;
  for (const set of sets) {
    eachBatch(set, scan, [0, 1, 2], ({ rows, columns }) => {
      const column = (c: number) => memory.wordsAt(columns[c] as number, 2 * rows);
      counts.add(rows, [column(0), column(1), column(2)]);
    });
  }
  return counts.figures();
}

/**
 * The same of one set, and its distinct subjects: a subject of a predicate begins where a row of SPOG has other ones than the row
 * before, an object in POSG. Nothing is kept but a count for each predicate.
 */
export function tallyRows(view: View, set: Memtable, scanIn: (order: Order) => MemtableScan): RunStatistics {
  const counts = new Map<number, { readonly predicate: TermId; rows: number; subjects: number; objects: number }>();
  const { memory } = view.context;
  let last = [-1, -1, -1, -1];
  eachBatch(set, scanIn('POSG'), [1, 2], ({ rows, columns }) => {
    const [p, o] = [1, 2].map((c) => memory.wordsAt(columns[c] as number, 2 * rows)) as [Uint32Array, Uint32Array];
    for (let at = 0; at < 2 * rows; at += 2) {
      const [low, high] = [p[at] as number, p[at + 1] as number];
      const key = numberOfId(low, high);
      let count = counts.get(key);
      if (count === undefined) {
        count = { predicate: idOfHalves(low, high), rows: 0, subjects: 0, objects: 0 };
        counts.set(key, count);
      }
      count.rows++;
      if (low === last[0] && high === last[1] && o[at] === last[2] && o[at + 1] === last[3]) continue;
      count.objects++;
      last = [low, high, o[at] as number, o[at + 1] as number];
    }
  });
  let distinct = 0;
  last = [-1, -1, -1, -1];
  eachBatch(set, scanIn('SPOG'), [0, 1], ({ rows, columns }) => {
    const [s, p] = [0, 1].map((c) => memory.wordsAt(columns[c] as number, 2 * rows)) as [Uint32Array, Uint32Array];
    for (let at = 0; at < 2 * rows; at += 2) {
      const [low, high] = [p[at] as number, p[at + 1] as number];
      const same = s[at] === last[0] && s[at + 1] === last[1];
      if (same && low === last[2] && high === last[3]) continue;
      if (!same) distinct++;
      const count = counts.get(numberOfId(low, high));
      if (count !== undefined) count.subjects++;
      last = [s[at] as number, s[at + 1] as number, low, high];
    }
  });
  const predicates = [...counts.values()].map(({ predicate, rows, subjects, objects }) => ({
    predicate,
    rows,
    distinctSubjects: subjects,
    distinctObjects: objects,
  }));
  return { distinctSubjects: distinct, predicates: predicates.sort((a, b) => (a.predicate < b.predicate ? -1 : 1)) };
}
