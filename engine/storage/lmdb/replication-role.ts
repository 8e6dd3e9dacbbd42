/**
 * Who may write a copy of a store: sealed JSON under the key `replication` of `meta`. A file without the key is a primary
 * that nobody was promoted before.
 */

import type { ReplicationRole } from '../seam/replication.js';
import type { LmdbFile, ReadTransaction } from './file.js';
import { seal, unseal } from './sealed.js';

const KEY = 'replication';

const FIRST_PRIMARY: ReplicationRole = { role: 'primary', epoch: 0, primary: null, fencedBy: null };

export function readRole(file: LmdbFile, transaction?: ReadTransaction): ReplicationRole {
  const sealed = file.readCopy('meta', KEY, transaction);
  if (sealed === undefined) return FIRST_PRIMARY;
  return JSON.parse(unseal(sealed, `the role of ${file.path}`).toString('utf8')) as ReplicationRole;
}

/** Inside a write of the file only. */
export function putRole(file: Pick<LmdbFile, 'put'>, role: ReplicationRole): void {
  file.put('meta', KEY, seal(Buffer.from(JSON.stringify(role))));
}
