/** Keeps long work on a graph stoppable: it says when so much was done that the caller has to look up. */

import { breathe, type Control, throwIfStopped } from '../../base/control.js';

/** Edges or nodes that are looked at between two turns of the event loop: a few milliseconds. */
const WORK_PER_TURN = 1 << 20;

export class Pace {
  #done = 0;

  /** `what` is the subject of messages. */
  constructor(
    private readonly control: Control,
    private readonly what = 'the projection',
  ) {}

  /** Counts work; true when it is time for a turn. */
  spend(work: number): boolean {
    this.#done += work;
    return this.#done >= WORK_PER_TURN;
  }

  /** Lets the event loop turn; throws `aborted` or `query_timeout` when the work has to stop. */
  async turn(): Promise<void> {
    this.#done = 0;
    throwIfStopped(this.control, this.what);
    await breathe();
    throwIfStopped(this.control, this.what);
  }
}
