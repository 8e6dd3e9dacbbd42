/** What a command that searches for a text says of a store that has no index of its texts: each search reads them all. */

import { lacksIndex } from '../../../engine/search/match/texts-of.js';
import type { Store } from '../../../engine/service/store/store.js';

const NOTE = 'note: no index of texts: they were all read for this search; svc fold --texts words,parts makes one\n';

/** Null where there is one, the store is too small for it to matter, or somebody has said that none is wanted. */
export function indexNote(store: Pick<Store, 'snapshot'>): string | null {
  const snapshot = store.snapshot();
  try {
    return lacksIndex(snapshot.storage) ? NOTE : null;
  } finally {
    snapshot.close();
  }
}
