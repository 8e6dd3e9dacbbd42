/** The snapshots by which a write is judged: opened when a gate asks for them, closed before the write goes on. */

import type { StorageSnapshot } from '../../storage/seam/scan.js';

type Open = () => StorageSnapshot;

export class JudgedSnapshots {
  readonly #openBefore: Open;
  readonly #openAfter: Open;
  #before: StorageSnapshot | null = null;
  #after: StorageSnapshot | null = null;

  constructor(openBefore: Open, openAfter: Open) {
    this.#openBefore = openBefore;
    this.#openAfter = openAfter;
  }

  get before(): StorageSnapshot {
    this.#before ??= this.#openBefore();
    return this.#before;
  }

  get after(): StorageSnapshot {
    this.#after ??= this.#openAfter();
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
