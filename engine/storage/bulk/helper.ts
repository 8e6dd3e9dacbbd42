/**
 * The second thread of a bulk load. It works on the same memory: it tokenises plain files into
 * slots while the loading thread looks terms up, sorts and packs literals while that one does the other
 * terms, and sorts and packs an order of its own. Threads exchange addresses; only packed blocks
 * travel as messages. Jobs are done in the order in which they were given, but tokenising goes on beside
 * the others; each has a number, and its messages wait until they are asked for.
 */

import { Worker } from 'node:worker_threads';
import { SvcError } from '../../base/errors.js';
import { receiveError, type SentError } from '../../base/threads/error-serialisation.js';
import { kernelModule } from '../../kernels/instance.js';
import type { ThreadMemory } from '../../kernels/memory.js';
import { sortBytes, type TermAreas, type WrittenSegment } from '../dictionary/segment-writer.js';
import type { WrittenRun } from '../runs/writer.js';
import type { Order } from '../seam/scan.js';
import type { TokeniserSetup } from './document-tokeniser.js';
import type { SlotPlace } from './graph-check.js';
import type { SlotAreas } from './slot.js';
import type { KeyBits, KeyedRows } from './sort-keys.js';

/** Address space of the thread's own allocations; pages that are not touched cost nothing. */
const RANGE_BYTES = 192 * 1024 * 1024;
export const HELPER_SLOTS = 4;

export interface RunJob {
  readonly fromKeys: number;
  readonly fromOrder: Order;
  readonly scratch: number;
  readonly rows: KeyedRows;
}

/** Addresses of more memory for one job. */
export interface JobRange {
  readonly from: number;
  readonly to: number;
}

export type HelperJob =
  | { readonly kind: 'tokenise'; readonly setup: TokeniserSetup; readonly path: string }
  | {
      readonly kind: 'sort';
      readonly areas: TermAreas;
      readonly list: number;
      readonly count: number;
      readonly range: JobRange;
    }
  | { readonly kind: 'segment'; readonly areas: TermAreas; readonly list: number; readonly count: number }
  | { readonly kind: 'run'; readonly job: RunJob; readonly bits: KeyBits; readonly predicates: number };

export type ToHelper =
  | { readonly kind: 'job'; readonly id: number; readonly job: HelperJob }
  | { readonly kind: 'free'; readonly slot: number }
  | { readonly kind: 'cancel'; readonly id: number };

export type FromHelper = { readonly id: number } & (
  | {
      readonly kind: 'slot';
      readonly slot: number;
      readonly areas: SlotAreas;
      readonly quads: number;
      readonly place: SlotPlace | null;
      readonly bytesRead: number;
    }
  | {
      readonly kind: 'blocks';
      readonly numbers: readonly number[];
      readonly ends: readonly number[];
      readonly bytes: Uint8Array;
    }
  | { readonly kind: 'done'; readonly result: unknown }
  | { readonly kind: 'error'; readonly error: SentError }
);

export interface FilledSlot {
  readonly areas: SlotAreas;
  readonly quads: number;
  readonly place: SlotPlace | null;
  readonly bytesRead: number;
  /** Gives the slot back; its contents are void afterwards. */
  free(): void;
}

export interface RunResult {
  readonly run: WrittenRun;
  readonly objects: Uint32Array;
}

/** The messages of one job, in order. */
class Mailbox {
  readonly #queue: FromHelper[] = [];
  #wake: (() => void) | null = null;
  #failure: Error | null = null;

  push(message: FromHelper): void {
    this.#queue.push(message);
    this.#wake?.();
  }

  fail(error: Error): void {
    this.#failure = error;
    this.#wake?.();
  }

  async next(): Promise<FromHelper> {
    for (;;) {
      const message = this.#queue.shift();
      if (message) return message;
      if (this.#failure) throw this.#failure;
      await new Promise<void>((resolve) => {
        this.#wake = resolve;
      });
      this.#wake = null;
    }
  }
}

export class LoadHelper {
  readonly #worker: Worker;
  readonly #memory: ThreadMemory;
  readonly #boxes = new Map<number, Mailbox>();
  #lastId = 0;
  #failure: Error | null = null;
  /** Predicates of the epoch that is being closed, for the figures of a POSG run. */
  predicates = 1;

