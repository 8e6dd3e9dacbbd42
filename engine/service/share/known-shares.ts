/** Which shares this store knows: those that it gave away and those that came in. */

import { EXPORTED_SHARES, rowNameOf } from '../../share/exported-shares.js';
import { IMPORTED_SHARES } from '../../share/imported-shares.js';
import type { StorageSnapshot } from '../../storage/seam/scan.js';

export function parentKnown(snapshot: StorageSnapshot, parent: string | null): boolean {
  if (parent === null) return false;
  const name = rowNameOf(parent);
  return EXPORTED_SHARES.has(snapshot, name) || IMPORTED_SHARES.has(snapshot, name);
}
