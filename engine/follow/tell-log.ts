/**
 * What a primary answers its followers: its log from a transaction on, without end, and a copy of its file.
 *
 * 1. Who asks says which store it has, how far it is, with which hash, and the newest epoch that it knows. A higher epoch
 *    than this store's means that a follower was promoted: this store is fenced, and writes no more; its log is still told.
 * 2. What can't be continued is refused before anything is sent: `log_diverged` or `log_gone`. What turns out later ends the
 *    stream with a frame that says why.
 * 3. No view of the file is held between two pieces, so that no follower keeps pages from being used again.
 */

import { setTimeout as pause } from 'node:timers/promises';
import { SvcError } from '../base/errors.js';
import type {
  BesidePlace,
  BesideTeller,
  FollowedPlace,
  Replication,
  ReplicationState,
} from '../storage/seam/replication.js';
import { encodeFrame, encodeHeader, encodeJsonFrame, FRAME, type Hello, LOG_VERSION } from './frames.js';

/** How often it is looked for new transactions while followers wait. */
const LOOK_MS = 15;
/** How often it is looked for changes beside them. */
const BESIDE_MS = 90;
/** A follower that hears nothing for longer takes the connection for lost. */
const BEAT_MS = 1000;
/** About what one piece of the log has, in bytes. */
const PIECE_BYTES = 4 * 1024 * 1024;

export interface AskedLog {
  readonly lineage: string;
  readonly numbering: string;
  readonly epoch: number;
  readonly after: number;
  readonly terms: number;
  readonly hash: string;
  readonly beside: BesidePlace;
}

/** From where a follower is told. */
export interface ToldFrom extends FollowedPlace {
  readonly beside: BesideTeller;
}

/** Tells the store that there is a newer primary; settles when it is on the disk. */
export type LearnEpoch = (epoch: number) => Promise<void>;

export function helloOf({ role, primary, lineage, numbering, epoch, fencedBy, tx }: ReplicationState): Hello {
  return { version: LOG_VERSION, role, primary, lineage, numbering, epoch, fenced_by: fencedBy, tx };
}

export function checkVersion(version: number): void {
  if (version === LOG_VERSION) return;
  throw new SvcError(
    'unsupported',
    `version ${version} of the log is asked for, and this server tells ${LOG_VERSION}`,
    {
      hint: 'run the same version of svc at both ends',
    },
  );
}

/** Refuses who can't go on from here; settles with where the log is told from. */
export async function beginLog(replication: Replication, asked: AskedLog, learnEpoch: LearnEpoch): Promise<ToldFrom> {
  const state = replication.state();
  if (asked.lineage !== state.lineage) {
    throw new SvcError(
      'log_diverged',
      `this is the store ${state.lineage}, and the follower is a copy of ${asked.lineage}`,
    );
  }
  if (asked.numbering !== state.numbering) {
    throw new SvcError(
      'log_gone',
      'the terms of the store have other numbers by now, so that its file is to be copied again',
    );
  }
  if (asked.epoch > state.epoch && asked.epoch > (state.fencedBy ?? 0)) {
    if (state.role === 'follower') throw followsAnother(state, asked.epoch);
    await learnEpoch(asked.epoch);
  }
  if (asked.after > state.tx) {
    throw new SvcError('log_diverged', `the follower has transaction ${asked.after}, and this store is at ${state.tx}`);
  }
  const hash = await replication.hashAt(asked.after);
  if (hash !== asked.hash) {
    throw new SvcError(
      'log_diverged',
      `the follower has another history: its hash at transaction ${asked.after} differs`,
    );
  }
  replication.assertTold(asked.after);
  return { tx: asked.after, terms: asked.terms, beside: replication.tellBeside(asked.beside) };
}

/** Its own primary would not be fenced by that. */
function followsAnother({ primary, epoch }: ReplicationState, asked: number): SvcError {
  const message = `epoch ${asked} is asked for, and this server follows ${primary ?? 'another one'} in epoch ${epoch}`;
  return new SvcError('state_conflict', message, {
    hint: `follow ${primary ?? 'that one'} itself for a moment (svc serve --follow), then promote; or promote the follower between`,
  });
}

