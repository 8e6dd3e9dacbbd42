/** Long work calls it between two steps: it throws when the work was cancelled, and gives the event loop a turn every 10 ms. */

import { breathe, type Control } from '../base/control.js';
import { Interrupt } from '../base/interrupt.js';

/** The event loop gets a turn this often. */
const SLICE_MS = 10;

export class YieldTimer {
  /** The signal and flag that stop the work, for queries that are a part of it. */
  readonly limits: Pick<Control, 'signal' | 'flag'>;
  readonly #interrupt: Interrupt;
  #sliceEnd = performance.now() + SLICE_MS;

  constructor(control: Control) {
    this.limits = { signal: control.signal, flag: control.flag };
    this.#interrupt = new Interrupt('the validation', control);
  }

  /** Throws when the work has to stop. */
  check(): void {
    this.#interrupt.check();
  }

  /** True when the time of this turn is used up: then `turn` lets the event loop run. */
  get isDue(): boolean {
    this.check();
    return performance.now() >= this.#sliceEnd;
  }

  async turn(): Promise<void> {
    if (!this.isDue) return;
    await breathe();
    this.check();
    this.#sliceEnd = performance.now() + SLICE_MS;
  }
}
