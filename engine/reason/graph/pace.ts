/** Keeps long work on a graph stoppable: it says when so much was done that the caller has to look up. */

import { breathe } from '../../base/control.js';
import { Interrupt, type InterruptLimits } from '../../base/interrupt.js';

/** Edges or nodes that are looked at between two turns of the event loop: a few milliseconds. */
const WORK_PER_TURN = 1 << 20;

export class Pace {
  readonly #interrupt: Interrupt;
  #done = 0;

  /** `what` is the subject of messages. */
  constructor(limits: InterruptLimits, what = 'the projection') {
    this.#interrupt = new Interrupt(what, limits);
  }

  /** Throws `aborted` or `query_timeout` when the work has to stop. */
  check(): void {
    this.#interrupt.check();
  }

  /** Counts work; true when it is time for a turn. */
  spend(work: number): boolean {
    this.#done += work;
    return this.#done >= WORK_PER_TURN;
  }

  /** Lets the event loop turn, and checks before and after. */
  async turn(): Promise<void> {
    this.#done = 0;
    this.check();
    await breathe();
    this.check();
  }
}
