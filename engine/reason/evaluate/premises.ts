/**
 * The facts that rules may match, out of a snapshot: the current triples of one graph with the predicates that rules name.
 * Where every atom of a predicate names its object, only those objects are read: classes, mostly.
 */

import { termKey } from '../../rdf/canonical/lines.js';
import type { NamedNode, Term } from '../../rdf/terms.js';
import { terms } from '../../rdf/terms.js';
import { highOf, lowOf } from '../../storage/ids/halves.js';
import type { TermId } from '../../storage/ids/layout.js';
import { TAG } from '../../storage/ids/layout.js';
import { exactly } from '../../storage/seam/rows.js';
import { CURRENT, type ScanPattern, type StorageSnapshot } from '../../storage/seam/scan.js';
import type { Atom, Rule } from '../rules/rule.js';
import type { Meter } from './join-steps.js';
import type { Numbering } from './numbering.js';
import { Relation } from './relation.js';

/** The high half of numbers whose terms the store does not know; no tag of an id is that large. */
const UNKNOWN_IRI = 0xfe000000;
const UNKNOWN_LITERAL = 0xff000000;

export interface PremiseSource {
  readonly snapshot: StorageSnapshot;
  /** Null = it has no facts. */
  readonly graph: TermId | null;
  /** To which terms are added. */
  readonly numbering: Numbering;
  /** To which the facts come, by predicate. */
  readonly relations: Map<string, Relation>;
  readonly meter: Meter;
}

/** Terms, predicates and facts of a graph as rules see them: numbers and pairs of numbers. */
export class Premises {
  readonly numbering: Numbering;
  readonly #relations: Map<string, Relation>;
  readonly #snapshot: StorageSnapshot;
  readonly #graph: TermId | null;
  readonly #meter: Meter;
  /** Terms that rules name and the store does not know. */
  readonly #unknown: Term[] = [];
  readonly #constants = new Map<string, number>();

  /** Reads what the rules may match, and what their heads name, so that a fact of the graph is not derived. */
  constructor({ snapshot, graph, numbering, relations, meter }: PremiseSource, rules: readonly Rule[]) {
    this.#snapshot = snapshot;
    this.#graph = graph;
    this.numbering = numbering;
    this.#relations = relations;
    this.#meter = meter;
    const atoms = new Map<string, Atom[]>();
    for (const { head, body } of rules) {
      for (const atom of [head, ...body]) {
        const named = atoms.get(atom.predicate);
        if (named === undefined) atoms.set(atom.predicate, [atom]);
        else named.push(atom);
      }
    }
    for (const [predicate, named] of atoms) this.#read(predicate, named);
    for (const named of atoms.values()) {
      for (const { s, o } of named) {
        for (const term of [s, o]) if (term.kind === 'constant') this.numberOf(term.term);
      }
    }
  }

  relationOf(predicate: string): Relation {
    let relation = this.#relations.get(predicate);
    if (relation === undefined) {
      relation = new Relation();
      this.#relations.set(predicate, relation);
    }
    return relation;
  }

  /** The number of a term that rules name; one that the store does not know has one all the same. */
  numberOf(term: Term): number {
    const key = termKey(term);
    const known = this.#constants.get(key);
    if (known !== undefined) return known;
    const id = this.#snapshot.encode(term);
    const number = id === null ? this.#unknownNumber(term) : this.numbering.numberOf(lowOf(id), highOf(id));
    this.#constants.set(key, number);
    return number;
  }

  /** The term behind a number that has no id in the store; null = it has one. */
  unknownTerm(number: number): Term | null {
    const high = this.numbering.highs[number] as number;
    return high >= UNKNOWN_IRI ? (this.#unknown[this.numbering.lows[number] as number] as Term) : null;
  }

  /** An IRI or a blank node: nothing else has properties. */
  isSubject(number: number): boolean {
    const high = this.numbering.highs[number] as number;
    const tag = high >>> 24;
    return tag === TAG.iri || tag === TAG.blank || high === UNKNOWN_IRI;
  }

  #unknownNumber(term: Term): number {
    this.#unknown.push(term);
    const high = term.termType === 'NamedNode' ? UNKNOWN_IRI : UNKNOWN_LITERAL;
    return this.numbering.numberOf(this.#unknown.length - 1, high);
  }

  #read(predicate: string, atoms: readonly Atom[]): void {
    const relation = this.relationOf(predicate);
    const p = this.#snapshot.encode(terms.namedNode(predicate));
    if (p === null || this.#graph === null) return;
    const objects = new Map<string, NamedNode | Term>();
    for (const { o } of atoms) if (o.kind === 'constant') objects.set(termKey(o.term), o.term);
    if (atoms.some(({ o }) => o.kind === 'variable')) {
      this.#scan(relation, { p: exactly(p) });
      relation.sortBySubject(this.numbering.count);
      return;
    }
    for (const term of objects.values()) {
      const o = this.#snapshot.encode(term as Term);
      if (o !== null) this.#scan(relation, { p: exactly(p), o: exactly(o) });
    }
  }

  #scan(relation: Relation, pattern: ScanPattern): void {
    const { numbering } = this;
    const graphs = { kind: 'one', graph: this.#graph as TermId } as const;
    const cursor = this.#snapshot.scan({ graphs, pattern, time: CURRENT, columns: ['s', 'o'] });
    try {
      for (let batch = cursor.next(); batch !== null; batch = cursor.next()) {
        const { selection, columns } = batch;
        const [s, o] = [columns.s as Uint32Array, columns.o as Uint32Array];
        const rows = selection?.length ?? batch.rows;
        relation.reserve(relation.count + rows);
        for (let at = 0; at < rows; at++) {
          const row = selection === null ? at : (selection[at] as number);
          relation.append(
            numbering.numberOf(s[2 * row] as number, s[2 * row + 1] as number),
            numbering.numberOf(o[2 * row] as number, o[2 * row + 1] as number),
          );
        }
        this.#meter.spend(rows);
      }
    } finally {
      cursor.close();
    }
  }
}
