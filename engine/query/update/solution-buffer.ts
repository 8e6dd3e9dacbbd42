/**
 * Solutions kept until they are applied, since an operation reads all of them before it writes. What
 * does not fit into the memory budget goes to disk.
 */

import type { QueryBatch } from '../runtime/batch.js';
import { type MemoryAccount, MemoryBudget } from '../runtime/memory.js';
import { SpilledReader, SpilledRows } from '../runtime/spill/spilled-rows.js';

const BYTES_PER_ID = 8;

export class SolutionBuffer {
  private readonly budget: MemoryBudget;
  private readonly account: MemoryAccount;
  private readonly kept: QueryBatch[] = [];
  private spilled: SpilledRows | null = null;

  constructor(
    private readonly width: number,
    memoryBudgetBytes: number,
  ) {
    this.budget = new MemoryBudget(memoryBudgetBytes);
    this.account = this.budget.openAccount();
  }

  append({ rows, columns }: QueryBatch): void {
    const bytes = rows * this.width * BYTES_PER_ID;
    if (this.spilled === null && this.account.fits(bytes)) {
      this.account.take(bytes);
      this.kept.push({ rows, columns: columns.map((column) => column.slice(0, 2 * rows)) });
      return;
    }
    this.spilled ??= new SpilledRows(this.account.spill, this.width, this.account);
    this.spilled.appendBatch({ rows, columns });
  }

  /** To be called once, before reading. */
  seal(): void {
    this.spilled?.seal();
  }

  /** The solutions in their order; a batch is valid until the next one. */
  *batches(): Generator<QueryBatch> {
    yield* this.kept;
    if (this.spilled === null) return;
    const reader = new SpilledReader(this.spilled, { consume: false });
    try {
      for (let batch = reader.next(); batch !== null; batch = reader.next()) yield batch;
    } finally {
      reader.close();
    }
  }

  close(): void {
    this.kept.length = 0;
    this.spilled?.release();
    this.spilled = null;
    this.account.close();
    this.budget.close();
  }
}
