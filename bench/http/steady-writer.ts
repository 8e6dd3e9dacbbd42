/** A writer that sends so many updates a second, each of new things, whatever the readers do meanwhile. */
import { median, percentile } from '../harness/figures.js';
import { makeUpdate } from './requests.js';
import type { BenchServer } from './servers.js';

const PER_SECOND = 20;

export interface WriterFigures {
  readonly updates: number;
  readonly medianMs: number;
  readonly p99Ms: number;
  readonly errors: number;
}

/** Numbers of updates go on from one writer to the next, so that none finds its things there already. */
let numbers = 0;

export class SteadyWriter {
  readonly #server: BenchServer;
  readonly #timer: NodeJS.Timeout;
  readonly #times: number[] = [];
  #errors = 0;
  #busy: Promise<void> | null = null;

  constructor(server: BenchServer) {
    this.#server = server;
    this.#timer = setInterval(() => {
      // One that is still under way when the next is due delays it; its own time shows that.
      this.#busy ??= this.#write().finally(() => {
        this.#busy = null;
      });
    }, 1000 / PER_SECOND);
  }

  async #write(): Promise<void> {
    const begin = performance.now();
    try {
      await this.#server.update(makeUpdate(++numbers, this.#server.graph));
      this.#times.push(performance.now() - begin);
    } catch (error) {
      if (this.#errors++ === 0) console.error(`${this.#server.name}: ${String(error)}`);
    }
  }

  async stop(): Promise<WriterFigures> {
    clearInterval(this.#timer);
    await this.#busy;
    return {
      updates: this.#times.length,
      medianMs: median(this.#times),
      p99Ms: percentile(this.#times, 0.99),
      errors: this.#errors,
    };
  }
}
