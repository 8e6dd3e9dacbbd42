/**
 * What work costs, in nanoseconds, roughly: only the proportions matter. One place, so that the search
 * for a join order, which adds up numbers, and the plans that come of it, agree.
 */

import { BATCH_ROWS } from '../../../storage/seam/scan.js';
import type { Expression } from '../../algebra/expression.js';
import type { PlanFacts } from '../../physical/plan.js';

type Costs = Pick<PlanFacts, 'rows' | 'startup' | 'cost'>;

/** To open a cursor and find its place, and for each row read. */
export const OPEN_COST = 2000;
export const SCAN_ROW_COST = 4;

export const MERGE_ROW_COST = 5;
/** A pair of equal keys whose further shared variables are compared. */
const COMPARED_PAIR_COST = 8;
/** How many more pairs there are than the mean of both sides says: what is frequent on one side often is on the other. */
const SKEW = 4;
/** A table and its operator. */
export const HASH_OPEN_COST = 30_000;
export const BUILD_ROW_COST = 50;
/** Found by id or told by a bit: 3 to 10; by hash 20; in a table that the caches do not hold, 60. */
export const HASH_PROBE_ROW_COST = 18;
export const OUTPUT_ROW_COST = 10;
/** Keeping the least or greatest value of a key. */
export const KEEP_ROW_COST = 60;
/** A pair of rows that share a key, which a condition is tested on. */
export const TESTED_PAIR_COST = 40;
/** Sorting a partner by a value, and finding the place of a bound among the sorted ones. */
export const SORT_PARTNER_COST = 100;
export const FIND_PARTNERS_COST = 150;
/** Pairs that are tested for a row whose partners a comparison tells. */
export const TOLD_PAIRS = 4;
/** An expression of a row that becomes a column. */
export const EVALUATE_COST = 100;
/** To plan a pattern: once for a text, and for all that differ in constants only. */
export const PLAN_PATTERN_COST = 50_000;
/** To open an inner plan once more. */
export const RUN_COST = 50_000;

/** Putting a row of the input of an index join in the order of its key. */
const KEY_COST = 40;
/** Looking a key up in a block that is at hand, and taking its rows: 0.3 microseconds. */
const LOOKUP_COST = 300;
/** Finding a block and taking it up: 1 microsecond when it is cached; keys that share one pay it once. */
const BLOCK_COST = 1000;
const BLOCK_ROWS = 4096;
/** Looking a row's subject up for one more pattern of a star: what it has lies side by side. */
const STAR_LEG_ROW_COST = 300;
/** Putting a row of a pattern into a list, and looking at it when lists are intersected. */
export const LISTED_ROW_COST = 50;
export const INTERSECTED_ROW_COST = 10;
/** Opening a probe. */
export const SEEK_COST = 3000;

/** A row and condition, most of them decided by ids. */
const CONDITION_COST = 20;
/** A call that looks at the text of a term: 0.2 to 1 microseconds. */
const TEXT_CALL_COST = 300;
const BY_IDS: ReadonlySet<string> = new Set([
  ...['=', '!=', '<', '>', '<=', '>=', '&&', '||', '!', 'in', 'notin', 'sameterm', 'bound', 'isiri', 'isblank'],
  ...['isliteral', 'isnumeric', '+', '-', '*', '/', 'abs', 'if', 'coalesce'],
]);
/** A row whose condition asks a pattern. */
export const EXISTS_COST = 500;

/**
 * Keys that lie close together share blocks: no more are read than the range they lie in has. Each is looked up in every
 * part of the store that may have it; where rows do not come by the key, in every batch that has it.
 */
export function probeCost(
  { rows, distinctKeys, ordered }: { readonly rows: number; readonly distinctKeys: number; readonly ordered: boolean },
  range: number,
  parts: number,
): number {
  const batches = ordered ? 1 : Math.max(1, rows / BATCH_ROWS);
  const keys = batches === 1 ? distinctKeys : batches * distinctKeys * -Math.expm1(-BATCH_ROWS / distinctKeys);
  const lookUps = Math.min(rows, Math.max(distinctKeys, keys));
  const blocks = Math.min(lookUps, batches * (1 + range / BLOCK_ROWS));
  return rows * KEY_COST + parts * (lookUps * LOOKUP_COST + blocks * BLOCK_COST);
}

/** One more pattern for the rows of a star. */
export function starLegCost(rows: number, joinedRows: number): number {
  return rows * STAR_LEG_ROW_COST + joinedRows * OUTPUT_ROW_COST;
}

/**
 * A merge join pairs the rows of equal keys, and compares what else the sides share over the pairs: as many as rows where the
 * keys of one side are unique, the square of a frequent key where none are.
 */
export function comparedPairsCost(
  a: { readonly rows: number; readonly distinct: number },
  b: { readonly rows: number; readonly distinct: number },
): number {
  const keys = Math.max(1, a.distinct, b.distinct);
  const repeated = Math.min(a.rows / Math.max(1, a.distinct), b.rows / Math.max(1, b.distinct));
  return ((a.rows * b.rows) / keys) * COMPARED_PAIR_COST * Math.min(SKEW, Math.max(1, repeated));
}

/** A hash join without what comes out of it: a table of one side, where every row of the other looks its key up. */
export function hashCost(probe: Costs, build: Costs, rowCost = HASH_PROBE_ROW_COST): Omit<Costs, 'rows'> {
  const startup = HASH_OPEN_COST + probe.startup + build.cost + build.rows * BUILD_ROW_COST;
  return { startup, cost: startup + probe.cost - probe.startup + probe.rows * rowCost };
}

/** A join by comparisons: `tested` pairs are what they leave, `rows` what comes out. */
export function rangeJoinCost(probe: Costs, build: Costs, tested: number, rows: number): Omit<Costs, 'rows'> {
  const hashed = hashCost(probe, build, HASH_PROBE_ROW_COST + FIND_PARTNERS_COST);
  const sorting = build.rows * SORT_PARTNER_COST;
  const work = tested * TESTED_PAIR_COST + rows * OUTPUT_ROW_COST;
  return { startup: hashed.startup + sorting, cost: hashed.cost + sorting + work };
}

/** To decide a condition for a row. */
export function conditionCost(condition: Expression): number {
  let cost = CONDITION_COST;
  const add = (part: Expression): void => {
    if (!('args' in part)) return;
    if (part.kind !== 'call' || !BY_IDS.has(part.operator)) cost += TEXT_CALL_COST;
    part.args.forEach(add);
  };
  add(condition);
  return cost;
}

/** Of a plan whose first rows are asked for: rows do not lie evenly, and there may be fewer than was thought. */
const READ_MARGIN = 3;
const READ_SHARE_MIN = 0.01;

/** Cost of a plan when only `goal` of its rows are asked for. */
export function costFor({ rows, startup, cost }: Costs, goal: number | null): number {
  if (goal === null || rows <= READ_MARGIN * goal) return cost;
  return startup + (cost - startup) * Math.max(READ_SHARE_MIN, (READ_MARGIN * goal) / rows);
}
