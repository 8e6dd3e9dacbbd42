/**
 * The facts between two nodes, read in both directions, and what the axioms make of them. Facts of linked properties that
 * do not follow by transitivity follow from facts between the same two nodes, so that a pair is judged by itself.
 *
 * A fact of a pair is a number: twice the property, plus one for the direction from the second node to the first.
 */

import { ROOT_ONLY, txIn } from '../../../storage/seam/rows.js';
import { CURRENT, type IdColumn, type StorageSnapshot } from '../../../storage/seam/scan.js';
import type { Ontology } from '../ontology.js';
import type { TermIndexes } from '../term-indexes.js';
import type { Ledger } from './ledger.js';

export type PairFact = number;

export const factOf = (property: number, flipped: boolean): PairFact => 2 * property + (flipped ? 1 : 0);
export const propertyOfFact = (fact: PairFact): number => fact >>> 1;
export const isFlipped = (fact: PairFact): boolean => (fact & 1) === 1;

/** What stands between two nodes: facts of linked properties. */
export interface StandingFacts {
  readonly asserted: Set<PairFact>;
  readonly derived: Set<PairFact>;
}

/** Two nodes; the second may be a literal. */
export interface NodePair {
  readonly one: number;
  readonly other: number;
}

/** One direction of a pair, which has a place in the list of those that are read. */
interface AskedPair {
  readonly at: number;
  readonly s: number;
  readonly o: number;
  readonly flipped: boolean;
}

/** Reads the facts of many pairs, both directions in one sorted lookup. */
export class PairReader {
  readonly #ledger: Ledger;
  readonly #snapshot: StorageSnapshot;
  readonly #indexes: TermIndexes;

  constructor(ledger: Ledger, snapshot: StorageSnapshot, indexes: TermIndexes) {
    this.#ledger = ledger;
    this.#snapshot = snapshot;
    this.#indexes = indexes;
  }

  read(pairs: readonly NodePair[]): StandingFacts[] {
    const { nodes } = this.#ledger;
    const found = pairs.map((): StandingFacts => ({ asserted: new Set(), derived: new Set() }));
    const asked = [...this.#directions(pairs)].sort(
      (a, b) =>
        nodes.high(a.o) - nodes.high(b.o) ||
        nodes.low(a.o) - nodes.low(b.o) ||
        nodes.high(a.s) - nodes.high(b.s) ||
        nodes.low(a.s) - nodes.low(b.s),
    );
    if (asked.length > 0) this.#readAll(asked, found);
    return found;
  }

  /** Both directions of each pair; that of a node with itself once. */
  *#directions(pairs: readonly NodePair[]): Generator<AskedPair> {
    const ledger = this.#ledger;
    for (const [at, { one, other }] of pairs.entries()) {
      if (ledger.isResource(one)) yield { at, s: one, o: other, flipped: false };
      if (ledger.isResource(other) && one !== other) yield { at, s: other, o: one, flipped: true };
    }
  }

  #readAll(asked: readonly AskedPair[], found: readonly StandingFacts[]): void {
    const ledger = this.#ledger;
    const probe = this.#snapshot.probe({
      graphs: ROOT_ONLY,
      pattern: {},
      order: 'OSPG',
      time: CURRENT,
      keys: ['o', 's'],
      columns: ['p', 'txFrom'],
    });
    try {
      const column = (of: 's' | 'o') => ledger.column(asked.map((one) => one[of]));
      probe.begin([column('o'), column('s')], asked.length);
      ledger.spend(asked.length);
      for (let batch = probe.next(); batch !== null; batch = probe.next()) {
        const { p, txFrom } = batch.columns as { readonly p: IdColumn; readonly txFrom: IdColumn };
        ledger.spend(batch.rows);
        for (let row = 0; row < batch.rows; row++) {
          const property = this.#indexes.property(p[2 * row] as number, p[2 * row + 1] as number);
          if (property < 0 || !ledger.ontology.isLinked(property)) continue;
          const { at, flipped } = asked[batch.keys[row] as number] as AskedPair;
          const facts = found[at] as StandingFacts;
          const set = ledger.isDerived(txIn(txFrom, row)) ? facts.derived : facts.asserted;
          set.add(factOf(property, flipped));
        }
      }
    } finally {
      probe.close();
    }
  }
}

/** What the two nodes of a pair are. */
export interface PairKind {
  readonly oneIsIri: boolean;
  readonly otherIsIri: boolean;
  /** They are one node: both directions are one. */
  readonly isSame: boolean;
}

/** All facts of a pair that follow from some of them by steps, those themselves among them. */
export function closePair(
  ontology: Ontology,
  from: Iterable<PairFact>,
  { oneIsIri, otherIsIri, isSame }: PairKind,
): Set<PairFact> {
  const all = new Set(from);
  // A set that grows while it is walked is walked to its end.
  for (const fact of all) {
    const flipped = isFlipped(fact);
    const objectIsIri = flipped ? oneIsIri : otherIsIri;
    for (const step of ontology.propertySteps(propertyOfFact(fact))) {
      if (!step.flipped) all.add(factOf(step.to, flipped));
      else if (objectIsIri) all.add(factOf(step.to, !flipped && !isSame));
    }
  }
  return all;
}
