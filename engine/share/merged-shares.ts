/**
 * Shares that were merged, as rows of the registry graph: `<urn:svc:merged-share:ID> svc:mergedShare "JSON"`, by the 64 hex
 * digits of the share id. What such a share held is kept as the difference to the base of its merge, in two graphs that no list
 * shows: triples that it has and the base has not, and the other way round. A share that was merged without a base is all
 * difference, and so is one whose bases would follow each other too far.
 */

import { NamedRows } from '../query/registry/named-rows.js';
import { keptTriplesGraph } from '../query/registry/system-graphs.js';
import { terms } from '../rdf/terms.js';
import type { TxId } from '../storage/ids/layout.js';
import type { StorageSnapshot } from '../storage/seam/scan.js';
import type { GraphSet } from '../storage/seam/source.js';

export interface MergedShare {
  /** The digits of the share id. */
  readonly name: string;
  readonly parent: string | null;
  /** IRI of the graph that it was merged into; null = ROOT. */
  readonly graph: string | null;
  /** Share id of what its triples are the difference to; null = nothing. */
  readonly base: string | null;
  /** How many differences are to be put together, itself included. */
  readonly depth: number;
  readonly tx: TxId;
}

export const MERGED_SHARES = new NamedRows<MergedShare>('merged-share', 'mergedShare', (json) => {
  // Rows of earlier versions name no graph: it was ROOT.
  const { name, parent, graph = null, base, depth, tx } = json as MergedShare;
  const whole =
    typeof name === 'string' &&
    [parent, graph, base].every((id) => id === null || typeof id === 'string') &&
    [depth, tx].every(Number.isSafeInteger);
  return whole ? { name, parent, graph, base, depth, tx } : null;
});

/** Beyond this a share is kept whole. */
export const DEPTH_MAX = 16;

export function additionsGraph(name: string): string {
  return keptTriplesGraph(`share:${name}:added`);
}

export function removalsGraph(name: string): string {
  return keptTriplesGraph(`share:${name}:removed`);
}

/** The triples of a merged share, of those of its base. */
export function mergedTriples(snapshot: StorageSnapshot, { name, tx }: MergedShare, base: GraphSet | null): GraphSet {
  const kept = (iri: string): GraphSet => {
    const id = snapshot.encode(terms.namedNode(iri));
    const graphs: GraphSet = { kind: 'some', graphs: id === null ? [] : [id], merged: true };
    return { kind: 'timed', graphs, time: { kind: 'asOf', tx } };
  };
  const additions = kept(additionsGraph(name));
  return base === null ? additions : { kind: 'overlay', base, additions, removals: kept(removalsGraph(name)) };
}
