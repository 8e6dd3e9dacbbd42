/** Terms of SHACL (https://www.w3.org/TR/shacl/) and of ours that shapes are written in. */

import { RDF_NS, RDFS, terms, XSD } from '../../rdf/terms.js';

export const SH = 'http://www.w3.org/ns/shacl#';
/** Namespace of the terms that the service itself defines (wire-shapes 1.1). */
export const SVC = 'https://svc.dev/ontology/';

export const RDF_TYPE = terms.namedNode(`${RDF_NS}type`);
export const SUB_CLASS_OF = terms.namedNode(`${RDFS}subClassOf`);
export const RDFS_LABEL = terms.namedNode(`${RDFS}label`);
export const RDFS_CLASS = `${RDFS}Class`;
export const RDF_FIRST = `${RDF_NS}first`;
export const RDF_REST = `${RDF_NS}rest`;
export const RDF_NIL = `${RDF_NS}nil`;
export const XSD_BOOLEAN = `${XSD}boolean`;
export const XSD_INTEGER = `${XSD}integer`;

export const ON_VIOLATION = `${SVC}onViolation`;
