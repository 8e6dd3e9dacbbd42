/** What the operations of one request share while they run: the stage, limits, progress, fresh nodes. */

import { breathe, type Control } from '../../base/control.js';
import { Interrupt } from '../../base/interrupt.js';
import type { Quad } from '../../rdf/terms.js';
import type { Stage } from '../../storage/seam/engine.js';
import type { DatasetClause } from '../algebra/algebra.js';
import { MEMORY_BUDGET_BYTES, type QueryOptions } from '../options.js';
import type { GraphRegistration } from '../registry/registration.js';
import { FreshNodes } from './stage-terms.js';

/** Reads the document that LOAD names; the quads of its default graph come in `graph`. */
export type ReadDocument = (source: string, graph: string, control: Control) => Promise<readonly Quad[]>;

export interface UpdateOptions extends Control {
  /** USING and USING NAMED of the protocol. */
  readonly using?: DatasetClause | undefined;
  /** Absent = LOAD is refused. */
  readonly readDocument?: ReadDocument | undefined;
  /** For the request as a whole; absent = no deadline. */
  readonly timeoutMs?: number | undefined;
  /** The setting behind `timeoutMs`; messages name it. */
  readonly timeoutSetting?: string | undefined;
  readonly memoryBudgetBytes?: number | undefined;
  /** search.max_join_rows: what a join of a pattern may give; absent = no ceiling. */
  readonly joinRowsMax?: number | undefined;
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
    return this.options.memoryBudgetBytes ?? MEMORY_BUDGET_BYTES;
  }

  /** What is left of the limits for a pattern that is evaluated now. */
  queryLimits(): QueryOptions {
    const { signal, flag, timeoutMs, timeoutSetting, disabledRewrites, joinRowsMax } = this.options;
    const waitedMs = performance.now() - this.#began;
    const limits = { signal, flag, timeoutMs, timeoutSetting, waitedMs, joinRowsMax };
    return { ...limits, disabledRewrites, memoryBudgetBytes: this.memoryBudgetBytes };
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
