/**
 * `lmdb` stands behind this file, for the store (`file.ts`) and for the lock of its writer (`kernel-lock.ts`): LMDB gives us
 * atomic commits, readers that never wait, locks of the kernel, and prebuilt binaries.
 */

export { type Database, open, type RootDatabase, type Transaction } from 'lmdb';
