/**
 * Documents and contexts of the web, for a person who named them: by http and https alone, through a bounded number of
 * redirects that never leave https again, of a bounded size and within a bounded time. No credential is sent.
 */

import { throwIfAborted } from '../../../engine/base/control.js';
import { SvcError } from '../../../engine/base/errors.js';
import { JoinedSignal } from '../../../engine/base/joined-signal.js';

const REDIRECTS_MAX = 5;
/** Until an answer begins, and between two pieces of it. */
const SILENCE_MS_MAX = 60_000;
/** A large document over a slow line. */
const WHOLE_MS_MAX = 3_600_000;

export interface FetchLimits {
  readonly accept: string;
  readonly bytesMax: number;
  readonly signal: AbortSignal | undefined;
}

export interface Fetched {
  /** Where the answer came from, behind all redirects. */
  readonly url: URL;
  readonly headers: Headers;
  readonly bytes: AsyncIterable<Uint8Array>;
  /** Gives the answer up when it will not be read. */
  readonly cancel: () => void;
}

export function isWebAddress(word: string): boolean {
  return /^https?:\/\//i.test(word);
}

function addressOf(text: string, base?: URL): URL {
  if (!URL.canParse(text, base?.href)) throw new SvcError('source_unreadable', `${text}: this is no address`);
  const url = new URL(text, base);
  if (url.protocol !== 'http:' && url.protocol !== 'https:') {
    throw new SvcError('source_unreadable', `${url.href}: only http and https are fetched`);
  }
  if (url.username !== '' || url.password !== '') {
    throw new SvcError('source_unreadable', `${url.origin}: an address with a name or a password is not fetched`, {
      hint: 'fetch it by curl, and load its output: curl -s ... | svc knot - --format ntriples',
    });
  }
  url.hash = '';
  return url;
}

export async function fetchDocument(address: string, limits: FetchLimits): Promise<Fetched> {
  let url = addressOf(address);
  const watch = new Watch(limits.signal);
  try {
    for (let redirects = 0; ; redirects++) {
      const response = await fetch(url, {
        headers: { Accept: limits.accept },
        redirect: 'manual',
        signal: watch.signal,
      });
      const location = response.headers.get('location');
      if (response.status < 300 || response.status >= 400 || location === null) {
        if (!response.ok) throw new SvcError('source_unreadable', `${url.href} answers ${response.status}`);
        const bytes = bounded(url, response, watch, limits.bytesMax);
        return { url, headers: response.headers, bytes, cancel: () => watch.stop() };
      }
      await response.body?.cancel();
      const next = addressOf(location, url);
      if (redirects === REDIRECTS_MAX) {
        throw new SvcError('source_unreadable', `${address}: more than ${REDIRECTS_MAX} redirects`);
      }
      if (url.protocol === 'https:' && next.protocol === 'http:') {
        throw new SvcError('source_unreadable', `${url.href} redirects from https to ${next.href}`);
      }
      url = next;
      watch.heard();
    }
  } catch (error) {
    const told = unreadable(error, url, watch, limits.signal);
    watch.stop();
    throw told;
  }
}

async function* bounded(url: URL, response: Response, watch: Watch, bytesMax: number): AsyncGenerator<Uint8Array> {
  let bytes = 0;
  try {
    for await (const piece of (response.body ?? []) as AsyncIterable<Uint8Array>) {
      watch.heard();
      bytes += piece.length;
      if (bytes > bytesMax) {
        throw new SvcError(
          'too_large',
          `${url.href} has more than ${bytesMax} bytes, which is the most that is fetched`,
          {
            hint: 'download it, and name the file',
          },
        );
      }
      yield piece;
    }
  } catch (error) {
    throw unreadable(error, url, watch, watch.outer);
  } finally {
    watch.end();
  }
}

/** Ends a request that is silent, or takes too long. */
class Watch {
  readonly #controller = new AbortController();
  readonly #stop: JoinedSignal;
  readonly #whole: NodeJS.Timeout;
  #silence: NodeJS.Timeout | undefined;
  readonly outer: AbortSignal | undefined;
  isOver = false;

  constructor(outer: AbortSignal | undefined) {
    this.outer = outer;
    this.#stop = new JoinedSignal([this.#controller.signal, outer]);
    this.#whole = setTimeout(() => this.#expire(), WHOLE_MS_MAX);
    this.heard();
  }

  get signal(): AbortSignal {
    return this.#stop.signal;
  }

  heard(): void {
    clearTimeout(this.#silence);
    this.#silence = setTimeout(() => this.#expire(), SILENCE_MS_MAX);
  }

  end(): void {
    clearTimeout(this.#whole);
    clearTimeout(this.#silence);
    this.#stop.end();
  }

  /** Ends the request as well. */
  stop(): void {
    this.#controller.abort();
    this.end();
  }

  #expire(): void {
    this.isOver = true;
    this.stop();
  }
}

function unreadable(error: unknown, url: URL, watch: Watch, signal: AbortSignal | undefined): unknown {
  throwIfAborted(signal, 'the request');
  if (error instanceof SvcError) return error;
  if (watch.isOver) return new SvcError('source_unreadable', `${url.href} was silent for too long`, { cause: error });
  const { code, message } = ((error as Error).cause ?? error) as NodeJS.ErrnoException;
  return new SvcError('source_unreadable', `${url.href} can not be fetched: ${code ?? message}`, { cause: error });
}
