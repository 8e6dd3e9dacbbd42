/** Namespaces whose prefixes mean the same in every store: types and relations of episodes and CURIEs of requests may use them (ruling R30). */

import { SVC_NS } from '../../query/registry/system-graphs.js';
import type { Prefix } from '../../rdf/curies.js';
import { PROV, RDF_NS, RDFS, SKOS, XSD } from '../../rdf/terms.js';

export const OWL = 'http://www.w3.org/2002/07/owl#';
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
