/** Figures per predicate from rows in POSG order. */

import { getOrInsert } from '../../../base/maps.js';
import { idOfHalves } from '../../ids/halves.js';
import type { TermId } from '../../ids/layout.js';
import type { IdColumn, PredicateStatistics } from '../../seam/scan.js';

const newCount = () => ({ rows: 0, objects: 0, subjects: new Set<number>() });
type Count = ReturnType<typeof newCount>;

/** Number and kind of a subject or predicate; together they fit a double. */
export function numberOfId(low: number, high: number): number {
  return low + (high & 0xffff) * 2 ** 32 + (high >>> 28) * 2 ** 48;
}

export class PredicateCounts {
  readonly #counts = new Map<TermId, Count>();
  /** That of the row before, and its predicate and object as halves. */
  #count = newCount();
  readonly #last = [-1, -1, -1, -1];

  /** Counts rows that come behind those before. */
  add(rows: number, [s, p, o]: readonly [IdColumn, IdColumn, IdColumn], selection: Uint32Array | null = null): void {
    const last = this.#last;
    for (let i = 0; i < rows; i++) {
      const low = 2 * (selection === null ? i : (selection[i] as number));
      const high = low + 1;
      const same = p[low] === last[0] && p[high] === last[1];
      if (!same) this.#count = getOrInsert(this.#counts, idOfHalves(p[low] as number, p[high] as number), newCount);
      if (!same || o[low] !== last[2] || o[high] !== last[3]) this.#count.objects++;
      this.#count.rows++;
      this.#count.subjects.add(numberOfId(s[low] as number, s[high] as number));
      last[0] = p[low] as number;
      last[1] = p[high] as number;
      last[2] = o[low] as number;
      last[3] = o[high] as number;
    }
  }

  figures(): PredicateStatistics[] {
    return [...this.#counts].map(([predicate, { rows, objects, subjects }]) => ({
      predicate,
      rows,
      distinctSubjects: subjects.size,
      distinctObjects: objects,
    }));
  }
}
