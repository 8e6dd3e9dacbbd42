/**
 * What a full run knows of ROOT, in dense numbers: nodes, the pairs of each property that leads to other facts, and of each
 * node the set of its types. Properties that lead to types alone are not kept: their types are. Facts that an earlier run
 * has written stand aside as they are; they are compared with the result, and are no premises.
 */

import { terms } from '../../rdf/terms.js';
import { highOf, lowOf } from '../../storage/ids/halves.js';
import { TAG } from '../../storage/ids/layout.js';
import type { Batch, StorageSnapshot } from '../../storage/seam/scan.js';
import { grown, IdTable } from './id-table.js';
import { FAMILY, type Ontology } from './ontology.js';
import { PairTable } from './pair-table.js';
import { TermIndexes } from './term-indexes.js';
import { TypeSets } from './type-sets.js';

/** Mark of a pair that is asserted; the others are families. */
export const ASSERTED = 0x100;
/** Mark of a pair that an earlier run has written. */
export const STANDING = 0x200;

/** The upper half of the id of a class that the store has no term for; the lower half is the class. */
const NEW_CLASS = (TAG.local << 24) >>> 0;
const ROWS_AT_FIRST = 1024;

/** Ids of facts, gathered in columns that grow. */
export class FactList {
  s = new Uint32Array(2 * ROWS_AT_FIRST);
  p = new Uint32Array(2 * ROWS_AT_FIRST);
  o = new Uint32Array(2 * ROWS_AT_FIRST);
  rows = 0;

  add(sLow: number, sHigh: number, pLow: number, pHigh: number, oLow: number, oHigh: number): void {
    const at = 2 * this.rows++;
    if (at === this.s.length) {
      this.s = grown(this.s, 2 * at);
      this.p = grown(this.p, 2 * at);
      this.o = grown(this.o, 2 * at);
    }
    this.s[at] = sLow;
    this.s[at + 1] = sHigh;
    this.p[at] = pLow;
    this.p[at + 1] = pHigh;
    this.o[at] = oLow;
    this.o[at + 1] = oHigh;
  }
}

/** What becomes of the facts of a property. */
interface PropertyPlan {
  /** Where they are kept as pairs; null: they are not. */
  readonly pairs: PairTable | null;
  readonly isType: boolean;
  /** Sets of classes that they give. */
  readonly domain: number;
  readonly range: number;
}

export class FactTables {
  readonly nodes = new IdTable();
  readonly sets: TypeSets;
  readonly standing = new FactList();
  readonly #ontology: Ontology;
  readonly #indexes: TermIndexes;
  readonly #snapshot: StorageSnapshot;
  readonly #relations: (PairTable | undefined)[] = [];
  readonly #plans: (PropertyPlan | undefined)[] = [];
  readonly #domains: (number | undefined)[] = [];
  readonly #ranges: (number | undefined)[] = [];
  readonly #classNodes = new Map<number, number>();
  readonly #classesOfNodes = new Map<number, number>();
  /** By node: the set of its asserted types, as far as axioms name them. */
  #asserted = new Uint32Array(ROWS_AT_FIRST);
  /** By node: the set of types that domains and ranges give it. */
  #implied = new Uint32Array(ROWS_AT_FIRST);

  constructor(ontology: Ontology, snapshot: StorageSnapshot) {
    this.#ontology = ontology;
    this.#snapshot = snapshot;
    this.#indexes = new TermIndexes(ontology, snapshot);
    this.sets = new TypeSets(ontology);
  }

  /** Rows with the columns s, p, o and txFrom. */
  take({ rows, columns, selection }: Batch, isDerived: (tx: number) => boolean): void {
    const { s, p, o, txFrom } = columns as Readonly<Record<'s' | 'p' | 'o' | 'txFrom', Uint32Array>>;
    const count = selection?.length ?? rows;
    let [lastLow, lastHigh] = [-1, -1];
    let plan: PropertyPlan | null = null;
    let [txLow, txHigh, derived] = [-1, -1, false];
    for (let at = 0; at < count; at++) {
      const row = 2 * (selection === null ? at : (selection[at] as number));
      const pLow = p[row] as number;
      const pHigh = p[row + 1] as number;
      if (txFrom[row] !== txLow || txFrom[row + 1] !== txHigh) {
        txLow = txFrom[row] as number;
        txHigh = txFrom[row + 1] as number;
        derived = isDerived(txHigh * 2 ** 32 + txLow);
      }
      if (!derived && (pLow !== lastLow || pHigh !== lastHigh)) {
        [lastLow, lastHigh] = [pLow, pHigh];
        plan = this.#planOf(pLow, pHigh);
      }
      if (!derived && plan === null) continue;
      const sLow = s[row] as number;
      const sHigh = s[row + 1] as number;
      const oLow = o[row] as number;
      const oHigh = o[row + 1] as number;
      if (derived) this.standing.add(sLow, sHigh, pLow, pHigh, oLow, oHigh);
      else this.#takeFact(plan as PropertyPlan, sLow, sHigh, oLow, oHigh);
    }
  }

