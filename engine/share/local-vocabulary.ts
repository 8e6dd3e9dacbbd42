/**
 * The vocabulary that a share is held to (semantics text 6.8 F): what the loaded shapes of this store speak of, and the terms
 * of the namespaces that every store knows. What a share brings along never adds to it.
 */

import { SVC_NS } from '../query/registry/system-graphs.js';
import { type Quad, RDF_NS, RDFS, type Term, XSD } from '../rdf/terms.js';

const SH = 'http://www.w3.org/ns/shacl#';
const OWL = 'http://www.w3.org/2002/07/owl#';
const NAMESPACES = [
  RDF_NS,
  RDFS,
  OWL,
  'http://www.w3.org/2004/02/skos/core#',
  'http://www.w3.org/ns/prov#',
  XSD,
  SH,
  SVC_NS,
];
const RDF_TYPE = `${RDF_NS}type`;

/** Predicates of a shape whose objects are words of the vocabulary. */
const NAMING = new Set(['targetClass', 'class', 'targetSubjectsOf', 'targetObjectsOf'].map((name) => SH + name));
const CLASSES = new Set([`${RDFS}Class`, `${OWL}Class`]);

export interface Vocabulary {
  has(iri: string): boolean;
}

/** `shapes`: IRIs of the nodes that are shapes, of which those that are classes name themselves. */
export function localVocabulary(quads: readonly Quad[], shapes: ReadonlySet<string>): Vocabulary {
  const words = new Set<string>();
  const add = (term: Term): void => {
    if (term.termType === 'NamedNode') words.add(term.value);
  };
  const paths: Term[] = [];
  const ofBlank = new Map<string, Quad[]>();
  for (const quad of quads) {
    const { subject, predicate, object } = quad;
    if (NAMING.has(predicate.value)) add(object);
    if (predicate.value === `${SH}path`) paths.push(object);
    const isClass = predicate.value === RDF_TYPE && CLASSES.has(object.value);
    if (isClass && shapes.has(subject.value)) add(subject);
    if (subject.termType !== 'BlankNode') continue;
    const known = ofBlank.get(subject.value);
    if (known === undefined) ofBlank.set(subject.value, [quad]);
    else known.push(quad);
  }
  addPaths(paths, ofBlank, add);
  return { has: (iri) => words.has(iri) || NAMESPACES.some((namespace) => iri.startsWith(namespace)) };
}

/** All IRIs within paths: those of complex ones hang on blank nodes, lists among them. */
function addPaths(paths: Term[], ofBlank: ReadonlyMap<string, readonly Quad[]>, add: (term: Term) => void): void {
  const seen = new Set<string>();
  for (let path = paths.pop(); path !== undefined; path = paths.pop()) {
    add(path);
    if (path.termType !== 'BlankNode' || seen.has(path.value)) continue;
    seen.add(path.value);
    for (const { object } of ofBlank.get(path.value) ?? []) paths.push(object);
  }
}
