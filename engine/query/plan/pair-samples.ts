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

import { BATCH_ROWS, type IdColumn, type KeyPosition } from '../../storage/scan.js';
import type { PatternLeaf, PlanContext } from './context.js';
import { ordersFor, probeParts, scanPattern } from './leaf.js';

const KEYS_MAX = 256;
/** All rows of the pattern of few rows are read, to choose from. */
const READ_MAX = 4 * BATCH_ROWS;
/** Other patterns that are read in a moment need no sample. */
const ROWS_MIN = 1024;
/** How many times more values there have to be. */
const APART_MIN = 2;
/** Of the other pattern's values. */
const MOST = 0.75;
/** In characters of an expression. */
const SAMPLE_WORK = 10_000;
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
  if (few.rows > READ_MAX || many.rows < ROWS_MIN || many.equal.length > 0) return false;
  if (many.constants.has('s') || many.constants.has('o') || many.positions.get(variable) === 'p') return false;
  const [one, other] = [context.valuesIn(few, variable), context.valuesIn(many, variable)];
  return one > APART_MIN * other || other > APART_MIN * one;
}

function sample(few: PatternLeaf, many: PatternLeaf, variable: string, context: PlanContext): number | null {
  const probe = probeParts(many, [variable]);
  const position = many.positions.get(variable);
  if (probe === null || position === undefined || position === 'g') return null;
  context.terms.scope.spend(SAMPLE_WORK);
  const keys = keysOf(few, variable, context);
  if (keys.length === 0) return UNSEEN_ROWS;
  const cursor = context.snapshot.unobserved.probe({
    graphs: many.graphs,
    pattern: scanPattern(many),
    order: probe.order,
    time: context.time,
    keys: [position as KeyPosition],
    columns: [],
    counted: true,
  });
  let met = 0;
  let values = 0;
  try {
    cursor.begin([keys], keys.length / 2);
    for (let batch = cursor.next(); batch !== null; batch = cursor.next()) {
      values += batch.rows;
      for (let row = 0; row < batch.rows; row++) met += (batch.counts as Uint32Array)[row] as number;
    }
  } finally {
    cursor.close();
  }
  const scale = few.rows / (keys.length / 2);
  if (values * scale > MOST * context.valuesIn(many, variable)) return null;
  return Math.max(UNSEEN_ROWS, met) * scale;
}

/** Some values of the variable, ascending, each once; from all over its rows, since ids that lie together are often of one kind. */
function keysOf(few: PatternLeaf, variable: string, context: PlanContext): IdColumn {
  const position = few.positions.get(variable) as KeyPosition;
  const order = ordersFor(few, new Set(few.constants.keys()))[0];
  const cursor = context.snapshot.unobserved.scan({
    graphs: few.graphs,
    pattern: scanPattern(few),
    order,
    time: context.time,
    columns: [position],
  });
  const keys = new Uint32Array(2 * KEYS_MAX);
  const step = Math.max(1, few.rows / KEYS_MAX);
  let end = 0;
  let next = 0;
  try {
    for (let before = 0; end < keys.length; ) {
      const batch = cursor.next();
      if (batch === null) break;
      const column = batch.columns[position] as IdColumn;
      const rows = batch.selection?.length ?? batch.rows;
      for (; next < before + rows && end < keys.length; next += step) {
        const place = Math.floor(next) - before;
        const row = batch.selection === null ? place : (batch.selection[place] as number);
        const [low, high] = [column[2 * row] as number, column[2 * row + 1] as number];
        if (end > 0 && keys[end - 2] === low && keys[end - 1] === high) continue;
        keys[end++] = low;
        keys[end++] = high;
      }
      before += rows;
    }
  } finally {
    cursor.close();
  }
  return keys.subarray(0, end);
}
