/**
 * Axioms compiled: classes and properties are numbers, and what follows from a fact in one step is a list at its number.
 * The numbers are of this ontology alone; `TermIndexes` finds them for the ids of a store.
 */

import { type Axioms, type IriPair, RDF_TYPE_IRI } from './axioms.js';

/** What a conclusion is counted as (semantics of reasoning, 2.1); each a bit of its own. */
export const FAMILY = {
  subclass: 1,
  subProperty: 2,
  equivalentClass: 4,
  inverse: 8,
  symmetric: 16,
  domainRange: 32,
  transitive: 64,
  equivalentProperty: 128,
} as const;

/** One step from a fact of a property to one of another; `flipped`: subject and object change places. */
export interface PropertyStep {
  readonly to: number;
  readonly flipped: boolean;
  readonly family: number;
}

/** One step from a class to one that has all of its instances. */
export interface ClassStep {
  readonly to: number;
  readonly family: number;
}

const NO_STEPS: readonly never[] = [];

class Numbering {
  readonly iris: string[] = [];
  readonly #numbers = new Map<string, number>();

  of(iri: string): number {
    const known = this.#numbers.get(iri);
    if (known !== undefined) return known;
    this.#numbers.set(iri, this.iris.length);
    return this.iris.push(iri) - 1;
  }

  /** -1 for an IRI that no axiom names. */
  find(iri: string): number {
    return this.#numbers.get(iri) ?? -1;
  }
}

/** Lists at numbers; most numbers have none. */
class Lists<Entry> {
  readonly #lists: (Entry[] | undefined)[] = [];
  /** Those that have entries. */
  readonly numbers: number[] = [];

  add(at: number, entry: Entry): void {
    const list = this.#lists[at];
    if (list !== undefined) {
      list.push(entry);
      return;
    }
    this.#lists[at] = [entry];
    this.numbers.push(at);
  }

  at(at: number): readonly Entry[] {
    return this.#lists[at] ?? NO_STEPS;
  }
}

export class Ontology {
  readonly #classes = new Numbering();
  readonly #properties = new Numbering();
  readonly #classSteps = new Lists<ClassStep>();
  readonly #propertySteps = new Lists<PropertyStep>();
  readonly #stepsInto = new Lists<PropertyStep>();
  readonly #disjoint = new Map<number, Set<number>>();
  readonly #domains = new Lists<number>();
  readonly #ranges = new Lists<number>();
  readonly #transitive = new Set<number>();
  readonly #functional = new Set<number>();
  readonly #linked = new Set<number>();
  readonly #ancestors = new Map<number, Int32Array>();
  /** rdf:type as a property of axioms; it has a number whether they name it or not. */
  readonly typeProperty: number;
  /**
   * Axioms say something of rdf:type itself, so that types lead to other facts and other facts to types, in rounds.
   */
  readonly typeIsLinked: boolean;

  constructor(axioms: Axioms) {
    this.typeProperty = this.#properties.of(RDF_TYPE_IRI);
    this.#linkClasses(axioms.subClassOf, FAMILY.subclass, false);
    this.#linkClasses(axioms.equivalentClass, FAMILY.equivalentClass, true);
    this.#linkProperties(axioms.subPropertyOf, { flipped: false, family: FAMILY.subProperty }, false);
    this.#linkProperties(axioms.equivalentProperty, { flipped: false, family: FAMILY.equivalentProperty }, true);
    this.#linkProperties(axioms.inverseOf, { flipped: true, family: FAMILY.inverse }, true);
    const symmetric = axioms.symmetric.map((iri): IriPair => [iri, iri]);
    this.#linkProperties(symmetric, { flipped: true, family: FAMILY.symmetric }, false);
    for (const [property, of] of axioms.domain) this.#domains.add(this.#property(property), this.#classes.of(of));
    for (const [property, of] of axioms.range) this.#ranges.add(this.#property(property), this.#classes.of(of));
    for (const iri of axioms.transitive) {
      this.#transitive.add(this.#property(iri));
      this.#linked.add(this.#property(iri));
    }
    for (const iri of axioms.functional) this.#functional.add(this.#property(iri));
    for (const [one, other] of axioms.disjointWith) this.#separate(this.#classes.of(one), this.#classes.of(other));
    const type = this.typeProperty;
    this.typeIsLinked = this.isLinked(type) || this.domainsOf(type).length + this.rangesOf(type).length > 0;
  }

