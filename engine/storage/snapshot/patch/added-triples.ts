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

const NO_IDS = new Uint32Array(0);
export const NO_TRIPLES: AddedTriples = { rows: 0, columns: { s: NO_IDS, p: NO_IDS, o: NO_IDS } };

const POSITIONS = ['s', 'p', 'o'] as const;
const NUMBERS = POSITIONS.map((position) => COLUMNS.indexOf(position));

/** Patterns that are told apart of one sequence. */
const KEPT_MAX = 256;
/** By sequence, which never changes, and what a plan asks of it: joins make their patterns anew with every query. */
const known = new WeakMap<Permutation, Map<string, AddedTriples>>();

/** The rows of a set that a plan is after, at a time at which all of them hold. */
export function addedTriples(set: Memtable, plan: ScanPlan, view: TimeView): AddedTriples {
  const sorted = set.sorted(plan.order);
  const ofSequence = getOrInsert(known, sorted, () => new Map<string, AddedTriples>());
  if (ofSequence.size >= KEPT_MAX) ofSequence.clear();
  return getOrInsert(ofSequence, questionOf(plan), () => readTriples(set, sorted, plan, view));
}

function questionOf({ lower, upper, tests }: ScanPlan): string {
  let question = `${lower.values}/${upper?.values}`;
  for (const test of tests) {
    const { column } = test;
    const of = test.kind === 'equal' ? test.id : test.ranges.map(({ from, to }) => `${from}-${to}`);
    question += `/${column}:${of}`;
  }
  return question;
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
  // Few of the range may be of the pattern.
  const cut = (column: IdColumn): IdColumn => column.slice(0, 2 * rows);
  return { rows, columns: { s: cut(columns.s), p: cut(columns.p), o: cut(columns.o) } };
}
