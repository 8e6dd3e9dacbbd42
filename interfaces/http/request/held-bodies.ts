/**
 * Memory that bodies take: what all requests together have sent of theirs stays below a bound, so that many large ones at
 * once are refused and do not end the process. The first 64 KiB of each are free: small requests are always served.
 *
 * Who holds memory has to go on. Bodies are looked at in turn; one that brought too little since the last look was slow.
 * One that was slow for many looks in a row has lost: its request ends with 408. So has, after a few looks, the slowest
 * one when another body finds no room. Looks are counted and not time: while the process itself is busy nobody is slow.
 */

import type { IncomingMessage } from 'node:http';
import { Refusal } from '../answers/refusal.js';
import { whenRequestOver } from './connections.js';

const FREE_BYTES = 64 * 1024;
/** What a body has to bring between two looks. */
const BYTES_MIN = 16 * 1024;
/** A body that was slow so often in a row has lost. */
const SLOW_LOOKS_MAX = 30;
/** The same where others find no room. */
const SLOW_LOOKS_TIGHT = 2;

interface HeldBody {
  readonly message: IncomingMessage;
  /** That it takes, beyond the free ones. */
  bytes: number;
  /** That have come. */
  came: number;
  cameAtLook: number;
  /** In a row. */
  slowLooks: number;
}

export interface HeldBodiesOptions {
  /** Of all bodies together. */
  readonly bytesMax: number;
  /** Between two looks. */
  readonly lookMs: number;
  /** Answers a request whose body has lost, and ends its connection. */
  readonly lose: (message: IncomingMessage, account: string) => void;
}

export class HeldBodies {
  readonly #options: HeldBodiesOptions;
  readonly #held = new Map<IncomingMessage, HeldBody>();
  /** Requests that are over: what still comes of their bodies is not kept. */
  readonly #over = new WeakSet<IncomingMessage>();
  #bytes = 0;
  #looking: NodeJS.Timeout | null = null;

  constructor(options: HeldBodiesOptions) {
    this.#options = options;
  }

  /** Counts a body of which `length` bytes have come and `kept` are in memory, until its request is answered. */
  hold(message: IncomingMessage, length: number, kept = length): void {
    if (length <= FREE_BYTES) return;
    if (this.#over.has(message)) throw new Refusal('invalid_request', 'the request is over', { status: 408 });
    const body = this.#held.get(message) ?? this.#begin(message);
    body.came = length;
    this.#bytes += kept - FREE_BYTES - body.bytes;
    body.bytes = kept - FREE_BYTES;
    const { bytesMax } = this.#options;
    while (this.#bytes > bytesMax) {
      const slowest = this.#slowest(body);
      if (slowest !== null) {
        this.#lose(slowest, 'the body came too slowly while others found no room');
        continue;
      }
      this.#release(message);
      throw new Refusal('unavailable', 'the bodies of other requests take all the memory there is for bodies', {
        headers: { Connection: 'close', 'Retry-After': '1' },
        fields: { hint: `try again; bodies under way may have ${bytesMax} bytes together` },
      });
    }
  }

  #begin(message: IncomingMessage): HeldBody {
    const body: HeldBody = { message, bytes: 0, came: 0, cameAtLook: 0, slowLooks: 0 };
    this.#held.set(message, body);
    whenRequestOver(message, () => this.#release(message));
    this.#looking ??= setInterval(() => this.#look(), this.#options.lookMs).unref();
    return body;
  }

  #look(): void {
    for (const body of this.#held.values()) {
      if (body.message.complete) continue;
      body.slowLooks = body.came - body.cameAtLook < BYTES_MIN ? body.slowLooks + 1 : 0;
      body.cameAtLook = body.came;
      if (body.slowLooks >= SLOW_LOOKS_MAX) this.#lose(body, 'the body came too slowly');
    }
  }

  /** Of those that were slow long enough to make room, besides the one that needs it; of equal ones the largest. */
  #slowest(needy: HeldBody): HeldBody | null {
    let slowest: HeldBody | null = null;
    for (const body of this.#held.values()) {
      if (body === needy || body.message.complete || body.slowLooks < SLOW_LOOKS_TIGHT) continue;
      const isSlower = slowest === null || body.slowLooks > slowest.slowLooks;
      if (isSlower || (body.slowLooks === slowest?.slowLooks && body.bytes > slowest.bytes)) slowest = body;
    }
    return slowest;
  }

  #lose({ message }: HeldBody, account: string): void {
    this.#release(message);
    this.#options.lose(message, account);
  }

  #release(message: IncomingMessage): void {
    this.#over.add(message);
    this.#bytes -= this.#held.get(message)?.bytes ?? 0;
    this.#held.delete(message);
    if (this.#held.size > 0 || this.#looking === null) return;
    clearInterval(this.#looking);
    this.#looking = null;
  }
}