  /** What becomes of the facts of a property; null: nothing. */
  #planOf(low: number, high: number): PropertyPlan | null {
    const ontology = this.#ontology;
    const property = this.#indexes.property(low, high);
    if (property < 0) return null;
    const known = this.#plans[property];
    if (known !== undefined) return known;
    const isType = property === ontology.typeProperty;
    const keepsPairs = ontology.isLinked(property) || (isType && ontology.typeIsLinked);
    const plan = {
      pairs: keepsPairs ? this.relation(property) : null,
      isType,
      domain: this.domainSet(property),
      range: this.rangeSet(property),
    };
    this.#plans[property] = plan;
    return plan;
  }

  #takeFact(plan: PropertyPlan, sLow: number, sHigh: number, oLow: number, oHigh: number): void {
    const { pairs, isType, domain, range } = plan;
    if (pairs !== null) {
      pairs.mark(this.#subject(sLow, sHigh), this.nodes.number(oLow, oHigh), ASSERTED);
      return;
    }
    if (isType) {
      const of = this.#indexes.class(oLow, oHigh);
      if (of >= 0) this.#addAsserted(this.#subject(sLow, sHigh), of);
      return;
    }
    if (domain !== 0) this.imply(this.#subject(sLow, sHigh), domain);
    if (range !== 0 && oHigh >>> 24 === TAG.iri) this.imply(this.nodes.number(oLow, oHigh), range);
  }

  #lastLow = -1;
  #lastHigh = -1;
  #lastNode = -1;

  /** Rows of one subject mostly follow each other. */
  #subject(low: number, high: number): number {
    if (low === this.#lastLow && high === this.#lastHigh) return this.#lastNode;
    this.#lastLow = low;
    this.#lastHigh = high;
    this.#lastNode = this.nodes.number(low, high);
    return this.#lastNode;
  }

  #addAsserted(node: number, of: number): void {
    if (node >= this.#asserted.length) this.#asserted = grown(this.#asserted, roomFor(node));
    this.#asserted[node] = this.sets.with(this.#asserted[node] as number, of);
  }

  /** Gives a node the types of a set. Where types are linked they become facts; else they are kept as a set. */
  imply(node: number, set: number): void {
    if (this.#ontology.typeIsLinked) {
      const types = this.relation(this.#ontology.typeProperty);
      for (const of of this.sets.classes(set)) types.mark(node, this.classNode(of), FAMILY.domainRange);
      return;
    }
    if (node >= this.#implied.length) this.#implied = grown(this.#implied, roomFor(node));
    const before = this.#implied[node] as number;
    if (before !== set) this.#implied[node] = this.sets.union(before, set);
  }

  assertedTypes(node: number): number {
    return this.#asserted[node] ?? 0;
  }

  impliedTypes(node: number): number {
    return this.#implied[node] ?? 0;
  }

  relation(property: number): PairTable {
    const known = this.#relations[property];
    if (known !== undefined) return known;
    const made = new PairTable();
    this.#relations[property] = made;
    return made;
  }

  /** Properties with facts. */
  *relations(): Generator<readonly [property: number, facts: PairTable]> {
    for (let property = 0; property < this.#relations.length; property++) {
      const facts = this.#relations[property];
      if (facts !== undefined) yield [property, facts];
    }
  }

  /** The set of classes that the domain of a property gives. */
  domainSet(property: number): number {
    this.#domains[property] ??= this.sets.of(this.#ontology.domainsOf(property));
    return this.#domains[property] as number;
  }

  rangeSet(property: number): number {
    this.#ranges[property] ??= this.sets.of(this.#ontology.rangesOf(property));
    return this.#ranges[property] as number;
  }

  isIri(node: number): boolean {
    const tag = this.nodes.high(node) >>> 24;
    return tag === TAG.iri || tag === TAG.local;
  }

  /** The class that a node is; -1 for one that no axiom names. */
  classOfNode(node: number): number {
    return this.#classesOfNodes.get(node) ?? this.#indexes.class(this.nodes.low(node), this.nodes.high(node));
  }

  /** The node of a class. One that the store has no term for yet gets an id that is none of a term; see `newClass`. */
  classNode(of: number): number {
    const known = this.#classNodes.get(of);
    if (known !== undefined) return known;
    const id = this.#snapshot.encode(terms.namedNode(this.#ontology.classes[of] as string));
    const node = id === null ? this.nodes.number(of, NEW_CLASS) : this.nodes.number(lowOf(id), highOf(id));
    this.#classNodes.set(of, node);
    this.#classesOfNodes.set(node, of);
    return node;
  }

  /** The class that a node stands for which the store has no term for; -1 for any other node. */
  newClass(node: number): number {
    return this.nodes.high(node) === NEW_CLASS ? this.nodes.low(node) : -1;
  }

  /** The property with an id; -1 for one that no axiom names. */
  propertyOfId(low: number, high: number): number {
    return this.#indexes.property(low, high);
  }

  classOfId(low: number, high: number): number {
    return this.#indexes.class(low, high);
  }
}

function roomFor(node: number): number {
  return 2 ** Math.ceil(Math.log2(node + 2));
}
