/** The transactions that a source owns statements by. */

import type { TxId } from '../../storage/ids/layout.js';
import type { StorageEngine } from '../../storage/seam/engine.js';

export interface Owners {
  readonly all: readonly TxId[];
  /** Those that may not be on the disk yet, so that the log has no record of them. */
  readonly pending: ReadonlySet<TxId>;
}

/** To be asked before the snapshot is opened that is read by it. */
export function ownersOf(engine: StorageEngine, source: string): Owners {
  const all = engine.transactionsOf(source);
  const pending = new Set<TxId>();
  for (let at = all.length - 1; at >= 0; at--) {
    const tx = all[at] as TxId;
    if (engine.transactions({ since: tx - 1, limit: 1 }).length > 0) break;
    pending.add(tx);
  }
  return { all, pending };
}
