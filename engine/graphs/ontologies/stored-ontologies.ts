/**
 * Loaded ontologies as rows of the registry graph: `<urn:svc:ontology:NAME> svc:storedOntology "JSON"`. Their triples are
 * facts of no graph.
 */

import { idsOf } from '../../query/registry/graph-rows.js';
import { NamedRows, type RowsNote } from '../../query/registry/named-rows.js';
import { REGISTRY, SVC_NS } from '../../query/registry/system-graphs.js';
import { terms } from '../../rdf/terms.js';
import type { AxiomSummary } from '../../reason/owl/axioms.js';
import type { Stage } from '../../storage/seam/engine.js';
import { exactly } from '../../storage/seam/rows.js';
import type { StorageSnapshot } from '../../storage/seam/scan.js';

export interface StoredOntology {
  readonly name: string;
  /** The document as it was loaded. */
  readonly turtle: string;
  /** Time label of the transaction that loaded it. */
  readonly loadedAt: string;
  readonly axioms: AxiomSummary;
}

export const STORED_ONTOLOGIES = new NamedRows<StoredOntology>('ontology', 'storedOntology', (json) => {
  const { name, turtle, loadedAt, axioms } = json as StoredOntology;
  const whole = [name, turtle, loadedAt].every((text) => typeof text === 'string');
  return whole && typeof axioms === 'object' ? { name, turtle, loadedAt, axioms } : null;
});

const STALE_NODE = terms.namedNode('urn:svc:owl');
const STALE = terms.namedNode(`${SVC_NS}owlStale`);
const staleRow = () => terms.quad(STALE_NODE, STALE, terms.literal('true'), REGISTRY);

/** Whether facts of ROOT have changed without what follows from them: by a process that does not derive. */
export function isStale(snapshot: StorageSnapshot): boolean {
  const p = snapshot.encode(STALE, true);
  return p !== null && idsOf(snapshot, { p: exactly(p) }, ['s']).length > 0;
}

export function markStale(stage: Stage, registry: RowsNote, stale: boolean): void {
  registry.writesRows();
  if (stale) stage.assert([staleRow()]);
  else stage.retract([staleRow()]);
}
