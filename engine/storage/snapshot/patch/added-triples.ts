/**
 * Rows that are added to a graph, as far as they are of a pattern: looked up once for each pattern and order, and kept with the
 * sequence that they were read from. Most lookups of a view find none, and must not cost more than one of the graph.
 */

import { getOrInsert } from '../../../base/maps.js';
import type { Memtable, Permutation } from '../../delta/memtable.js';
import { COLUMNS, type IdColumn, type KeyPosition } from '../../seam/scan.js';
import type { ScanPlan } from '../../sources/scan-plan.js';
import type { TimeView } from '../../time/time-view.js';
import { eachBatch, keyRange } from '../memtable-source.js';

/** In the order of the plan. */
export interface AddedTriples {
  readonly rows: number;
  readonly columns: Readonly<Record<KeyPosition, IdColumn>>;
}

const POSITIONS = ['s', 'p', 'o'] as const;
const NUMBERS = POSITIONS.map((position) => COLUMNS.indexOf(position));

/** By plan and sequence, neither of which ever changes. */
const known = new WeakMap<ScanPlan, WeakMap<Permutation, AddedTriples>>();

/** The rows of a set that a plan is after, at a time at which all of them hold. */
export function addedTriples(set: Memtable, plan: ScanPlan, view: TimeView): AddedTriples {
  const sorted = set.sorted(plan.order);
  return getOrInsert(
    getOrInsert(known, plan, () => new WeakMap()),
    sorted,
    () => readTriples(set, sorted, plan, view),
  );
}

function readTriples(set: Memtable, sorted: Permutation, plan: ScanPlan, view: TimeView): AddedTriples {
  const { from, to } = keyRange(set, sorted, plan);
  const most = Math.max(0, to - from);
  const columns = { s: new Uint32Array(2 * most), p: new Uint32Array(2 * most), o: new Uint32Array(2 * most) };
  let rows = 0;
  eachBatch(set, { plan, view, kind: 'rows' }, NUMBERS, (batch) => {
    for (const [at, position] of POSITIONS.entries()) {
      const address = batch.columns[NUMBERS[at] as number] as number;
      columns[position].set(set.memory.wordsAt(address, 2 * batch.rows), 2 * rows);
    }
    rows += batch.rows;
  });
  return { rows, columns };
}
