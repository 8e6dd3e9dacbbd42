/** What a verification has found and counted so far. */

import { breathe, type Control, throwIfAborted } from '../../base/control.js';
import { SvcError } from '../../base/errors.js';
import type { VerifyProblem } from '../engine.js';

const TURN_MS = 50;

export class Findings {
  readonly problems: VerifyProblem[] = [];
  blocksChecked = 0;
  rowsChecked = 0;
  termsChecked = 0;
  readonly #control: Control;
  readonly #startMs = performance.now();
  #turnMs = performance.now();

  constructor(control: Control) {
    this.#control = control;
  }

  add(where: string, what: string): void {
    this.problems.push({ where, what });
  }

  /** Runs one check; damage that it throws becomes a finding. */
  async check(where: string, work: () => void | Promise<void>): Promise<void> {
    try {
      await work();
    } catch (error) {
      if (!(error instanceof SvcError) || error.kind !== 'corrupt') throw error;
      this.add(where, error.message);
    }
  }

  /** Lets signals through now and then, and reports. */
  async turn(phase: string): Promise<void> {
    const nowMs = performance.now();
    if (nowMs - this.#turnMs < TURN_MS) return;
    this.#turnMs = nowMs;
    this.#control.onProgress?.({ phase, done: this.blocksChecked, unit: 'blocks', elapsedMs: nowMs - this.#startMs });
    await breathe();
    throwIfAborted(this.#control.signal, 'the verification');
  }
}
