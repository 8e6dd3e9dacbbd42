/**
 * The second thread of a bulk load. It works on the same memory: it tokenises plain files into
 * slots while the loading thread looks terms up, and sorts and packs an order of its own while that
 * one packs another. Threads exchange addresses; only packed blocks travel as messages.
 */

import { Worker } from 'node:worker_threads';
import { type ErrorCode, type InputPosition, SvcError } from '../../base/errors.js';
import { kernelModule } from '../../kernels/instance.js';
import type { ThreadMemory } from '../../kernels/memory.js';
import type { WrittenRun } from '../runs/writer.js';
import type { Order } from '../scan.js';
import type { TokeniserSetup } from './document-tokeniser.js';
import type { SlotAreas } from './slot.js';
import type { KeyBits, KeyedRows } from './sort-keys.js';

/** Address space of the thread's own allocations; pages that are not touched cost nothing. */
const RANGE_BYTES = 192 * 1024 * 1024;
export const HELPER_SLOTS = 4;

export interface SentError {
  readonly code: ErrorCode;
  readonly message: string;
  readonly position?: InputPosition | undefined;
  readonly hint?: string | undefined;
}

export interface RunJob {
  readonly fromKeys: number;
  readonly fromOrder: Order;
  readonly scratch: number;
  readonly rows: KeyedRows;
}

export type ToHelper =
  | { readonly kind: 'tokenise'; readonly setup: TokeniserSetup; readonly path: string }
  | { readonly kind: 'free'; readonly slot: number }
  | { readonly kind: 'cancel' }
  | { readonly kind: 'run'; readonly job: RunJob; readonly bits: KeyBits; readonly predicates: number };

export type FromHelper =
  | { readonly kind: 'ready' }
  | { readonly kind: 'slot'; readonly slot: number; readonly areas: SlotAreas; readonly quads: number; readonly bytesRead: number }
  | { readonly kind: 'end'; readonly bytesRead: number }
  | { readonly kind: 'cancelled' }
  | { readonly kind: 'blocks'; readonly numbers: readonly number[]; readonly ends: readonly number[]; readonly bytes: Uint8Array }
  | { readonly kind: 'run'; readonly run: WrittenRun; readonly objects: Uint32Array }
  | { readonly kind: 'error'; readonly error: SentError };

export interface FilledSlot {
  readonly areas: SlotAreas;
  readonly quads: number;
  readonly bytesRead: number;
  /** Gives the slot back; its contents are void afterwards. */
  free(): void;
}

export class LoadHelper {
  readonly #worker: Worker;
  readonly #queue: FromHelper[] = [];
  #wake: (() => void) | null = null;
  #failure: Error | null = null;
  /** Predicates of the epoch that is being closed, for the figures of a POSG run. */
  predicates = 1;

  private constructor(worker: Worker) {
    this.#worker = worker;
    worker.on('message', (message: FromHelper) => {
      this.#queue.push(message);
      this.#wake?.();
    });
    worker.on('error', (error) => {
      this.#failure = error;
      this.#wake?.();
    });
  }

  static async start(memory: ThreadMemory): Promise<LoadHelper> {
    const from = memory.allocate(RANGE_BYTES);
    const worker = new Worker(new URL('./helper-thread.js', import.meta.url), {
      workerData: { memory: memory.memory, module: kernelModule(), from, to: from + RANGE_BYTES },
    });
    worker.unref();
    const helper = new LoadHelper(worker);
    await helper.#expect('ready');
    return helper;
  }

  #post(message: ToHelper): void {
    this.#worker.postMessage(message);
  }

  async #next(): Promise<FromHelper> {
    this.#worker.ref();
    try {
      for (;;) {
        if (this.#failure) throw this.#failure;
        const message = this.#queue.shift();
        if (message) return message;
        await new Promise<void>((resolve) => {
          this.#wake = resolve;
        });
        this.#wake = null;
      }
    } finally {
      this.#worker.unref();
    }
  }

  async #expect(kind: FromHelper['kind']): Promise<FromHelper> {
    const message = await this.#next();
    if (message.kind === 'error') throw receiveError(message.error);
    if (message.kind !== kind) throw new SvcError('internal', `the loading thread got ${message.kind} for ${kind}`);
    return message;
  }

  /** Tokenises a plain file; slots come in the order of the document. */
  async *tokenise(setup: TokeniserSetup, path: string): AsyncGenerator<FilledSlot> {
    this.#post({ kind: 'tokenise', setup, path });
    let ended = false;
    try {
      for (;;) {
        const message = await this.#next();
        if (message.kind === 'error') {
          ended = true;
          throw receiveError(message.error);
        }
        if (message.kind === 'end') {
          ended = true;
          return;
        }
        if (message.kind !== 'slot') throw new SvcError('internal', `unexpected ${message.kind} while tokenising`);
        const { areas, quads, bytesRead, slot } = message;
        yield { areas, quads, bytesRead, free: () => this.#post({ kind: 'free', slot }) };
      }
    } finally {
      if (!ended) await this.#cancel();
    }
  }

  async #cancel(): Promise<void> {
    this.#post({ kind: 'cancel' });
    for (;;) {
      const message = await this.#next();
      if (message.kind === 'cancelled') return;
    }
  }

  /** Sorts and packs one order; blocks are given to `row` as they come. */
  async writeRun(
    job: RunJob,
    bits: KeyBits,
    row: (number: number, bytes: Uint8Array) => void,
  ): Promise<{ run: WrittenRun; objects: Uint32Array }> {
    this.#post({ kind: 'run', job, bits, predicates: this.predicates });
    for (;;) {
      const message = await this.#next();
      if (message.kind === 'error') throw receiveError(message.error);
      if (message.kind === 'run') return { run: message.run, objects: message.objects };
      if (message.kind !== 'blocks') throw new SvcError('internal', `unexpected ${message.kind} while sorting`);
      let from = 0;
      message.numbers.forEach((number, i) => {
        const to = message.ends[i] as number;
        row(number, message.bytes.subarray(from, to));
        from = to;
      });
    }
  }

  async stop(): Promise<void> {
    await this.#worker.terminate();
  }
}

function receiveError(error: SentError): SvcError {
  return new SvcError(error.code, error.message, {
    ...(error.position ? { position: error.position } : {}),
    ...(error.hint ? { hint: error.hint } : {}),
  });
}

export function sendError(error: unknown): SentError {
  if (error instanceof SvcError) {
    return { code: error.code, message: error.message, position: error.position, hint: error.hint };
  }
  return { code: 'internal', message: error instanceof Error ? (error.stack ?? error.message) : String(error) };
}
