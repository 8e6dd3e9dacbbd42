/** Registers an empty graph of class committed; a graph that is there already stays as it is. */

import { findGraph } from '../query/registry/graph-rows.js';
import type { GraphRegistration } from '../query/registry/registration.js';
import { checkTarget } from '../query/update/targets.js';
import { terms } from '../rdf/terms.js';
import { payloadOf, ROOT_ID, type TermId } from '../storage/ids/layout.js';
import type { Stage } from '../storage/seam/engine.js';
import { lookInto } from '../storage/seam/rows.js';
import { refuseOverlay } from './targets.js';

export interface CreatedGraph {
  /** The number of the graph in this store; 0 is ROOT. */
  readonly number: number;
  readonly created: boolean;
}

/** The source that the registry names for graphs that a caller has created. */
const SOURCE = 'graph_create';

export function createGraph(stage: Stage, registry: GraphRegistration, iri: string): CreatedGraph {
  checkTarget(iri);
  return lookInto(stage.snapshot(), (snapshot) => {
    const known = findGraph(snapshot, iri);
    refuseOverlay(known);
    if (known === null) registry.create(snapshot, iri, { source: SOURCE });
    return { number: graphNumber(stage.intern(terms.namedNode(iri))), created: known === null };
  });
}

/** The number of a graph in its store; 0 is ROOT. */
export function graphNumber(graph: TermId): number {
  return graph === ROOT_ID ? 0 : Number(payloadOf(graph));
}
