/**
 * Which runs are due to be merged. Runs of one kind of one order of one partition are merged with each other:
 *
 * - Current runs, when there are more than `RUNS_MAX`: the smallest ones, so many that the new run is at
 *   most half as large as the next larger. Sizes then stay apart by powers of two, and folds of equal
 *   size write a row about 5 times on the way to 300 folds, 10 times to 6,000 (simulated).
 * - A current run of which a fifth is dead, alone.
 * - History that folds have left: merged when it is in more than `FRESH_RUNS_MAX` runs, and split by
 *   span when it has `SPLIT_ROWS` rows.
 * - History runs of one span, when there are more than `SPAN_RUNS_MAX`: the smallest, as current runs.
 */

import type { Order } from '../scan.js';
import type { Manifest, RunRecord } from './manifest.js';
import { ORDERS } from './orders.js';
import { WINDOW_ROWS } from './spans.js';

/** Current runs of one order that a scan may have to merge. */
export const RUNS_MAX = 6;
/** History runs of one order that are not split yet; more are merged. */
const FRESH_RUNS_MAX = 8;
/** History of so many windows is split by span. */
const SPLIT_WINDOWS = 2;
export const SPLIT_ROWS = SPLIT_WINDOWS * WINDOW_ROWS;
/** History runs of one span. */
const SPAN_RUNS_MAX = 3;
const DEAD_SHARE_MAX = 0.2;

export interface DueMerge {
  /** Of the partition; null = the shared one. */
  readonly graph: string | null;
  readonly order: Order;
  /** In the order in which the manifest lists them. */
  readonly runs: readonly RunRecord[];
  /** True for history that is split by span instead of merged into one run. */
  readonly split: boolean;
}

type Chosen = Pick<DueMerge, 'runs' | 'split'>;

export function livingRows(run: RunRecord): number {
  return run.rows - (run.dead?.rows ?? 0);
}

/** The merges that are due, of each order of each partition at most one; a merge may make another one due. */
export function dueMerges(manifest: Manifest, windowRows = WINDOW_ROWS): DueMerge[] {
  const due: DueMerge[] = [];
  for (const { graph, runs } of manifest.partitions) {
    for (const order of ORDERS) {
      const all = runs[order] ?? [];
      const chosen =
        dueCurrent(all.filter(isCurrent)) ??
        dueHistory(
          all.filter((run) => !isCurrent(run)),
          windowRows,
        );
      if (chosen === null) continue;
      due.push({ graph, order, runs: all.filter((run) => chosen.runs.includes(run)), split: chosen.split });
    }
  }
  return due;
}

const isCurrent = (run: RunRecord): boolean => run.kind === 'current';

function dueCurrent(runs: readonly RunRecord[]): Chosen | null {
  if (runs.length > RUNS_MAX) return { runs: smallest(runs), split: false };
  const decayed = runs.find((run) => run.dead !== undefined && run.dead.rows >= DEAD_SHARE_MAX * run.rows);
  return decayed === undefined ? null : { runs: [decayed], split: false };
}

function smallest(runs: readonly RunRecord[]): readonly RunRecord[] {
  const sorted = [...runs].sort((a, b) => livingRows(a) - livingRows(b));
  let sum = livingRows(sorted[0] as RunRecord);
  let count = 1;
  do {
    sum += livingRows(sorted[count++] as RunRecord);
  } while (count < sorted.length && 2 * sum > livingRows(sorted[count] as RunRecord));
  return sorted.slice(0, count);
}

function dueHistory(runs: readonly RunRecord[], windowRows: number): Chosen | null {
  const fresh = runs.filter((run) => run.span === undefined);
  if (sumOf(fresh) >= SPLIT_WINDOWS * windowRows) return { runs: fresh, split: true };
  if (fresh.length > FRESH_RUNS_MAX) return { runs: fresh, split: false };
  for (const group of groupsOf(runs)) {
    if (group.length > SPAN_RUNS_MAX) return { runs: smallest(group), split: false };
  }
  return null;
}

/** Runs of one span each. */
function groupsOf(runs: readonly RunRecord[]): RunRecord[][] {
  const groups = new Map<string, RunRecord[]>();
  for (const run of runs) {
    if (run.span === undefined) continue;
    const { level, window, valid } = run.span;
    const key = `${level}/${window}/${valid?.level}/${valid?.window}`;
    const group = groups.get(key);
    if (group) group.push(run);
    else groups.set(key, [run]);
  }
  return [...groups.values()];
}

function sumOf(runs: readonly RunRecord[]): number {
  return runs.reduce((sum, run) => sum + run.rows, 0);
}
