/**
 * The bearer token of a server, for this tab: in the session storage of the server's own page, in memory on a page of
 * somebody else, never in an address or an attribute. Who needs one while it is being asked for waits for the same answer.
 */

/** Asks a person for the token; null = there is none. `rejected`: the server did not take the one that it was given. */
export type AskToken = (question: { readonly endpoint: string; readonly rejected: boolean }) => Promise<string | null>;

const KEY = 'svc-token';

export class Tokens {
  readonly #endpoint: string;
  readonly #ask: AskToken;
  /** Null where the token may not outlive the document. */
  readonly #storage: Storage | null;
  #token: string | null;
  #asking: Promise<string | null> | null = null;
  /** For which token nobody gave another one; undefined = nobody was asked in vain. */
  #declined: string | null | undefined;

  constructor(endpoint: string, ask: AskToken) {
    this.#endpoint = endpoint;
    this.#ask = ask;
    this.#storage = new URL(endpoint).origin === location.origin ? sessionStorageOrNull() : null;
    this.#token = this.#storage?.getItem(KEY) ?? null;
  }

  get current(): string | null {
    return this.#token;
  }

  set(token: string | null): void {
    this.#token = token;
    if (token === null) this.#storage?.removeItem(KEY);
    else this.#storage?.setItem(KEY, token);
  }

  /**
   * A token that is not `used`, from whoever sits before the page; null = they gave none. `quiet`: for a request that nobody has made by
   * hand; who said once that they have none is not asked again for it.
   */
  async renew(used: string | null, { quiet = false } = {}): Promise<string | null> {
    if (this.#token !== used) return this.#token;
    if (quiet && this.#declined === used) return null;
    this.#asking ??= this.#ask({ endpoint: this.#endpoint, rejected: used !== null }).finally(() => {
      this.#asking = null;
    });
    const token = await this.#asking;
    if (token === null) this.#declined = used;
    else this.set(token);
    return token;
  }
}

/** A page in a sandbox has none, and says so by an exception. */
function sessionStorageOrNull(): Storage | null {
  try {
    return sessionStorage;
  } catch {
    return null;
  }
}
