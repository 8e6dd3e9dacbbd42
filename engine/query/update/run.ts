/** What the operations of one request share while they run: the stage, limits, progress, fresh nodes. */

import { breathe, type Control } from '../../base/control.js';
import { type Deadline, Interrupt } from '../../base/interrupt.js';
import type { Quad } from '../../rdf/terms.js';
import type { Stage } from '../../storage/seam/engine.js';
import type { DatasetClause } from '../algebra/algebra.js';
import type { QueryOptions } from '../options.js';
import { MEMORY_BUDGET_BYTES, type ReadBudget } from '../read-context.js';
import type { GraphRegistration } from '../registry/registration.js';
import { FreshNodes } from './stage-terms.js';

/** Reads the document that LOAD names; the quads of its default graph come in `graph`. */
export type ReadDocument = (source: string, graph: string, control: Control) => Promise<readonly Quad[]>;

export interface UpdateOptions extends Control {
  /** USING and USING NAMED of the protocol. */
  readonly using?: DatasetClause | undefined;
  /** Absent = LOAD is refused. */
  readonly readDocument?: ReadDocument | undefined;
  /** For the request as a whole. */
  readonly deadline?: Deadline | undefined;
  /** What a pattern may take. */
  readonly budget?: ReadBudget | undefined;
  readonly disabledRewrites?: readonly string[] | undefined;
}

const PROGRESS_INTERVAL_MS = 100;
const SLICE_MS = 10;

export class UpdateRun {
  readonly nodes = new FreshNodes();
  readonly #began = performance.now();
  readonly #interrupt: Interrupt;
  #reported = 0;
  #sliceEnd = performance.now() + SLICE_MS;

  constructor(
    readonly stage: Stage,
    readonly registry: GraphRegistration,
    readonly options: UpdateOptions,
  ) {
    this.#interrupt = new Interrupt('the update', options);
  }

  get memoryBudgetBytes(): number {
    return this.options.budget?.memoryBytes ?? MEMORY_BUDGET_BYTES;
  }

  /** The limits of the request, for a pattern of it. */
  queryLimits(): QueryOptions {
    const { signal, flag, deadline, budget, disabledRewrites } = this.options;
    return { signal, flag, deadline, budget, disabledRewrites };
  }

  /** Between two batches: looks whether to stop, reports, and lets the event loop turn now and then. */
  async step(phase: string, done: number): Promise<void> {
    this.#interrupt.check();
    const now = performance.now();
    if (now - this.#reported >= PROGRESS_INTERVAL_MS) {
      this.#reported = now;
      this.options.onProgress?.({ phase, done, unit: 'quads', elapsedMs: Math.round(now - this.#began) });
    }
    if (now <= this.#sliceEnd) return;
    await breathe();
    this.#sliceEnd = performance.now() + SLICE_MS;
  }
}
