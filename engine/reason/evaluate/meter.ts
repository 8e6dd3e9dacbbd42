/** Bounds the work of rules: a way to stop it, asked once a batch, and the memory that pairs take. */

import { SvcError } from '../../base/errors.js';
import type { Meter } from './join-steps.js';

/** Rows between two looks. */
const ROWS_PER_CHECK = 4096;
/** Default of query.memory_budget_mb. */
export const MEMORY_BYTES_MAX = 2 ** 30;

export interface WorkLimits {
  /** Throws when the work has to stop. */
  readonly check: () => void;
  /** Bytes of the pairs and their indexes. */
  readonly memoryBytes?: number | undefined;
}

export class WorkMeter implements Meter {
  #left = ROWS_PER_CHECK;
  /** Rows that were read, joined or derived. */
  rows = 0;

  constructor(
    private readonly limits: WorkLimits,
    private readonly usedBytes: () => number,
  ) {}

  spend(rows: number): void {
    this.rows += rows;
    this.#left -= rows;
    if (this.#left > 0) return;
    this.#left = ROWS_PER_CHECK;
    this.limits.check();
    const max = this.limits.memoryBytes ?? MEMORY_BYTES_MAX;
    if (this.usedBytes() <= max) return;
    throw new SvcError('query_complexity', `the rules need more than ${Math.round(max / 2 ** 20)} MiB of memory`, {
      hint: 'nothing was written; make the rules narrower, or raise query.memory_budget_mb',
    });
  }
}
