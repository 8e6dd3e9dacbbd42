/** A write as gates and events see it: its snapshots are opened when somebody asks for them, closed before it goes on. */

import type { StagedTransaction } from '../../storage/seam/engine.js';
import type { StorageSnapshot } from '../../storage/seam/scan.js';

export class StagedSnapshots {
  #before: StorageSnapshot | null = null;
  #after: StorageSnapshot | null = null;

  /** The store without the first transaction, and with the last. */
  constructor(
    private readonly first: StagedTransaction,
    private readonly last: StagedTransaction,
  ) {}

  get before(): StorageSnapshot {
    this.#before ??= this.first.before();
    return this.#before;
  }

  get after(): StorageSnapshot {
    this.#after ??= this.last.snapshot();
    return this.#after;
  }

  /** They are closed when the work is over. */
  async during<Result>(work: () => Promise<Result>): Promise<Result> {
    try {
      return await work();
    } finally {
      this.#after?.close();
      this.#before?.close();
    }
  }
}
