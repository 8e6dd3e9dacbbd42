/**
 * What a write changes among the facts of linked properties: pairs of nodes between which facts were opened or closed are
 * judged again, and so are the pairs by which the closures of transitive properties change.
 *
 * A fact of a pair follows from asserted facts of the pair by steps, or from a pair of a closure, that itself by steps. So
 * 1. pairs are read as they are after the write and as they were before it, and closed under the steps: what of that is of
 *    a transitive property says which of its edges came and went;
 * 2. the closures change by those edges;
 * 3. every pair that either has touched is closed again, with its pairs of closures, and compared with what stands.
 */

import { type Control, throwIfStopped } from '../../../base/control.js';
import { addTo } from '../../../base/maps.js';
import { lookInto } from '../../../storage/seam/rows.js';
import type { ChangedRows, StorageSnapshot } from '../../../storage/seam/scan.js';
import type { Ontology } from '../ontology.js';
import { PairTable } from '../pair-table.js';
import { TermIndexes } from '../term-indexes.js';
import { ClosureChange, type Edge } from './closure-change.js';
import { ClosureReader, EdgeReader, edgeSources } from './edges.js';
import type { Ledger } from './ledger.js';
import {
  closePair,
  factOf,
  isFlipped,
  type NodePair,
  type PairFact,
  type PairKind,
  PairReader,
  propertyOfFact,
  type StandingFacts,
} from './pairs.js';

/** A fact by the numbers of a ledger. */
export interface NodeFact {
  readonly property: number;
  readonly s: number;
  readonly o: number;
}

export interface FactChange {
  /** Facts that follow and do not stand. */
  readonly missing: readonly NodeFact[];
  /** Facts that stand and do not follow. */
  readonly surplus: readonly NodeFact[];
  /** Facts of linked properties, asserted or derived, that were not there and will be. */
  readonly came: readonly NodeFact[];
  /** Those that were there and will not be. */
  readonly went: readonly NodeFact[];
}

/** The store before the write, opened when it is needed, and with it. */
export interface Around {
  before(): StorageSnapshot;
  readonly after: StorageSnapshot;
  /** Of that store. */
  readonly indexes: TermIndexes;
}

interface TouchedPair extends NodePair {
  readonly kind: PairKind;
  readonly before: StandingFacts;
  readonly after: StandingFacts;
}

export class FactFollower {
  readonly #ledger: Ledger;
  readonly #ontology: Ontology;
  readonly #around: Around;
  readonly #control: Control;
  /** Each pair once, whichever of its nodes came first; its row is the place in the list. */
  readonly #table = new PairTable();
  readonly #pairs: TouchedPair[] = [];
  readonly #changes = new Map<number, ClosureChange>();

  constructor(ledger: Ledger, around: Around, control: Control) {
    this.#ledger = ledger;
    this.#ontology = ledger.ontology;
    this.#around = around;
    this.#control = control;
  }

  /** `allCame`: each fact was opened and had not been there before. */
  find(changed: readonly NodeFact[], allCame: boolean): FactChange {
    const linked = changed.filter(({ property }) => this.#ontology.isLinked(property));
    this.#touch(
      linked.map(({ s, o }) => ({ one: s, other: o })),
      !allCame,
    );
    if (allCame) for (const fact of linked) this.#takeFromBefore(fact);
    this.#changeClosures();
    const result = { missing: [], surplus: [], came: [], went: [] };
    for (const pair of this.#pairs) this.#judge(pair, result);
    return result;
  }

  /** What came had not been there; all else of its pair was as it is. */
  #takeFromBefore({ property, s, o }: NodeFact): void {
    const at = this.#table.find(s, o);
    const pair = this.#pairs[at >= 0 ? at : this.#table.find(o, s)] as TouchedPair;
    pair.before.asserted.delete(factOf(property, at < 0));
  }

  /** Reads pairs that were not read yet, of the store before the write as well where that may have had others. */
  #touch(pairs: Iterable<NodePair>, readsBefore: boolean): void {
    const fresh: NodePair[] = [];
    for (const { one, other } of pairs) {
      const isTurned = this.#table.find(other, one) >= 0;
      if (!isTurned && this.#table.mark(one, other, 0)) fresh.push({ one, other });
    }
    if (fresh.length === 0) return;
    throwIfStopped(this.#control, 'the materialization');
    const { after, indexes } = this.#around;
    const now = new PairReader(this.#ledger, after, indexes).read(fresh);
    const then = readsBefore ? this.#readBefore(fresh) : now.map(copyOf);
    for (const [at, pair] of fresh.entries()) {
      this.#pairs.push({
        ...pair,
        kind: this.#kindOf(pair),
        before: then[at] as StandingFacts,
        after: now[at] as StandingFacts,
      });
    }
  }

  #readBefore(pairs: readonly NodePair[]): StandingFacts[] {
    return lookInto(this.#around.before(), (before) =>
      new PairReader(this.#ledger, before, new TermIndexes(this.#ontology, before)).read(pairs),
    );
  }

