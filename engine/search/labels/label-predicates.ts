/** The predicates whose values are names of entities (ruling R64): `search.label_predicates`. */

import { RDFS, SKOS, terms } from '../../rdf/terms.js';
import type { TermId } from '../../storage/ids/layout.js';
import { exactly } from '../../storage/seam/rows.js';
import type { PositionTest, StorageSnapshot } from '../../storage/seam/scan.js';

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

/** That a predicate is one of these; null = the store knows none of them. */
export function isLabel(snapshot: StorageSnapshot, predicates: readonly string[]): PositionTest | null {
  const ids = [...new Set(labelIds(snapshot, predicates))].sort((a, b) => (a < b ? -1 : 1));
  const [only] = ids;
  if (only === undefined) return null;
  if (ids.length === 1) return exactly(only);
  return { kind: 'ranges', ranges: ids.map((id) => ({ from: id, to: id + 1n })) };
}
