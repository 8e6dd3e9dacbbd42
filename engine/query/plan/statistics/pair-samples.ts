/**
 * How many rows two patterns have together, told by a sample: values of the pattern that has few rows are
 * looked up in the other one (index-based join sampling: Leis et al., CIDR 2017). Statistics of predicates
 * can't tell: of the things in a country none, or all, may be producers.
 *
 *  1. Only a pattern with two constants is sampled, whose values of the variable are told by a few blocks,
 *     and of these so many that looking them up takes about a hundred microseconds.
 *  2. Only where the statistics leave it open: where its predicate is met with many more, or many fewer,
 *     values of the variable than the other pattern.
 *  3. A selection that has most of the other pattern's values hardly selects: how many rows it keeps depends
 *     on what else is asked of these, so the sample, which knows nothing of that, is left out.
 */

import type { PatternLeaf, PlanContext } from '../context/context.js';
import { sampledCounts, sampledValues } from './sampled-values.js';

const KEYS_MAX = 256;
/** Other patterns that are read in a moment need no sample. */
const ROWS_MIN = 1024;
/** How many times more values there have to be. */
const APART_MIN = 2;
/** Of the other pattern's values. */
const MOST = 0.75;
/** Where no value of a sample is met, another one may still be. */
const UNSEEN_ROWS = 0.5;

/** Rows of both, joined by the variable; null when they are not sampled. */
export function sampledRows(
  few: PatternLeaf,
  many: PatternLeaf,
  variable: string,
  context: PlanContext,
): number | null {
  const known = context.pairs.get(few) ?? new Map<PatternLeaf, number | null>();
  context.pairs.set(few, known);
  let rows = known.get(many);
  if (rows === undefined) {
    rows = isWorthwhile(few, many, variable, context) ? sample(few, many, variable, context) : null;
    known.set(many, rows);
  }
  return rows;
}

function isWorthwhile(few: PatternLeaf, many: PatternLeaf, variable: string, context: PlanContext): boolean {
  if (few.constants.size < 2 || !few.constants.has('p') || few.equal.length > 0 || few.objects !== null) return false;
  if (many.rows < ROWS_MIN || many.equal.length > 0) return false;
  if (many.constants.has('s') || many.constants.has('o') || many.positions.get(variable) === 'p') return false;
  const [one, other] = [context.valuesIn(few, variable), context.valuesIn(many, variable)];
  return one > APART_MIN * other || other > APART_MIN * one;
}

function sample(few: PatternLeaf, many: PatternLeaf, variable: string, context: PlanContext): number | null {
  const keys = sampledValues(few, variable, KEYS_MAX, context);
  if (keys === null) return null;
  if (keys.length === 0) return UNSEEN_ROWS;
  const counts = sampledCounts(many, variable, keys, context);
  if (counts === null) return null;
  let met = 0;
  let values = 0;
  for (const count of counts) {
    met += count;
    if (count > 0) values++;
  }
  const scale = few.rows / (keys.length / 2);
  if (values * scale > MOST * context.valuesIn(many, variable)) return null;
  return Math.max(UNSEEN_ROWS, met) * scale;
}
