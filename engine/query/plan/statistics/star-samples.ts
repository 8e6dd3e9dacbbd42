/**
 * What the subjects of a selection have: of a star with a pattern of constant predicate and object
 * (`?s a :Product`, `?s :country :de`) some subjects are looked up in its other patterns. Statistics of predicates
 * know what subjects have that have any type, not what products have, nor which features go with which type.
 */

import type { PatternLeaf, PlanContext } from '../context/context.js';
import { sampledCounts, sampledValues } from './sampled-values.js';

const VALUES_MAX = 32;
const SELECTIONS_MAX = 3;
/** Fewer rows are joined in a moment, in whatever order. */
const SELECTED_MIN = 64;
/** Subjects that figures have to rest on. */
const SUBJECTS_MIN = 16;
/** A pattern that takes most of its predicate's rows is told by the statistics of the predicate. */
const MOST = 0.75;
/** Looking subjects up in one more pattern takes as long as joining some thousand rows. */
const ROWS_PER_LOOK_UP = 4096;

/** Some subjects of a star's selection. */
export interface StarSample {
  /** The number of the selection among the star's patterns. */
  readonly selection: number;
  /** Subjects that one of the sample stands for. */
  readonly unit: number;
  readonly subjects: number;
  /** By pattern: rows of each subject; null = not looked up. */
  readonly counts: readonly (Uint32Array | null)[];
}

/** Patterns that subjects may still be looked up in: few where the rows of all parts are joined in a moment, in whatever order. */
export class LookUps {
  private left: number;

  constructor(rows: number) {
    this.left = Math.floor(rows / ROWS_PER_LOOK_UP);
  }

  take(count: number): boolean {
    if (count > this.left) return false;
    this.left -= count;
    return true;
  }
}

/** Samples of the selections that are worth looking at, the one of fewest rows first. */
export function starSamples(
  leaves: readonly PatternLeaf[],
  lookUps: LookUps,
  context: PlanContext,
): readonly StarSample[] {
  const samples: StarSample[] = [];
  if (context.hurried) return samples;
  for (const selection of selectionsOf(leaves, context).slice(0, SELECTIONS_MAX)) {
    if (!lookUps.take(leaves.length - 1)) break;
    const sample = sampleStar(leaves, selection, context);
    if (sample !== null) samples.push(sample);
  }
  return samples;
}

function sampleStar(leaves: readonly PatternLeaf[], selection: number, context: PlanContext): StarSample | null {
  const few = leaves[selection] as PatternLeaf;
  const known = context.samples.get(few) ?? { values: sampleOf(few, context), counts: new Map() };
  context.samples.set(few, known);
  const { values } = known;
  if (values === null) return null;
  const subjects = values.length / 2;
  const counts = leaves.map((leaf, at) => {
    if (at === selection) return new Uint32Array(subjects).fill(1);
    let found = known.counts.get(leaf);
    if (found === undefined) {
      if (leaf.equal.length > 0) return null;
      found = sampledCounts(leaf, subjectOf(leaf), values, context);
      known.counts.set(leaf, found);
    }
    return found;
  });
  return { selection, unit: few.rows / subjects, subjects, counts };
}

function sampleOf(leaf: PatternLeaf, context: PlanContext): Uint32Array | null {
  const values = sampledValues(leaf, subjectOf(leaf), VALUES_MAX, context);
  if (values === null) return null;
  // Where ids leave large gaps, few places are read: they tell nothing of the others.
  return values.length / 2 >= Math.min(leaf.rows / 2, SUBJECTS_MIN) ? values : null;
}

/** Patterns with a constant object whose subjects the statistics of the predicate do not tell, that of fewest rows first. */
function selectionsOf(leaves: readonly PatternLeaf[], context: PlanContext): readonly number[] {
  const rowsOf = (at: number): number => (leaves[at] as PatternLeaf).rows;
  return [...leaves.keys()]
    .filter((at) => {
      const leaf = leaves[at] as PatternLeaf;
      const selects = leaf.constants.has('o') && leaf.equal.length === 0 && leaf.rows >= SELECTED_MIN;
      return selects && leaf.rows < MOST * context.rowsOfPredicate(leaf);
    })
    .sort((one, other) => rowsOf(one) - rowsOf(other));
}

function subjectOf(leaf: PatternLeaf): string {
  for (const [variable, position] of leaf.positions) if (position === 's') return variable;
  throw new Error('a pattern of a star has a variable for its subject');
}