  #property(iri: string): number {
    return this.#properties.of(iri);
  }

  #linkClasses(pairs: readonly IriPair[], family: number, bothWays: boolean): void {
    for (const [one, other] of pairs) {
      const [from, to] = [this.#classes.of(one), this.#classes.of(other)];
      this.#classSteps.add(from, { to, family });
      if (bothWays) this.#classSteps.add(to, { to: from, family });
    }
  }

  #linkProperties(pairs: readonly IriPair[], step: Omit<PropertyStep, 'to'>, bothWays: boolean): void {
    for (const [one, other] of pairs) {
      const [from, to] = [this.#property(one), this.#property(other)];
      this.#addStep(from, { ...step, to });
      if (bothWays && from !== to) this.#addStep(to, { ...step, to: from });
      this.#linked.add(from).add(to);
    }
  }

  #addStep(from: number, step: PropertyStep): void {
    this.#propertySteps.add(from, step);
    this.#stepsInto.add(step.to, { ...step, to: from });
  }

  #separate(one: number, other: number): void {
    for (const [from, to] of [
      [one, other],
      [other, one],
    ] as const) {
      const apart = this.#disjoint.get(from) ?? new Set();
      this.#disjoint.set(from, apart.add(to));
    }
  }

  get classes(): readonly string[] {
    return this.#classes.iris;
  }

  get properties(): readonly string[] {
    return this.#properties.iris;
  }

  classOf(iri: string): number {
    return this.#classes.find(iri);
  }

  propertyOf(iri: string): number {
    return this.#properties.find(iri);
  }

  classSteps(at: number): readonly ClassStep[] {
    return this.#classSteps.at(at);
  }

  propertySteps(at: number): readonly PropertyStep[] {
    return this.#propertySteps.at(at);
  }

  /** The steps that lead to a property; `to` is where they come from. */
  stepsInto(at: number): readonly PropertyStep[] {
    return this.#stepsInto.at(at);
  }

  domainsOf(property: number): readonly number[] {
    return this.#domains.at(property);
  }

  rangesOf(property: number): readonly number[] {
    return this.#ranges.at(property);
  }

  isTransitive(property: number): boolean {
    return this.#transitive.has(property);
  }

  isFunctional(property: number): boolean {
    return this.#functional.has(property);
  }

  get transitive(): ReadonlySet<number> {
    return this.#transitive;
  }

  get functional(): ReadonlySet<number> {
    return this.#functional;
  }

  get hasDisjoint(): boolean {
    return this.#disjoint.size > 0;
  }

  disjointWith(at: number): ReadonlySet<number> | undefined {
    return this.#disjoint.get(at);
  }

  /** Properties with domains, or with ranges. */
  propertiesWith(what: 'domain' | 'range'): readonly number[] {
    return what === 'domain' ? this.#domains.numbers : this.#ranges.numbers;
  }

  /** Facts of it lead to facts of a property, or follow from such. */
  isLinked(property: number): boolean {
    return this.#linked.has(property);
  }

  /** Classes whose instances all instances of a class are, itself among them; found once, ascending. */
  ancestorsOf(at: number): Int32Array {
    const known = this.#ancestors.get(at);
    if (known !== undefined) return known;
    const found = new Set([at]);
    // A set that grows while it is walked is walked to its end.
    for (const one of found) for (const { to } of this.#classSteps.at(one)) found.add(to);
    const ancestors = Int32Array.from(found).sort();
    this.#ancestors.set(at, ancestors);
    return ancestors;
  }
}
