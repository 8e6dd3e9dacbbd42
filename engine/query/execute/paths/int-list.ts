/** A growing list of 32-bit integers, counted against the query's budget before it grows. */

import { SvcError } from '../../../base/errors.js';
import type { MemoryCounter } from '../../runtime/memory.js';

const FIRST_CAPACITY = 16;
const BYTES = 4;
const PLACES_MAX = 2 ** 31;

export class IntList {
  data: Int32Array = new Int32Array(0);
  length = 0;

  constructor(
    private readonly budget: MemoryCounter,
    /** What places hold that were never written. */
    private readonly blank = 0,
  ) {}

  push(value: number): void {
    if (this.length === this.data.length) this.reserve(this.length + 1);
    this.data[this.length++] = value;
  }

  /** Makes room for `capacity` values, and some more if it is made often; those beyond `length` are blank. */
  reserve(capacity: number): void {
    const before = this.data.length;
    if (capacity <= before) return;
    // Places are numbered by the values of other lists.
    if (capacity > PLACES_MAX)
      throw new SvcError('query_complexity', `a path has more than ${PLACES_MAX} places to look at`);
    const grown = Math.min(PLACES_MAX, Math.max(FIRST_CAPACITY, capacity, 2 * before));
    this.budget.take((grown - before) * BYTES);
    const data = new Int32Array(grown);
    data.set(this.data);
    if (this.blank !== 0) data.fill(this.blank, before);
    this.data = data;
  }

  release(): void {
    this.budget.give(this.data.length * BYTES);
    this.data = new Int32Array(0);
    this.length = 0;
  }
}
