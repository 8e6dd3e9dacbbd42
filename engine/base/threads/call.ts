/**
 * One call as the caller sees it: a head, chunks to read, a result. Whoever stops reading cancels it.
 * Everything about it ends with one settlement, whether the thread answered, failed or died.
 */

import type { Progress } from '../control.js';
import { SvcError } from '../errors.js';
import type { CancelFlag } from '../interrupt.js';
import { abandon } from '../interruptible.js';
import type { AwaitedCall, WaitWatch } from '../waiting.js';
import type { SentBytes } from './messages.js';
import { readWait } from './queue-time-cell.js';

export interface CallOptions {
  readonly signal?: AbortSignal | undefined;
  readonly onProgress?: ((progress: Progress) => void) | undefined;
  /** Streams that the job may read, by their place. */
  readonly inputs?: readonly AsyncIterator<Uint8Array>[];
  /** Buffers of the input that are handed over. */
  readonly transfer?: ArrayBuffer[];
  /** The thread says how a cancelled call ended: whether a write took place is known only there. */
  readonly endsThere?: boolean | undefined;
  /** Told once, when the thread is done with it, whatever became of it. */
  readonly onOver?: (() => void) | undefined;
  /** Told of the call, which knows how long it waited. */
  readonly wait?: WaitWatch | undefined;
  /** The subject of messages: `the query`. */
  readonly what: string;
}

/** What a call needs of the thread it runs in. */
export interface CallLink {
  acknowledge(): void;
  cancel(): void;
  /** The call is over, whatever became of it. */
  over(): void;
}

interface Settlement {
  readonly promise: Promise<unknown>;
  resolve(value: unknown): void;
  reject(error: unknown): void;
}

function settlement(): Settlement {
  let resolve!: (value: unknown) => void;
  let reject!: (error: unknown) => void;
  const promise = new Promise<unknown>((take, refuse) => {
    resolve = take;
    reject = refuse;
  });
  // Whoever looks at it sees the failure; nobody has to.
  promise.catch(() => undefined);
  return { promise, resolve, reject };
}

export class ThreadCall implements AwaitedCall {
  readonly #head = settlement();
  readonly #result = settlement();
  readonly #chunks: unknown[] = [];
  #wake: (() => void) | null = null;
  #over = false;
  /** Of a call that is over: its words belong to another one then. */
  #waitedMs: number | null = null;
  #failure: { readonly error: unknown } | null = null;
  #value: unknown;
  readonly #onAbort: () => void;

  constructor(
    readonly flag: CancelFlag,
    private readonly options: CallOptions,
    private readonly link: CallLink,
  ) {
    this.#onAbort = () =>
      this.stop(new SvcError('aborted', `${options.what} was cancelled`, { cause: options.signal?.reason }));
    options.signal?.addEventListener('abort', this.#onAbort);
  }

  /** What the job said first; rejects when it failed before it said anything. */
  get head(): Promise<unknown> {
    return this.#head.promise;
  }

  /** What the job said last. */
  get result(): Promise<unknown> {
    return this.#result.promise;
  }

  /** The same, as soon as it is there. */
  get value(): unknown {
    return this.#value;
  }

  get waitedMs(): number | null {
    return this.#over ? this.#waitedMs : readWait(this.flag);
  }

  /** The bytes of an answer, once. Leaving the loop cancels the call. */
  chunks(): AsyncGenerator<SentBytes, void, undefined> {
    return this.#take<SentBytes>(true);
  }

  /** Values that a job sends, once; what one of them names in shared memory stays until the next one is asked for. */
  values<Value>(): AsyncGenerator<Value, void, undefined> {
    return this.#take<Value>(false);
  }

  async *#take<Value>(isCopied: boolean): AsyncGenerator<Value, void, undefined> {
    const acknowledge = (): void => {
      if (!this.#over) this.link.acknowledge();
    };
    let isLeft = true;
    try {
      for (;;) {
        const chunk = this.#chunks.shift();
        if (chunk !== undefined) {
          if (isCopied) acknowledge();
          // The job of this name sends it.
          yield chunk as Value;
          if (!isCopied) acknowledge();
          continue;
        }
        if (this.#failure || this.#over) {
          isLeft = false;
          if (this.#failure) throw this.#failure.error;
          return;
        }
        await new Promise<void>((resolve) => {
          this.#wake = resolve;
        });
      }
    } finally {
      if (isLeft) this.cancel(new SvcError('aborted', `${this.options.what} was left`));
    }
  }

  /** Ends the call for the caller at once, and for the thread as soon as it looks at its flag. */
  cancel(error: SvcError): void {
    if (this.#failure) return;
    this.#chunks.length = 0;
    if (!this.#over) this.link.cancel();
    this.#fail(error);
  }

  stop(error: SvcError): void {
    if (!this.options.endsThere) this.cancel(error);
    else if (!this.#over) this.link.cancel();
  }

  /** The next chunk of a stream that the job reads; null at its end. */
  async nextInput(stream: number): Promise<Uint8Array | null> {
    const result = await this.options.inputs?.[stream]?.next();
    return result === undefined || result.done ? null : result.value;
  }

  dropInput(stream: number): void {
    const input = this.options.inputs?.[stream];
    if (input !== undefined) abandon(input);
  }

  // What the thread says, in the order of its messages.

  onHead(value: unknown): void {
    this.#head.resolve(value);
  }

  onChunk(chunk: unknown): void {
    if (this.#failure) return;
    this.#chunks.push(chunk);
    this.#wake?.();
  }

  onProgress(progress: Progress): void {
    if (!this.#failure) this.options.onProgress?.(progress);
  }

  onDone(value: unknown): void {
    this.#value = value;
    this.#end();
    this.#head.resolve(undefined);
    this.#result.resolve(value);
  }

  onError(error: unknown): void {
    this.#end();
    const { endsThere, signal } = this.options;
    const isCancelled = endsThere && signal?.aborted && error instanceof SvcError && error.code === 'aborted';
    // The reason of the signal has stayed here.
    this.#fail(isCancelled ? new SvcError('aborted', error.message, { cause: signal.reason }) : error);
  }

  #fail(error: unknown): void {
    this.#failure ??= { error };
    this.options.signal?.removeEventListener('abort', this.#onAbort);
    this.#head.reject(this.#failure.error);
    this.#result.reject(this.#failure.error);
    this.#wake?.();
  }

  #end(): void {
    if (this.#over) return;
    this.#waitedMs = readWait(this.flag);
    this.#over = true;
    this.options.signal?.removeEventListener('abort', this.#onAbort);
    const streams = this.options.inputs?.length ?? 0;
    for (let stream = 0; stream < streams; stream++) this.dropInput(stream);
    this.link.over();
    this.options.onOver?.();
    this.#wake?.();
  }
}
