/** Whole graphs written by the graph store protocol: replaced, merged into, taken away; a transaction each. */

import type { GraphStoreMethod } from '../../../graphs/graph-store.js';
import type { LoadSource } from '../../../storage/seam/engine.js';
import { findingLists, judgedLists } from '../../gates/findings.js';
import { type Static, Type } from '../../requests/schema.js';
import { blankNodeScopeField, writtenBy, writtenFields } from '../definition/fields.js';
import { type Answer, defineOperation, type OperationContext } from '../definition/operation.js';
import { GRAPH_STORE_PATH, targetFields, targetOf } from './graph-target.js';

const documentFields = {
  turtle: Type.String('the triples, in Turtle'),
  blank_node_scope: Type.Optional(blankNodeScopeField),
};
const fields = { ...targetFields, ...writtenFields };
const documentRequest = Type.Object({ ...fields, ...documentFields });
type Request = Partial<Static<typeof documentRequest>>;

const response = Type.Object({
  graph: Type.String(),
  tx_id: Type.Integer('0 when nothing changed'),
  created: Type.Boolean('the graph was not there before'),
  asserted: Type.Integer(),
  retracted: Type.Integer(),
  ...findingLists,
});

/** What comes as a body is read against the IRI of its graph. */
function documentsOf({ documents }: OperationContext, { turtle }: Request, baseIri: string): readonly LoadSource[] {
  if (documents.length > 0) return documents.map((one) => (one.kind === 'quads' ? one : { baseIri, ...one }));
  const bytes = new TextEncoder().encode(turtle ?? '');
  return [{ kind: 'bytes', bytes, name: 'turtle', format: 'turtle' }];
}

async function write(
  method: GraphStoreMethod,
  context: OperationContext,
  request: Request,
): Promise<Answer<Static<typeof response>>> {
  const graph = targetOf(request);
  const documents = method === 'delete' ? [] : documentsOf(context, request, graph);
  const result = await context.store.writeGraph(method, graph, documents, {
    ...context.control,
    ...writtenBy(context.control, request),
    blankNodeScope: request.blank_node_scope,
  });
  const { tx, created, asserted, retracted } = result;
  const body = { graph, tx_id: tx, created, asserted, retracted, ...judgedLists(result) };
  return { kind: 'body', body, notes: { created, tx, written: asserted + retracted } };
}

/** What the two that take a document share. */
const documentWrite = {
  access: 'write',
  forSomeGraphs: 'answered',
  payload: 'turtle',
  request: documentRequest,
  response,
} as const;

export const graphReplace = defineOperation({
  ...documentWrite,
  name: 'graph_replace',
  summary: 'Replace a graph by a document; what stays keeps its times',
  handler: (context, request) => write('put', context, request),
  projections: { http: [{ method: 'PUT', path: GRAPH_STORE_PATH, request: 'protocol' }] },
});

export const graphMerge = defineOperation({
  ...documentWrite,
  name: 'graph_merge',
  summary: 'Add the triples of a document to a graph',
  handler: (context, request) => write('post', context, request),
  projections: { http: [{ method: 'POST', path: GRAPH_STORE_PATH, request: 'protocol' }] },
});

export const graphDelete = defineOperation({
  name: 'graph_delete',
  summary: 'Take a graph away with its contents; of ROOT the contents only',
  access: 'write',
  forSomeGraphs: 'answered',
  request: Type.Object(fields),
  response,
  handler: (context, request) => write('delete', context, request),
  projections: { http: [{ method: 'DELETE', path: GRAPH_STORE_PATH, request: 'protocol' }] },
});