  #kindOf({ one, other }: NodePair): PairKind {
    const ledger = this.#ledger;
    return { oneIsIri: ledger.isIri(one), otherIsIri: ledger.isIri(other), isSame: one === other };
  }

  #changeClosures(): void {
    if (this.#ontology.transitive.size === 0) return;
    const [added, removed] = [new Map<number, Edge[]>(), new Map<number, Edge[]>()];
    for (const pair of this.#pairs) {
      const now = closePair(this.#ontology, pair.after.asserted, pair.kind);
      const then = closePair(this.#ontology, pair.before.asserted, pair.kind);
      for (const fact of now) if (!then.has(fact)) this.#noteEdge(added, pair, fact);
      for (const fact of then) if (!now.has(fact)) this.#noteEdge(removed, pair, fact);
    }
    for (const property of new Set([...added.keys(), ...removed.keys()])) {
      const change = this.#changeClosure(property, added.get(property) ?? [], removed.get(property) ?? []);
      this.#changes.set(property, change);
    }
    for (const { added, removed } of this.#changes.values()) {
      this.#touch(asPairs(added), false);
      this.#touch(asPairs(removed), false);
    }
  }

  #noteEdge(edges: Map<number, Edge[]>, pair: TouchedPair, fact: PairFact): void {
    const property = propertyOfFact(fact);
    if (!this.#ontology.isTransitive(property)) return;
    const [from, to] = isFlipped(fact) ? [pair.other, pair.one] : [pair.one, pair.other];
    if (this.#ledger.isIri(to)) addTo(edges, property, [from, to]);
  }

  #changeClosure(property: number, added: readonly Edge[], removed: readonly Edge[]): ClosureChange {
    throwIfStopped(this.#control, 'the materialization');
    const edges = new EdgeReader(this.#ledger, this.#around.after, edgeSources(this.#ontology, property));
    return lookInto(this.#around.before(), (snapshot) => {
      const before = new ClosureReader(this.#ledger, snapshot, property);
      const change = new ClosureChange(this.#ledger, edges, before);
      try {
        change.find(added, removed);
      } finally {
        edges.close();
        before.close();
      }
      return change;
    });
  }

  /** Compares what follows between two nodes with what stands. */
  #judge(
    pair: TouchedPair,
    result: { missing: NodeFact[]; surplus: NodeFact[]; came: NodeFact[]; went: NodeFact[] },
  ): void {
    const { before, after, kind } = pair;
    const all = closePair(this.#ontology, [...after.asserted, ...this.#closureFacts(pair)], kind);
    const toFact = (fact: PairFact): NodeFact => {
      const [s, o] = isFlipped(fact) ? [pair.other, pair.one] : [pair.one, pair.other];
      return { property: propertyOfFact(fact), s, o };
    };
    const had = (fact: PairFact): boolean => before.asserted.has(fact) || before.derived.has(fact);
    for (const fact of all) {
      if (!after.asserted.has(fact) && !after.derived.has(fact)) result.missing.push(toFact(fact));
      if (!had(fact)) result.came.push(toFact(fact));
    }
    for (const fact of after.derived) {
      if (!all.has(fact) || after.asserted.has(fact)) result.surplus.push(toFact(fact));
    }
    for (const fact of [...before.asserted, ...before.derived]) if (!all.has(fact)) result.went.push(toFact(fact));
  }

  /** The facts of a pair that are in closures now. */
  #closureFacts({ one, other, before, kind }: TouchedPair): PairFact[] {
    const facts: PairFact[] = [];
    for (const property of this.#ontology.transitive) {
      const change = this.#changes.get(property);
      for (const flipped of kind.isSame ? [false] : [false, true]) {
        if (!(flipped ? kind.oneIsIri : kind.otherIsIri)) continue;
        const fact = factOf(property, flipped);
        const held = before.asserted.has(fact) || before.derived.has(fact);
        const [from, to] = flipped ? [other, one] : [one, other];
        if (change === undefined ? held : change.holds(from, to, held)) facts.push(fact);
      }
    }
    return facts;
  }
}

function copyOf({ asserted, derived }: StandingFacts): StandingFacts {
  return { asserted: new Set(asserted), derived: new Set(derived) };
}

function* asPairs(pairs: Iterable<readonly [from: number, to: number]>): Generator<NodePair> {
  for (const [one, other] of pairs) yield { one, other };
}

/** Rows that a write has opened and closed, in the numbers of a ledger; properties that no axiom names are left out. */
export function changedFacts(
  ledger: Ledger,
  indexes: TermIndexes,
  changes: Iterable<ChangedRows>,
): { readonly facts: NodeFact[]; readonly opened: boolean[] } {
  const facts: NodeFact[] = [];
  const opened: boolean[] = [];
  for (const { op, rows, columns } of changes) {
    const { s, p, o } = columns;
    ledger.spend(rows);
    for (let row = 0; row < rows; row++) {
      const property = indexes.property(p[2 * row] as number, p[2 * row + 1] as number);
      if (property < 0) continue;
      facts.push({
        property,
        s: ledger.nodes.number(s[2 * row] as number, s[2 * row + 1] as number),
        o: ledger.nodes.number(o[2 * row] as number, o[2 * row + 1] as number),
      });
      opened.push(op === 'assert');
    }
  }
  return { facts, opened };
}
