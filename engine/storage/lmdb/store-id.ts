/**
 * The identity of a store (wire shapes 1.2): `urn:svc:store:<uuid>`, sealed, under the key `store_id` of `meta`. It is made
 * with the file; a file of before gets it when it is opened for writing. Copies of the file keep it.
 */

import { randomUUID } from 'node:crypto';
import { SvcError } from '../../base/errors.js';
import type { LmdbFile, ReadTransaction } from './file.js';
import { seal, unseal } from './sealed.js';

const STORE_ID_KEY = 'store_id';
const STORE_ID = /^urn:svc:store:[0-9a-f-]{36}$/;

export function newStoreId(): string {
  return `urn:svc:store:${randomUUID()}`;
}

export function readStoreId(file: LmdbFile, transaction?: ReadTransaction): string | null {
  const sealed = file.readCopy('meta', STORE_ID_KEY, transaction);
  if (sealed === undefined) return null;
  const id = unseal(sealed, `the identity of ${file.path}`).toString('utf8');
  if (!STORE_ID.test(id)) throw new SvcError('store_corrupt', `the identity of ${file.path} is damaged`);
  return id;
}

/** Inside a write of the file only. */
export function putStoreId(file: LmdbFile): void {
  file.put('meta', STORE_ID_KEY, seal(Buffer.from(newStoreId(), 'utf8')));
}
