/**
 * How many rows are to be expected: of graphs and patterns, of patterns of one subject together, of pairs that share a
 * variable, of walks along a path. What is found is kept while one query is planned. Only estimates rest on it, so that a plan
 * does not depend on what was read for it; what it depends on, the snapshot notes.
 */

import { payloadOf, type TermId } from '../../../storage/ids/layout.js';
import type { TimeSlice } from '../../../storage/seam/scan.js';
import { mainGraphOf } from '../../../storage/seam/source.js';
import type { PatternLeaf } from '../access/pattern-leaf.js';
import type { TrackedSnapshot } from '../cache/dependencies.js';
import { CHARACTERISTIC_ROWS_MIN, findCharacteristicSets } from './characteristic-sets.js';
import { GraphFigures } from './graph-figures.js';
import { PairSamples } from './pair-samples.js';
import { Sampler } from './sampler.js';
import { StarRows } from './star-rows.js';
import { type LookUps, StarSamples } from './star-samples.js';

export class Statistics extends GraphFigures {
  readonly pairs: PairSamples;
  private readonly stars: StarSamples;

  /** `spend` is told, in characters of an expression, what samples take. */
  constructor(snapshot: TrackedSnapshot, time: TimeSlice, spend: (work: number) => void) {
    super(snapshot);
    const sampler = new Sampler(snapshot.untracked, time, spend);
    this.pairs = new PairSamples(this, sampler);
    this.stars = new StarSamples(this, sampler);
  }

  /** The rows of patterns that share their subject; null where nothing is known of what subjects have. */
  starRows(leaves: readonly PatternLeaf[], lookUps: LookUps): StarRows | null {
    const { graphs } = leaves[0] as PatternLeaf;
    const graph = mainGraphOf(graphs);
    if (graph === null || this.rowsIn(graphs) < CHARACTERISTIC_ROWS_MIN) return null;
    if (!leaves.every((leaf) => mainGraphOf(leaf.graphs) === graph)) return null;
    const snapshot = this.snapshot.untracked;
    const sets = snapshot.derived(`characteristic sets of ${graph}`, () =>
      findCharacteristicSets(snapshot, { kind: 'one', graph }),
    );
    const patterns = leaves.map((leaf) => ({
      predicate: Number(payloadOf(leaf.constants.get('p') as TermId)),
      share: Math.min(1, leaf.rows / Math.max(1, this.rowsOfPredicate(leaf))),
    }));
    return new StarRows(sets, patterns, this.stars.of(leaves, lookUps));
  }
}
