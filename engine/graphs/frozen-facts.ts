/** Current facts of frozen graphs, as the rows of their freezes have counted them: their own rows stand in archives. */

import { FREEZES } from '../query/registry/freeze-rows.js';
import { frozenIds } from '../query/registry/graph-rows.js';
import type { StorageSnapshot } from '../storage/seam/scan.js';

/** By the IRI of the graph; empty where none is frozen. */
export function frozenFacts(snapshot: StorageSnapshot): ReadonlyMap<string, number> {
  if (frozenIds(snapshot).length === 0) return new Map();
  const frozen = FREEZES.all(snapshot).filter(({ state }) => state === 'frozen');
  return new Map(frozen.map(({ graph, open }) => [graph, open]));
}
