/**
 * Log records of transactions that are not folded yet stand twice in the file: in `log`, and as copies of the same bytes
 * in `log_copies`, on pages of their own, written by the same commit. Until a fold has put their rows into runs nothing
 * else holds what they say, and every later transaction builds on their rows and on the numbers of their terms; so that
 * without copies one bad byte would cost all transactions since the fold.
 *
 * 1. Readers take the copy where the record is damaged or missing (`decodeOwn`, `log-reader.ts`).
 * 2. Verification tells of either that is damaged; repair makes each from the other.
 * 3. A fold, load or large transaction drops the copies of what is folded by then. A damaged record that the fold does
 *    not replace by a segment is put back from its copy before.
 *
 * Files of older versions have none; the head says from which transaction on there are copies.
 */

import { SvcError } from '../../base/errors.js';
import type { TxId } from '../ids/layout.js';
import { everyKey } from '../lmdb/every-key.js';
import type { LmdbFile, ReadTransaction } from '../lmdb/file.js';
import { checkRecord, type DecodedRecord, decodeLogRecord } from './record.js';

export function isSoundRecord(bytes: Buffer | undefined, tx: TxId): boolean {
  if (bytes === undefined) return false;
  try {
    checkRecord(bytes, tx);
    return true;
  } catch (error) {
    if (isCorrupt(error)) return false;
    throw error;
  }
}

/** The copy of a record; undefined where there is none that is sound. */
export function soundCopy(file: LmdbFile, tx: TxId, transaction?: ReadTransaction): Buffer | undefined {
  const copy = file.readCopy('log_copies', tx, transaction);
  return isSoundRecord(copy, tx) ? copy : undefined;
}

/** The record of a transaction that is not folded, from its copy where it must be. */
export function decodeOwn(file: LmdbFile, tx: TxId, transaction: ReadTransaction | undefined): DecodedRecord {
  try {
    return decodeLogRecord(file.readCopy('log', tx, transaction), tx);
  } catch (error) {
    const copy = isCorrupt(error) ? soundCopy(file, tx, transaction) : undefined;
    if (copy === undefined) throw error;
    return decodeLogRecord(copy, tx);
  }
}

export function isCorrupt(error: unknown): boolean {
  return error instanceof SvcError && error.kind === 'corrupt';
}

/** Inside `write` only: drops the copies of transactions up to `foldedTx`; `replaced` are those that have no record of their own any more. */
export function dropCopies(file: LmdbFile, foldedTx: TxId, replaced: ReadonlySet<TxId>): void {
  for (const tx of everyKey<number>(file, 'log_copies')) {
    if (tx > foldedTx) return;
    if (!replaced.has(tx)) putBack(file, tx);
    file.remove('log_copies', tx);
  }
}

function putBack(file: LmdbFile, tx: TxId): void {
  if (isSoundRecord(file.readCopy('log', tx), tx)) return;
  const copy = soundCopy(file, tx);
  if (copy !== undefined) file.put('log', tx, copy);
}
