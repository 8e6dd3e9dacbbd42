/**
 * Makes a follower the primary, by hand.
 *
 * 1. The primary is asked for what the copy lacks, in the name of the next epoch: that fences it, so that it writes no more.
 * 2. What it has written until then is applied; what can't be told change by change comes with a new copy of its file.
 * 3. The copy becomes the primary of that epoch; that is on the disk before anybody can write to it.
 *
 * Where the primary does not answer nobody knows whether it still writes; then nothing is done, unless it is forced. A
 * primary that comes back after that meets followers of a higher epoch, and is fenced by the first of them; what it wrote
 * until then is in no other copy.
 */

import { type Control, throwIfStopped } from '../base/control.js';
import { SvcError } from '../base/errors.js';
import { changeRole, roleOfFile } from '../storage/admin/role-of-file.js';
import { openLmdbEngine } from '../storage/lmdb-store/open.js';
import type { Replication, ReplicationRole } from '../storage/seam/replication.js';
import { askPrimary, framesOf, helloFrom, type Primary } from './ask-primary.js';
import { type Beat, type End, FRAME, jsonOf } from './frames.js';
import { logPath } from './log-path.js';
import { placeCopy, receiveCopy } from './receive-copy.js';
import { silenceLimit } from './silence-limit.js';

const COMMIT_BYTES_MAX = 16 * 1024 * 1024;
/** The primary is fenced by the time of the first: nothing more can come between. */
const COPIES_MAX = 2;

export interface PromoteOptions {
  /** The token that the primary accepts from followers. */
  readonly token: string | undefined;
  /** Whatever the primary is doing. */
  readonly force: boolean;
}

export interface Promotion {
  readonly epoch: number;
  readonly tx: number;
  /** Transactions that were fetched from the old primary. */
  readonly fetched: number;
  /** The old primary has said that it writes no more. */
  readonly fenced: boolean;
}

export async function promoteFollower(path: string, options: PromoteOptions, control: Control): Promise<Promotion> {
  const role = await roleOfFile(path);
  if (role === null) throw new SvcError('store_missing', `there is no store at ${path}`);
  const before = epochOf(role, path, options.force);
  const epoch = before + 1;
  let tx = 0;
  let drained: Drained | null = null;
  for (let copies = 0; ; copies++) {
    const engine = await openLmdbEngine(path, { create: false });
    try {
      const { replication } = engine;
      if (replication === null) throw new SvcError('internal', 'a store file can be replicated');
      if (role.role === 'follower') drained = await drain(replication, role, epoch, options, control);
      tx = replication.newest();
    } finally {
      await engine.close();
    }
    if (drained?.outdated === undefined) break;
    if (copies === COPIES_MAX) throw drained.outdated;
    try {
      await placeCopy(await receiveCopy(primaryOf(role, options), path, control), path);
    } catch (error) {
      drained = orForced(error, options);
      break;
    }
  }
  await changeRole(path, { role: 'primary', epoch, primary: null, fencedBy: null });
  return { epoch, tx, fetched: drained?.fetched ?? 0, fenced: drained !== null };
}

/** The newest epoch that a file knows of; refuses one that is no follower. */
function epochOf({ role, epoch, fencedBy }: ReplicationRole, path: string, force: boolean): number {
  if (role === 'follower') return epoch;
  if (fencedBy === null) throw new SvcError('state_conflict', `${path} is a primary already, of epoch ${epoch}`);
  if (force) return fencedBy;
  throw new SvcError('state_conflict', `${path} was superseded by the primary of epoch ${fencedBy}`, {
    hint: 'follow that one; with force this file becomes a primary of its own, and what the other one wrote is not in it',
  });
}

interface Drained {
  readonly fetched: number;
  /** Why the file has to be copied again first; the primary is fenced by then. */
  readonly outdated?: SvcError;
}

function primaryOf({ primary: url }: ReplicationRole, { token }: PromoteOptions): Primary {
  if (url === null) throw new SvcError('state_conflict', 'the copy does not say whom it follows');
  if (token !== undefined) return { url, token };
  throw new SvcError('configuration', `follow.auth_token is not set, so that ${url} can not be asked`);
}

/** Null: it was forced, and the primary could not be asked. */
async function drain(
  replication: Replication,
  role: ReplicationRole,
  epoch: number,
  options: PromoteOptions,
  control: Control,
): Promise<Drained | null> {
  try {
    return await fetchRest(primaryOf(role, options), replication, epoch, control);
  } catch (error) {
    if (error instanceof SvcError && error.code === 'log_gone') return { fetched: 0, outdated: error };
    return orForced(error, options);
  }
}

/** What keeps a promotion from asking the primary: nothing is promoted then, unless it is forced. */
function orForced(error: unknown, { force }: PromoteOptions): null {
  if (!(error instanceof SvcError) || error.code === 'aborted' || error.code.startsWith('disk_')) throw error;
  if (force) return null;
  throw new SvcError(error.code, `${error.message}; nothing was promoted: it may still be writing`, {
    hint:
      error.code === 'state_conflict' && error.hint !== undefined
        ? error.hint
        : 'stop the primary for good, then promote with --force; what it wrote and this copy lacks is lost then',
    cause: error,
  });
}

async function fetchRest(
  primary: Primary,
  replication: Replication,
  epoch: number,
  { signal, onProgress }: Control,
): Promise<Drained> {
  const started = performance.now();
  const silence = silenceLimit(signal);
  let fetched = 0;
  let waiting: Buffer[] = [];
  let bytes = 0;
  let toldBeside = false;
  const apply = async (): Promise<void> => {
    const changes = waiting;
    waiting = [];
    bytes = 0;
    await silence.during(replication.apply(changes));
    fetched += changes.length;
    onProgress?.({
      phase: 'fetch transactions',
      done: fetched,
      unit: 'transactions',
      elapsedMs: performance.now() - started,
    });
  };
  try {
    const path = await logPath(replication, replication.state(), epoch);
    const frames = framesOf(await askPrimary(primary, path, silence.signal), silence.heard);
    const first = await frames.next();
    const hello = helloFrom(first.done === true ? undefined : first.value, primary);
    if (hello.role === 'follower') {
      throw new SvcError('state_conflict', `${primary.url} follows ${hello.primary ?? 'another server'} itself`, {
        hint: `follow ${hello.primary ?? 'that server'} itself for a moment (svc serve --follow), then promote`,
      });
    }
    if ((hello.fenced_by ?? hello.epoch) < epoch) {
      throw new SvcError('service_failed', `${primary.url} goes on writing: it was not fenced`);
    }
    for await (const frame of frames) {
      throwIfStopped({ signal }, 'the promotion');
      if (frame.kind === FRAME.beside) {
        // Every connection begins with one; a beat behind it says that there is no more.
        toldBeside = true;
        await apply();
        await silence.during(replication.applyBeside(frame.payload));
      } else if (frame.kind === FRAME.change) {
        waiting.push(frame.payload);
        bytes += frame.bytes;
        if (bytes >= COMMIT_BYTES_MAX) await apply();
      } else if (frame.kind === FRAME.end) {
        const { code, message } = jsonOf<End>(frame);
        const told = code === 'log_gone' ? 'log_gone' : 'unavailable';
        throw new SvcError(told, `${primary.url} can not tell the rest: ${message}`);
      } else if (
        frame.kind === FRAME.beat &&
        toldBeside &&
        jsonOf<Beat>(frame).tx <= replication.newest() + waiting.length
      ) {
        await apply();
        return { fetched };
      }
    }
    throw new SvcError('unavailable', `${primary.url} ended the connection before all was told`);
  } finally {
    silence.end();
  }
}
