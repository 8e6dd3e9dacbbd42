/** Words of the vocabularies in which the service describes itself and its answers. */

import { type Literal, type NamedNode, terms, XSD } from '../../rdf/terms.js';

export const VOID = 'http://rdfs.org/ns/void#';
export const HYDRA = 'http://www.w3.org/ns/hydra/core#';
export const SD = 'http://www.w3.org/ns/sparql-service-description#';
export const FORMATS_NS = 'http://www.w3.org/ns/formats/';

export function word(namespace: string, name: string): NamedNode {
  return terms.namedNode(`${namespace}${name}`);
}

export function integer(value: number): Literal {
  return terms.literal(String(value), terms.namedNode(`${XSD}integer`));
}
