/**
 * The lists of near codes of some segments, those first whose centres are nearest to a query.
 *
 * Scores are f32, which leave the low bits of an f64 free: the number of a list stands there, so that numbers alone are sorted.
 */

import type { ThreadMemory } from '../../../kernels/memory.js';
import { PART_ROWS } from './code-part.js';
import type { CodeSearch } from './code-search.js';
import type { CodeSegment } from './plane-part.js';

export interface NearList {
  readonly segment: CodeSegment;
  /** Which of its lists. */
  readonly number: number;
  /** Places `[from, to)` of its codes. */
  readonly from: number;
  readonly to: number;
  readonly score: number;
}

export class ListOrder {
  readonly count: number;
  readonly #segments: readonly CodeSegment[];
  /** Ascending: the score, and in its low bits the number of the list among those of all segments. */
  readonly #keys: Float64Array;
  readonly #words: Uint32Array;

  constructor(memory: ThreadMemory, search: CodeSearch, segments: readonly CodeSegment[]) {
    this.#segments = segments;
    this.count = segments.reduce((sum, { listEnds }) => sum + listEnds.length, 0);
    this.#keys = new Float64Array(this.count);
    this.#words = new Uint32Array(this.#keys.buffer);
    const scores = memory.allocate(4 * PART_ROWS);
    let at = 0;
    for (const { centres } of segments) {
      for (const part of centres) {
        search.estimate(part, scores);
        for (const score of new Float32Array(memory.bytes.buffer, scores, part.rows)) {
          // No zero, whose sign the number would change.
          this.#keys[at] = score === 0 ? Number.MIN_VALUE : score;
          this.#words[2 * at] = at;
          at++;
        }
      }
    }
    memory.free(scores, 4 * PART_ROWS);
    this.#keys.sort();
  }

  /** How near the centre of a list is, the nearest first. */
  score(at: number): number {
    return Math.fround(this.#keys[this.count - 1 - at] as number);
  }

  list(at: number): NearList {
    let list = this.#words[2 * (this.count - 1 - at)] as number;
    for (const segment of this.#segments) {
      const { listEnds } = segment;
      if (list < listEnds.length) {
        const from = list === 0 ? 0 : (listEnds[list - 1] as number);
        return { segment, number: list, from, to: listEnds[list] as number, score: this.score(at) };
      }
      list -= listEnds.length;
    }
    throw new RangeError(`there is no list ${at}`);
  }
}
