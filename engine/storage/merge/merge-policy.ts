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
 *
 * Who asks for a fold wants reads to be fast from then on. Then every read merges as few runs as there can be: current runs
 * become one, and so does the history of a window of transactions, as long as that does not rewrite
 * a large run for the sake of a few rows.
 */

import type { Manifest, RunRecord, SpanRecord } from '../runs/manifest.js';
import { ORDERS } from '../runs/orders.js';
import type { Order } from '../seam/scan.js';
import { WINDOW_ROWS } from '../time/interval-windows.js';

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
/** A run is rewritten with others that have so many times fewer rows in all, when a fold is asked for. */
const WHOLE_TIMES_MAX = 64;
/** The same for runs of one window of transactions that differ in validity, which keeps them apart for reads at an instant. */
const SCATTERED_SHARE_MAX = 0.25;

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

/**
 * The merges that are due, of each order of each partition at most one; a merge may make another one due. `whole`: also
 * those that leave as few runs as there can be.
 */
export function dueMerges(manifest: Manifest, windowRows = WINDOW_ROWS, whole = false): DueMerge[] {
  const due: DueMerge[] = [];
  for (const { graph, runs } of manifest.partitions) {
    for (const order of ORDERS) {
      const all = runs[order] ?? [];
      const current = all.filter(isCurrent);
      const history = all.filter((run) => !isCurrent(run));
      const usual = dueCurrent(current) ?? dueHistory(history, windowRows);
      const chosen = usual ?? (whole ? (together(current) ?? dueWindow(history)) : null);
      if (chosen === null) continue;
      due.push({ graph, order, runs: all.filter((run) => chosen.runs.includes(run)), split: chosen.split });
    }
  }
  return due;
}

/**
 * After a bulk load that began when the next run was to be `firstRun`: the runs of its epochs, of each order of each partition,
 * become one, since every read would merge them again; then what is due anyway.
 */
export function dueAfterLoad(manifest: Manifest, firstRun: number): DueMerge[] {
  const due: DueMerge[] = [];
  for (const { graph, runs } of manifest.partitions) {
    for (const order of ORDERS) {
      const loaded = (runs[order] ?? []).filter((run) => isCurrent(run) && run.id >= firstRun);
      if (loaded.length > 1) due.push({ graph, order, runs: loaded, split: false });
    }
  }
  return due.length > 0 ? due : dueMerges(manifest);
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

/** All runs, or all but the largest when they are too few rows to rewrite it for. */
function together(runs: readonly RunRecord[]): Chosen | null {
  const [largest, ...rest] = [...runs].sort((a, b) => livingRows(b) - livingRows(a));
  if (largest === undefined || rest.length === 0) return null;
  const few = rest.reduce((sum, run) => sum + livingRows(run), 0) * WHOLE_TIMES_MAX < livingRows(largest);
  if (!few) return { runs, split: false };
  return rest.length === 1 ? null : { runs: rest, split: false };
}

/** History of one span or, where few rows of a window differ in validity from the others, of one window. */
function dueWindow(runs: readonly RunRecord[]): Chosen | null {
  // These are few rows, and they are listed in closing order: all or none.
  const fresh = runs.filter((run) => run.span === undefined);
  if (fresh.length > 1) return { runs: fresh, split: false };
  for (const group of groupsOf(runs)) {
    const chosen = together(group);
    if (chosen !== null) return chosen;
  }
  for (const group of groupsOf(runs, (span) => `${span.level}/${span.window}`)) {
    const most = Math.max(...group.map(livingRows));
    const chosen = sumOf(group) - most <= SCATTERED_SHARE_MAX * most ? together(group) : null;
    if (chosen !== null) return chosen;
  }
  return null;
}

/** What holds all rows of some runs of one window of transactions. */
export function spanOfAll(runs: readonly RunRecord[]): SpanRecord | undefined {
  const span = runs[0]?.span;
  if (span === undefined || runs.every((run) => keyOf(run.span as SpanRecord) === keyOf(span))) return span;
  return { level: span.level, window: span.window };
}

function keyOf({ level, window, valid }: SpanRecord): string {
  return `${level}/${window}/${valid?.level}/${valid?.window}`;
}

/** Runs of one span each, or of another key. */
function groupsOf(runs: readonly RunRecord[], keyFor = keyOf): RunRecord[][] {
  const groups = new Map<string, RunRecord[]>();
  for (const run of runs) {
    if (run.span === undefined) continue;
    const key = keyFor(run.span);
    const group = groups.get(key);
    if (group) group.push(run);
    else groups.set(key, [run]);
  }
  return [...groups.values()];
}

function sumOf(runs: readonly RunRecord[]): number {
  return runs.reduce((sum, run) => sum + run.rows, 0);
}
