/**
 * Vectors from a service that speaks the embeddings call of OpenAI: `POST {url}/embeddings` with `{model, input}`.
 *
 * 1. Texts go out in batches, one after the other; nothing but the name of the model and the texts leaves.
 * 2. A batch is asked again, after a while that doubles, when the service answers 429 or 5xx or the connection fails. All
 *    attempts of a batch together end after `timeoutMs`.
 * 3. Redirects are not followed: texts and key go to the configured address alone.
 * 4. Nothing of an answer is believed: its size is bounded, each text must have one vector of the configured dimension, and
 *    its numbers must be finite as f32. Vectors may come in any sequence where `index` says whose they are.
 */

import { setTimeout as delay } from 'node:timers/promises';
import { type Control, throwIfStopped } from '../../base/control.js';
import type { SvcError } from '../../base/errors.js';
import { JoinedSignal } from '../../base/joined-signal.js';
import { MalformedEmbeddings, readEmbeddings } from './embeddings-answer.js';
import { EmbeddingFailure, type EmbeddingProvider } from './provider.js';

export interface HttpProviderOptions {
  /** What `/embeddings` is put behind. */
  readonly url: string;
  readonly model: string;
  readonly dimension: number;
  /** Sent as a Bearer; absent = none. */
  readonly apiKey?: string | undefined;
  /** For one batch with its retries; absent = 30,000. */
  readonly timeoutMs?: number | undefined;
  /** Texts of one request; absent = 32. */
  readonly batchSize?: number | undefined;
  /** Before the first retry; absent = 500. */
  readonly retryAfterMs?: number | undefined;
}

const ATTEMPTS_MAX = 5;
const TIMEOUT_MS = 30_000;
const BATCH_SIZE = 32;
const RETRY_AFTER_MS = 500;
const EXCERPT_CHARACTERS = 200;
/** A number of JSON as services write it has at most 25 characters, with its comma and white space. */
const BYTES_PER_NUMBER = 32;
/** What else stands in an answer, and for each vector. */
const BYTES_BESIDE = 64 * 1024;
const BYTES_PER_VECTOR = 256;

export class HttpProvider implements EmbeddingProvider {
  readonly kind = 'http';
  readonly #endpoint: string;
  readonly #closed = new AbortController();

  constructor(private readonly options: HttpProviderOptions) {
    this.#endpoint = `${options.url.replace(/\/+$/, '')}/embeddings`;
  }

  get model(): string {
    return this.options.model;
  }

  get dimension(): number {
    return this.options.dimension;
  }

  async embed(texts: readonly string[], control: Control): Promise<readonly Float32Array[]> {
    const { batchSize = BATCH_SIZE } = this.options;
    const vectors: Float32Array[] = [];
    for (let from = 0; from < texts.length; from += batchSize) {
      throwIfStopped(control, 'the embedding of texts');
      vectors.push(...(await this.#embedBatch(texts.slice(from, from + batchSize), control)));
    }
    return vectors;
  }

  async close(): Promise<void> {
    this.#closed.abort();
  }

  async #embedBatch(texts: readonly string[], control: Control): Promise<readonly Float32Array[]> {
    const { timeoutMs = TIMEOUT_MS } = this.options;
    const stop = new JoinedSignal([this.#closed.signal, control.signal], timeoutMs);
    try {
      return await this.#attempts(texts, control, stop.signal);
    } finally {
      stop.end();
    }
  }

  async #attempts(texts: readonly string[], control: Control, signal: AbortSignal): Promise<readonly Float32Array[]> {
    const { retryAfterMs = RETRY_AFTER_MS } = this.options;
    for (let attempt = 1; ; attempt++) {
      try {
        return await this.#ask(texts, signal);
      } catch (error) {
        throwIfStopped(control, 'the embedding of texts');
        if (attempt === ATTEMPTS_MAX || signal.aborted || !isPassing(error)) throw this.#failure(error, attempt);
        const wait = Math.max(retryAfterMs * 2 ** (attempt - 1), error instanceof Refused ? error.retryAfterMs : 0);
        // Ended by the deadline or the caller: the next attempt fails at once and says why.
        await delay(wait, undefined, { signal }).catch(() => undefined);
      }
    }
  }

  async #ask(texts: readonly string[], signal: AbortSignal): Promise<readonly Float32Array[]> {
    const { model, dimension, apiKey } = this.options;
    const response = await fetch(this.#endpoint, {
      method: 'POST',
      redirect: 'manual',
      headers: {
        accept: 'application/json',
        'content-type': 'application/json',
        ...(apiKey === undefined ? {} : { authorization: `Bearer ${apiKey}` }),
      },
      body: JSON.stringify({ model, input: texts, encoding_format: 'float' }),
      signal,
    });
    const { status } = response;
    if (status >= 300 && status < 400) {
      await response.body?.cancel();
      throw new Refused(status, `it answered with a redirect (${status}), which is not followed`);
    }
    const bytesMax = BYTES_BESIDE + texts.length * (BYTES_PER_VECTOR + dimension * BYTES_PER_NUMBER);
    const text = await readBounded(response, status === 200 ? bytesMax : BYTES_BESIDE);
    if (status !== 200) {
      throw new Refused(status, `it answered ${status}`, this.#excerpt(text), retryAfterOf(response));
    }
    return readEmbeddings(text, texts.length, dimension);
  }

  /** What a service says of its refusal, without the key, which some repeat. */
  #excerpt(text: string): string {
    const { apiKey } = this.options;
    const shown = apiKey === undefined ? text : text.replaceAll(apiKey, '***');
    return shown.replace(/\s+/g, ' ').trim().slice(0, EXCERPT_CHARACTERS);
  }

