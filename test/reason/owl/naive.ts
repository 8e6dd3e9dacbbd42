/**
 * What a set of axioms entails of a set of facts, found the plain way: every rule of every family on every fact, until
 * nothing is new. The oracle of full runs and of increments.
 */

import { type Quad, RDF_NS, terms } from '../../../engine/rdf/terms.js';

type Node = Quad['subject'] | Quad['object'];

export interface Fact {
  readonly s: Node;
  readonly p: string;
  readonly o: Node;
}

const RDFS = 'http://www.w3.org/2000/01/rdf-schema#';
const OWL = 'http://www.w3.org/2002/07/owl#';
const TYPE = `${RDF_NS}type`;

export function textOf(term: Node): string {
  return term.termType === 'Literal'
    ? JSON.stringify([term.value, term.datatype.value, term.language])
    : `${term.termType} ${term.value}`;
}

export const keyOf = ({ s, p, o }: Fact): string => `${textOf(s)} ${p} ${textOf(o)}`;

/** An axiom is a triple of IRIs. */
export type Axiom = readonly [subject: string, predicate: string, object: string];

type Family =
  | 'subclass'
  | 'sub_property'
  | 'equivalent_class'
  | 'equivalent_property'
  | 'inverse'
  | 'symmetric'
  | 'transitive'
  | 'domain_range';

export interface Entailed {
  /** All facts, given and entailed, by key. */
  readonly facts: ReadonlyMap<string, Fact>;
  readonly counts: Readonly<Record<string, number>>;
}

const iri = (node: Node): boolean => node.termType === 'NamedNode';

function* conclusions(fact: Fact, facts: readonly Fact[], axioms: readonly Axiom[]): Generator<[Family, Fact]> {
  const { s, p, o } = fact;
  for (const [one, says, other] of axioms) {
    const isOther = one !== other;
    if (says === `${RDFS}subClassOf` && isOther && p === TYPE && o.value === one && iri(o)) {
      yield ['subclass', { s, p, o: terms.namedNode(other) }];
    }
    if (says === `${OWL}equivalentClass` && isOther && p === TYPE && iri(o)) {
      if (o.value === one) yield ['equivalent_class', { s, p, o: terms.namedNode(other) }];
      if (o.value === other) yield ['equivalent_class', { s, p, o: terms.namedNode(one) }];
    }
    if (says === `${RDFS}subPropertyOf` && isOther && p === one) yield ['sub_property', { s, p: other, o }];
    if (says === `${OWL}equivalentProperty` && isOther) {
      if (p === one) yield ['equivalent_property', { s, p: other, o }];
      if (p === other) yield ['equivalent_property', { s, p: one, o }];
    }
    if (says === `${OWL}inverseOf` && iri(o)) {
      if (p === one) yield ['inverse', { s: o, p: other, o: s }];
      if (p === other) yield ['inverse', { s: o, p: one, o: s }];
    }
    if (says === `${RDFS}domain` && p === one) yield ['domain_range', { s, p: TYPE, o: terms.namedNode(other) }];
    if (says === `${RDFS}range` && p === one && iri(o)) {
      yield ['domain_range', { s: o, p: TYPE, o: terms.namedNode(other) }];
    }
    if (says !== TYPE || p !== one || !iri(o)) continue;
    if (other === `${OWL}SymmetricProperty`) yield ['symmetric', { s: o, p, o: s }];
    if (other === `${OWL}TransitiveProperty`) {
      for (const next of facts) {
        if (next.p === p && iri(next.o) && textOf(next.s) === textOf(o)) yield ['transitive', { s, p, o: next.o }];
      }
    }
  }
}

export function entail(given: Iterable<Fact>, axioms: readonly Axiom[]): Entailed {
  const facts = new Map<string, Fact>();
  for (const fact of given) facts.set(keyOf(fact), fact);
  for (let size = -1; size !== facts.size; ) {
    size = facts.size;
    const all = [...facts.values()];
    for (const fact of all) for (const [, found] of conclusions(fact, all, axioms)) facts.set(keyOf(found), found);
  }
  const byFamily = new Map<Family, Set<string>>();
  const all = [...facts.values()];
  for (const fact of all) {
    for (const [family, found] of conclusions(fact, all, axioms)) {
      byFamily.set(family, (byFamily.get(family) ?? new Set()).add(keyOf(found)));
    }
  }
  const count = (family: Family): number => byFamily.get(family)?.size ?? 0;
  const families: readonly Family[] = [
    'subclass',
    'sub_property',
    'equivalent_class',
    'equivalent_property',
    'inverse',
    'symmetric',
    'transitive',
    'domain_range',
  ];
  const counts = Object.fromEntries(families.map((family) => [`${family}_inferences`, count(family)]));
  return { facts, counts: { ...counts, total: families.reduce((sum, family) => sum + count(family), 0) } };
}
