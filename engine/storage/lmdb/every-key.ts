/** The keys of a database one after the other, read some at a time. */

import type { DatabaseName, LmdbFile, ReadTransaction } from './file.js';

const KEYS_READ = 1024;

/** Ascending, those after `after`. What is written meanwhile may be among them. */
export function* everyKey<Key extends string | number = string>(
  store: { keysAfter(...asked: Parameters<LmdbFile['keysAfter']>): readonly (string | number)[] },
  database: DatabaseName,
  transaction?: ReadTransaction,
  after: Key | null = null,
): Generator<Key> {
  for (let last = after; ; ) {
    const keys = store.keysAfter(database, last, KEYS_READ, transaction) as readonly Key[];
    if (keys.length === 0) return;
    yield* keys;
    last = keys[keys.length - 1] as Key;
  }
}
