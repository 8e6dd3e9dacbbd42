/**
 * SHA-256 over lines as they come. It takes about as long as to put the lines together, so those of a large graph are hashed
 * by a thread of their own, from the memory that they stand in.
 */

import { createHash, type Hash } from 'node:crypto';
import { availableParallelism } from 'node:os';
import { ThreadClient } from '../../base/threads/client.js';
import type { ThreadMemory } from '../../kernels/memory.js';

/** Fewer lines are hashed before a thread has begun. */
const THREAD_LINES_MIN = 200_000;
const WHAT = 'hashing the graph';

export interface HashSetup {
  readonly memory: WebAssembly.Memory;
}

/** What the thread is asked, by name. */
export interface HashJobs {
  readonly range: { readonly address: number; readonly bytes: number };
  readonly text: { readonly text: string };
}

export class LineHash {
  readonly #memory: ThreadMemory;
  #own: Hash | null;
  #thread: ThreadClient | null = null;
  /** Of bytes that the thread was given. */
  #failure: Error | null = null;

  constructor(memory: ThreadMemory) {
    this.#memory = memory;
    this.#own = createHash('sha256');
  }

  /** Before the first of so many lines. */
  expect(lines: number): void {
    if (lines < THREAD_LINES_MIN || availableParallelism() < 2) return;
    this.#own = null;
    const setup: HashSetup = { memory: this.#memory.memory };
    this.#thread = new ThreadClient({
      name: 'thread that hashes',
      script: new URL('./hash-thread.js', import.meta.url),
      setup,
    });
    // A failure ends the calls too, which tell of it.
    this.#thread.ready.catch(() => undefined);
  }

  /** Bytes of kernel memory, which must stay until the promise is kept. */
  range(address: number, bytes: number): Promise<unknown> {
    if (this.#thread !== null) {
      const hashed = this.#call('range', { address, bytes });
      // Nobody may wait for the last ones: their failure is that of the digest.
      hashed.catch((error: Error) => {
        this.#failure ??= error;
      });
      return hashed;
    }
    this.#own?.update(this.#memory.bytesAt(address, bytes));
    return Promise.resolve();
  }

  async text(text: string): Promise<void> {
    if (this.#thread !== null) await this.#call('text', { text });
    this.#own?.update(text);
  }

  async digest(): Promise<string> {
    if (this.#own !== null) return this.#own.digest('hex');
    const digest = (await this.#call('digest', null)) as string;
    if (this.#failure !== null) throw this.#failure;
    return digest;
  }

  #call(job: string, input: unknown): Promise<unknown> {
    return (this.#thread as ThreadClient).call(job, input, { what: WHAT }).result;
  }

  /** Ends the thread. */
  async close(): Promise<void> {
    await this.#thread?.close();
  }
}
