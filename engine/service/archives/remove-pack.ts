/** Removes the files of a freeze that did not come to its end, and nothing that anybody else means. */

import { filePath, storeNameFor } from '../../graphs/archives.js';
import { FREEZES, type FreezeRow } from '../../query/registry/freeze-rows.js';
import { removeAside } from '../../storage/lmdb/temporary-sibling.js';
import type { StorageEngine } from '../../storage/seam/engine.js';
import { lookInto } from '../../storage/seam/rows.js';

export async function removePack(engine: StorageEngine, row: FreezeRow): Promise<void> {
  // A copy of the store has the notes of its original, whose files are not the copy's.
  if (row.store !== storeNameFor(engine.path, row.path)) return;
  await removeAside(filePath(engine.path, row.temporary));
  if (row.found || isMeant(engine, row)) return;
  await removeAside(filePath(engine.path, row.path));
}

/** Another freeze has its rows in the file, or left it to its owner. */
function isMeant(engine: StorageEngine, { name, path }: FreezeRow): boolean {
  const all = lookInto(engine.snapshot(), (snapshot) => FREEZES.all(snapshot));
  return all.some((other) => other.name !== name && other.path === path && /^(frozen|thawed)$/.test(other.state));
}
