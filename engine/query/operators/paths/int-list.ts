/** A growing list of 32-bit integers, counted against the query's budget before it grows. */

import { SvcError } from '../../../base/errors.js';
import type { MemoryBudget } from '../memory.js';

const FIRST_CAPACITY = 256;
const BYTES = 4;
const PLACES_MAX = 2 ** 31;

export class IntList {
  data: Int32Array = new Int32Array(0);
  length = 0;

  constructor(
    private readonly budget: MemoryBudget,
    /** What places hold that were never written. */
    private readonly blank = 0,
  ) {}

  push(value: number): void {
    if (this.length === this.data.length) this.reserve(this.length + 1);
    this.data[this.length++] = value;
  }

  /** Makes room for `capacity` values; those beyond `length` are blank. */
  reserve(capacity: number): void {
    if (capacity <= this.data.length) return;
    let grown = Math.max(FIRST_CAPACITY, this.data.length);
    while (grown < capacity) grown *= 2;
    // Places are numbered by the values of other lists.
    if (grown > PLACES_MAX)
      throw new SvcError('query_complexity', `a path has more than ${PLACES_MAX} places to look at`);
    this.budget.take((grown - this.data.length) * BYTES);
    const data = new Int32Array(grown);
    data.set(this.data);
    if (this.blank !== 0) data.fill(this.blank, this.data.length);
    this.data = data;
  }

  release(): void {
    this.budget.give(this.data.length * BYTES);
    this.data = new Int32Array(0);
    this.length = 0;
  }
}
