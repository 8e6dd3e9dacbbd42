/**
 * Follows a primary: asks for its log from where the copy stands, and applies what comes, many changes in one commit.
 *
 * 1. What has come while a commit was under way is applied by the next one, up to a bound; who sends faster waits.
 * 2. A connection that ends, or says nothing for long, is made anew, after a while that grows.
 * 3. A primary that can't tell the next transaction (`log_gone`) ends it: the file is to be copied again. Another history
 *    (`log_diverged`), another version and a wrong token are told and tried again seldom: a person has to look.
 *
 * Whatever ends it, the copy stands at a transaction of the primary: changes and the place that they lead to are in one commit.
 */

import { setTimeout as pause } from 'node:timers/promises';
import { SvcError } from '../base/errors.js';
import type { BesidePlace, ReplicationState } from '../storage/seam/replication.js';
import { askPrimary, framesOf, helloFrom, type Primary } from './ask-primary.js';
import { type Beat, type End, FRAME, type Frame, type FrameKind, jsonOf } from './frames.js';
import { logPath } from './log-path.js';
import { type SilenceLimit, silenceLimit } from './silence-limit.js';

const RETRY_FIRST_MS = 100;
const RETRY_MAX_MS = 5000;
const REFUSED_RETRY_MS = 30_000;
/** Changes that wait for a commit, before the connection is read on. */
const WAITING_BYTES_MAX = 64 * 1024 * 1024;
/** What one commit takes. */
const COMMIT_BYTES_MAX = 16 * 1024 * 1024;
const COMMIT_CHANGES_MAX = 4096;
const REFUSED: ReadonlySet<string> = new Set(['log_diverged', 'unsupported', 'unauthorized', 'not_found']);

/** What is done in its sequence. */
const QUEUED: ReadonlySet<FrameKind> = new Set([FRAME.change, FRAME.beside, FRAME.beat]);

/** The copy that follows. */
export interface FollowingStore {
  state(): ReplicationState;
  hashAt(tx: number): Promise<string>;
  besidePlace(): BesidePlace;
  /** Notes the epoch of the primary. */
  learnEpoch(epoch: number): Promise<void>;
  /** Settles when they are on the disk. */
  apply(changes: readonly Uint8Array[]): Promise<void>;
  /** The same for one of what lies beside transactions. */
  applyBeside(change: Uint8Array): Promise<void>;
}

/** How far it is. */
export interface FollowerStatus {
  readonly primary: string;
  readonly connected: boolean;
  /** It has had all that the primary had, once since its start. */
  readonly caughtUp: boolean;
  readonly tx: number;
  /** The newest of the primary that it knows of. */
  readonly primaryTx: number;
  /** For how long it has not had all of it; 0 = it has. */
  readonly lagSeconds: number;
  readonly applied: number;
  readonly commits: number;
  readonly connections: number;
  readonly bytes: number;
  /** Why it does not follow right now; null = it does. */
  readonly error: string | null;
}

export class Follower {
  readonly #primary: Primary;
  readonly #store: FollowingStore;
  readonly #stop = new AbortController();
  readonly #onError: (error: unknown) => void;
  #status: Omit<FollowerStatus, 'lagSeconds' | 'primary'>;
  /** When it last had all of the primary. */
  #levelMs = performance.now();
  #told: string | null = null;

  constructor(primary: Primary, store: FollowingStore, onError: (error: unknown) => void) {
    this.#primary = primary;
    this.#store = store;
    this.#onError = onError;
    const { tx } = store.state();
    const figures = { applied: 0, commits: 0, connections: 0, bytes: 0 };
    this.#status = { connected: false, caughtUp: false, tx, primaryTx: tx, ...figures, error: null };
  }

