/**
 * One writing process per store. LMDB would let several take turns; our allocation of block numbers
 * and our caches assume one. What keeps others away is a lock that the kernel drops with the process
 * (`kernel-lock.ts`), in `<store>-writer.mdb`; the text file `<store>-writer` says who has it, for people and
 * for messages, and counts for nothing else. A second writer is refused by name.
 *
 * Versions before that lock had the text file alone. Such a writer is believed while its process runs on this host, and
 * refuses to start beside a writer of this version by the same text.
 */

import { randomUUID } from 'node:crypto';
import { readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { hostname } from 'node:os';
import { fromSystemError, SvcError } from '../../base/errors.js';
import { KernelLock } from './kernel-lock.js';
import { removeLitter } from './litter.js';
import { assertLockable } from './lockable.js';

interface Holder {
  readonly pid: number;
  readonly host: string;
  /** Start of the process in clock ticks since boot, where the system tells; else null. */
  readonly startTicks: string | null;
  readonly command: string;
  readonly since: string;
  /** Which lock goes with the text; missing where the text is all. */
  readonly lock?: 'kernel';
}

export interface Writer extends Pick<Holder, 'pid' | 'host' | 'command' | 'since'> {
  readonly alive: boolean;
}

const textOf = (storePath: string): string => `${storePath}-writer`;
const lockOf = (storePath: string): string => `${storePath}-writer.mdb`;

/** Start time of a process, from field 22 of /proc/<pid>/stat; null where there is no such file. */
function startTicksOf(pid: number): string | null {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    return stat.slice(stat.lastIndexOf(')') + 2).split(' ')[19] ?? null;
  } catch {
    return null;
  }
}

/** Whether the process of a text runs on this host, as far as numbers and names of hosts tell. */
function runsHere({ pid, host, startTicks }: Holder): boolean {
  if (host !== hostname() || !Number.isInteger(pid)) return false;
  try {
    process.kill(pid, 0);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EPERM') return false;
  }
  return startTicks === null || startTicksOf(pid) === startTicks;
}

function readHolder(storePath: string): Holder | null {
  try {
    return JSON.parse(readFileSync(textOf(storePath), 'utf8')) as Holder;
  } catch {
    return null;
  }
}

/** Who has the lock of a store, and whether that process still runs; null when nobody has it. Only looks. */
export function writerOf(storePath: string): Writer | null {
  const holder = readHolder(storePath);
  if (holder === null) return null;
  let pid: number | null = null;
  let mayLook = true;
  try {
    pid = KernelLock.holderOf(lockOf(storePath));
  } catch {
    // To look at it takes the right to write to it.
    mayLook = false;
  }
  if (pid !== null && holder.pid !== pid)
    return { pid, host: 'this machine', command: 'unknown', since: 'unknown', alive: true };
  const { host, command, since } = holder;
  const byText = !mayLook || holder.lock === undefined;
  return { pid: holder.pid, host, command, since, alive: pid !== null || (byText && runsHere(holder)) };
}

export class WriterLock {
  readonly #storePath: string;
  readonly #lock: KernelLock;

  private constructor(storePath: string, lock: KernelLock) {
    this.#storePath = storePath;
    this.#lock = lock;
  }

  /** Takes the lock of a store, whose path is no link, or throws `store_locked` naming the process that has it. */
  static take(storePath: string): WriterLock {
    assertLockable(storePath);
    const lock = takeKernelLock(storePath);
    try {
      const before = readHolder(storePath);
      if (before !== null && before.lock === undefined && runsHere(before))
        throw writtenByFormerVersion(storePath, before);
      removeLitter(storePath);
      writeHolder(storePath);
      return new WriterLock(storePath, lock);
    } catch (error) {
      lock.release();
      throw fromSystemError(error, `locking ${storePath}`);
    }
  }

  /** Removes the text of a thread of this process that died with the lock; the lock itself went with the thread. */
  static releaseAfterDeath(storePath: string): void {
    const writer = writerOf(storePath);
    if (writer?.pid === process.pid && !writer.alive) rmSync(textOf(storePath), { force: true });
  }

  release(): void {
    try {
      // Before the lock: afterwards the text may be that of the next holder.
      if (!this.#lock.released) rmSync(textOf(this.#storePath), { force: true });
    } finally {
      this.#lock.release();
    }
  }
}

function takeKernelLock(storePath: string): KernelLock {
  let taken: KernelLock | number;
  try {
    taken = KernelLock.take(lockOf(storePath));
  } catch (error) {
    throw lockFailed(error, storePath);
  }
  if (taken instanceof KernelLock) return taken;
  const holder = readHolder(storePath);
  const who = holder?.pid === taken ? `${taken} on ${holder.host} (${holder.command}, since ${holder.since})` : taken;
  throw new SvcError('store_locked', `${storePath} is being written by process ${who}`, {
    hint: 'wait until it has ended, or open the store read-only',
  });
}

function lockFailed(error: unknown, storePath: string): unknown {
  const known = fromSystemError(error, `locking ${storePath}`);
  if (known instanceof SvcError || !(error instanceof Error)) return known;
  return new SvcError('store_locked', `${storePath} cannot be locked: ${error.message}`, {
    cause: error,
    hint: `when nothing else has the store open, remove ${lockOf(storePath)} and ${lockOf(storePath)}-lock; they hold no data`,
  });
}

function writtenByFormerVersion(storePath: string, { pid, host, command, since }: Holder): SvcError {
  return new SvcError(
    'store_locked',
    `${storePath} is being written by process ${pid} on ${host} (${command}, since ${since}), of a version of svc with another lock`,
    { hint: `end it first; if it is no writer of this store, remove ${textOf(storePath)}` },
  );
}

/** The text is whole from its first moment on. */
function writeHolder(storePath: string): void {
  const holder: Holder = {
    pid: process.pid,
    host: hostname(),
    startTicks: startTicksOf(process.pid),
    command: process.argv.slice(1, 4).join(' '),
    since: new Date().toISOString(),
    lock: 'kernel',
  };
  const draft = `${textOf(storePath)}.${randomUUID()}`;
  try {
    writeFileSync(draft, JSON.stringify(holder), { flag: 'wx', mode: 0o644 });
    renameSync(draft, textOf(storePath));
  } catch (error) {
    rmSync(draft, { force: true });
    throw error;
  }
}
