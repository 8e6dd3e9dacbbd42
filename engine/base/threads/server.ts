/**
 * The thread's end of the messages: runs jobs by name, several at a time, each with its own signal,
 * flag and window. On `close` it cancels what still runs, waits for it, gives up what it holds and
 * ends by itself, so that a thread never dies inside a transaction.
 */

import { parentPort, workerData } from 'node:worker_threads';
import type { Progress } from '../control.js';
import { SvcError } from '../errors.js';
import type { CancelFlag } from '../interrupt.js';
import { sharedNowMs, type WaitWatch } from '../waiting.js';
import { receiveError, type SentError, sendError } from './error-serialisation.js';
import {
  type CallMessage,
  type FromThread,
  ownBytes,
  type SentBytes,
  type ThreadData,
  type ToThread,
  WINDOW_CHUNKS,
} from './messages.js';
import { writeWait } from './queue-time-cell.js';

/** What a job has of its caller. A job that waits again, for the turn of a write, tells it of that. */
export interface JobContext extends WaitWatch {
  /** Fires when the caller cancels and the event loop turns; `flag` is up at once. For work that waits for others. */
  readonly signal: AbortSignal;
  readonly flag: CancelFlag;
  /** From when the work was asked for until the job began. */
  readonly waitedMs: number;
  head(value: unknown): void;
  /** A head that may wait for the first chunk and the end, at most until the event loop turns. */
  opening(value: unknown): void;
  /** Hands bytes over, which must not be touched afterwards; waits while the window is full. */
  chunk(bytes: Uint8Array): Promise<void>;
  /** Waits while the window is full. */
  room(): Promise<void>;
  /** Sends a value at once, without looking at the window; buffers that it names are handed over. */
  send(value: unknown, transfer?: ArrayBuffer[]): void;
  progress(progress: Progress): void;
  /** A stream of the caller's. */
  input(stream: number): AsyncIterable<Uint8Array>;
}

/** Each job has an input of its own; callers name it and are typed by the name. */
export type Job = (input: never, context: JobContext) => Promise<unknown>;
export type Jobs = Readonly<Record<string, Job>>;

export interface ThreadBody {
  readonly jobs: Jobs;
  /** Told to the caller with `ready`. */
  readonly value?: unknown;
  /** A call whose chunks nobody took for so long is given up; absent = never. */
  readonly unreadMaxMs?: number | undefined;
  close(): Promise<void>;
}

type Arrival = { readonly bytes: SentBytes | null } | { readonly error: SentError };

function post(message: FromThread, transfer: ArrayBuffer[] = []): void {
  parentPort?.postMessage(message, transfer);
}

class RunningCall implements JobContext {
  readonly flag: CancelFlag;
  readonly waitedMs: number;
  /** Waited since, for turns. */
  #turnsMs = 0;
  readonly #id: number;
  readonly #unreadMaxMs: number | undefined;
  /** Made when a job asks for it: to make one costs a small query as much as to plan it. */
  #abort: AbortController | null = null;
  #cancelled = false;
  #credits = WINDOW_CHUNKS;
  #wake: (() => void) | null = null;
  readonly #arrivals = new Map<number, (arrival: Arrival) => void>();
  /** Messages that go together, and the buffers that they hand over; null = each goes by itself. */
  #held: CallMessage[] | null = null;
  #handedOver: ArrayBuffer[] = [];
  #turn: NodeJS.Immediate | undefined;

  constructor(id: number, flag: CancelFlag, askedMs: number, unreadMaxMs: number | undefined) {
    this.#id = id;
    this.waitedMs = Math.max(sharedNowMs() - askedMs, 0);
    this.#unreadMaxMs = unreadMaxMs;
    this.flag = flag;
    writeWait(flag, this.waitedMs);
  }

  waits(): void {
    writeWait(this.flag, null);
  }

