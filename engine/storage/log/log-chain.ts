/**
 * The chain of a log: the hash of a transaction is one of its metadata and of the hash before it, so that two stores with
 * equal hashes have the same history. Metadata has the sums of the rows that a transaction opened and closed, so rows count,
 * too. Nothing of it is stored with a transaction: it is made from the log, and kept while the file is open. A follower notes
 * how far it has come, under the key `chain` of `meta`, in the commit that brings it there.
 */

import { createHash } from 'node:crypto';
import { breathe } from '../../base/control.js';
import type { TxId } from '../ids/layout.js';
import type { LmdbFile, ReadTransaction } from '../lmdb/file.js';
import { seal, unseal } from '../lmdb/sealed.js';
import { LogReader } from './log-reader.js';
import type { LogRecord } from './record.js';

const KEY = 'chain';
/** The hash before the first transaction. */
const NOTHING = '0'.repeat(64);
/** So many transactions lie between hashes that are kept. */
const KEPT_EVERY = 4096;

interface Link {
  readonly tx: TxId;
  readonly hash: string;
}

export function nextHash(before: string, record: LogRecord): string {
  return createHash('sha256').update(before).update(JSON.stringify(record)).digest('hex');
}

export function readChain(file: LmdbFile, transaction?: ReadTransaction): Link | null {
  const sealed = file.readCopy('meta', KEY, transaction);
  if (sealed === undefined) return null;
  return JSON.parse(unseal(sealed, `the chain of ${file.path}`).toString('utf8')) as Link;
}

/** Inside a write of the file only. */
export function putChain(file: Pick<LmdbFile, 'put'>, link: Link): void {
  file.put('meta', KEY, seal(Buffer.from(JSON.stringify(link))));
}

export class LogChain {
  readonly #file: LmdbFile;
  readonly #kept = new Map<TxId, string>([[0, NOTHING]]);
  #newest: Link | null = null;

  constructor(file: LmdbFile) {
    this.#file = file;
  }

  /** The nearest known link that is not after a transaction. */
  #before(tx: TxId): Link {
    this.#newest ??= readChain(this.#file) ?? { tx: 0, hash: NOTHING };
    if (this.#newest.tx <= tx) return this.#newest;
    for (let at = Math.floor(tx / KEPT_EVERY) * KEPT_EVERY; ; at -= KEPT_EVERY) {
      const hash = this.#kept.get(at);
      if (hash !== undefined) return { tx: at, hash };
    }
  }

  /** `tx` is in the log. */
  async hashAt(tx: TxId): Promise<string> {
    let { tx: at, hash } = this.#before(tx);
    const log = new LogReader(this.#file);
    while (at < tx) {
      hash = nextHash(hash, log.entry(++at, undefined).record);
      this.note({ tx: at, hash });
      if (at % KEPT_EVERY === 0) await breathe();
    }
    return hash;
  }

  note(link: Link): void {
    if (link.tx % KEPT_EVERY === 0) this.#kept.set(link.tx, link.hash);
    if (link.tx >= (this.#newest?.tx ?? 0)) this.#newest = link;
  }
}
