/**
 * The head: what every commit changes, sealed JSON under the key `head` of `meta`. A file without one
 * (format 1) has the head that its manifest implies.
 */

import type { TxId } from '../ids/layout.js';
import type { LmdbFile, ReadTransaction } from '../lmdb/file.js';
import { seal, unseal } from '../lmdb/sealed.js';
import type { Manifest } from '../runs/manifest.js';

export interface Head {
  readonly lastTx: TxId;
  /** The first term number that neither a segment nor the delta holds. */
  readonly nextTermNumber: number;
  /** Stored bytes of the log. */
  readonly logBytes: number;
}

export function encodeHead(head: Head): Buffer {
  return seal(Buffer.from(JSON.stringify(head)));
}

export function readHead(file: LmdbFile, manifest: Manifest, transaction: ReadTransaction | undefined): Head {
  const value = file.readCopy('meta', 'head', transaction);
  if (value === undefined) return headOf(manifest);
  return JSON.parse(unseal(value, `the head of ${file.path}`).toString('utf8')) as Head;
}

/** The head of a store without a delta. */
export function headOf(manifest: Manifest): Head {
  return { lastTx: manifest.lastTx, nextTermNumber: manifest.nextTermNumber, logBytes: manifest.logBytes };
}
