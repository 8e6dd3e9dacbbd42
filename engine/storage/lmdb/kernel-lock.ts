/**
 * A lock that the kernel drops with the process that holds it: no number of a process, no host name and no
 * clock is asked. Node has no call for such locks; LMDB takes two of them on the lock file of an
 * environment, so a small environment of its own, which never holds a value, is the lock of a store:
 *
 * 1. Who opens the environment locks the first byte of `<name>-lock` (fcntl), shared. An opener that gets it
 *    exclusively is alone, and empties the table of readers: what dead processes left there is gone.
 * 2. Who reads locks the byte that has the number of its process, and takes a slot in that table.
 *    `readerCheck` empties the slots whose byte nobody locks: the kernel answers for every pid namespace.
 * 3. The holder of our lock is who has a slot, for as long as the environment is open. Slots are looked at and
 *    taken inside a write transaction, which LMDB gives to one thread of one process at a time.
 *
 * Locks of fcntl end when the process closes any descriptor of the file; lmdb-js opens an environment once in
 * a process, whatever its threads and paths, so there is one descriptor. The files stay when the lock is
 * given back: two processes could hold locks on two files of one name otherwise.
 */

import { existsSync } from 'node:fs';
import { assertRoomForLock } from './disk-space.js';
import { open, type RootDatabase } from './lmdb.js';

/** One slot is the holder's; others see that and leave. */
const READERS_MAX = 16;
const MAP_BYTES = 64 * 1024;

type Environment = RootDatabase<Buffer, string>;

function openEnvironment(path: string): Environment {
  assertRoomForLock(path);
  return open<Buffer, string>({
    path,
    noSubdir: true,
    maxReaders: READERS_MAX,
    maxDbs: 0,
    mapSize: MAP_BYTES,
    overlappingSync: false,
    encoding: 'binary',
    cache: false,
  });
}

/** The process that has a slot, by the number that it has in its own pid namespace; null when none has. */
function slotHolder(environment: Environment): number | null {
  environment.readerCheck();
  const pid = /^\s*(\d+)\s+[0-9a-f]+\s/m.exec(environment.readerList())?.[1];
  return pid === undefined ? null : Number(pid);
}

/** What this thread holds; also keeps the environments from being collected as garbage, which closes them. */
const held = new Map<string, KernelLock>();

export class KernelLock {
  readonly #path: string;
  readonly #environment: Environment;
  readonly #slot: { readonly done?: () => void };

  private constructor(path: string, environment: Environment, slot: { readonly done?: () => void }) {
    this.#path = path;
    this.#environment = environment;
    this.#slot = slot;
    held.set(path, this);
  }

  /** Takes the lock that is called `path`; where another process or thread has it, the number of that process. */
  static take(path: string): KernelLock | number {
    if (held.has(path)) return process.pid;
    const environment = openEnvironment(path);
    let taken: KernelLock | number | undefined;
    try {
      taken = environment.transactionSync(() => {
        const holder = slotHolder(environment);
        return holder ?? new KernelLock(path, environment, environment.useReadTransaction());
      });
      return taken;
    } finally {
      if (!(taken instanceof KernelLock)) void environment.close();
    }
  }

  /** The process that holds the lock called `path`, null when none does. Only looks, and makes no file. */
  static holderOf(path: string): number | null {
    if (held.has(path)) return process.pid;
    if (!existsSync(path) || !existsSync(`${path}-lock`)) return null;
    const environment = openEnvironment(path);
    try {
      return slotHolder(environment);
    } finally {
      void environment.close();
    }
  }

  get released(): boolean {
    return held.get(this.#path) !== this;
  }

  release(): void {
    if (this.released) return;
    held.delete(this.#path);
    this.#slot.done?.();
    void this.#environment.close();
  }
}
