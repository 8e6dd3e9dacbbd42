/** The prefixes that types and relations may use (ruling R30): those that everybody knows, and those of loaded shapes. */

import { declaredPrefixes } from '../../graphs/shapes/stored-shapes.js';
import { SVC_NS } from '../../query/registry/system-graphs.js';
import type { Prefix } from '../../rdf/curies.js';
import { RDF_NS, RDFS, XSD } from '../../rdf/terms.js';
import type { StorageEngine } from '../../storage/seam/engine.js';
import type { Episode } from './episode.js';

export const OWL = 'http://www.w3.org/2002/07/owl#';
export const PROV = 'http://www.w3.org/ns/prov#';
export const SKOS = 'http://www.w3.org/2004/02/skos/core#';
export const SH = 'http://www.w3.org/ns/shacl#';

export const DECLARED_PREFIXES: readonly Prefix[] = [
  { name: 'rdf', namespace: RDF_NS },
  { name: 'rdfs', namespace: RDFS },
  { name: 'owl', namespace: OWL },
  { name: 'skos', namespace: SKOS },
  { name: 'prov', namespace: PROV },
  { name: 'svc', namespace: SVC_NS },
  { name: 'xsd', namespace: XSD },
  { name: 'sh', namespace: SH },
];

/** Of loaded shapes; they are looked at only where the episode uses some prefix. */
export function prefixesOfShapes(engine: StorageEngine, { nodes, edges }: Episode): Prefix[] {
  const tokens = [...entriesOf(nodes).map((node) => node?.type), ...entriesOf(edges).map((edge) => edge?.relation)];
  if (!tokens.some((token) => typeof token === 'string' && /^[^<:]*:/.test(token))) return [];
  const snapshot = engine.snapshot();
  try {
    return [...declaredPrefixes(snapshot)].map(([name, namespace]) => ({ name, namespace }));
  } finally {
    snapshot.close();
  }
}

/** What was given has not been checked yet. */
function entriesOf<Entry>(list: readonly Entry[] | null | undefined): readonly (Entry | null)[] {
  return Array.isArray(list) ? list : [];
}
