/**
 * One signal of several and a time. Node's `AbortSignal.any` and `AbortSignal.timeout` hold theirs weakly, and some versions of
 * Node 20 and 24 lose them to the garbage collector, so that what they should end never ends (nodejs/node 57736, 65995). This
 * one holds what it listens to, and is held by it, until it fires or `end` is called.
 */

export class JoinedSignal {
  readonly #controller = new AbortController();
  readonly #sources: readonly AbortSignal[];
  readonly #timer: NodeJS.Timeout | undefined;
  readonly #onAbort = (event: Event): void => this.#fire((event.target as AbortSignal).reason);

  /** Fires with the reason of the first of `signals` that does, or with a `TimeoutError` after `timeoutMs`. */
  constructor(signals: readonly (AbortSignal | undefined)[], timeoutMs?: number) {
    this.#sources = signals.filter((signal) => signal !== undefined);
    const fired = this.#sources.find((signal) => signal.aborted);
    if (fired !== undefined) {
      this.#fire(fired.reason);
      return;
    }
    for (const source of this.#sources) source.addEventListener('abort', this.#onAbort);
    if (timeoutMs === undefined) return;
    this.#timer = setTimeout(
      () => this.#fire(new DOMException(`it took longer than ${timeoutMs} ms`, 'TimeoutError')),
      timeoutMs,
    );
  }

  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  /** It fires no more; its sources forget it. */
  end(): void {
    clearTimeout(this.#timer);
    for (const source of this.#sources) source.removeEventListener('abort', this.#onAbort);
  }

  #fire(reason: unknown): void {
    this.end();
    this.#controller.abort(reason);
  }
}
