/** Facts of ROOT at a time, looked up for many entities at once: what they say by a predicate, or who says it of them. */

import { terms } from '../../rdf/terms.js';
import type { MemoryBound } from '../../reason/graph/memory-bound.js';
import type { Pace } from '../../reason/graph/pace.js';
import type { TermId } from '../../storage/ids/layout.js';
import { columnOf, exactly, idIn, ROOT_ONLY } from '../../storage/seam/rows.js';
import { CURRENT, type IdColumn, type StorageSnapshot, type TimeSlice } from '../../storage/seam/scan.js';

/** Entities that are looked up by one probe. */
const KEYS_AT_ONCE = 4096;
/** A fact, as work, and what is kept of it. */
const FACT_WORK = 10;
const FACT_BYTES = 64;

export interface LookupLimits {
  readonly pace: Pace;
  readonly memory: MemoryBound;
}

/** By entity; those without a fact are absent. */
export type Found = ReadonlyMap<TermId, readonly TermId[]>;

export class FactLookups {
  constructor(
    readonly snapshot: StorageSnapshot,
    readonly limits: LookupLimits,
    private readonly time: TimeSlice = CURRENT,
  ) {}

  /** The values that some subjects have of a predicate. */
  valuesOf(subjects: Iterable<TermId>, predicate: string): Promise<Found> {
    return this.#find(subjects, predicate, 's');
  }

  /** The subjects that have some values of a predicate. */
  subjectsOf(values: Iterable<TermId>, predicate: string): Promise<Found> {
    return this.#find(values, predicate, 'o');
  }

  async #find(asked: Iterable<TermId>, predicate: string, key: 's' | 'o'): Promise<Found> {
    const found = new Map<TermId, TermId[]>();
    const p = this.snapshot.encode(terms.namedNode(predicate));
    if (p === null) return found;
    const keys = [...new Set(asked)].sort((a, b) => (a < b ? -1 : 1));
    const other = key === 's' ? 'o' : 's';
    const { pace, memory } = this.limits;
    const probe = this.snapshot.probe({
      graphs: ROOT_ONLY,
      pattern: { p: exactly(p) },
      order: key === 's' ? 'SPOG' : 'POSG',
      time: this.time,
      keys: [key],
      columns: [other],
    });
    try {
      for (let first = 0; first < keys.length; first += KEYS_AT_ONCE) {
        const some = keys.slice(first, first + KEYS_AT_ONCE);
        probe.begin([columnOf(some)], some.length);
        for (let batch = probe.next(); batch !== null; batch = probe.next()) {
          memory.hold(FACT_BYTES * batch.rows);
          const column = batch.columns[other] as IdColumn;
          for (let row = 0; row < batch.rows; row++) {
            const one = some[batch.keys[row] as number] as TermId;
            const of = found.get(one);
            if (of === undefined) found.set(one, [idIn(column, row)]);
            else of.push(idIn(column, row));
          }
          pace.check();
          if (pace.spend(FACT_WORK * (batch.rows + 1))) await pace.turn();
        }
      }
    } finally {
      probe.close();
    }
    return found;
  }
}
