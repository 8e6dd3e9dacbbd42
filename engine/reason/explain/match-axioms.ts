/**
 * Finds the axioms and premises by which a fact follows from an ontology (semantics of reasoning, 2.1 and 2.5), one family
 * after the other. Within a family shorter chains of axioms come first, then those whose IRIs are smaller, then smaller
 * premises. An axiom is shown as the pair of IRIs that its triple has; that of a property alone as the property and its class.
 */

import { compareCodePoints } from '../../base/text.js';
import { type Term, terms } from '../../rdf/terms.js';
import { TAG, type TermId, tagOf } from '../../storage/ids/layout.js';
import { type Axioms, type IriPair, RDF_TYPE_IRI } from '../owl/axioms.js';
import { type FactIds, type FactReader, orderText } from './fact-reader.js';

const OWL_NS = 'http://www.w3.org/2002/07/owl#';

/** In the order in which they are tried. */
export const FAMILIES = [
  'subclass',
  'subproperty',
  'equivalent_class',
  'inverse',
  'symmetric',
  'domain_range',
  'transitive',
  'equivalent_property',
] as const;
export type OwlFamily = (typeof FAMILIES)[number];

export interface OwlMatch {
  readonly family: OwlFamily;
  readonly axioms: readonly IriPair[];
  readonly premises: readonly FactIds[];
}

interface Step {
  /** IRI of the class or property on the other side. */
  readonly from: string;
  readonly axiom: IriPair;
}

/** A class or property from which another is reached, and the axioms on the way. */
interface Chain {
  readonly from: string;
  readonly axioms: readonly IriPair[];
}

/** Axioms by what they lead to. */
export class AxiomIndex {
  readonly subclasses: ReadonlyMap<string, readonly Step[]>;
  readonly subproperties: ReadonlyMap<string, readonly Step[]>;
  readonly equalClasses: ReadonlyMap<string, readonly Step[]>;
  readonly equalProperties: ReadonlyMap<string, readonly Step[]>;
  readonly inverses: ReadonlyMap<string, readonly Step[]>;
  /** By class the properties. */
  readonly domains: ReadonlyMap<string, readonly Step[]>;
  readonly ranges: ReadonlyMap<string, readonly Step[]>;
  readonly symmetric: ReadonlySet<string>;
  readonly transitive: ReadonlySet<string>;

  constructor(axioms: Axioms) {
    this.subclasses = byTarget(axioms.subClassOf, false);
    this.subproperties = byTarget(axioms.subPropertyOf, false);
    this.equalClasses = byTarget(axioms.equivalentClass, true);
    this.equalProperties = byTarget(axioms.equivalentProperty, true);
    this.inverses = byTarget(axioms.inverseOf, true);
    this.domains = byTarget(axioms.domain, false);
    this.ranges = byTarget(axioms.range, false);
    this.symmetric = new Set(axioms.symmetric);
    this.transitive = new Set(axioms.transitive);
  }
}

/** By the second IRI of each pair; `bothWays`: by the first as well. Ordered by the IRI on the other side. */
function byTarget(pairs: readonly IriPair[], bothWays: boolean): Map<string, Step[]> {
  const found = new Map<string, Step[]>();
  const add = (to: string, step: Step): void => {
    const known = found.get(to);
    if (known === undefined) found.set(to, [step]);
    else if (!known.some(({ from }) => from === step.from)) known.push(step);
  };
  for (const axiom of pairs) {
    const [one, other] = axiom;
    add(other, { from: one, axiom });
    if (bothWays) add(one, { from: other, axiom });
  }
  for (const steps of found.values()) steps.sort((a, b) => compareCodePoints(a.from, b.from));
  return found;
}

/** All chains that lead to an IRI, one from each place that there is: the shortest, smallest by IRI. */
function chainsTo(target: string, steps: ReadonlyMap<string, readonly Step[]>): Chain[] {
  const seen = new Set([target]);
  const all: Chain[] = [];
  let level: Chain[] = [{ from: target, axioms: [] }];
  while (level.length > 0) {
    const next = new Map<string, Chain>();
    // In the order of their IRIs, so that the smallest way on from a place is the first that is found.
    for (const { from: to, axioms } of level) {
      for (const { from, axiom } of steps.get(to) ?? []) {
        if (!seen.has(from) && !next.has(from)) next.set(from, { from, axioms: [axiom, ...axioms] });
      }
    }
    level = [...next.values()].sort((a, b) => compareCodePoints(a.from, b.from));
    for (const { from } of level) seen.add(from);
    all.push(...level);
  }
  return all;
}

