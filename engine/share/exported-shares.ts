/**
 * Shares that this store has given away, as rows of the registry graph: `<urn:svc:exported-share:ID> svc:exportedShare
 * "JSON"`, by the 64 hex digits of the share id. The row says which scope it was and as of which transaction, so that the
 * base of a merge is read from the history instead of a copy (ruling R49). `/share` is a read and leaves none.
 */

import { NamedRows } from '../query/registry/named-rows.js';
import type { TxId } from '../storage/ids/layout.js';
import type { StorageSnapshot } from '../storage/seam/scan.js';
import { SCOPE_KINDS, type ShareScope } from './manifest.js';

export interface ExportedShare {
  /** The digits of the share id. */
  readonly name: string;
  readonly scope: ShareScope;
  /** The scope as of this transaction is what was shared. */
  readonly tx: TxId;
  readonly parent: string | null;
}

export const EXPORTED_SHARES = new NamedRows<ExportedShare>('exported-share', 'exportedShare', (json) => {
  const { name, scope, tx, parent } = json as ExportedShare;
  const whole =
    typeof name === 'string' &&
    Number.isSafeInteger(tx) &&
    SCOPE_KINDS.some((kind) => kind === scope?.kind) &&
    (parent === null || typeof parent === 'string');
  return whole ? { name, scope, tx, parent } : null;
});

/** The name of a share's rows: its id without `sha256:`. */
export function rowNameOf(shareId: string): string {
  return shareId.replace(/^sha256:/, '');
}

/** The row of a share that this store exported; null when it did not, or by `/share` alone. */
export function exportedShare(snapshot: StorageSnapshot, shareId: string): ExportedShare | null {
  return EXPORTED_SHARES.one(snapshot, rowNameOf(shareId));
}
