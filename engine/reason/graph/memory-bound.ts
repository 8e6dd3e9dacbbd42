/** The memory that one question about a graph may take: `query.memory_budget_mb`. */

import { SvcError } from '../../base/errors.js';
import { MEMORY_BUDGET_BYTES } from '../../query/read-context.js';
import type { Pace } from './pace.js';

const MEBIBYTE = 2 ** 20;

/** What an error says: the subject, and what to do instead. */
interface BoundMessage {
  readonly what: string;
  readonly instead: string;
}

/** What one question may cost: when it has to stop, and the memory that all its parts take together. */
export interface GraphLimits {
  readonly pace: Pace;
  readonly memory: MemoryBound;
}

const OF_PROJECTIONS: BoundMessage = { what: 'the projection', instead: 'narrow it by type or predicate' };

export class MemoryBound {
  #held = 0;

  constructor(
    private readonly bytesMax: number = MEMORY_BUDGET_BYTES,
    private readonly told: BoundMessage = OF_PROJECTIONS,
  ) {}

  /** Throws `query_complexity` when so many bytes besides what is held are too many. */
  check(bytes: number): void {
    if (this.#held + bytes <= this.bytesMax) return;
    const limit = Math.max(1, Math.floor(this.bytesMax / MEBIBYTE));
    throw new SvcError(
      'query_complexity',
      `${this.told.what} needs more than ${limit} MB of memory (query.memory_budget_mb)`,
      { hint: `${this.told.instead}, or raise query.memory_budget_mb` },
    );
  }

  /** Counts bytes that are held until the question is answered. */
  hold(bytes: number): void {
    this.check(bytes);
    this.#held += bytes;
  }

  /** Of bytes that were held and are no longer. */
  release(bytes: number): void {
    this.#held -= bytes;
  }
}