  constructor(memory: ThreadMemory) {
    this.#memory = memory;
    const from = memory.allocate(RANGE_BYTES);
    this.#worker = new Worker(new URL('./helper-thread.js', import.meta.url), {
      workerData: { memory: memory.memory, module: kernelModule(), from, to: from + RANGE_BYTES },
    });
    this.#worker.on('message', (message: FromHelper) => this.#boxes.get(message.id)?.push(message));
    this.#worker.on('error', (error) => this.#fail(error));
    this.#worker.on('exit', (code) =>
      this.#fail(new SvcError('internal', `the second thread of the load ended (${code})`)),
    );
  }

  #fail(error: Error): void {
    this.#failure ??= error;
    for (const box of this.#boxes.values()) box.fail(this.#failure);
  }

  #start(job: HelperJob): { id: number; box: Mailbox } {
    const id = ++this.#lastId;
    const box = new Mailbox();
    if (this.#failure) box.fail(this.#failure);
    this.#boxes.set(id, box);
    this.#worker.postMessage({ kind: 'job', id, job } satisfies ToHelper);
    return { id, box };
  }

  /** Waits for the end of a job; blocks are given to `put` as they come. */
  async #finish<T>(
    id: number,
    box: Mailbox,
    put: (number: number, bytes: Uint8Array) => void = () => undefined,
  ): Promise<T> {
    try {
      for (;;) {
        const message = await box.next();
        if (message.kind === 'error') throw receiveError(message.error);
        if (message.kind === 'done') return message.result as T;
        if (message.kind !== 'blocks')
          throw new SvcError('internal', `unexpected ${message.kind} from the second thread`);
        let from = 0;
        message.numbers.forEach((number, i) => {
          const to = message.ends[i] as number;
          put(number, message.bytes.subarray(from, to));
          from = to;
        });
      }
    } finally {
      this.#boxes.delete(id);
    }
  }

  /** Tokenises a plain file; slots come in the order of the document. */
  async *tokenise(setup: TokeniserSetup, path: string): AsyncGenerator<FilledSlot> {
    const { id, box } = this.#start({ kind: 'tokenise', setup, path });
    let ended = false;
    try {
      for (;;) {
        const message = await box.next();
        if (message.kind === 'error') {
          ended = true;
          throw receiveError(message.error);
        }
        if (message.kind === 'done') {
          ended = true;
          return;
        }
        if (message.kind !== 'slot') throw new SvcError('internal', `unexpected ${message.kind} while tokenising`);
        const { areas, quads, place, bytesRead, slot } = message;
        yield {
          areas,
          quads,
          place,
          bytesRead,
          free: () => this.#worker.postMessage({ kind: 'free', slot } satisfies ToHelper),
        };
      }
    } finally {
      this.#boxes.delete(id);
      if (!ended) this.#worker.postMessage({ kind: 'cancel', id } satisfies ToHelper);
    }
  }

  /** Sorts a list of terms in place. */
  async sortTerms(areas: TermAreas, list: number, count: number): Promise<void> {
    const bytes = sortBytes(count);
    const from = this.#memory.allocate(bytes);
    try {
      const { id, box } = this.#start({ kind: 'sort', areas, list, count, range: { from, to: from + bytes } });
      await this.#finish(id, box);
    } finally {
      this.#memory.free(from, bytes);
    }
  }

  /** Begins to pack sorted terms; the function that it returns takes the blocks and waits for the end. */
  writeSegment(
    areas: TermAreas,
    list: number,
    count: number,
  ): (put: (bytes: Uint8Array) => void) => Promise<WrittenSegment> {
    const { id, box } = this.#start({ kind: 'segment', areas, list, count });
    return (put) => this.#finish<WrittenSegment>(id, box, (_, bytes) => put(bytes));
  }

  /** Sorts and packs one order; the function that it returns takes the blocks and waits for the end. */
  writeRun(job: RunJob, bits: KeyBits): (put: (number: number, bytes: Uint8Array) => void) => Promise<RunResult> {
    const { id, box } = this.#start({ kind: 'run', job, bits, predicates: this.predicates });
    return (put) => this.#finish<RunResult>(id, box, put);
  }

  async stop(): Promise<void> {
    this.#worker.removeAllListeners('exit');
    await this.#worker.terminate();
  }
}
