/**
 * One writing process per store. LMDB would let several take turns; our allocation of block numbers
 * and our caches assume one. The lock is a file `<store>-writer`, which names its process and never
 * appears before it does; the lock of a process that is gone (or whose number now belongs to another process) is
 * taken over. A second writer is refused by name.
 */

import { randomUUID } from 'node:crypto';
import { linkSync, readFileSync, renameSync, unlinkSync, writeFileSync } from 'node:fs';
import { hostname } from 'node:os';
import { fromSystemError, SvcError } from '../../base/errors.js';

interface Holder {
  readonly pid: number;
  readonly host: string;
  /** Start of the process in clock ticks since boot, where the system tells; else null. */
  readonly startTicks: string | null;
  readonly command: string;
  readonly since: string;
}

const TRIES_MAX = 5;
/** What file systems without hard links say. */
const NO_LINKS: ReadonlySet<string> = new Set(['EPERM', 'ENOTSUP', 'EOPNOTSUPP', 'ENOSYS', 'EMLINK']);

/** Start time of a process, from field 22 of /proc/<pid>/stat; null where there is no such file. */
function startTicksOf(pid: number): string | null {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    return stat.slice(stat.lastIndexOf(')') + 2).split(' ')[19] ?? null;
  } catch {
    return null;
  }
}

function isAlive(holder: Holder): boolean {
  if (holder.host !== hostname()) return true;
  try {
    process.kill(holder.pid, 0);
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
  return holder.startTicks === null || startTicksOf(holder.pid) === holder.startTicks;
}

function readHolder(path: string): Holder | null {
  try {
    return JSON.parse(readFileSync(path, 'utf8')) as Holder;
  } catch {
    return null;
  }
}

/** Who has the lock of a store, and whether that process still runs; null when nobody has it. Only looks. */
export function writerOf(storePath: string): (Omit<Holder, 'startTicks'> & { readonly alive: boolean }) | null {
  const holder = readHolder(`${storePath}-writer`);
  return holder && { ...holder, alive: isAlive(holder) };
}

export class WriterLock {
  readonly #path: string;
  #held = true;

  private constructor(path: string) {
    this.#path = path;
  }

  /** Takes the lock of a store, or throws `store_locked` naming the process that has it. */
  static take(storePath: string): WriterLock {
    const path = `${storePath}-writer`;
    const holder: Holder = {
      pid: process.pid,
      host: hostname(),
      startTicks: startTicksOf(process.pid),
      command: process.argv.slice(1, 4).join(' '),
      since: new Date().toISOString(),
    };
    for (let tries = 0; tries < TRIES_MAX; tries++) {
      try {
        place(path, JSON.stringify(holder));
        return new WriterLock(path);
      } catch (error) {
        if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw fromSystemError(error, `locking ${storePath}`);
      }
      const other = readHolder(path);
      if (other && isAlive(other)) {
        throw new SvcError(
          'store_locked',
          `${storePath} is being written by process ${other.pid} on ${other.host} (${other.command}, since ${other.since})`,
          { hint: 'wait until it has ended, or open the store read-only' },
        );
      }
      takeAway(path, other);
    }
    throw new SvcError('store_locked', `${storePath} is being locked by several processes at once; try again`);
  }

  /** Gives back what a thread of this process held that died without doing so. */
  static releaseAfterDeath(storePath: string): void {
    const path = `${storePath}-writer`;
    const holder = readHolder(path);
    if (holder?.pid === process.pid && holder.host === hostname()) new WriterLock(path).release();
  }

  release(): void {
    if (!this.#held) return;
    this.#held = false;
    try {
      unlinkSync(this.#path);
    } catch {
      // Somebody tidied up; the lock is gone either way.
    }
  }
}

/**
 * Makes a file that must not exist, whole from its first moment on: a rival that saw an empty one would
 * take it for a dead lock. Where the file system has no links, it is made empty and then written.
 */
function place(path: string, text: string): void {
  const draft = `${path}.${randomUUID()}`;
  writeFileSync(draft, text, { flag: 'wx', mode: 0o644 });
  try {
    linkSync(draft, path);
  } catch (error) {
    if (!NO_LINKS.has((error as NodeJS.ErrnoException).code ?? '')) throw error;
    writeFileSync(path, text, { flag: 'wx', mode: 0o644 });
  } finally {
    unlinkSync(draft);
  }
}

/** Removes a dead holder's lock. Renaming first makes sure that only one of two rivals removes it. */
function takeAway(path: string, dead: Holder | null): void {
  const aside = `${path}.${randomUUID()}`;
  try {
    renameSync(path, aside);
    const taken = readHolder(aside);
    // A rival may have put a fresh lock there in between: give it back.
    if (taken && !isSame(taken, dead) && isAlive(taken)) renameSync(aside, path);
    else unlinkSync(aside);
  } catch {
    // A rival was faster.
  }
}

function isSame(a: Holder, b: Holder | null): boolean {
  return b !== null && a.pid === b.pid && a.startTicks === b.startTicks && a.since === b.since;
}
