/** Net changes of an uncommitted layer by graph: rows that were not taken back. */

import type { Memtable } from '../delta/memtable.js';
import type { UncommittedLayer } from '../delta/uncommitted-layer.js';
import { idOfHalves } from '../ids/halves.js';
import type { TermId } from '../ids/layout.js';
import { GroupedChanges, rowsOfGraph } from '../seam/changes-by-graph.js';
import type { ChangesByGraph, GraphChange } from '../seam/engine.js';
import { stagedChanges } from '../snapshot/staged-changes.js';

const GRAPH = 3;
const [TX_FROM, TX_TO] = [4, 5] as const;
const OPEN_HALF = 0xffffffff;

export function changesOfLayer(layer: UncommittedLayer): ChangesByGraph {
  const { rows, tombstones } = layer;
  return new GroupedChanges({
    count: rows.count + tombstones.count,
    graphs: () => graphsOf(layer),
    rows: (graph) => (graph === undefined ? stagedChanges(layer) : rowsOfGraph(stagedChanges(layer), graph)),
  });
}

export function graphsOf({ rows, tombstones }: UncommittedLayer): GraphChange[] {
  const asserted = countByGraph(rows, TX_FROM);
  const retracted = countByGraph(tombstones, TX_TO);
  const graphs = new Set([...asserted.keys(), ...retracted.keys()]);
  return [...graphs].map((graph) => ({
    graph,
    asserted: asserted.get(graph) ?? 0,
    retracted: retracted.get(graph) ?? 0,
  }));
}

/** Rows by graph, without those whose `column` is open: they were taken back. */
function countByGraph(set: Memtable, column: number): Map<TermId, number> {
  const counts = new Map<TermId, number>();
  const { words } = set.memory;
  const graphs = (set.columns.addresses[GRAPH] as number) >>> 2;
  const times = (set.columns.addresses[column] as number) >>> 2;
  let [low, high, run] = [0, 0, 0];
  const add = (): void => {
    if (run === 0) return;
    const graph = idOfHalves(low, high);
    counts.set(graph, (counts.get(graph) ?? 0) + run);
  };
  for (let row = 0; row < set.count; row++) {
    if (words[times + 2 * row + 1] === OPEN_HALF) continue;
    if (words[graphs + 2 * row] !== low || words[graphs + 2 * row + 1] !== high) {
      add();
      [low, high, run] = [words[graphs + 2 * row] as number, words[graphs + 2 * row + 1] as number, 0];
    }
    run++;
  }
  add();
  return counts;
}
