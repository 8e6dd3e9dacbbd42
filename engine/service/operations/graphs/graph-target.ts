/** How requests of the graph store name their graph: `graph` or `default`, exactly one (semantics of graphs, 8.5). */

import { SvcError } from '../../../base/errors.js';
import { ROOT_GRAPH_IRI } from '../../../rdf/terms.js';
import { type Static, Type } from '../../requests/schema.js';
import { graphField } from '../definition/fields.js';

export const GRAPH_STORE_PATH = '/rdf-graph-store';

export const targetFields = {
  graph: Type.Optional(graphField),
  default: Type.Optional(Type.Boolean('the graph is ROOT')),
};

const target = Type.Object(targetFields);
type Target = Static<typeof target>;

/** The IRI of the graph that is meant. */
export function targetOf({ graph, default: isDefault = false }: Target): string {
  if ((graph !== undefined) === isDefault) {
    throw new SvcError('invalid_request', "name the graph by exactly one of 'graph' and 'default'");
  }
  return graph ?? ROOT_GRAPH_IRI;
}
