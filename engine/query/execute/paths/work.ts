/**
 * Long work in short pieces: a task is a generator that pauses whenever it has used up its share of a
 * call, so that the driver can look at the deadline and the event loop turns.
 */

import { PENDING } from '../../runtime/operator.js';

export type Task<Result = void> = Generator<typeof PENDING, Result, void>;

/** Units of about ten nanoseconds: half a millisecond. */
const UNITS_PER_CALL = 50_000;

/** Units that a look at storage for one node costs, and a row of a scan. */
export const LOOKUP_UNITS = 500;
export const ROW_UNITS = 8;

export class Work {
  private left = UNITS_PER_CALL;

  /** True when it is time to pause; the next share begins then. */
  spend(units: number): boolean {
    this.left -= units;
    if (this.left > 0) return false;
    this.left = UNITS_PER_CALL;
    return true;
  }
}

/** Entries that are looked at between two looks at the share of work, and how many of them make a unit. */
const AT_ONCE = 16_384;
const ENTRIES_PER_UNIT = 4;

/** Visits `[0, count)` of some list, piece after piece. */
export function* inPieces(work: Work, count: number, visit: (from: number, to: number) => void): Task {
  for (let at = 0; at < count; at += AT_ONCE) {
    visit(at, Math.min(count, at + AT_ONCE));
    if (work.spend(AT_ONCE / ENTRIES_PER_UNIT)) yield PENDING;
  }
}
