/** How many requests of one client run at once: of a named credential, else of an address. */

import { Refusal } from '../answers/refusal.js';

export const CLIENT_REQUESTS_MAX = 'server.client_requests_max';

export class ClientLimits {
  readonly #most: number;
  readonly #running = new Map<string, number>();

  /** `most`: absent = any number. */
  constructor(most: number = Number.POSITIVE_INFINITY) {
    this.#most = most;
  }

  /** Takes a place and gives what gives it back; throws where there is none. */
  enter(client: string): () => void {
    if (this.#most === Number.POSITIVE_INFINITY) return () => undefined;
    const running = this.#running.get(client) ?? 0;
    if (running >= this.#most) {
      throw new Refusal(
        'too_many_requests',
        `${running} requests of this client run already (${CLIENT_REQUESTS_MAX})`,
        {
          headers: { 'Retry-After': '1' },
          fields: { hint: 'wait for their answers, then ask again' },
        },
      );
    }
    this.#running.set(client, running + 1);
    let isOver = false;
    return () => {
      if (isOver) return;
      isOver = true;
      const left = (this.#running.get(client) ?? 1) - 1;
      if (left === 0) this.#running.delete(client);
      else this.#running.set(client, left);
    };
  }
}
