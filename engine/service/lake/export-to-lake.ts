/** A store as a lake in a folder, or in object storage. */

import type { Control } from '../../base/control.js';
import { SvcError } from '../../base/errors.js';
import type { ExportBounds } from '../../lake/export/export-lake.js';
import { type LakeReport, runExport } from '../../lake/run-export.js';
import { openTarget } from '../../lake/target/open-target.js';
import { frozenIds } from '../../query/registry/graph-rows.js';
import type { StorageEngine } from '../../storage/seam/engine.js';
import { decodeIds, withSnapshot } from '../../storage/seam/rows.js';
import type { StorageSnapshot } from '../../storage/seam/scan.js';

export interface LakeExportOptions extends Control {
  /** @internal Tests make them small. */
  readonly bounds?: ExportBounds | undefined;
}

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
  const target = await openTarget(given);
  try {
    return await withSnapshot(engine.snapshot(), async (snapshot) => {
      refuseFrozen(snapshot);
      const source = { snapshot, store, transactions: engine.transactions.bind(engine) };
      return { target: target.name, ...(await runExport(source, target, options, options.bounds)) };
    });
  } finally {
    target.close();
  }
}

/** The rows of a frozen graph are in no lake, and to one that has them they would seem to be gone. */
function refuseFrozen(snapshot: StorageSnapshot): void {
  const [first, ...others] = frozenIds(snapshot);
  if (first === undefined) return;
  const [graph] = decodeIds(snapshot, [first]);
  const more = others.length === 0 ? '' : ` and ${others.length} more`;
  throw new SvcError('state_conflict', `the graph <${graph?.value}>${more} is frozen: its rows are not in the store`, {
    hint: 'thaw it first (svc graph thaw), or export a store without it',
  });
}
