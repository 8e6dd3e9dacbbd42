/**
 * One run of rules over a graph (semantics of reasoning, 1.6 and 1.7): what has to be asserted and retracted in its companion
 * graph, for each rule, so that the facts there are those that follow now.
 *
 *  1. The premises and the facts that stand in the companion become pairs of dense numbers.
 *  2. The rules are evaluated to their fixpoint; what stands is no premise, but it says who owned a fact before.
 *  3. What is derived is compared with what stands. A fact that a rule outside of the run owns stays with that rule.
 */

import { type Term, terms } from '../../rdf/terms.js';
import type { TermId, TxId } from '../../storage/ids/layout.js';
import type { QuadColumns } from '../../storage/seam/engine.js';
import { quadColumns } from '../../storage/seam/rows.js';
import type { StorageSnapshot } from '../../storage/seam/scan.js';
import type { Rule } from '../rules/rule.js';
import type { Stratum } from '../rules/strata.js';
import { Derived } from './derived.js';
import { evaluate } from './fixpoint.js';
import { type WorkLimits, WorkMeter } from './meter.js';
import { Numbering } from './numbering.js';
import { Premises } from './premises.js';
import type { Relation } from './relation.js';
import { type StandingFacts, standingFacts } from './standing.js';

export interface RuleRun {
  readonly snapshot: StorageSnapshot;
  /** Whose facts are the premises; null = it has none. */
  readonly graph: TermId | null;
  /** That holds what was derived of it; null = nothing was. */
  readonly companion: TermId | null;
  readonly rules: readonly Rule[];
  readonly strata: readonly Stratum[];
  /**
   * By transaction the place of the source that wrote it: of a rule its place in `rules`; a place beyond them is a source
   * whose facts are to be retracted.
   */
  readonly owners: ReadonlyMap<TxId, number>;
  readonly limits: WorkLimits;
}

/** Pairs of one predicate as numbers. */
interface Pairs {
  readonly predicate: string | TermId;
  readonly s: number[];
  readonly o: number[];
}

/** What changes of one source, by its place. */
export interface SourceChange {
  readonly asserted: number;
  readonly retracted: number;
  /** The quads in a graph; `intern` gives ids to terms and predicates that the store does not know yet. */
  assertions(graph: TermId, intern: (term: Term) => TermId): QuadColumns[];
  retractions(graph: TermId): QuadColumns[];
  /** Those of `retractions` that a rule with a smaller place has taken over. */
  readonly taken: number;
  takenOver(graph: TermId): QuadColumns[];
}

export interface RunResult {
  /** By place; a source without changes has none. */
  readonly changes: ReadonlyMap<number, SourceChange>;
  /** Distinct facts that follow and are no facts of the graph. */
  readonly derived: number;
}

/** More numbers than any run has: they index arrays of 32-bit links. */
const HEADROOM = 1024;

export function runRules(run: RuleRun): RunResult {
  const { snapshot, graph, companion, rules, strata, owners } = run;
  const numbering = new Numbering();
  const derived = new Map<string, Derived>();
  const relations = new Map<string, Relation>();
  const meter = new WorkMeter(run.limits, () => {
    let bytes = numbering.bytes;
    for (const relation of relations.values()) bytes += relation.bytes;
    for (const facts of derived.values()) bytes += facts.bytes;
    return bytes;
  });
  const premises = new Premises({ snapshot, graph, numbering, relations, meter }, rules);
  const standing = standingFacts(snapshot, companion, owners, numbering, meter);
  const derivedOf = (predicate: string): Derived => {
    let known = derived.get(predicate);
    if (known === undefined) {
      const id = snapshot.encode(terms.namedNode(predicate));
      const before = id === null ? undefined : standing.get(id);
      const ownerBefore = before === undefined ? () => -2 : (s: number, o: number) => before.ownerOf(s, o);
      known = new Derived(premises.relationOf(predicate), ownerBefore);
      derived.set(predicate, known);
    }
    return known;
  };
  evaluate(
    strata,
    {
      relationOf: (predicate) => premises.relationOf(predicate),
      numberOf: (term) => premises.numberOf(term),
      isSubject: (number) => premises.isSubject(number),
      derivedOf,
    },
    { meter, numbers: numbering.count + HEADROOM },
  );
  return compare(premises, standing, derived, snapshot, rules.length);
}

