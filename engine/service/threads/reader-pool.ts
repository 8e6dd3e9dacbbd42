/**
 * Reader threads over one store file. Each answers whole queries and hands the encoded answer over as
 * transferred buffers.
 *
 * - Threads start when there is work for them, up to `size`; a call goes to the thread with the least
 *   before it, where one that has run for long counts as several, and one beyond the number of cores is
 *   kept for when the others are held up.
 * - A call begins its read transaction when it runs: it sees every write that had settled when it was made.
 * - A thread that dies fails its calls and is replaced when it is needed; the others go on.
 */

import { availableParallelism } from 'node:os';
import { throwIfAborted } from '../../base/control.js';
import { SvcError } from '../../base/errors.js';
import { type Deadline, leftMs, timeoutError } from '../../base/interrupt.js';
import type { CallOptions, ThreadCall } from '../../base/threads/call.js';
import { ThreadClient } from '../../base/threads/client.js';
import { sharedNowMs } from '../../base/waiting.js';
import { clearHelpers, helperCounts } from '../../query/runtime/morsels/helper-counts.js';
import { clearMemorySlot, memorySlots, takeMemorySlot } from '../../query/runtime/process-memory.js';
import type { Format } from '../../rdf/formats/registry.js';
import type { Configuration } from '../configuration/configuration.js';
import type { ArchiveSettings, ExportOptions } from '../options/store-options.js';
import type { ExplainQuery, Explanation } from '../reads/explain.js';
import type { EngineQuery, ResultFormat } from '../reads/query.js';
import type { EncodedAnswer } from '../reads/read.js';
import type { JsonRequest } from '../requests/json-request.js';
import type { AnswerNotes, OperationAnswer } from '../requests/operation-answer.js';
import { sendTerms } from './packed-quads.js';
import type { DecodedBody, DecodeInput, ParsedRequest, ParseInput } from './parse-job.js';
import type { FollowSettings, OperationHead, QueryHead, ReaderSetup, ReadJobName, ReadJobs } from './read-jobs.js';

/** Calls that one thread has at once; an answer that is read slowly holds a place and costs nothing else. */
export const CALLS_PER_READER = 32;

export interface ReaderPoolOptions {
  /** Threads at most. */
  readonly size: number;
  readonly readerAgeMaxMs?: number | undefined;
  readonly configuration?: Configuration | undefined;
  readonly baseNamespace?: string | undefined;
  readonly archives?: ArchiveSettings | undefined;
  readonly follows?: FollowSettings | undefined;
  /** What the threads run. */
  readonly script: URL;
  readonly closeTimeoutMs?: number | undefined;
}

export interface ReaderPoolFigures {
  readonly threads: number;
  readonly threadsMax: number;
  readonly calls: number;
  readonly waiting: number;
}

/** Who runs longer than a point lookup takes is in the way of those who come after it in the same thread, */
const LONG_MS = 50;
/** as much as so many short calls. */
const LONG_WEIGHT = 40;
/**
 * Threads beyond the number of cores make short calls no faster, and each has to compile what it runs: they are left
 * for calls that would stand behind a long one, as if they had so many before them.
 */
const SPARE_WEIGHT = 32;
const CORES = availableParallelism();

/** Threads open their file one after the other: LMDB's table of databases is not made for two at once. */
let opening: Promise<unknown> = Promise.resolve();

interface Reader {
  readonly ready: Promise<ThreadClient>;
  /** Calls that were given to it and are not over, the oldest first. */
  readonly places: Set<Place>;
}

/** A call's place at a reader. */
interface Place {
  readonly reader: Reader;
  readonly sinceMs: number;
}

function takePlace(reader: Reader): Place {
  const place = { reader, sinceMs: performance.now() };
  reader.places.add(place);
  return place;
}

/** The load of the thread that is the so-manieth: what a call would find before it, in short calls. */
function loadScore({ places }: Reader, number: number, nowMs: number): number {
  const [oldest] = places;
  const long = oldest !== undefined && nowMs - oldest.sinceMs > LONG_MS ? LONG_WEIGHT : 0;
  return places.size + long + (number >= CORES ? SPARE_WEIGHT : 0);
}

interface Waiting {
  take(place: Place): void;
  fail(error: SvcError): void;
}

interface StartOptions extends CallOptions {
  readonly deadline?: Deadline | undefined;
}

/** An operation's answer on its way from a thread. */
class ThreadAnswer implements OperationAnswer {
  readonly mediaType: string;
  readonly #chunks: AsyncGenerator<Uint8Array>;

  constructor(
    private readonly call: ThreadCall,
    private readonly head: OperationHead,
  ) {
    this.mediaType = head.mediaType;
    this.#chunks = call.chunks();
  }

