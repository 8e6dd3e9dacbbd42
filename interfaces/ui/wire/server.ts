/**
 * A server as the views see it: the client of svc, with the token of the tab and with word of whether the server is there.
 *
 * 1. A request goes out with the token that the tab has, if any.
 * 2. An answer 401 asks for a token and sends the request once more with it, until it is taken or none is given.
 * 3. A request that gets no answer makes the server `away`. Only then is it asked whether it lives, from time to time, until
 *    it answers; while all is well nothing is sent that no view asks for.
 */

import { SvcClient } from '../../../clients/typescript/src/index.js';
import { type AskToken, Tokens } from './tokens.js';

export type Presence = 'unknown' | 'there' | 'away';

const LOOK_MS = 1_000;
/** The longest wait between two looks. */
const LOOK_MS_MAX = 30_000;

export class Server extends EventTarget {
  /** Absolute, without a slash at its end. */
  readonly base: string;
  readonly client: SvcClient;
  /** For what a view asks by itself: it asks nobody for a token who has said that they have none. */
  readonly background: SvcClient;
  readonly tokens: Tokens;
  #presence: Presence = 'unknown';
  #looking = false;

  constructor(base: string, ask: AskToken) {
    super();
    this.base = base;
    this.tokens = new Tokens(base, ask);
    this.client = new SvcClient(base, { clientId: 'web-ui', fetch: this.fetch });
    this.background = new SvcClient(base, { clientId: 'web-ui', fetch: (input, init) => this.#ask(input, init, true) });
  }

  /** Fires `presence` when it changes. */
  get presence(): Presence {
    return this.#presence;
  }

  /** As the global one, to this server alone. */
  readonly fetch = (input: RequestInfo | URL, init: RequestInit = {}): Promise<Response> =>
    this.#ask(input, init, false);

  /** The same request, with the token of the tab. */
  withToken(init: RequestInit): RequestInit {
    const token = this.tokens.current;
    if (token === null) return init;
    const headers = new Headers(init.headers);
    headers.set('Authorization', `Bearer ${token}`);
    return { ...init, headers };
  }

  /** Where the server shows an entity: the address that people share. */
  entityUrl(iri: string): string {
    return `${this.base}/entity/${encodeURIComponent(iri)}`;
  }

  /** A request that a worker made got an answer, or none. */
  noted(answered: boolean): void {
    this.#become(answered ? 'there' : 'away');
  }

  async #ask(input: RequestInfo | URL, init: RequestInit | undefined, quiet: boolean): Promise<Response> {
    for (;;) {
      const token = this.tokens.current;
      const response = await this.#send(input, this.withToken(init ?? {}));
      if (response.status !== 401) return response;
      const next = await this.tokens.renew(token, { quiet });
      if (next === null || next === token) return response;
      await response.body?.cancel();
    }
  }

  async #send(input: RequestInfo | URL, init: RequestInit): Promise<Response> {
    try {
      const response = await fetch(input, init);
      this.#become('there');
      return response;
    } catch (error) {
      if (!init.signal?.aborted) this.#become('away');
      throw error;
    }
  }

  #become(presence: Presence): void {
    if (this.#presence !== presence) {
      this.#presence = presence;
      this.dispatchEvent(new Event('presence'));
    }
    if (presence === 'away') void this.#look();
  }

  async #look(): Promise<void> {
    if (this.#looking) return;
    this.#looking = true;
    for (let waitMs = LOOK_MS; this.#presence === 'away'; waitMs = Math.min(waitMs * 2, LOOK_MS_MAX)) {
      await new Promise((resolve) => setTimeout(resolve, waitMs));
      const lives = await fetch(`${this.base}/health`).then(
        ({ ok }) => ok,
        () => false,
      );
      if (lives) this.#become('there');
    }
    this.#looking = false;
  }
}

const servers = new Map<string, Server>();

/** One for every address in a document. `endpoint`: absolute, or from the page on. */
export function serverAt(endpoint: string, ask: AskToken): Server {
  const { protocol, origin, pathname } = new URL(endpoint, location.href);
  if (protocol !== 'http:' && protocol !== 'https:') throw new TypeError(`${endpoint} is no address of a server`);
  const base = origin + pathname.replace(/\/+$/, '');
  let server = servers.get(base);
  if (server === undefined) {
    server = new Server(base, ask);
    servers.set(base, server);
  }
  return server;
}
