/** What is known of one entity: as JSON-LD, as Turtle, as a page. */

import { checkAsOf } from '../../../query/registry/frozen.js';
import type { Quad } from '../../../rdf/terms.js';
import { RDF_NS, RDFS, terms, XSD } from '../../../rdf/terms.js';
import { withSnapshot } from '../../../storage/seam/rows.js';
import { type Entity, readEntity, readReferences } from '../../linked-data/entity.js';
import { entityPage } from '../../linked-data/entity-html.js';
import { toJsonLd } from '../../linked-data/entity-jsonld.js';
import { toTimeSlice } from '../../options/store-options.js';
import { type Static, Type } from '../../requests/schema.js';
import { entityField, pathPrefix, txField, validAtField } from '../definition/fields.js';
import { type Answer, defineOperation } from '../definition/operation.js';
import { whole } from '../definition/text.js';

/** Most facts and references that the page shows; data is always whole. */
const PAGE_FACTS_MAX = 1000;
const PAGE_REFERENCES_MAX = 50;

const MEDIA_TYPES = {
  jsonld: 'application/ld+json',
  turtle: 'text/turtle',
  html: 'text/html',
} as const;

const PREFIXES = {
  rdf: RDF_NS,
  rdfs: RDFS,
  xsd: XSD,
  owl: 'http://www.w3.org/2002/07/owl#',
  prov: 'http://www.w3.org/ns/prov#',
  skos: 'http://www.w3.org/2004/02/skos/core#',
  svc: 'https://svc.dev/ontology/',
};

const request = Type.Object({
  iri: entityField,
  expanded: Type.Optional(Type.Boolean('JSON-LD with whole IRIs and no context')),
  valid_at: Type.Optional(validAtField),
  tx: Type.Optional(txField),
});

type Request = Static<typeof request>;

function quadsOf({ term, facts }: Entity): Quad[] {
  return facts.map(({ predicate, value }) => terms.quad(term, predicate as Quad['predicate'], value as Quad['object']));
}

function momentOf({ valid_at: validAt, tx }: Request): string | null {
  if (validAt === undefined && tx === undefined) return null;
  const parts = [
    validAt === undefined ? [] : [`what held at ${validAt}`],
    tx === undefined ? [] : [`as known at transaction ${tx}`],
  ];
  return parts.flat().join(', ');
}

export const entity = defineOperation({
  name: 'entity',
  summary: 'Show what is known of one entity',
  access: 'read',
  request,
  response: Type.Record(Type.String(), Type.Unknown(), 'a JSON-LD document'),
  representations: [
    { name: 'jsonld', mediaType: MEDIA_TYPES.jsonld },
    { name: 'turtle', mediaType: MEDIA_TYPES.turtle },
    { name: 'html', mediaType: MEDIA_TYPES.html },
  ],
  async handler({ store, configuration, representation, control }, given): Promise<Answer<Record<string, unknown>>> {
    return withSnapshot(store.snapshot(), async (snapshot) => {
      const time = toTimeSlice({ tx: given.tx, validAt: given.valid_at }, snapshot.storage.tx);
      checkAsOf(snapshot.storage, time, store.asOf);
      const isPage = representation === 'html';
      const found = readEntity(snapshot.storage, given.iri, time, isPage ? PAGE_FACTS_MAX : undefined, control);
      if (isPage) {
        const named = readReferences(snapshot.storage, found.id, time, PAGE_REFERENCES_MAX, control);
        const { references, cut: referencesCut } = named;
        const [moment, prefix] = [momentOf(given), pathPrefix(configuration)];
        const text = entityPage({ entity: found, references, referencesCut, moment, prefix });
        return { kind: 'document', mediaType: `${MEDIA_TYPES.html}; charset=utf-8`, chunks: whole(text) };
      }
      if (representation === 'turtle') {
        const { writeQuads } = await import('../../../rdf/formats/writer.js');
        const chunks = writeQuads([quadsOf(found)], { format: 'turtle', prefixes: PREFIXES });
        return { kind: 'document', mediaType: `${MEDIA_TYPES.turtle}; charset=utf-8`, chunks };
      }
      const body = toJsonLd(found, given.expanded ?? false);
      if (representation === 'body') return { kind: 'body', body };
      return { kind: 'document', mediaType: MEDIA_TYPES.jsonld, chunks: whole(JSON.stringify(body)) };
    });
  },
  projections: {
    http: [
      { method: 'GET', path: '/entity', request: 'protocol' },
      { method: 'GET', path: '/entity/{iri}', request: 'protocol' },
      { method: 'GET', path: '/entity/{iri}/json', request: 'protocol', representation: 'jsonld' },
      { method: 'GET', path: '/entity/{iri}/ttl', request: 'protocol', representation: 'turtle' },
      { method: 'GET', path: '/entity/{iri}/html', request: 'protocol', representation: 'html' },
    ],
  },
});
