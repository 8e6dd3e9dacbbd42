/**
 * What work costs, in nanoseconds, roughly: only the proportions matter. One place, so that the search
 * for a join order, which adds up numbers, and the plans that come of it, agree.
 */

import type { PlanFacts } from './plan.js';

/** To open a cursor and find its place, and for each row read. */
export const OPEN_COST = 2000;
export const SCAN_ROW_COST = 4;

export const MERGE_ROW_COST = 10;
export const BUILD_ROW_COST = 60;
export const HASH_PROBE_ROW_COST = 30;
export const OUTPUT_ROW_COST = 10;

/** Putting a key of the input of an index join in order and looking into the batch at hand. */
const KEY_COST = 120;
/** A seek that reads a block; neighbours that share one are cheaper. */
export const SEEK_COST = 3000;

/** A row and condition, most of them decided by ids. */
export const CONDITION_COST = 20;
/** A row whose condition asks a pattern. */
export const EXISTS_COST = 500;

/** Sparse keys cost a seek each, dense ones the reading of the range they lie in. */
export function probeCost(rows: number, distinctKeys: number, range: number): number {
  const sparseCost = distinctKeys * SEEK_COST;
  const denseCost = SEEK_COST + range * SCAN_ROW_COST;
  return rows * KEY_COST + Math.min(sparseCost, denseCost);
}

/** Cost of a plan when only `goal` of its rows are asked for. */
export function costFor(
  { rows, startup, cost }: Pick<PlanFacts, 'rows' | 'startup' | 'cost'>,
  goal: number | null,
): number {
  if (goal === null || rows <= goal) return cost;
  return startup + (cost - startup) * (goal / rows);
}
