/**
 * The words by which a query and its helpers tell each other of morsels. One counter gives them out, so that a thread takes the next
 * one in one step, however many threads there are; nothing is locked, and no thread waits for another to begin.
 *
 * | words       | meaning                                                                    |
 * |-------------|----------------------------------------------------------------------------|
 * | 0           | the next morsel to take                                                     |
 * | 1           | morsels that were published                                                |
 * | 2           | not 0: stop                                                                |
 * | 3           | not 0: no more morsels will be published                                   |
 * | 4           | morsels that were finished, for who waits for that                         |
 * | 8 ...       | of each helper, whether it works: 1                                         |
 * | 64 ...      | the slot of each morsel, in a ring                                         |
 * | 128 ...     | of each slot what became of its morsel                                     |
 */

const NEXT = 0;
const PUBLISHED = 1;
const STOPPED = 2;
const COMPLETE = 3;
const FINISHED = 4;
const HELPERS = 8;
const RING = 64;
const STATES = 128;
const WORDS = 192;

/** Threads of one query at most, its own among them. */
export const QUERY_THREADS_MAX = 8;
/** Slots that there may be: a place in the ring is not used again before its morsel was taken. */
export const SLOTS_MAX = STATES - RING;
const RING_MASK = SLOTS_MAX - 1;

/** What became of a morsel: `rows`, it is to be taken row by row; `lost`, its helper could not go on. */
export const MORSEL = { pending: 0, done: 1, rows: 2, lost: 3 } as const;

export class MorselControl {
  constructor(readonly words = new Int32Array(new SharedArrayBuffer(4 * WORDS))) {}

  get isStopped(): boolean {
    return Atomics.load(this.words, STOPPED) !== 0;
  }

  get isComplete(): boolean {
    return Atomics.load(this.words, COMPLETE) !== 0;
  }

  get published(): number {
    return Atomics.load(this.words, PUBLISHED);
  }

  publish(slot: number): void {
    const { words } = this;
    const number = words[PUBLISHED] as number;
    Atomics.store(words, STATES + slot, MORSEL.pending);
    Atomics.store(words, RING + (number & RING_MASK), slot);
    Atomics.store(words, PUBLISHED, number + 1);
    Atomics.notify(words, PUBLISHED);
  }

  /** There are no more morsels. */
  complete(): void {
    Atomics.store(this.words, COMPLETE, 1);
    Atomics.notify(this.words, PUBLISHED);
  }

  stop(): void {
    Atomics.store(this.words, STOPPED, 1);
    Atomics.notify(this.words, PUBLISHED);
  }

  /** The slot of a morsel that nobody has taken, or -1. */
  take(): number {
    const { words } = this;
    for (;;) {
      const number = Atomics.load(words, NEXT);
      if (number >= Atomics.load(words, PUBLISHED)) return -1;
      // Read before the morsel is taken: its place is used again only afterwards.
      const slot = Atomics.load(words, RING + (number & RING_MASK));
      if (Atomics.compareExchange(words, NEXT, number, number + 1) === number) return slot;
    }
  }

  /** Waits until more was published than that, or for so long. */
  awaitMore(published: number, timeoutMs: number): void {
    Atomics.wait(this.words, PUBLISHED, published, timeoutMs);
  }

  stateOf(slot: number): number {
    return Atomics.load(this.words, STATES + slot);
  }

  finish(slot: number, state: number): void {
    const { words } = this;
    Atomics.store(words, STATES + slot, state);
    Atomics.add(words, FINISHED, 1);
    Atomics.notify(words, FINISHED);
  }

  /** Waits until the morsel of a slot is finished, at most so long. */
  awaitFinished(slot: number, timeoutMs: number): void {
    const { words } = this;
    const endMs = performance.now() + timeoutMs;
    while (this.stateOf(slot) === MORSEL.pending) {
      const finished = Atomics.load(words, FINISHED);
      const leftMs = endMs - performance.now();
      if (leftMs <= 0 || this.stateOf(slot) !== MORSEL.pending) return;
      Atomics.wait(words, FINISHED, finished, leftMs);
    }
  }

  setWorking(helper: number, works: boolean): void {
    Atomics.store(this.words, HELPERS + helper, works ? 1 : 0);
    Atomics.add(this.words, FINISHED, 1);
    Atomics.notify(this.words, FINISHED);
  }

  isWorking(helper: number): boolean {
    return Atomics.load(this.words, HELPERS + helper) !== 0;
  }

  /** Whether a helper may yet write into the memory of the query. */
  get isWorked(): boolean {
    for (let helper = 0; helper < QUERY_THREADS_MAX; helper++) {
      if (Atomics.load(this.words, HELPERS + helper) !== 0) return true;
    }
    return false;
  }

  /** Waits until no helper works, at most so long; whether that is so. */
  awaitIdle(timeoutMs: number): boolean {
    const endMs = performance.now() + timeoutMs;
    for (;;) {
      const finished = Atomics.load(this.words, FINISHED);
      if (!this.isWorked) return true;
      const leftMs = endMs - performance.now();
      if (leftMs <= 0) return false;
      Atomics.wait(this.words, FINISHED, finished, leftMs);
    }
  }
}
