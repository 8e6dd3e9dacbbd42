/**
 * Current facts of frozen graphs, as the rows of freezes have counted them: their own rows stand in archives. What is no row of
 * a freeze, or says nothing of facts, is passed over.
 */

import { frozenGraphs } from '../query/registry/graph-rows.js';
import { NamedRows } from '../query/registry/named-rows.js';
import type { StorageSnapshot } from '../storage/seam/scan.js';

interface CountedFreeze {
  readonly name: string;
  readonly graph: string;
  readonly facts: number;
}

const FROZEN = new NamedRows<CountedFreeze>('freeze', 'freeze', (json) => {
  const { name, graph, state, facts } = json as Partial<CountedFreeze & { readonly state: string }>;
  if (typeof name !== 'string' || typeof graph !== 'string' || state !== 'frozen') return null;
  return typeof facts === 'number' && Number.isSafeInteger(facts) ? { name, graph, facts } : null;
});

/** By the IRI of the graph; empty where none is frozen. */
export function frozenFacts(snapshot: StorageSnapshot): ReadonlyMap<string, number> {
  if (frozenGraphs(snapshot).length === 0) return new Map();
  return new Map(FROZEN.all(snapshot).map(({ graph, facts }) => [graph, facts]));
}
