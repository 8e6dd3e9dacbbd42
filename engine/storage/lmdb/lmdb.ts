/**
 * `lmdb` stands behind this file, for the store (`file.ts`) and for the lock of its writer (`kernel-lock.ts`): LMDB gives us
 * atomic commits, readers that never wait, locks of the kernel, and prebuilt binaries.
 */

import { type Database, open, type RootDatabase, type Transaction } from 'lmdb';

export type { Database, RootDatabase, Transaction };
export { open };

/**
 * Opens an environment and what is wanted of it. lmdb-js sets a timer for a view before it has got one; when it gets
 * none, that timer would end the process after the error has been told.
 */
export function openWhole<Opened>(work: () => Opened): Opened {
  const { setTimeout: set } = globalThis;
  const timers: NodeJS.Timeout[] = [];
  const keep = (...given: Parameters<typeof set>): NodeJS.Timeout => {
    const timer = set(...given);
    timers.push(timer);
    return timer;
  };
  globalThis.setTimeout = Object.assign(keep, set);
  try {
    return work();
  } catch (error) {
    for (const timer of timers) clearTimeout(timer);
    throw error;
  } finally {
    globalThis.setTimeout = set;
  }
}
