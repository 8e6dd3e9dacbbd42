/**
 * Runs a plan. The driver pulls the root operator; between two steps, each of them short, it looks
 * whether it has to stop, and about every ten milliseconds it lets the event loop turn. When operators
 * wait for another endpoint, so does the driver.
 */

import { breathe } from '../base/control.js';
import type { Interrupt } from '../base/interrupt.js';
import { asTooDeep } from './parse/guard.js';
import type { QueryBatch } from './runtime/batch.js';
import type { MemoryBudget } from './runtime/memory.js';
import { type Operator, PENDING, slice, type Waits } from './runtime/operator.js';

const SLICE_MS = 10;
/** What one pull of the root may take before a batch is left on its way. */
const STEP_MS = 10;
/** While it waits for others, the driver looks this often whether it has to stop. */
const WAIT_MS = 20;

export class Execution {
  private failure: Error | null = null;
  private sliceEnd = performance.now() + SLICE_MS;

  constructor(
    readonly root: Operator,
    private readonly interrupt: Interrupt,
    private readonly waits: Waits,
    private readonly budget: MemoryBudget,
  ) {}

  /** For a query that is not run, or not to its end. */
  close(): void {
    this.root.close();
    this.budget.close();
  }

  /** Gives up what the query holds now; whoever reads on finds the failure. Between two steps. */
  fail(failure: Error): void {
    this.failure = failure;
    this.close();
  }

  /** The batches of the root, once. Operators are closed at the end, on an error and on `return`. */
  async *batches(): AsyncGenerator<QueryBatch, void, undefined> {
    try {
      for (;;) {
        if (this.failure !== null) throw this.failure;
        this.interrupt.check();
        slice.endMs = performance.now() + STEP_MS;
        const step = this.root.next();
        if (step === null) return;
        const awaited = this.waits.take();
        if (step !== PENDING) yield step;
        else if (awaited !== null) await settledOrLate(awaited);
        if (performance.now() > this.sliceEnd) {
          await breathe();
          this.sliceEnd = performance.now() + SLICE_MS;
        }
      }
    } catch (error) {
      throw asTooDeep(error);
    } finally {
      this.close();
    }
  }
}

async function settledOrLate(awaited: Promise<unknown>): Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise((resolve) => {
    timer = setTimeout(resolve, WAIT_MS);
  });
  await Promise.race([awaited, late]);
  clearTimeout(timer);
}