/** The log as frames; ends when the signal fires, or with a frame that says why it can't go on. */
export async function* tellLog(
  replication: Replication,
  { beside, ...from }: ToldFrom,
  signal: AbortSignal,
): AsyncGenerator<Buffer, void, undefined> {
  yield encodeJsonFrame(FRAME.hello, helloOf(replication.state()));
  let place: FollowedPlace = from;
  try {
    for (;;) {
      const piece = yield* beating(replication, replication.changesAfter(place, PIECE_BYTES, { signal }));
      for (const change of piece.changes) yield encodeFrame(FRAME.change, change);
      place = piece.place;
      if (place.tx >= piece.lastTx) yield* rest(replication, place, beside, signal);
      if (signal.aborted) return;
    }
  } catch (error) {
    if (signal.aborted) return;
    const { code, message } =
      error instanceof SvcError ? error : { code: 'internal', message: 'the log can not be told' };
    yield encodeJsonFrame(FRAME.end, { code, message });
  }
}

/** Beats while something large is read. */
async function* beating<Result>(
  replication: Replication,
  work: Promise<Result>,
): AsyncGenerator<Buffer, Result, undefined> {
  const settled = work.then(
    () => true,
    () => true,
  );
  for (;;) {
    const timer = new AbortController();
    const late = pause(BEAT_MS, false, { signal: timer.signal }).catch(() => false);
    const isDone = await Promise.race([settled, late]);
    timer.abort();
    if (isDone) return work;
    yield encodeJsonFrame(FRAME.beat, { tx: replication.newest() });
  }
}

/** Tells what lies beside transactions, and beats, until there is a transaction after a place. */
async function* rest(
  replication: Replication,
  { tx }: FollowedPlace,
  beside: BesideTeller,
  signal: AbortSignal,
): AsyncGenerator<Buffer, void, undefined> {
  for (let [waitedMs, lookedMs] = [BEAT_MS, BESIDE_MS]; !signal.aborted; waitedMs += LOOK_MS, lookedMs += LOOK_MS) {
    const newest = replication.newest();
    if (newest > tx) return;
    // A follower has all when it hears a beat.
    if (lookedMs >= BESIDE_MS || waitedMs >= BEAT_MS) {
      lookedMs = 0;
      for (let next = beside.next(tx); next !== null; next = beside.next(tx)) {
        if (next === 'behind' || signal.aborted) return;
        yield encodeFrame(FRAME.beside, next);
      }
    }
    if (waitedMs >= BEAT_MS) {
      waitedMs = 0;
      yield encodeJsonFrame(FRAME.beat, { tx: newest });
    }
    await pause(LOOK_MS, undefined, { signal }).catch(() => undefined);
  }
}

/** A copy of the file as frames. Its pages are held until it is through, or its follower stops taking them. */
export async function* tellCopy(
  replication: Replication,
  signal: AbortSignal,
): AsyncGenerator<Buffer, void, undefined> {
  const queue = new Handover();
  const copied = replication
    .copyTo(
      async (bytes, total) => {
        // The next piece is read into the same memory.
        await queue.give(Buffer.from(bytes), total);
      },
      { signal },
    )
    .then(
      () => queue.end(null),
      (error: unknown) => queue.end(error),
    );
  try {
    let said = false;
    for (let next = await queue.take(); next !== null; next = await queue.take()) {
      if (!said) yield encodeJsonFrame(FRAME.hello, { ...helloOf(replication.state()), bytes: next.total });
      said = true;
      yield encodeHeader(FRAME.bytes, next.bytes);
      yield next.bytes;
    }
    yield encodeJsonFrame(FRAME.end, { code: null, message: 'the copy is whole' });
  } finally {
    queue.cancel();
    await copied;
  }
}

interface Piece {
  readonly bytes: Buffer;
  readonly total: number;
}

/** One piece at a time from who gives to who takes. */
class Handover {
  #piece: Piece | null = null;
  #ended: { readonly error: unknown } | null = null;
  #cancelled = false;
  #changed: (() => void)[] = [];

  async give(bytes: Buffer, total: number): Promise<void> {
    while (this.#piece !== null && !this.#cancelled) await this.#change();
    if (this.#cancelled) throw new SvcError('aborted', 'the follower does not take the copy any more');
    this.#piece = { bytes, total };
    this.#wake();
  }

  async take(): Promise<Piece | null> {
    while (this.#piece === null && this.#ended === null) await this.#change();
    const piece = this.#piece;
    this.#piece = null;
    this.#wake();
    if (piece === null && this.#ended?.error) throw this.#ended.error;
    return piece;
  }

  end(error: unknown): void {
    this.#ended = { error };
    this.#wake();
  }

  cancel(): void {
    this.#cancelled = true;
    this.#wake();
  }

  #change(): Promise<void> {
    return new Promise((resolve) => this.#changed.push(resolve));
  }

  #wake(): void {
    for (const wake of this.#changed.splice(0)) wake();
  }
}
