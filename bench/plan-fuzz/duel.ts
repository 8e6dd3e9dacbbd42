/** One query asked of this store and of a peer: both times, and whether the answers are the same. */
import { readFileSync } from 'node:fs';
import { setTimeout } from 'node:timers/promises';
import { SvcError } from '../../engine/base/errors.js';
import { digestAnswer } from '../sparql/digest.js';
import type { Form } from '../sparql/query-set.js';
import type { Session } from '../sparql/session.js';

/** Runs after the first, of a query that seems to be a cliff. */
const REPEATS = 7;
/** Slower than so many times the peer, and than so many milliseconds. */
export const CLIFF_RATIO = 2;
export const CLIFF_MS = 5;
/** Our limit where the peer has answered: what is above is a cliff in any case, but where other processes have the machine. */
const LIMIT_RATIO = 20;
const LIMIT_MS_MIN = 5000;
/** How long the peer may take for an answer that is only compared. */
const SOON_LIMIT_MS = 300;
const SETTLE_MS = 1;
const LOOK_MS = 200;
const STARVED_SHARE = 0.3;
const STARVED_LIMITS = 4;
const START_LIMIT_MS = 120_000;

export type Verdict =
  | 'fine'
  | 'cliff'
  | 'different'
  /** We failed where the peer did not. */
  | 'failed'
  /** The peer did not end, or failed. */
  | 'alone';

export interface Duel {
  readonly verdict: Verdict;
  /** Of the best run; null = it did not end in time, or failed. */
  readonly oursMs: number | null;
  readonly theirsMs: number | null;
  readonly rows: number | null;
  readonly error?: string;
}

interface Run {
  readonly ms: number;
  readonly body: Buffer;
}

export class Duellists {
  constructor(
    readonly ours: Session,
    readonly theirs: Session,
    private readonly limitMs: number,
  ) {}

  async fight(text: string): Promise<Duel> {
    const form = formOf(text);
    const early = await attempt(this.ours, text, form, this.limitMs);
    // Where we are soon done it can be no cliff: the peer is asked for its answer, and need not be waited for.
    const isSoon = !('error' in early) && early.ms < CLIFF_MS;
    const theirs = await attempt(
      this.theirs,
      text,
      form,
      isSoon ? Math.min(SOON_LIMIT_MS, this.limitMs) : this.limitMs,
    );
    const theirsMs = 'error' in theirs ? null : theirs.ms;
    const longer = theirsMs === null ? 0 : LIMIT_MS_MIN + LIMIT_RATIO * theirsMs;
    const again = 'error' in early && early.timedOut && longer > this.limitMs;
    const ours = again ? await attempt(this.ours, text, form, longer) : early;
    if ('error' in ours) {
      const verdict = theirsMs === null ? 'alone' : ours.timedOut ? 'cliff' : 'failed';
      return { verdict, oursMs: null, theirsMs, rows: null, error: ours.error };
    }
    if ('error' in theirs) return { verdict: 'alone', oursMs: ours.ms, theirsMs, rows: null, error: theirs.error };
    const [mine, other] = [digestAnswer(ours.body, form), digestAnswer(theirs.body, form)];
    const { rows } = mine;
    const same = rows === other.rows && (isOpen(text) || mine.loose === other.loose);
    if (!same) {
      const error = `${rows} rows, and ${other.rows}`;
      return { verdict: 'different', oursMs: ours.ms, theirsMs: theirs.ms, rows, error };
    }
    return this.settle(text, form, ours.ms, theirs.ms, rows);
  }

  /** Asks again while it seems to be a cliff: the best of some runs counts. */
  private async settle(text: string, form: Form, oursMs: number, theirsMs: number, rows: number): Promise<Duel> {
    let best = { oursMs, theirsMs };
    for (let again = 0; again < REPEATS && isCliff(best); again++) {
      const [mine, other] = [
        await attempt(this.ours, text, form, this.limitMs),
        await attempt(this.theirs, text, form, this.limitMs),
      ];
      if ('error' in mine || 'error' in other) break;
      best = { oursMs: Math.min(best.oursMs, mine.ms), theirsMs: Math.min(best.theirsMs, other.ms) };
    }
    return { verdict: isCliff(best) ? 'cliff' : 'fine', ...best, rows };
  }
}

function isCliff({ oursMs, theirsMs }: { readonly oursMs: number; readonly theirsMs: number }): boolean {
  return oursMs > CLIFF_MS && oursMs > CLIFF_RATIO * theirsMs;
}

/** What the main thread of a process has computed so far: other processes on the machine do not count. Null where that is not told. */
function cpuMs(pid: number | undefined): number | null {
  try {
    return Number(readFileSync(`/proc/${pid}/schedstat`, 'utf8').split(' ')[0]) / 1e6;
  } catch {
    return null;
  }
}

interface Failure {
  readonly error: string;
  readonly timedOut: boolean;
}

/** A run that had less than a share of its time on a processor is not one that took too long: it is made once more. */
async function attempt(session: Session, text: string, form: Form, limitMs: number): Promise<Run | Failure> {
  const first = await run(session, text, form, limitMs);
  const isStarved = 'error' in first && first.timedOut && first.cpuMs < STARVED_SHARE * limitMs;
  return isStarved ? run(session, text, form, STARVED_LIMITS * limitMs) : first;
}

async function run(
  session: Session,
  text: string,
  form: Form,
  limitMs: number,
): Promise<Run | (Failure & { readonly cpuMs: number })> {
  const before = cpuMs(session.pid);
  let used = 0;
  const look = (): void => {
    used = (cpuMs(session.pid) ?? 0) - (before ?? 0);
  };
  const timer = setInterval(look, LOOK_MS);
  try {
    const { ms, body } = await session.query(text, form, limitMs);
    if (before === null) return { ms, body };
    // Until it has gone back to wait, not all of its time is told.
    await setTimeout(SETTLE_MS);
    look();
    return { ms: Math.min(ms, used), body };
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error);
    const timedOut = error instanceof SvcError && error.code === 'query_timeout';
    clearInterval(timer);
    // It was killed: the next query is not to wait for its start.
    if (timedOut) await session.query('ASK {}', 'ASK', START_LIMIT_MS);
    return { error: message, timedOut, cpuMs: before === null ? limitMs : used };
  } finally {
    clearInterval(timer);
  }
}

function formOf(text: string): Form {
  return /\n\s*ASK\b/.test(text) ? 'ASK' : 'SELECT';
}

/** Which rows a LIMIT without an order gives is open. */
function isOpen(text: string): boolean {
  return / LIMIT \d+$/.test(text) && !/ ORDER BY [^}]*$/.test(text);
}
