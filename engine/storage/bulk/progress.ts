/** Reports of a load, at most ten a second, and the turns it gives the event loop. */

import type { Control } from '../../base/control.js';

const INTERVAL_MS = 100;
/** Between turns an abort or a timer waits; a turn costs a few microseconds. */
const TURN_MS = 20;

export class LoadProgress {
  readonly #control: Control;
  readonly #bytesTotal: number | null;
  readonly #startMs = performance.now();
  #reportedMs = 0;
  #turnMs = performance.now();

  constructor(control: Control, bytesTotal: number | null) {
    this.#control = control;
    this.#bytesTotal = bytesTotal;
  }

  report(phase: string, quads: number, bytes: number): void {
    if (performance.now() - this.#reportedMs >= INTERVAL_MS) this.now(phase, quads, bytes);
  }

  now(phase: string, quads: number, bytes: number): void {
    if (this.#control.onProgress === undefined) return;
    const nowMs = performance.now();
    this.#reportedMs = nowMs;
    this.#control.onProgress({
      phase,
      done: quads,
      unit: 'quads',
      bytesRead: bytes,
      ...(this.#bytesTotal === null ? {} : { bytesTotal: this.#bytesTotal }),
      elapsedMs: nowMs - this.#startMs,
    });
  }

  turnDue(): boolean {
    const nowMs = performance.now();
    if (nowMs - this.#turnMs < TURN_MS) return false;
    this.#turnMs = nowMs;
    return true;
  }
}
