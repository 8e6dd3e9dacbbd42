/** The service and its data described for machines: SPARQL 1.1 Service Description and VoID. */

import { closable } from '../../../base/closable.js';
import type { Quad } from '../../../rdf/terms.js';
import { RDF_NS, XSD } from '../../../rdf/terms.js';
import { figuresInRoot } from '../../facts/graph-figures.js';
import { describeService } from '../../linked-data/description.js';
import { SD, VOID } from '../../linked-data/vocabulary.js';
import { Type } from '../../requests/schema.js';
import { baseUrlField, baseUrlOf } from '../definition/fields.js';
import { defineOperation } from '../definition/operation.js';

const REPRESENTATIONS = [
  { name: 'turtle', mediaType: 'text/turtle' },
  { name: 'jsonld', mediaType: 'application/ld+json' },
] as const;

const PREFIXES = { rdf: RDF_NS, sd: SD, void: VOID, xsd: XSD };

async function* bytesOf(quads: AsyncIterable<Quad[]>, format: 'turtle' | 'jsonld', close: () => void) {
  try {
    const { writeQuads } = await import('../../../rdf/formats/writer.js');
    yield* writeQuads(quads, { format, prefixes: PREFIXES });
  } finally {
    close();
  }
}

export const voidDescription = defineOperation({
  name: 'void',
  summary: 'Describe the service and its data',
  access: 'read',
  request: Type.Object({ base_url: Type.Optional(baseUrlField) }),
  response: Type.Record(Type.String(), Type.Unknown(), 'a JSON-LD document'),
  representations: REPRESENTATIONS,
  async handler({ store, control, configuration, representation }, request) {
    const format = representation === 'turtle' ? 'turtle' : 'jsonld';
    const snapshot = store.snapshot();
    const close = (): void => snapshot.close();
    try {
      const { storage } = snapshot;
      const figures = await figuresInRoot(store, storage, control);
      const baseUrl = baseUrlOf(request, configuration);
      const quads = describeService({ snapshot: storage, figures, configuration, baseUrl, control });
      const mediaType = format === 'turtle' ? 'text/turtle; charset=utf-8' : 'application/ld+json';
      return { kind: 'document', mediaType, chunks: closable(bytesOf(quads, format, close), close) };
    } catch (error) {
      close();
      throw error;
    }
  },
  projections: { http: [{ method: 'GET', path: '/.well-known/void', request: 'protocol' }] },
});
