/**
 * Memory that bodies take: what all requests together have sent of theirs stays below a bound, so that many large ones at
 * once are refused and do not end the process. The first 64 KiB of each are free: small requests are always served.
 */

import type { IncomingMessage } from 'node:http';
import { whenRequestOver } from './connections.js';
import { Refusal } from './refusal.js';

const FREE_BYTES = 64 * 1024;

export class HeldBodies {
  readonly #bytesMax: number;
  readonly #byMessage = new Map<IncomingMessage, number>();
  #bytes = 0;

  constructor(bytesMax: number) {
    this.#bytesMax = bytesMax;
  }

  /** Counts a body of which `length` bytes have come, until its request is answered. */
  hold(message: IncomingMessage, length: number): void {
    if (length <= FREE_BYTES) return;
    const before = this.#byMessage.get(message);
    if (before === undefined) whenRequestOver(message, () => this.#release(message));
    const more = length - FREE_BYTES - (before ?? 0);
    this.#byMessage.set(message, length - FREE_BYTES);
    this.#bytes += more;
    if (this.#bytes <= this.#bytesMax) return;
    this.#release(message);
    throw new Refusal('unavailable', 'the bodies of other requests take all the memory there is for bodies', {
      headers: { Connection: 'close', 'Retry-After': '1' },
      fields: { hint: `try again; bodies under way may have ${this.#bytesMax} bytes together` },
    });
  }

  #release(message: IncomingMessage): void {
    this.#bytes -= this.#byMessage.get(message) ?? 0;
    this.#byMessage.delete(message);
  }
}
