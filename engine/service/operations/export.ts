/** Writes the current quads of a graph, or of all graphs, as a document in a fixed order. */

import { describeFormat, FORMATS } from '../../rdf/formats/registry.js';
import { oneOf, Type } from '../schema.js';
import { graphField, refuseLater } from './fields.js';
import { defineOperation } from './operation.js';

const LATER = { group_id: 'export of a group is', construct: 'export of a CONSTRUCT query is' };

const FORMAT_NAMES = FORMATS.map((format) => format.name);

export const exportOperation = defineOperation({
  name: 'export',
  summary: 'Write the current facts as a document, sorted',
  access: 'read',
  request: Type.Object({
    graph: Type.Optional(graphField),
    format: Type.Optional(oneOf(FORMAT_NAMES, { description: `one of ${FORMAT_NAMES.join(', ')}` })),
    group_id: Type.Optional(Type.String()),
    construct: Type.Optional(Type.String()),
  }),
  response: Type.Object({ rdf: Type.String(), format: Type.String(), graph: Type.Union([Type.String(), Type.Null()]) }),
  representations: FORMATS.map((format) => ({ name: format.name, mediaType: format.mediaTypes[0] as string })),
  async handler({ store, control, representation }, request) {
    refuseLater(request, LATER);
    const format = request.format ?? 'turtle';
    const chunks = store.export(format, {
      ...control,
      ...(request.graph === undefined ? {} : { graph: request.graph }),
    });
    if (representation !== 'body') {
      return { kind: 'document', mediaType: describeFormat(format).mediaTypes[0] as string, chunks };
    }
    const decoder = new TextDecoder();
    let rdf = '';
    for await (const chunk of chunks) rdf += decoder.decode(chunk, { stream: true });
    return { kind: 'body', body: { rdf: rdf + decoder.decode(), format, graph: request.graph ?? null } };
  },
  projections: {
    cli: {
      command: 'export',
      notes: [
        'Without --graph: ROOT; in nquads, trig and jsonld every graph, with ROOT as the default graph.',
        'Two exports of an unchanged store are the same bytes. Stored labels of blank nodes are kept:',
        'load such a document with --blank-node-scope store to restore them.',
      ],
      examples: [
        'svc export > all.nt',
        'svc export --format trig --out all.trig',
        'svc export --graph http://example.org/g --format turtle',
      ],
      options: { graph: 'iri', format: 'format' },
      later: ['group_id', 'construct'],
      defaults: { format: 'ntriples' },
    },
  },
});
