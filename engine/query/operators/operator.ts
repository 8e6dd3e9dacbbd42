/**
 * What an operator is: pulled for batches, and cooperative. Every call of `next` does a bounded
 * amount of work; an operator that has nothing to give yet (a hash build, a sort) says PENDING, and
 * so control comes back to the driver, which looks at the deadline and lets the event loop turn.
 */

import type { QueryBatch } from './batch.js';

export const PENDING = Symbol('pending');

export type Step = QueryBatch | typeof PENDING | null;

/** What an operator did, for EXPLAIN. Times include those of its inputs. */
export interface OperatorStatistics {
  rows: number;
  batches: number;
  calls: number;
  timeMs: number;
  blocksRead: number;
  /** How often it was opened. */
  runs: number;
  /** Read to its end, in every run. */
  complete: boolean;
}

export function newStatistics(runs: number): OperatorStatistics {
  return { rows: 0, batches: 0, calls: 0, timeMs: 0, blocksRead: 0, runs, complete: runs === 0 };
}

/** An operator, or the sum of the runs of one, as EXPLAIN looks at it. */
export interface Traced {
  readonly statistics: OperatorStatistics;
  /** Of the inputs, as the plan has them. */
  readonly traces: readonly Traced[];
}

export abstract class Operator implements Traced {
  readonly statistics: OperatorStatistics = newStatistics(1);

  /** `variables[i]` names column i of every batch. */
  constructor(
    readonly variables: readonly string[],
    readonly inputs: readonly Operator[] = [],
  ) {}

  /** The next batch, never empty; PENDING = call again; null = the end, for good. */
  next(): Step {
    const began = performance.now();
    const step = this.step();
    const statistics = this.statistics;
    statistics.timeMs += performance.now() - began;
    statistics.calls++;
    if (step === null) statistics.complete = true;
    else if (step !== PENDING) {
      statistics.rows += step.rows;
      statistics.batches++;
    }
    return step;
  }

  protected abstract step(): Step;

  get traces(): readonly Traced[] {
    return this.inputs;
  }

  /** Gives up cursors and memory; may be called at any time and more than once. */
  close(): void {
    for (const input of this.inputs) input.close();
  }
}

/** Positions of `names` in `variables`; every name must be there. */
export function columnsOf(variables: readonly string[], names: readonly string[]): number[] {
  return names.map((name) => variables.indexOf(name));
}
