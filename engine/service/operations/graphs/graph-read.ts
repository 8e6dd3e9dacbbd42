/** The triples of one graph, sorted, in Turtle or N-Triples: the reading half of the graph store protocol. */

import { withoutDeadline } from '../../../base/control.js';
import { SvcError } from '../../../base/errors.js';
import { checkStoreName } from '../../../graphs/targets.js';
import { findGraph } from '../../../query/registry/graph-rows.js';
import { describeFormat, type Format } from '../../../rdf/formats/registry.js';
import { terms } from '../../../rdf/terms.js';
import { everHeld } from '../../facts/entity.js';
import type { StoreSnapshot } from '../../reads/snapshot.js';
import { Type } from '../../requests/schema.js';
import { validAtField } from '../definition/fields.js';
import { defineOperation } from '../definition/operation.js';
import { GRAPH_STORE_PATH, targetFields, targetOf } from './graph-target.js';

const FORMATS: readonly Format[] = ['turtle', 'ntriples'];

/** Whether there is anything to ask for; a graph that is gone can still be read in the past. */
function refuseUnknown({ storage, time }: StoreSnapshot, graph: string): void {
  checkStoreName(graph);
  if (findGraph(storage, graph) !== null) return;
  const id = time.kind === 'current' ? null : storage.encode(terms.namedNode(graph));
  if (id === null || !everHeld(storage, id)) throw new SvcError('not_found', `unknown graph: ${graph}`);
}

async function readDocument(snapshot: StoreSnapshot, graph: string, format: Format, control: object) {
  refuseUnknown(snapshot, graph);
  const { exportedQuads, prepareExport } = await import('../../export/export.js');
  // A built-in graph that nobody has named yet has no id.
  const isNamed = snapshot.storage.encode(terms.namedNode(graph)) !== null;
  const quads = isNamed ? exportedQuads(snapshot, format, { ...control, graph }) : [];
  return prepareExport(quads, format, control);
}

export const graphRead = defineOperation({
  name: 'graph_read',
  summary: 'Read one graph as a document, sorted',
  access: 'read',
  request: Type.Object({ ...targetFields, valid_at: Type.Optional(validAtField) }),
  response: Type.Object({ graph: Type.String(), rdf: Type.String(), triples: Type.Integer() }),
  representations: FORMATS.map((name) => ({ name, mediaType: describeFormat(name).mediaTypes[0] as string })),
  async handler({ store, control: given, representation }, request) {
    const control = withoutDeadline(given);
    const graph = targetOf(request);
    const { valid_at: validAt } = request;
    const snapshot = validAt === undefined ? store.renewingSnapshot() : store.snapshot({ validAt });
    const format = FORMATS.find((name) => name === representation) ?? 'turtle';
    try {
      const { chunks, entries } = await readDocument(snapshot, graph, format, control);
      if (representation !== 'body') {
        const mediaType = `${describeFormat(format).mediaTypes[0]}`;
        return { kind: 'document', mediaType, chunks, notes: { entries } };
      }
      const { textOf } = await import('../../export/export.js');
      return { kind: 'body', body: { graph, rdf: await textOf({ chunks }), triples: entries } };
    } finally {
      snapshot.close();
    }
  },
  projections: {
    // HEAD comes with GET.
    http: [{ method: 'GET', path: GRAPH_STORE_PATH, request: 'protocol' }],
  },
});