function compare(
  premises: Premises,
  standing: ReadonlyMap<TermId, StandingFacts>,
  derived: ReadonlyMap<string, Derived>,
  snapshot: StorageSnapshot,
  rules: number,
): RunResult {
  const changes = new Map<number, Change>();
  const changeOf = (place: number): Change => {
    const known = changes.get(place) ?? new Change(premises);
    changes.set(place, known);
    return known;
  };
  const derivedById = new Map<TermId, Derived>();
  let count = 0;
  for (const [predicate, facts] of derived) {
    const { relation, base } = facts;
    count += facts.count;
    const id = snapshot.encode(terms.namedNode(predicate));
    if (id !== null) derivedById.set(id, facts);
    const before = id === null ? undefined : standing.get(id);
    for (let row = base; row < relation.count; row++) {
      const [s, o] = [relation.s[row] as number, relation.o[row] as number];
      const owner = facts.ownerOf(row);
      const stands = before === undefined ? -2 : before.ownerOf(s, o);
      if (stands === owner || stands === -1) continue;
      changeOf(owner).added.push(predicate, s, o);
    }
  }
  for (const [predicate, { pairs, owners }] of standing) {
    const facts = derivedById.get(predicate);
    for (let row = 0; row < pairs.count; row++) {
      const place = owners[row] as number;
      if (place < 0) continue;
      const [s, o] = [pairs.s[row] as number, pairs.o[row] as number];
      const owner = facts === undefined ? -1 : ownerIn(facts, s, o);
      if (owner === place) continue;
      const change = changeOf(place);
      (owner >= 0 && owner < place && place < rules ? change.taken_ : change.removed).push(predicate, s, o);
    }
  }
  return { changes, derived: count };
}

function ownerIn(facts: Derived, s: number, o: number): number {
  const row = facts.relation.find(s, o);
  return row < facts.base ? -1 : facts.ownerOf(row);
}

/** Pairs by predicate. */
class PairLists {
  count = 0;
  readonly #lists = new Map<string | TermId, Pairs>();
  #last: Pairs | null = null;

  push(predicate: string | TermId, s: number, o: number): void {
    if (this.#last === null || this.#last.predicate !== predicate) {
      this.#last = this.#lists.get(predicate) ?? { predicate, s: [], o: [] };
      this.#lists.set(predicate, this.#last);
    }
    this.#last.s.push(s);
    this.#last.o.push(o);
    this.count++;
  }

  get lists(): Iterable<Pairs> {
    return this.#lists.values();
  }
}

class Change implements SourceChange {
  readonly added = new PairLists();
  readonly removed = new PairLists();
  readonly taken_ = new PairLists();

  constructor(private readonly premises: Premises) {}

  get asserted(): number {
    return this.added.count;
  }

  get retracted(): number {
    return this.removed.count + this.taken_.count;
  }

  get taken(): number {
    return this.taken_.count;
  }

  assertions(graph: TermId, intern: (term: Term) => TermId): QuadColumns[] {
    return [...this.added.lists].map((pairs) => {
      const predicate = intern(terms.namedNode(pairs.predicate as string));
      return this.#quads(pairs, predicate, graph, intern);
    });
  }

  retractions(graph: TermId): QuadColumns[] {
    return [...this.removed.lists].map((pairs) => this.#quads(pairs, pairs.predicate as TermId, graph, null));
  }

  takenOver(graph: TermId): QuadColumns[] {
    return [...this.taken_.lists].map((pairs) => this.#quads(pairs, pairs.predicate as TermId, graph, null));
  }

  #quads(pairs: Pairs, predicate: TermId, graph: TermId, intern: ((term: Term) => TermId) | null): QuadColumns {
    const rows = pairs.s.length;
    const quads = quadColumns(rows);
    fillIds(quads.p, predicate);
    fillIds(quads.g, graph);
    this.#ids(quads.s, pairs.s, intern);
    this.#ids(quads.o, pairs.o, intern);
    return quads;
  }

  #ids(column: Uint32Array, numbers: readonly number[], intern: ((term: Term) => TermId) | null): void {
    const { lows, highs } = this.premises.numbering;
    for (let row = 0; row < numbers.length; row++) {
      const number = numbers[row] as number;
      const unknown = intern === null ? null : this.premises.unknownTerm(number);
      if (unknown !== null && intern !== null) {
        const id = intern(unknown);
        column[2 * row] = Number(id & 0xffffffffn);
        column[2 * row + 1] = Number(id >> 32n);
      } else {
        column[2 * row] = lows[number] as number;
        column[2 * row + 1] = highs[number] as number;
      }
    }
  }
}

function fillIds(column: Uint32Array, id: TermId): void {
  const [low, high] = [Number(id & 0xffffffffn), Number(id >> 32n)];
  for (let at = 0; at < column.length; at += 2) {
    column[at] = low;
    column[at + 1] = high;
  }
}
