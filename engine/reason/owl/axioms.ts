/**
 * The axioms that an ontology document states (semantics of reasoning, 2.1), and how many of each kind. Only axioms between
 * IRIs count: class expressions, and whatever else the document says, stay in it and mean nothing here. A class or property
 * that is said to be below, equal to or disjoint with itself says nothing either.
 */

import { type Quad, RDF_NS } from '../../rdf/terms.js';

const RDFS_NS = 'http://www.w3.org/2000/01/rdf-schema#';
const OWL_NS = 'http://www.w3.org/2002/07/owl#';

/** Two IRIs, in the order of the triple that says it. */
export type IriPair = readonly [subject: string, object: string];

const RELATIONS = {
  subClassOf: `${RDFS_NS}subClassOf`,
  equivalentClass: `${OWL_NS}equivalentClass`,
  disjointWith: `${OWL_NS}disjointWith`,
  subPropertyOf: `${RDFS_NS}subPropertyOf`,
  equivalentProperty: `${OWL_NS}equivalentProperty`,
  inverseOf: `${OWL_NS}inverseOf`,
  domain: `${RDFS_NS}domain`,
  range: `${RDFS_NS}range`,
} as const;

const CHARACTERISTICS = {
  functional: `${OWL_NS}FunctionalProperty`,
  symmetric: `${OWL_NS}SymmetricProperty`,
  transitive: `${OWL_NS}TransitiveProperty`,
} as const;

export const RDF_TYPE_IRI = `${RDF_NS}type`;

type Relation = keyof typeof RELATIONS;
type Characteristic = keyof typeof CHARACTERISTICS;

const RELATION_NAMES = Object.keys(RELATIONS) as readonly Relation[];
const CHARACTERISTIC_NAMES = Object.keys(CHARACTERISTICS) as readonly Characteristic[];

/** Each pair once as it was written, each property once. */
export type Axioms = Readonly<Record<Relation, readonly IriPair[]>> &
  Readonly<Record<Characteristic, readonly string[]>>;

const RELATION_OF = new Map(Object.entries(RELATIONS).map(([name, iri]) => [iri as string, name as Relation]));
const CHARACTERISTIC_OF = new Map(
  Object.entries(CHARACTERISTICS).map(([name, iri]) => [iri as string, name as Characteristic]),
);

/** Relations in which a term with itself says nothing; that a property is its own inverse makes it symmetric. */
const IRREFLEXIVE: ReadonlySet<Relation> = new Set([
  'subClassOf',
  'equivalentClass',
  'disjointWith',
  'subPropertyOf',
  'equivalentProperty',
]);

/** Between two IRIs; no IRI holds a space. */
const pairKey = (one: string, other: string): string => `${one} ${other}`;

export function axiomsOf(quads: Iterable<Quad>): Axioms {
  const pairs = recordOf(RELATION_NAMES, () => new Map<string, IriPair>());
  const properties = recordOf(CHARACTERISTIC_NAMES, () => new Set<string>());
  for (const { subject, predicate, object } of quads) {
    if (subject.termType !== 'NamedNode' || object.termType !== 'NamedNode') continue;
    const [one, other] = [subject.value, object.value];
    const relation = RELATION_OF.get(predicate.value);
    if (relation !== undefined) {
      if (one !== other || !IRREFLEXIVE.has(relation)) pairs[relation].set(pairKey(one, other), [one, other]);
    } else if (predicate.value === RDF_TYPE_IRI) {
      const characteristic = CHARACTERISTIC_OF.get(other);
      if (characteristic !== undefined) properties[characteristic].add(one);
    }
  }
  return {
    ...recordOf(RELATION_NAMES, (name) => [...pairs[name].values()]),
    ...recordOf(CHARACTERISTIC_NAMES, (name) => [...properties[name]]),
  };
}

function recordOf<Name extends string, Value>(
  names: readonly Name[],
  make: (name: Name) => Value,
): Record<Name, Value> {
  return Object.fromEntries(names.map((name) => [name, make(name)])) as Record<Name, Value>;
}

/** The axioms of several documents as those of one. */
export function unionOf(parts: readonly Axioms[]): Axioms {
  const [only] = parts;
  if (only !== undefined && parts.length === 1) return only;
  return {
    ...recordOf(RELATION_NAMES, (name) => {
      const all = parts.flatMap((part) => part[name]);
      return [...new Map(all.map((pair) => [pairKey(...pair), pair])).values()];
    }),
    ...recordOf(CHARACTERISTIC_NAMES, (name) => [...new Set(parts.flatMap((part) => part[name]))]),
  };
}

/** How many axioms of each kind a document declares, by the names that answers use. */
export interface AxiomSummary {
  readonly subclass_of: number;
  readonly subproperty_of: number;
  readonly disjoint_with: number;
  readonly inverse_of: number;
  readonly functional_properties: number;
  readonly symmetric_properties: number;
  readonly transitive_properties: number;
  readonly equivalent_classes: number;
  readonly equivalent_properties: number;
  readonly domains: number;
  readonly ranges: number;
  /** Triples of the document, each once, whatever they say. */
  readonly total_triples: number;
}

/** A pair that is declared in both directions is one axiom. */
function unordered(pairs: readonly IriPair[]): number {
  return new Set(pairs.map(([one, other]) => (one < other ? pairKey(one, other) : pairKey(other, one)))).size;
}

export function summaryOf(axioms: Axioms, totalTriples: number): AxiomSummary {
  return {
    subclass_of: axioms.subClassOf.length,
    subproperty_of: axioms.subPropertyOf.length,
    disjoint_with: unordered(axioms.disjointWith),
    inverse_of: unordered(axioms.inverseOf),
    functional_properties: axioms.functional.length,
    symmetric_properties: axioms.symmetric.length,
    transitive_properties: axioms.transitive.length,
    equivalent_classes: unordered(axioms.equivalentClass),
    equivalent_properties: unordered(axioms.equivalentProperty),
    domains: axioms.domain.length,
    ranges: axioms.range.length,
    total_triples: totalTriples,
  };
}
