/** What a verification has found and counted so far. */

import { breathe, type Control, type Progress, throwIfAborted } from '../../base/control.js';
import { SvcError } from '../../base/errors.js';
import type { VerifyProblem } from './engine.js';

const TURN_MS = 50;

export class Findings {
  readonly problems: VerifyProblem[] = [];
  blocksChecked = 0;
  rowsChecked = 0;
  termsChecked = 0;
  /** Rows found per graph. */
  readonly graphRows = new Map<bigint, number>();
  readonly #control: Control;
  readonly #startMs = performance.now();
  #turnMs = performance.now();
  /** What the caller's own function threw, which is no damage. */
  #fromCaller: unknown;

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
      if (error === this.#fromCaller || !isDamage(error)) throw error;
      this.add(where, error instanceof Error ? error.message : String(error));
    }
  }

  #report(progress: Progress): void {
    try {
      this.#control.onProgress?.(progress);
    } catch (error) {
      this.#fromCaller = error;
      throw error;
    }
  }

  /** Lets signals through now and then, and reports. */
  async turn(phase: string): Promise<void> {
    const nowMs = performance.now();
    if (nowMs - this.#turnMs < TURN_MS) return;
    this.#turnMs = nowMs;
    this.#report({ phase, done: this.blocksChecked, unit: 'blocks', elapsedMs: nowMs - this.#startMs });
    await breathe();
    throwIfAborted(this.#control.signal, 'the verification');
  }
}

/** Null when reading meets damage. */
export function unlessDamaged<T>(read: () => T): T | null {
  try {
    return read();
  } catch (error) {
    if (isDamage(error)) return null;
    throw error;
  }
}

/** Damage that no checksum caught shows itself as a fault of the code, or trap of the kernel, that reads it. */
export function isDamage(error: unknown): boolean {
  if (error instanceof SvcError) return error.kind === 'corrupt';
  return (
    error instanceof RangeError ||
    error instanceof TypeError ||
    error instanceof SyntaxError ||
    (error instanceof Error && error.name === 'RuntimeError')
  );
}
