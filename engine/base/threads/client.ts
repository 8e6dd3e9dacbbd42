/**
 * The caller's end of the messages: one thread, the calls that it works on, and an orderly end.
 *
 * - A thread is never terminated. `close` raises the flag of every call, asks the thread to end and
 *   waits; a thread that does not end within the limit is reported by name and left behind.
 * - A thread that dies (an error nobody caught, memory) fails its calls with an error that says so.
 * - Threads without calls don't keep the process alive.
 */

import { Worker } from 'node:worker_threads';
import { SvcError } from '../errors.js';
import { type CancelFlag, lower, raise } from '../interrupt.js';
import { sharedNowMs } from '../waiting.js';
import { type CallOptions, ThreadCall } from './call.js';
import { receiveError, sendError } from './error-serialisation.js';
import { CALLS_MAX, type CallMessage, type FromThread, ownBytes, type ThreadData, type ToThread } from './messages.js';
import { SHARED_BYTES, writeWait } from './queue-time-cell.js';

/** A step between two looks at the flag is short, but a disk may be slow and a machine busy. */
const CLOSE_TIMEOUT_MS = 30_000;

export interface ThreadOptions {
  /** What messages call it: `reader 2`. */
  readonly name: string;
  readonly script: URL;
  readonly setup: unknown;
  readonly closeTimeoutMs?: number | undefined;
  /** Told once when the thread has ended without being asked. */
  readonly onDeath?: ((error: SvcError) => void) | undefined;
}

function pause(timeoutMs: number): { readonly promise: Promise<'late'>; stop(): void } {
  let timer: NodeJS.Timeout | undefined;
  const promise = new Promise<'late'>((resolve) => {
    timer = setTimeout(() => resolve('late'), timeoutMs);
  });
  return { promise, stop: () => clearTimeout(timer) };
}

export class ThreadClient {
  readonly name: string;
  /** What the thread said when it was ready. */
  readonly ready: Promise<unknown>;
  readonly #worker: Worker;
  readonly #words: Int32Array;
  readonly #freeFlags: number[] = [];
  readonly #calls = new Map<number, ThreadCall>();
  readonly #exit: Promise<void>;
  #lastId = 0;
  #death: SvcError | null = null;
  #closing = false;
  #cause: unknown;

  constructor(private readonly options: ThreadOptions) {
    this.name = options.name;
    const flags = new SharedArrayBuffer(SHARED_BYTES);
    this.#words = new Int32Array(flags);
    for (let at = CALLS_MAX - 1; at >= 0; at--) this.#freeFlags.push(at);
    this.#worker = new Worker(options.script, {
      workerData: { flags, setup: options.setup } satisfies ThreadData,
    });
    this.#worker.on('error', (error) => {
      this.#cause = error;
    });
    this.#exit = new Promise((resolve) => {
      this.#worker.once('exit', (code) => {
        this.#exited(code);
        resolve();
      });
    });
    this.ready = new Promise((resolve, reject) => {
      this.#worker.on('message', (message: FromThread) => {
        if (message.kind === 'ready') resolve(message.value);
        else if (message.kind === 'failed') {
          this.#closing = true;
          reject(receiveError(message.error));
        } else if (message.kind === 'several') {
          for (const one of message.messages) this.#receive(one);
        } else this.#receive(message);
      });
      void this.#exit.then(() => reject(this.#death));
    });
    this.ready.then(
      () => this.#settleIdle(),
      () => undefined,
    );
  }

  get calls(): number {
    return this.#calls.size;
  }

  get alive(): boolean {
    return this.#death === null && !this.#closing;
  }

  /** Starts a job; the caller keeps the number of calls at or below `CALLS_MAX`. */
  call(job: string, input: unknown, options: CallOptions, askedMs = sharedNowMs()): ThreadCall {
    if (this.#death) throw this.#death;
    const at = this.#freeFlags.pop();
    if (at === undefined) throw new SvcError('internal', `invariant broken: ${this.name} has a flag for each call`);
    const flag: CancelFlag = { words: this.#words, at };
    lower(flag);
    writeWait(flag, null);
    const id = ++this.#lastId;
    const call = new ThreadCall(flag, options, {
      acknowledge: () => this.#post({ kind: 'ack', id }),
      cancel: () => {
        raise(flag);
        this.#post({ kind: 'cancel', id });
      },
      over: () => {
        this.#calls.delete(id);
        this.#freeFlags.push(at);
        this.#settleIdle();
      },
    });
    this.#calls.set(id, call);
    this.#worker.ref();
    this.#post({ kind: 'call', id, flag: at, job, input, askedMs }, options.transfer);
    options.wait?.follows?.(call);
    return call;
  }

  /** Cancels what runs and waits for the thread to end by itself. */
  async close(): Promise<void> {
    if (this.#death) return;
    if (!this.#closing) {
      this.#closing = true;
      const closed = new SvcError('store_closed', `${this.name} was closed while it worked`);
      for (const call of [...this.#calls.values()]) call.cancel(closed);
      this.#post({ kind: 'close' });
    }
    this.#worker.ref();
    const { closeTimeoutMs = CLOSE_TIMEOUT_MS } = this.options;
    const limit = pause(closeTimeoutMs);
    const outcome = await Promise.race([this.#exit, limit.promise]);
    limit.stop();
    if (outcome === 'late') {
      this.#worker.unref();
      throw new SvcError('internal', `${this.name} did not end within ${closeTimeoutMs} ms; it was left running`, {
        hint: 'something in it does not look at its flag: report this with what it was doing',
      });
    }
    if (this.#cause !== undefined) throw this.#death;
  }

  #post(message: ToThread, transfer: ArrayBuffer[] = []): void {
    this.#worker.postMessage(message, transfer);
  }

  #settleIdle(): void {
    if (this.#calls.size === 0) this.#worker.unref();
  }

  #receive(message: CallMessage): void {
    const call = this.#calls.get(message.id);
    if (call === undefined) return;
    switch (message.kind) {
      case 'head':
        call.onHead(message.value);
        break;
      case 'chunk':
        call.onChunk(message.value);
        break;
      case 'progress':
        call.onProgress(message.progress);
        break;
      case 'want':
        void this.#feed(message.id, call, message.stream);
        break;
      case 'unwanted':
        call.dropInput(message.stream);
        break;
      case 'done':
        call.onDone(message.value);
        break;
      case 'error':
        call.onError(receiveError(message.error));
        break;
    }
  }

  async #feed(id: number, call: ThreadCall, stream: number): Promise<void> {
    try {
      const chunk = await call.nextInput(stream);
      const bytes = chunk === null ? null : ownBytes(chunk, false);
      this.#post({ kind: 'input', id, stream, bytes }, bytes === null ? [] : [bytes.buffer]);
    } catch (error) {
      this.#post({ kind: 'input-error', id, stream, error: sendError(error) });
    }
  }

  #exited(code: number): void {
    const cause = this.#cause;
    const why = cause instanceof Error ? cause.message : `exit code ${code}`;
    const memory = (cause as NodeJS.ErrnoException | undefined)?.code === 'ERR_WORKER_OUT_OF_MEMORY';
    this.#death = new SvcError('internal', `the thread ${this.name} ended: ${why}`, {
      ...(cause === undefined ? {} : { cause }),
      ...(memory ? { hint: 'it ran out of memory: lower query.memory_budget_mb, or give the process more' } : {}),
    });
    // First the owner, so that what the calls set off does not come back to this thread.
    if (!this.#closing) this.options.onDeath?.(this.#death);
    for (const call of [...this.#calls.values()]) call.onError(this.#death);
  }
}