  get notes(): AnswerNotes {
    return (this.call.value as AnswerNotes | undefined) ?? this.head.notes;
  }

  [Symbol.asyncIterator](): AsyncIterator<Uint8Array> {
    return this.#chunks;
  }

  close(): void {
    this.call.cancel(new SvcError('aborted', 'the answer was closed'));
  }
}

async function* streamOf(pieces: readonly Uint8Array[]): AsyncGenerator<Uint8Array> {
  yield* pieces;
}

export class ReaderPool {
  readonly #readers = new Set<Reader>();
  readonly #waiting: Waiting[] = [];
  #started = 0;
  #closed = false;

  constructor(
    private readonly path: string,
    private readonly options: ReaderPoolOptions,
  ) {
    if (!Number.isSafeInteger(options.size) || options.size < 1) {
      throw new SvcError('invalid_request', `readers is ${options.size}; expected an integer of at least 1`);
    }
  }

  get figures(): ReaderPoolFigures {
    let calls = 0;
    for (const reader of this.#readers) calls += reader.places.size;
    return { threads: this.#readers.size, threadsMax: this.options.size, calls, waiting: this.#waiting.length };
  }

  /** Answers a query; settles when the answer begins. */
  async query(text: string, format: ResultFormat | undefined, asked: EngineQuery): Promise<EncodedAnswer> {
    const { signal, parameters, ...query } = asked;
    const input = { text, format, query, parameters: sendTerms(parameters) };
    const call = await this.#start('query', input, { what: 'the query', signal, deadline: query.deadline });
    const head = (await call.head) as QueryHead;
    const chunks = call.chunks();
    return {
      ...head,
      [Symbol.asyncIterator]: () => chunks,
      close: () => call.cancel(new SvcError('aborted', 'the answer was closed')),
    };
  }

  /** Runs a reading operation; settles when its answer begins. */
  async operate(
    input: ReadJobs['operation']['input'],
    options: Pick<StartOptions, 'signal' | 'wait'>,
  ): Promise<OperationAnswer> {
    const { deadline } = input.read;
    const call = await this.#start('operation', input, { what: 'the request', deadline, ...options });
    return new ThreadAnswer(call, (await call.head) as OperationHead);
  }

  /** Starts every thread and has each run a job, so that nobody waits for its modules to load. */
  async warm(input: ReadJobs['operation']['input']): Promise<void> {
    while (this.#readers.size < this.options.size) this.#startReader();
    const answers = [...this.#readers].map(async (reader) => {
      const place = takePlace(reader);
      try {
        const client = await reader.ready;
        await client.call('operation', input, { what: 'the first request' }).result;
      } finally {
        this.#release(place);
      }
    });
    await Promise.all(answers);
  }

  /** Explains a query in the thread that runs it. */
  async explainQuery(text: string, asked: ExplainQuery): Promise<Explanation> {
    const { signal, parameters, ...query } = asked;
    const input = { text, query, parameters: sendTerms(parameters) };
    const call = await this.#start('explain', input, { what: 'the query', signal, deadline: query.deadline });
    return (await call.result) as Explanation;
  }

  /** The document of an export, in pieces. */
  async *export(format: Format, options: ExportOptions = {}): AsyncGenerator<Uint8Array, void, undefined> {
    const { signal, flag: _, onProgress, ...rest } = options;
    const call = await this.#start(
      'export',
      { format, options: rest },
      {
        what: 'the export',
        signal,
        onProgress,
      },
    );
    yield* call.chunks();
  }

  /** Parses the JSON of a large request; the text of the field `apart` comes as the pieces of its bytes, null when it is none. */
  async parse(
    pieces: readonly Uint8Array[],
    input: ParseInput,
    signal?: AbortSignal,
  ): Promise<{ readonly request: JsonRequest; readonly pieces: readonly Uint8Array[] | null }> {
    const call = await this.#start('parse', input, { what: 'the request', signal, inputs: [streamOf(pieces)] });
    const found: Uint8Array[] = [];
    for await (const piece of call.chunks()) found.push(piece);
    const parsed = (await call.result) as ParsedRequest;
    return { request: parsed.request, pieces: parsed.apart ? found : null };
  }

  /** The text of a large body, or the parameters of a form. */
  decode(pieces: readonly Uint8Array[], input: DecodeInput, signal?: AbortSignal): Promise<DecodedBody> {
    return this.run('decode', input, { what: 'the request', signal, inputs: [streamOf(pieces)] });
  }

  /** Runs a job that answers with one value. */
  async run<Name extends ReadJobName>(
    job: Name,
    input: ReadJobs[Name]['input'],
    options: Partial<CallOptions> = {},
  ): Promise<ReadJobs[Name]['result']> {
    const call = await this.#start(job, input, { what: `the job ${job}`, ...options });
    return (await call.result) as ReadJobs[Name]['result'];
  }

  /** Cancels what runs and waits for every thread to end by itself; reports those that don't. */
  async close(): Promise<void> {
    if (this.#closed) return;
    this.#closed = true;
    for (const waiting of this.#waiting.splice(0)) waiting.fail(this.#closedError());
    const ends = [...this.#readers].map(({ ready }) =>
      ready.then(
        (client) => client.close(),
        () => undefined,
      ),
    );
    for (const outcome of await Promise.allSettled(ends)) if (outcome.status === 'rejected') throw outcome.reason;
  }

  async #start<Name extends ReadJobName>(
    job: Name,
    input: ReadJobs[Name]['input'],
    options: StartOptions,
  ): Promise<ThreadCall> {
    throwIfAborted(options.signal, options.what);
    const askedMs = sharedNowMs();
    const place = this.#pick() ?? (await this.#queue(options));
    try {
      const client = await place.reader.ready;
      throwIfAborted(options.signal, options.what);
      return client.call(job, input, { ...options, onOver: () => this.#release(place) }, askedMs);
    } catch (error) {
      this.#release(place);
      throw error;
    }
  }

  /** Takes a place at the reader with the least before it, or at a new one; null when all are full. */
  #pick(): Place | null {
    if (this.#closed) throw this.#closedError();
    let best: Reader | null = null;
    let least = Number.POSITIVE_INFINITY;
    const nowMs = performance.now();
    let number = 0;
    for (const reader of this.#readers) {
      const before = loadScore(reader, number++, nowMs);
      if (reader.places.size >= CALLS_PER_READER) continue;
      if (before >= least) continue;
      best = reader;
      least = before;
    }
    const few = this.#readers.size < this.options.size;
    if (few && (best === null || least > (number >= CORES ? SPARE_WEIGHT : 0))) best = this.#startReader();
    return best === null ? null : takePlace(best);
  }

  #release(place: Place): void {
    place.reader.places.delete(place);
    this.#serveWaiting();
  }

  #serveWaiting(): void {
    while (this.#waiting.length > 0 && !this.#closed) {
      const place = this.#pick();
      if (place === null) return;
      this.#waiting.shift()?.take(place);
    }
  }

  /** Waits for a place, not longer than the deadline and the signal allow. */
  #queue(options: StartOptions): Promise<Place> {
    return new Promise((resolve, reject) => {
      const { signal, deadline, what } = options;
      const leave = (): void => {
        clearTimeout(timer);
        signal?.removeEventListener('abort', onAbort);
        const at = this.#waiting.indexOf(waiting);
        if (at >= 0) this.#waiting.splice(at, 1);
      };
      const waiting: Waiting = {
        take: (place) => {
          leave();
          resolve(place);
        },
        fail: (error) => {
          leave();
          reject(error);
        },
      };
      const onAbort = (): void =>
        waiting.fail(new SvcError('aborted', `${what} was cancelled`, { cause: signal?.reason }));
      const timer =
        deadline === undefined
          ? undefined
          : setTimeout(() => waiting.fail(timeoutError(what, { timeoutMs: deadline.timeoutMs })), leftMs(deadline));
      signal?.addEventListener('abort', onAbort);
      this.#waiting.push(waiting);
    });
  }

  #startReader(): Reader {
    const name = `reader ${++this.#started}`;
    const memorySlot = takeMemorySlot();
    const { readerAgeMaxMs, configuration, baseNamespace, archives, follows } = this.options;
    const open = async (): Promise<ThreadClient> => {
      if (this.#closed) throw this.#closedError();
      const client = new ThreadClient({
        name,
        script: this.options.script,
        setup: {
          path: this.path,
          readerAgeMaxMs,
          configuration,
          baseNamespace,
          archives,
          follows,
          memorySlots: memorySlots(),
          helperCounts: helperCounts(),
          memorySlot,
        } satisfies ReaderSetup,
        closeTimeoutMs: this.options.closeTimeoutMs,
        onDeath: () => {
          clearMemorySlot(memorySlot);
          clearHelpers(memorySlot);
          this.#readers.delete(reader);
        },
      });
      await client.ready;
      return client;
    };
    const reader: Reader = { ready: opening.then(open), places: new Set() };
    opening = reader.ready.catch(() => this.#readers.delete(reader));
    this.#readers.add(reader);
    return reader;
  }

  #closedError(): SvcError {
    return new SvcError('store_closed', `the store ${this.path} is closed`);
  }
}
