/**
 * Embeds what writes change (ruling R39): behind them, in batches, and never inside their turn.
 *
 * 1. Every write wakes it. It goes over the transactions since the last that it has done, whichever path wrote them, and gives
 *    vectors to the entities of ROOT that they changed and that have a text without one.
 * 2. Where the provider fails, the same transaction is tried again after a while that doubles; texts that it refuses are
 *    passed over. Both are left to a backfill when the process ends before they are done.
 */

import { breathe, type Control } from '../../base/control.js';
import type { TermId, TxId } from '../../storage/ids/layout.js';
import { withSnapshot } from '../../storage/seam/rows.js';
import type { StorageSnapshot } from '../../storage/seam/scan.js';
import { type EmbeddedTexts, embedTexts, type VectorSink } from './embed-texts.js';
import type { Embedder } from './embedder.js';
import { changedEntities, missingOf } from './missing-texts.js';

/** Entities whose texts are held at once. */
const AT_ONCE = 256;
const WAIT_FIRST_MS = 1000;
const WAIT_MAX_MS = 300_000;

export interface AutoEmbedMeans extends VectorSink {
  readonly embedder: Embedder;
  snapshot(): StorageSnapshot;
  /** Told what was done since the last call. */
  readonly onStep?: ((done: Pick<EmbeddedTexts, 'embedded' | 'failed'>) => void) | undefined;
  readonly onError?: ((error: unknown) => void) | undefined;
  /** Before the first new try; absent = 1000. */
  readonly waitFirstMs?: number | undefined;
}

export class AutoEmbed {
  readonly #stop = new AbortController();
  readonly #control: Control = { signal: this.#stop.signal };
  /** The last transaction whose entities have been looked at. */
  #done: TxId;
  #running: Promise<void> | null = null;
  #timer: NodeJS.Timeout | undefined;
  #failures = 0;

  /** Follows what is written from now on. */
  constructor(private readonly means: AutoEmbedMeans) {
    this.#done = withLatest(means);
  }

  wake(): void {
    if (this.#stop.signal.aborted || this.#running !== null || this.#timer !== undefined) return;
    this.#running = this.#run();
  }

  /** Settles when all that was written is embedded, or the provider has failed. */
  async idle(): Promise<void> {
    this.wake();
    while (this.#running !== null) await this.#running;
  }

  /** Gives up what is under way. */
  async close(): Promise<void> {
    this.#stop.abort();
    clearTimeout(this.#timer);
    await this.#running;
  }

  async #run(): Promise<void> {
    // What is written in this turn of the event loop is seen, too.
    await breathe();
    try {
      for (let latest = withLatest(this.means); this.#done < latest; latest = withLatest(this.means)) {
        for (let tx = this.#done + 1; tx <= latest; tx++) {
          await this.#embedChanges(tx);
          this.#done = tx;
          this.#failures = 0;
        }
      }
    } catch (error) {
      if (this.#stop.signal.aborted) return;
      this.means.onError?.(error);
      const { waitFirstMs = WAIT_FIRST_MS } = this.means;
      const wait = Math.min(waitFirstMs * 2 ** this.#failures++, WAIT_MAX_MS);
      this.#timer = setTimeout(() => {
        this.#timer = undefined;
        this.wake();
      }, wait);
      // A process that has nothing else to do ends.
      this.#timer.unref();
    } finally {
      // In the very step in which it saw that nothing is left: who wakes it later is not overheard.
      this.#running = null;
    }
  }

  async #embedChanges(tx: TxId): Promise<void> {
    const { embedder } = this.means;
    const open = (): StorageSnapshot => this.means.snapshot();
    const entities = await changedEntities(open, tx, this.#control);
    for (let from = 0; from < entities.length; from += AT_ONCE) {
      const some: TermId[] = [...entities.subarray(from, from + AT_ONCE)];
      const texts = await withSnapshot(open(), (snapshot) => missingOf(snapshot, some));
      if (texts.length === 0) continue;
      const outcome: EmbeddedTexts = { embedded: 0, failed: 0, passed: 0, failure: null };
      try {
        const run = { batchSize: embedder.batchSize, outcome, control: this.#control };
        await embedTexts(await embedder.provider(), this.means, texts, run);
      } finally {
        this.means.onStep?.(outcome);
      }
      if (outcome.failure !== null) this.means.onError?.(outcome.failure);
    }
  }
}

function withLatest({ snapshot }: Pick<AutoEmbedMeans, 'snapshot'>): TxId {
  const latest = snapshot();
  const { tx } = latest;
  latest.close();
  return tx;
}
