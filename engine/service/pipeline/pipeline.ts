/**
 * The only way to write. Every write, whichever face it comes from,
 * 1. waits for its turn: two writes never judge the same snapshot;
 * 2. is refused when the store can't be written;
 * 3. is staged beside the store;
 * 4. is judged by the gates in their fixed order;
 * 5. is published in one durable transaction, or dropped without a trace.
 */

import { type Control, throwIfAborted } from '../../base/control.js';
import { SvcError } from '../../base/errors.js';
import type { LoadOptions, LoadSource, LoadSummary, StagedLoad, StorageEngine } from '../../storage/engine.js';
import type { Instant, TxId } from '../../storage/ids/layout.js';
import { askGates, type Finding, GATES, type Gate, orderGates } from './gates.js';

/** Transaction time and valid time are settled before the write is staged, so that it can be told. */
export interface LoadReceipt {
  readonly tx: TxId;
  readonly timestamp: Instant;
  readonly validFrom: Instant;
  readonly summary: LoadSummary;
  readonly findings: readonly Finding[];
}

export interface PipelineOptions {
  readonly gates?: readonly Gate[];
  /** Seconds since 1970; the system's clock unless a test brings its own. */
  readonly now?: () => Instant;
}

function systemClock(): Instant {
  return Math.floor(Date.now() / 1000);
}

export class WritePipeline {
  readonly #engine: StorageEngine;
  readonly #gates: readonly Gate[];
  readonly #now: () => Instant;
  /** Settles when the last write in the queue is through. */
  #last: Promise<unknown> = Promise.resolve();

  constructor(engine: StorageEngine, options: PipelineOptions = {}) {
    this.#engine = engine;
    this.#gates = orderGates(options.gates ?? GATES);
    this.#now = options.now ?? systemClock;
  }

  /** Loads documents as one transaction: all of them, or none. */
  load(sources: readonly LoadSource[], options: LoadOptions, control: Control): Promise<LoadReceipt> {
    return this.#inTurn(() => this.#load(sources, options, control));
  }

  /** Settles when every write that was begun is through. */
  async idle(): Promise<void> {
    await this.#last;
  }

  #inTurn<Result>(write: () => Promise<Result>): Promise<Result> {
    const turn = this.#last.then(write);
    // The queue goes on after a failure; the failure itself belongs to the caller of that write.
    this.#last = turn.catch(() => undefined);
    return turn;
  }

  async #load(sources: readonly LoadSource[], options: LoadOptions, control: Control): Promise<LoadReceipt> {
    throwIfAborted(control.signal, 'the load');
    if (this.#engine.readOnly) {
      throw new SvcError('store_read_only', `${this.#engine.path} is open for reading only`);
    }
    const timestamp = options.timestamp ?? this.#now();
    const validFrom = options.validFrom ?? timestamp;
    const settled: LoadOptions = { ...options, timestamp, validFrom };
    const staged = await this.#engine.stageLoad(sources, settled, control);
    try {
      const findings = await this.#judge(staged, settled, control);
      throwIfAborted(control.signal, 'the load');
      const tx = await staged.publish();
      return { tx, timestamp, validFrom, summary: staged.summary, findings };
    } catch (error) {
      await staged.discard();
      throw error;
    }
  }

  async #judge(staged: StagedLoad, options: LoadOptions, control: Control): Promise<Finding[]> {
    if (this.#gates.length === 0) return [];
    const before = this.#engine.snapshot();
    try {
      return await askGates(this.#gates, { before, summary: staged.summary, options }, control);
    } finally {
      before.close();
    }
  }
}
