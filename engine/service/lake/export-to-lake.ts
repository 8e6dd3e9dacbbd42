/** A store as a lake in a folder. */

import type { Control } from '../../base/control.js';
import { SvcError } from '../../base/errors.js';
import { type LakeReport, runExport } from '../../lake/run-export.js';
import { FolderTarget } from '../../lake/target/folder-target.js';
import type { StorageEngine } from '../../storage/seam/engine.js';
import { withSnapshot } from '../../storage/seam/rows.js';

export interface LakeExportOptions extends Control {}

export interface LakeExported extends LakeReport {
  /** Where it is. */
  readonly target: string;
}

export async function exportToLake(
  engine: StorageEngine,
  given: string,
  options: LakeExportOptions,
): Promise<LakeExported> {
  const store = engine.packs.storeId();
  if (store === null) {
    throw new SvcError('unsupported', `${engine.path} has no identity: it was made by an earlier version`, {
      hint: 'open it for writing once, for instance with svc fold',
    });
  }
  const target = new FolderTarget(given);
  return withSnapshot(engine.snapshot(), async (snapshot) => {
    const source = { snapshot, store, transactions: engine.transactions.bind(engine) };
    return { target: target.name, ...(await runExport(source, target, options)) };
  });
}