  begins(waitedMs: number): void {
    this.#turnsMs += waitedMs;
    writeWait(this.flag, this.waitedMs + this.#turnsMs);
  }

  get signal(): AbortSignal {
    if (this.#abort === null) {
      this.#abort = new AbortController();
      if (this.#cancelled) this.#abort.abort();
    }
    return this.#abort.signal;
  }

  head(value: unknown): void {
    this.#send({ kind: 'head', id: this.#id, value });
  }

  opening(value: unknown): void {
    this.#held = [{ kind: 'head', id: this.#id, value }];
    this.#turn = setImmediate(() => this.#release());
  }

  progress(progress: Progress): void {
    this.#send({ kind: 'progress', id: this.#id, progress });
  }

  /** The last of the call. */
  end(message: Extract<CallMessage, { kind: 'done' | 'error' }>): void {
    this.#send(message);
    this.#release();
  }

  #send(message: CallMessage, transfer: ArrayBuffer[] = []): void {
    if (this.#held === null) {
      post(message, transfer);
      return;
    }
    this.#held.push(message);
    this.#handedOver.push(...transfer);
  }

  #release(): void {
    const held = this.#held;
    if (held === null) return;
    clearImmediate(this.#turn);
    this.#held = null;
    post(held.length === 1 ? (held[0] as CallMessage) : { kind: 'several', messages: held }, this.#handedOver);
  }

  async chunk(bytes: Uint8Array): Promise<void> {
    await this.room();
    const own = ownBytes(bytes, true);
    const isFirst = this.#handedOver.length === 0;
    this.send(own, [own.buffer]);
    // The answer is larger than one message.
    if (!isFirst) this.#release();
  }

  async room(): Promise<void> {
    while (this.#credits <= 0) {
      this.#assertWanted();
      await this.#acknowledgement();
    }
    this.#assertWanted();
  }

  send(value: unknown, transfer: ArrayBuffer[] = []): void {
    this.#credits--;
    this.#send({ kind: 'chunk', id: this.#id, value }, transfer);
  }

  /** Waits for the caller to take a chunk, or to cancel. */
  #acknowledgement(): Promise<void> {
    return new Promise((resolve, reject) => {
      const timeoutMs = this.#unreadMaxMs;
      const late = (): void =>
        reject(new SvcError('snapshot_expired', `the answer was not read for ${timeoutMs} ms and was given up`));
      const timer = timeoutMs === undefined ? undefined : setTimeout(late, timeoutMs);
      this.#wake = () => {
        clearTimeout(timer);
        resolve();
      };
    });
  }

  async *input(stream: number): AsyncGenerator<Uint8Array> {
    let ended = false;
    try {
      let next = this.#want(stream);
      for (;;) {
        const arrival = await next;
        if ('error' in arrival) {
          ended = true;
          throw receiveError(arrival.error);
        }
        if (arrival.bytes === null) {
          ended = true;
          return;
        }
        // The next chunk is on its way while this one is worked on.
        next = this.#want(stream);
        yield arrival.bytes;
      }
    } finally {
      if (!ended) post({ kind: 'unwanted', id: this.#id, stream });
    }
  }

  #want(stream: number): Promise<Arrival> {
    return new Promise((resolve) => {
      this.#arrivals.set(stream, resolve);
      post({ kind: 'want', id: this.#id, stream });
    });
  }

  arrive(stream: number, arrival: Arrival): void {
    this.#arrivals.get(stream)?.(arrival);
    this.#arrivals.delete(stream);
  }

  acknowledge(): void {
    this.#credits++;
    this.#wake?.();
  }

  cancel(): void {
    this.#cancelled = true;
    this.#abort?.abort();
    this.#wake?.();
    const error = sendError(new SvcError('aborted', 'the call was cancelled'));
    for (const stream of [...this.#arrivals.keys()]) this.arrive(stream, { error });
  }

  #assertWanted(): void {
    if (this.#cancelled) throw new SvcError('aborted', 'the call was cancelled');
  }
}

/** Opens the body and serves it until the caller closes it. */
export async function serveThread(open: (setup: unknown) => Promise<ThreadBody>): Promise<void> {
  const { flags, setup } = workerData as ThreadData;
  const words = new Int32Array(flags);
  let body: ThreadBody;
  try {
    body = await open(setup);
  } catch (error) {
    post({ kind: 'failed', error: sendError(error) });
    return;
  }
  const calls = new Map<number, RunningCall>();
  const running = new Set<Promise<void>>();

  const run = async (id: number, job: string, input: unknown, call: RunningCall): Promise<void> => {
    try {
      const work = body.jobs[job];
      if (work === undefined) throw new SvcError('internal', `the thread knows no job named ${job}`);
      const value = await work(input as never, call);
      call.end({ kind: 'done', id, value });
    } catch (error) {
      call.end({ kind: 'error', id, error: sendError(error) });
    } finally {
      calls.delete(id);
    }
  };

  const close = async (): Promise<void> => {
    for (const call of calls.values()) call.cancel();
    await Promise.all(running);
    await body.close();
    parentPort?.close();
  };

  parentPort?.on('message', (message: ToThread) => {
    switch (message.kind) {
      case 'call': {
        const flag = { words, at: message.flag };
        const call = new RunningCall(message.id, flag, message.askedMs, body.unreadMaxMs);
        calls.set(message.id, call);
        const work = run(message.id, message.job, message.input, call).finally(() => running.delete(work));
        running.add(work);
        break;
      }
      case 'ack':
        calls.get(message.id)?.acknowledge();
        break;
      case 'cancel':
        calls.get(message.id)?.cancel();
        break;
      case 'input':
        calls.get(message.id)?.arrive(message.stream, { bytes: message.bytes });
        break;
      case 'input-error':
        calls.get(message.id)?.arrive(message.stream, { error: message.error });
        break;
      case 'close':
        void close();
        break;
    }
  });
  post({ kind: 'ready', value: body.value });
}
