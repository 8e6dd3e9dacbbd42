/**
 * Which runs are due to be merged. Runs of one kind of one order of one partition are merged with each other:
 *
 * - Current runs, when there are more than `RUNS_MAX`: the smallest ones, so many that the new run is at
 *   most half as large as the next larger. Sizes then stay apart by powers of two, and folds of equal
 *   size write a row about 5 times on the way to 300 folds, 10 times to 6,000 (simulated).
 * - A current run of which a fifth is dead, alone.
 * - History runs, neighbours in closing order: as soon as a stretch of them makes a run of the next tier
 *   (four times the rows), up to `HISTORY_RUN_ROWS_MAX`. A larger run would make a read of the past
 *   read more of what was closed at other times. A run of more than half of that is full and stays as
 *   it is for ever, so that a row of history is written once a tier.
 */

import type { Order } from '../scan.js';
import type { Manifest, RunRecord } from './manifest.js';
import { ORDERS } from './orders.js';

/** Current runs of one order that a scan may have to merge. */
export const RUNS_MAX = 6;
/** The most rows that a merge of history runs makes. */
export const HISTORY_RUN_ROWS_MAX = 1 << 20;
/** A history run of more rows is full. */
const FULL_ROWS = HISTORY_RUN_ROWS_MAX / 2;
/** History runs of one order that are still small; more are merged even if they make no new tier. */
const SMALL_HISTORY_RUNS_MAX = 12;
const TIER_FACTOR = 4;
const DEAD_SHARE_MAX = 0.2;

export interface DueMerge {
  /** Of the partition; null = the shared one. */
  readonly graph: string | null;
  readonly order: Order;
  /** In the order in which the manifest lists them. */
  readonly runs: readonly RunRecord[];
}

export function livingRows(run: RunRecord): number {
  return run.rows - (run.dead?.rows ?? 0);
}

/** The merges that are due, of each order of each partition at most one; a merge may make another one due. */
export function dueMerges(manifest: Manifest): DueMerge[] {
  const due: DueMerge[] = [];
  for (const { graph, runs } of manifest.partitions) {
    for (const order of ORDERS) {
      const all = runs[order] ?? [];
      const chosen = dueCurrent(all.filter(isCurrent)) ?? dueHistory(all.filter((run) => !isCurrent(run)));
      if (chosen !== null) due.push({ graph, order, runs: all.filter((run) => chosen.includes(run)) });
    }
  }
  return due;
}

const isCurrent = (run: RunRecord): boolean => run.kind === 'current';

function dueCurrent(runs: readonly RunRecord[]): readonly RunRecord[] | null {
  if (runs.length > RUNS_MAX) return smallest(runs);
  const decayed = runs.find((run) => run.dead !== undefined && run.dead.rows >= DEAD_SHARE_MAX * run.rows);
  return decayed === undefined ? null : [decayed];
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

const tierOf = (rows: number): number => Math.floor(Math.log2(Math.max(1, rows)) / 2);

/** Runs of history ascend by closing transaction, so that neighbours in the list are neighbours in time. */
function dueHistory(runs: readonly RunRecord[]): readonly RunRecord[] | null {
  const tiers = runs.map((run) => tierOf(run.rows));
  for (const tier of [...new Set(tiers)].sort((a, b) => a - b)) {
    for (let from = 0; from < runs.length; ) {
      const stretch = stretchFrom(runs, from, tier);
      const next = Math.min(TIER_FACTOR ** (tier + 1), FULL_ROWS + 1);
      if (stretch.length > 1 && sumOf(stretch) >= next) return stretch;
      from += Math.max(1, stretch.length);
    }
  }
  return crowdedHistory(runs);
}

/** The runs from one on that are not above a tier nor full, as many as make no run that is too large. */
function stretchFrom(runs: readonly RunRecord[], from: number, tier: number): RunRecord[] {
  const stretch: RunRecord[] = [];
  let rows = 0;
  for (const run of runs.slice(from)) {
    rows += run.rows;
    if (tierOf(run.rows) > tier || run.rows > FULL_ROWS || rows > HISTORY_RUN_ROWS_MAX) break;
    stretch.push(run);
  }
  return stretch;
}

/** When sizes fit no tier: the two neighbours that are smallest together. */
function crowdedHistory(runs: readonly RunRecord[]): readonly RunRecord[] | null {
  const pairs = runs.slice(1).map((run, i) => [runs[i] as RunRecord, run]);
  const open = pairs.filter((pair) => sumOf(pair) <= FULL_ROWS);
  if (open.length <= SMALL_HISTORY_RUNS_MAX) return null;
  return open.reduce((least, pair) => (sumOf(pair) < sumOf(least) ? pair : least));
}

function sumOf(runs: readonly RunRecord[]): number {
  return runs.reduce((sum, run) => sum + run.rows, 0);
}
