/** The predicates whose values are names of entities (ruling R64): `search.label_predicates`. */

import { RDFS, SKOS, terms } from '../../rdf/terms.js';
import type { TermId } from '../../storage/ids/layout.js';
import type { StorageSnapshot } from '../../storage/seam/scan.js';

/** The first that an entity has is the one that is shown. */
export const LABEL_PREDICATES: readonly string[] = [
  `${RDFS}label`,
  `${SKOS}prefLabel`,
  `${SKOS}altLabel`,
  'http://schema.org/name',
  'https://schema.org/name',
  'http://xmlns.com/foaf/0.1/name',
  'http://purl.org/dc/terms/title',
];

/** Those that the store knows, in their order. */
export function labelIds(snapshot: StorageSnapshot, predicates: readonly string[] = LABEL_PREDICATES): TermId[] {
  return predicates.map((iri) => snapshot.encode(terms.namedNode(iri))).filter((id) => id !== null);
}