  get status(): FollowerStatus {
    const { connected, tx, primaryTx } = this.#status;
    const level = connected && tx >= primaryTx;
    const lagSeconds = level ? 0 : (performance.now() - this.#levelMs) / 1000;
    return { primary: this.#primary.url, ...this.#status, lagSeconds };
  }

  /** Settles when it was stopped, with null, or with why the file is to be copied again. */
  async run(): Promise<SvcError | null> {
    const { signal } = this.#stop;
    for (let failures = 0; !signal.aborted; ) {
      const { applied } = this.#status;
      const error = await this.#follow().catch((caught: unknown) => caught);
      this.#note({ connected: false });
      if (signal.aborted) return null;
      if (error instanceof SvcError && error.code === 'log_gone') return error;
      failures = this.#status.applied > applied ? 0 : failures + 1;
      this.#tell(error);
      const refused = error instanceof SvcError && REFUSED.has(error.code);
      const growing = Math.min(RETRY_MAX_MS, RETRY_FIRST_MS * 2 ** Math.min(10, failures));
      await pause(refused ? REFUSED_RETRY_MS : growing, undefined, { signal }).catch(() => undefined);
    }
    return null;
  }

  async stop(): Promise<void> {
    this.#stop.abort(new SvcError('aborted', 'the follower is stopped'));
  }

  #note(change: Partial<FollowerStatus>): void {
    this.#status = { ...this.#status, ...change };
    const { connected, tx, primaryTx } = this.#status;
    if (connected && tx >= primaryTx) this.#levelMs = performance.now();
  }

  /** A beat comes behind all that the primary has, beside transactions as well. */
  #noteBeat({ tx: primaryTx }: Beat): void {
    if (this.#status.tx >= primaryTx && !this.#status.caughtUp) this.#status = { ...this.#status, caughtUp: true };
  }

  /** The same failure is told once. */
  #tell(error: unknown): void {
    const message = error instanceof Error ? error.message : String(error);
    this.#note({ error: message });
    if (message === this.#told) return;
    this.#told = message;
    this.#onError(error);
  }

  /** One connection; never settles but with the reason why it ended. */
  async #follow(): Promise<never> {
    const state = this.#store.state();
    const { epoch } = state;
    const path = await logPath(this.#store, state, epoch);
    const silence = silenceLimit(this.#stop.signal);
    try {
      const body = await askPrimary(this.#primary, path, silence.signal);
      const frames = framesOf(body, (bytes) => {
        silence.heard();
        this.#status = { ...this.#status, bytes: this.#status.bytes + bytes };
      });
      const first = await frames.next();
      const hello = helloFrom(first.done === true ? undefined : first.value, this.#primary);
      if (hello.epoch < epoch) {
        throw new SvcError(
          'log_diverged',
          `${this.#primary.url} is the primary of epoch ${hello.epoch}, and this copy has followed epoch ${epoch}`,
          { hint: 'follow the store that was promoted' },
        );
      }
      if (hello.epoch > epoch) await this.#store.learnEpoch(hello.epoch);
      this.#told = null;
      this.#note({ connected: true, primaryTx: hello.tx, error: null, connections: this.#status.connections + 1 });
      return await this.#take(frames, silence);
    } finally {
      silence.end();
    }
  }

  /** Reads and applies side by side. */
  async #take(frames: AsyncGenerator<Frame, void, undefined>, silence: SilenceLimit): Promise<never> {
    const queue = new ChangeQueue();
    const applying = this.#applyFrom(queue);
    // Whoever waits for room is told by the queue; the failure itself is thrown below.
    applying.catch((error: unknown) => queue.fail(error));
    let reason: unknown = new SvcError('unavailable', 'the primary has ended the connection');
    try {
      for await (const frame of frames) {
        if (queue.failed) break;
        if (frame.kind === FRAME.beat) this.#note({ primaryTx: jsonOf<Beat>(frame).tx });
        if (QUEUED.has(frame.kind)) await silence.during(queue.give(frame));
        else if (frame.kind === FRAME.end) {
          const { code, message } = jsonOf<End>(frame);
          reason = new SvcError(code === 'log_gone' ? 'log_gone' : 'unavailable', message);
          break;
        }
      }
    } catch (error) {
      reason = error;
    }
    queue.end();
    // What came whole is applied, however the connection ended.
    await applying;
    throw reason;
  }

  async #applyFrom(queue: ChangeQueue): Promise<void> {
    for (let changes = await queue.take(); changes.length > 0; changes = await queue.take()) {
      const [first] = changes as readonly [Frame];
      if (first.kind === FRAME.beside) {
        await this.#store.applyBeside(first.payload);
        continue;
      }
      if (first.kind === FRAME.beat) {
        this.#noteBeat(jsonOf<Beat>(first));
        continue;
      }
      await this.#store.apply(changes.map(({ payload }) => payload));
      const { tx } = this.#store.state();
      const { applied, commits, primaryTx } = this.#status;
      this.#note({
        tx,
        primaryTx: Math.max(primaryTx, tx),
        applied: applied + changes.length,
        commits: commits + 1,
      });
    }
  }
}

/** Changes between the connection and the commits. */
class ChangeQueue {
  #waiting: Frame[] = [];
  #bytes = 0;
  #ended = false;
  #failure: { readonly error: unknown } | null = null;
  #changed: (() => void)[] = [];

  async give(change: Frame): Promise<void> {
    while (this.#bytes > WAITING_BYTES_MAX && this.#failure === null) await this.#change();
    if (this.#failure !== null) throw this.#failure.error;
    this.#waiting.push(change);
    this.#bytes += change.bytes;
    this.#wake();
  }

  /** The changes of one commit, or one frame of another kind; none = no more come. */
  async take(): Promise<readonly Frame[]> {
    while (this.#waiting.length === 0 && !this.#ended) await this.#change();
    let [count, bytes] = [0, 0];
    while (count < Math.min(this.#waiting.length, COMMIT_CHANGES_MAX) && bytes < COMMIT_BYTES_MAX) {
      const { kind, bytes: own } = this.#waiting[count] as Frame;
      if (kind !== FRAME.change && count > 0) break;
      bytes += own;
      count++;
      if (kind !== FRAME.change) break;
    }
    const taken = this.#waiting.splice(0, count);
    this.#bytes -= bytes;
    this.#wake();
    return taken;
  }

  end(): void {
    this.#ended = true;
    this.#wake();
  }

  get failed(): boolean {
    return this.#failure !== null;
  }

  fail(error: unknown): void {
    this.#failure = { error };
    this.#wake();
  }

  #change(): Promise<void> {
    return new Promise((resolve) => this.#changed.push(resolve));
  }

  #wake(): void {
    for (const wake of this.#changed.splice(0)) wake();
  }
}
