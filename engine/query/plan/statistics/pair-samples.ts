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

import { getOrInsert } from '../../../base/maps.js';
import type { PatternLeaf } from '../access/pattern-leaf.js';
import type { GraphFigures } from './graph-figures.js';
import type { Sampler } from './sampler.js';

const KEYS_MAX = 256;
/** Other patterns that are read in a moment need no sample. */
const ROWS_MIN = 1024;
/** How many times more values there have to be. */
const APART_MIN = 2;
/** Of the other pattern's values. */
const MOST = 0.75;
/** Where no value of a sample is met, another one may still be. */
const UNSEEN_ROWS = 0.5;

export class PairSamples {
  /** Rows of pairs of patterns, by the one of few rows; null = not sampled. */
  private readonly known = new Map<PatternLeaf, Map<PatternLeaf, number | null>>();

  constructor(
    private readonly figures: GraphFigures,
    private readonly sampler: Sampler,
  ) {}

  /** Rows of both, joined by the variable; null when they are not sampled. */
  rows(few: PatternLeaf, many: PatternLeaf, variable: string): number | null {
    const known = getOrInsert(this.known, few, () => new Map());
    return getOrInsert(known, many, () =>
      this.isWorthwhile(few, many, variable) ? this.sample(few, many, variable) : null,
    );
  }

  private isWorthwhile(few: PatternLeaf, many: PatternLeaf, variable: string): boolean {
    if (few.constants.size < 2 || !few.constants.has('p') || few.equal.length > 0 || few.objects !== null) return false;
    if (many.rows < ROWS_MIN || many.equal.length > 0) return false;
    if (many.constants.has('s') || many.constants.has('o') || many.positions.get(variable) === 'p') return false;
    const [one, other] = [this.figures.valuesIn(few, variable), this.figures.valuesIn(many, variable)];
    return one > APART_MIN * other || other > APART_MIN * one;
  }

  private sample(few: PatternLeaf, many: PatternLeaf, variable: string): number | null {
    const keys = this.sampler.values(few, variable, KEYS_MAX);
    if (keys === null) return null;
    if (keys.length === 0) return UNSEEN_ROWS;
    const counts = this.sampler.counts(many, variable, keys);
    if (counts === null) return null;
    let met = 0;
    let values = 0;
    for (const count of counts) {
      met += count;
      if (count > 0) values++;
    }
    const scale = few.rows / (keys.length / 2);
    if (values * scale > MOST * this.figures.valuesIn(many, variable)) return null;
    return Math.max(UNSEEN_ROWS, met) * scale;
  }
}
