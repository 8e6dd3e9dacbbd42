/**
 * What the subjects of a selection have: of a star with a pattern of constant predicate and object
 * (`?s a :Product`, `?s :country :de`) some subjects are looked up in its other patterns. Statistics of predicates
 * know what subjects have that have any type, not what products have, nor which features go with which type.
 */

import { getOrInsert } from '../../../base/maps.js';
import type { IdColumn } from '../../../storage/seam/scan.js';
import type { PatternLeaf } from '../access/pattern-leaf.js';
import type { GraphFigures } from './graph-figures.js';
import type { Sampler } from './sampler.js';

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

export class StarSamples {
  /** Some subjects of patterns that select, and how many rows they have in other patterns; null = not to be told. */
  private readonly known = new Map<
    PatternLeaf,
    { readonly values: IdColumn | null; readonly counts: Map<PatternLeaf, Uint32Array | null> }
  >();

  constructor(
    private readonly figures: GraphFigures,
    private readonly sampler: Sampler,
  ) {}

  /** Of the selections that are worth looking at, the one of fewest rows first. */
  of(leaves: readonly PatternLeaf[], lookUps: LookUps): readonly StarSample[] {
    const samples: StarSample[] = [];
    for (const selection of this.selectionsOf(leaves).slice(0, SELECTIONS_MAX)) {
      if (!lookUps.take(leaves.length - 1)) break;
      const sample = this.sampleStar(leaves, selection);
      if (sample !== null) samples.push(sample);
    }
    return samples;
  }

  private sampleStar(leaves: readonly PatternLeaf[], selection: number): StarSample | null {
    const few = leaves[selection] as PatternLeaf;
    const known = getOrInsert(this.known, few, () => ({ values: this.sampleOf(few), counts: new Map() }));
    const { values } = known;
    if (values === null) return null;
    const subjects = values.length / 2;
    const counts = leaves.map((leaf, at) => {
      if (at === selection) return new Uint32Array(subjects).fill(1);
      return getOrInsert(known.counts, leaf, () =>
        leaf.equal.length > 0 ? null : this.sampler.counts(leaf, subjectOf(leaf), values),
      );
    });
    return { selection, unit: few.rows / subjects, subjects, counts };
  }

  private sampleOf(leaf: PatternLeaf): Uint32Array | null {
    const values = this.sampler.values(leaf, subjectOf(leaf), VALUES_MAX);
    if (values === null) return null;
    // Where ids leave large gaps, few places are read: they tell nothing of the others.
    return values.length / 2 >= Math.min(leaf.rows / 2, SUBJECTS_MIN) ? values : null;
  }

  /** Patterns with a constant object whose subjects the statistics of the predicate do not tell, that of fewest rows first. */
  private selectionsOf(leaves: readonly PatternLeaf[]): readonly number[] {
    const rowsOf = (at: number): number => (leaves[at] as PatternLeaf).rows;
    return [...leaves.keys()]
      .filter((at) => {
        const leaf = leaves[at] as PatternLeaf;
        const selects = leaf.constants.has('o') && leaf.equal.length === 0 && leaf.rows >= SELECTED_MIN;
        return selects && leaf.rows < MOST * this.figures.rowsOfPredicate(leaf);
      })
      .sort((one, other) => rowsOf(one) - rowsOf(other));
  }
}

function subjectOf(leaf: PatternLeaf): string {
  for (const [variable, position] of leaf.positions) if (position === 's') return variable;
  throw new Error('a pattern of a star has a variable for its subject');
}
