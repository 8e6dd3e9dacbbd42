/**
 * How many distinct values several sets of rows have together, when of each only its own figures are known. The
 * values of the largest set tell how many there are to choose from, as if every row drew one at random (n
 * values, r rows: n (1 - e^(-r/n)) of them are met; Yao, CACM 1977, in the form for many values); as many rows as there are
 * in all then meet so many of them. What repeats within a set is thus taken to repeat between sets, and what
 * is unique to be so everywhere. Held between the most that one set has and the sum.
 */

/** Rows of a set, and their distinct values: exact, or an estimate. */
export interface DistinctPart {
  readonly rows: number;
  readonly distinct: number;
}

/** Halvings until the ratio of rows to values is known well enough. */
const STEPS = 40;
/** Rows per value from which on all values are met. */
const RATIO_MAX = 64;

export function distinctOfUnion(parts: readonly DistinctPart[]): number {
  let [rows, sum, most] = [0, 0, 0];
  let largest: DistinctPart = { rows: 0, distinct: 0 };
  for (const part of parts) {
    rows += part.rows;
    sum += part.distinct;
    most = Math.max(most, part.distinct);
    if (part.rows > largest.rows) largest = part;
  }
  if (parts.length < 2 || largest.distinct >= largest.rows) return Math.min(sum, rows);
  const values = valuesBehind(largest);
  const met = Math.round(values * -Math.expm1(-rows / values));
  return Math.min(sum, rows, Math.max(most, met));
}

/** How many values there are to choose from when so many rows meet so many of them. */
function valuesBehind({ rows, distinct }: DistinctPart): number {
  const share = distinct / rows;
  let [low, high] = [0, RATIO_MAX];
  for (let step = 0; step < STEPS; step++) {
    const ratio = (low + high) / 2;
    // The share of distinct values falls as more rows fall on each.
    if (-Math.expm1(-ratio) / ratio > share) low = ratio;
    else high = ratio;
  }
  return high >= RATIO_MAX / 2 ? distinct : rows / high;
}
