/** The sources of transactions, each looked up once. */

import type { TxId } from '../../storage/ids/layout.js';
import type { StorageEngine } from '../../storage/seam/engine.js';

/** The source of transactions that write what ontologies entail. */
export const OWL_SOURCE = 'owl:materialize';

/** Null = it has none, or there is no such transaction. */
export function transactionSources(engine: StorageEngine): (tx: TxId) => string | null {
  const known = new Map<TxId, string | null>();
  return (tx) => {
    let source = known.get(tx);
    if (source === undefined) {
      source = engine.transactions({ since: tx - 1, limit: 1 })[0]?.source ?? null;
      known.set(tx, source);
    }
    return source;
  };
}