  #failure(error: unknown, attempts: number): SvcError {
    const { model, timeoutMs = TIMEOUT_MS } = this.options;
    const failed = (reason: string, hint?: string) =>
      new EmbeddingFailure(`the embedding service of model ${JSON.stringify(model)}: ${reason}`, isOfTexts(error), {
        cause: error,
        ...(hint === undefined ? {} : { hint }),
      });
    const tried = attempts > 1 ? `, after ${attempts} attempts` : '';
    if (this.#closed.signal.aborted) return failed('it is closed');
    if (error instanceof MalformedEmbeddings) return failed(error.message, error.hint);
    if (error instanceof Refused) return failed(`${error.message}${tried}`, error.hint);
    if (!(error instanceof Error)) return failed(String(error));
    if (error.name === 'TimeoutError') {
      return failed(`no whole answer within ${timeoutMs} ms (embedding.timeout_ms)${tried}`);
    }
    const { cause } = error;
    const why = cause instanceof Error ? cause.message || (cause as NodeJS.ErrnoException).code : error.message;
    return failed(
      `no answer (${why})${tried}`,
      'see that embedding.url is the address of the service and that it runs',
    );
  }
}

class Refused extends Error {
  constructor(
    readonly status: number,
    message: string,
    private readonly said = '',
    readonly retryAfterMs = 0,
  ) {
    super(message);
  }

  get hint(): string | undefined {
    const keys = this.status === 401 || this.status === 403 ? 'see embedding.api_key_env' : '';
    const model = this.status === 404 ? 'see embedding.url and embedding.model' : '';
    const said = this.said === '' ? '' : `it says: ${this.said}`;
    return [keys, model, said].filter((part) => part !== '').join('; ') || undefined;
  }
}

/** Whether the same request may succeed later. */
function isPassing(error: unknown): boolean {
  if (error instanceof Refused) return error.status === 429 || error.status >= 500;
  return !(error instanceof MalformedEmbeddings) && (error as Error).name !== 'AbortError';
}

/** Whether it was these texts that the service would not take. */
function isOfTexts(error: unknown): boolean {
  return error instanceof Refused && OF_TEXTS.has(error.status);
}

const OF_TEXTS: ReadonlySet<number> = new Set([400, 413, 422]);

/** Milliseconds; 0 = it does not say, or says it as a date. */
function retryAfterOf(response: Response): number {
  const seconds = Number(response.headers.get('retry-after') ?? 0);
  return Number.isFinite(seconds) && seconds > 0 ? seconds * 1000 : 0;
}

async function readBounded(response: Response, bytesMax: number): Promise<string> {
  const decoder = new TextDecoder();
  let text = '';
  let bytes = 0;
  for await (const chunk of response.body ?? []) {
    bytes += chunk.byteLength;
    if (bytes > bytesMax) {
      // Leaving the loop ends the connection.
      if (response.status !== 200) break;
      throw new MalformedEmbeddings(
        `its answer is larger than ${bytesMax} bytes, more than the vectors asked for take`,
      );
    }
    text += decoder.decode(chunk, { stream: true });
  }
  return text + decoder.decode();
}