/** The matches of one family among the facts of a reader. */
export function* matchFamily(
  family: OwlFamily,
  fact: FactIds,
  index: AxiomIndex,
  facts: FactReader,
): Generator<OwlMatch> {
  const [predicate, object] = facts.decode([fact.p, fact.o]) as [Term, Term];
  const isType = predicate.value === RDF_TYPE_IRI && object.termType === 'NamedNode';
  const found = (axioms: readonly IriPair[], ...premises: FactIds[]): OwlMatch => ({ family, axioms, premises });
  switch (family) {
    case 'subclass':
    case 'equivalent_class': {
      if (!isType) return;
      const steps = family === 'subclass' ? index.subclasses : index.equalClasses;
      if (!steps.has(object.value)) return;
      const types = typesOf(fact, facts);
      for (const { from, axioms } of chainsTo(object.value, steps)) {
        const o = types.get(from);
        if (o !== undefined) yield found(axioms, { ...fact, o });
      }
      return;
    }
    case 'subproperty':
    case 'equivalent_property': {
      const steps = family === 'subproperty' ? index.subproperties : index.equalProperties;
      for (const { from, axioms } of chainsTo(predicate.value, steps)) {
        const premise = { ...fact, p: facts.encode(terms.namedNode(from)) };
        if (isFact(premise) && facts.has(premise)) yield found(axioms, premise);
      }
      return;
    }
    case 'inverse':
      for (const { from, axiom } of index.inverses.get(predicate.value) ?? []) {
        const premise = flipped(fact, facts.encode(terms.namedNode(from)));
        if (premise !== null && facts.has(premise)) yield found([axiom], premise);
      }
      return;
    case 'symmetric': {
      if (!index.symmetric.has(predicate.value)) return;
      const premise = flipped(fact, fact.p);
      const isItself = fact.s === fact.o;
      if (premise !== null && !isItself && facts.has(premise)) {
        yield found([[predicate.value, `${OWL_NS}SymmetricProperty`]], premise);
      }
      return;
    }
    case 'domain_range':
      if (isType) yield* fromUses(fact, object.value, index, facts);
      return;
    case 'transitive': {
      if (!index.transitive.has(predicate.value)) return;
      const way = shortestWay(fact, facts);
      if (way !== null) yield found([[predicate.value, `${OWL_NS}TransitiveProperty`]], ...way);
    }
  }
}

function isFact(fact: Omit<FactIds, 'p'> & { readonly p: TermId | null }): fact is FactIds {
  return fact.p !== null;
}

const isIri = (id: TermId): boolean => tagOf(id) === TAG.iri;
const isNode = (id: TermId): boolean => isIri(id) || tagOf(id) === TAG.blank;

/** The fact of a predicate from object to subject; null = there can be none whose object is an IRI. */
function flipped({ s, o }: FactIds, p: TermId | null): FactIds | null {
  return p === null || !isIri(s) || !isNode(o) ? null : { s: o, p, o: s };
}

/** The classes that an entity is said to be an instance of, by IRI. */
function typesOf({ s, p }: FactIds, facts: FactReader): Map<string, TermId> {
  const ids = facts.all({ s, p }).map(({ o }) => o);
  const decoded = facts.decode(ids);
  return new Map(
    ids.flatMap((id, at) => {
      const term = decoded[at] as Term;
      return term.termType === 'NamedNode' ? [[term.value, id] as const] : [];
    }),
  );
}

/** Uses of properties that have the class as domain or range, by property, the domain first. */
function* fromUses({ s }: FactIds, type: string, index: AxiomIndex, facts: FactReader): Generator<OwlMatch> {
  const domains = (index.domains.get(type) ?? []).map((step) => ({ ...step, place: 's' as const }));
  const ranges = isIri(s) ? (index.ranges.get(type) ?? []).map((step) => ({ ...step, place: 'o' as const })) : [];
  const steps = [...domains, ...ranges].sort((a, b) => compareCodePoints(a.from, b.from));
  for (const { from, axiom, place } of steps) {
    const p = facts.encode(terms.namedNode(from));
    if (p === null) continue;
    for (const premise of facts.inOrder({ p, [place]: s })) {
      yield { family: 'domain_range', axioms: [axiom], premises: [premise] };
    }
  }
}

/**
 * The fewest facts that lead from subject to object, two at least, without the fact itself; of several such ways the one whose
 * nodes are smallest. Distances to the object are found from its side, then the way is walked from the subject.
 */
function shortestWay(fact: FactIds, facts: FactReader): FactIds[] | null {
  const { s, p, o } = fact;
  if (!isIri(o)) return null;
  const distances = new Map<TermId, number>([[o, 0]]);
  let edge: TermId[] = [o];
  let length = 0;
  for (let distance = 1; length === 0; distance++) {
    const next: TermId[] = [];
    for (const to of edge) {
      for (const { s: from } of facts.all({ p, o: to })) {
        if (from === s && to !== o) length = distance;
        if (distances.has(from) || from === s || !isIri(from)) continue;
        distances.set(from, distance);
        next.push(from);
      }
    }
    if (length === 0 && next.length === 0) return null;
    edge = next;
  }
  const way: FactIds[] = [];
  for (let at = s; way.length < length; ) {
    const left = length - way.length - 1;
    const nodes = facts.all({ s: at, p }).filter((one) => (left === 0 ? one.o === o : distances.get(one.o) === left));
    const chosen = smallestObject(nodes, facts);
    way.push(chosen);
    at = chosen.o;
  }
  return way;
}

function smallestObject(candidates: readonly FactIds[], facts: FactReader): FactIds {
  const texts = facts.decode(candidates.map(({ o }) => o)).map(orderText);
  let least = 0;
  for (let at = 1; at < candidates.length; at++) {
    if (compareCodePoints(texts[at] as string, texts[least] as string) < 0) least = at;
  }
  return candidates[least] as FactIds;
}
