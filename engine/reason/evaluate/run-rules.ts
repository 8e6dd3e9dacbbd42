/**
 * One run of rules over a graph (semantics of reasoning, 1.6 and 1.7): what has to be asserted and retracted in its companion
 * graph, for each rule, so that the facts there are those that follow now.
 *
 *  1. The premises and the facts that stand in the companion become pairs of dense numbers.
 *  2. The rules are evaluated to their fixpoint; what stands is no premise, but it says who owned a fact before.
 *  3. What is derived is compared with what stands. A fact that a rule outside of the run owns stays with that rule.
 */

import { type Term, terms } from '../../rdf/terms.js';
import { highOf, lowOf } from '../../storage/ids/halves.js';
import type { TermId, TxId } from '../../storage/ids/layout.js';
import type { QuadColumns } from '../../storage/seam/engine.js';
import { quadColumns } from '../../storage/seam/rows.js';
import type { StorageSnapshot } from '../../storage/seam/scan.js';
import type { Rule } from '../rules/rule.js';
import type { Stratum } from '../rules/strata.js';
import { Derived } from './derived.js';
import { evaluate } from './fixpoint.js';
import { type WorkLimits, WorkMeter } from './meter.js';
import { extended, Numbering } from './numbering.js';
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
      const ownerBefore = before === undefined ? null : (s: number, o: number) => before.ownerOf(s, o);
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
    const list = new OwnedRows(relation, predicate);
    for (let row = base; row < relation.count; row++) {
      const owner = facts.ownerOf(row);
      if (before !== undefined) {
        const stands = before.ownerOf(relation.pairs[2 * row] as number, relation.pairs[2 * row + 1] as number);
        if (stands === owner || stands === -1) continue;
      }
      list.push(owner, row);
    }
    for (const [owner, rows] of list.byOwner) changeOf(owner).added.push(rows);
  }
  for (const [predicate, { pairs, owners }] of standing) {
    const facts = derivedById.get(predicate);
    const removed = new OwnedRows(pairs, predicate);
    const taken = new OwnedRows(pairs, predicate);
    for (let row = 0; row < pairs.count; row++) {
      const place = owners[row] as number;
      if (place < 0) continue;
      const owner =
        facts === undefined ? -1 : ownerIn(facts, pairs.pairs[2 * row] as number, pairs.pairs[2 * row + 1] as number);
      if (owner !== place) (owner >= 0 && owner < place && place < rules ? taken : removed).push(place, row);
    }
    for (const [place, rows] of removed.byOwner) changeOf(place).removed.push(rows);
    for (const [place, rows] of taken.byOwner) changeOf(place).lost.push(rows);
  }
  return { changes, derived: count };
}

function ownerIn(facts: Derived, s: number, o: number): number {
  const row = facts.relation.find(s, o);
  return row < facts.base ? -1 : facts.ownerOf(row);
}

/** Rows of a relation, of one predicate, for one owner. */
class RowList {
  count = 0;
  rows = new Uint32Array(64);

  constructor(
    readonly relation: Relation,
    readonly predicate: string | TermId,
  ) {}

  push(row: number): void {
    if (this.count === this.rows.length) this.rows = extended(this.rows, 2 * this.count);
    this.rows[this.count++] = row;
  }
}

/** Rows of one relation, by owner. */
class OwnedRows {
  readonly byOwner = new Map<number, RowList>();
  #owner = -1;
  #list: RowList | null = null;

  constructor(
    private readonly relation: Relation,
    private readonly predicate: string | TermId,
  ) {}

  push(owner: number, row: number): void {
    if (this.#list === null || this.#owner !== owner) {
      this.#owner = owner;
      this.#list = this.byOwner.get(owner) ?? new RowList(this.relation, this.predicate);
      this.byOwner.set(owner, this.#list);
    }
    this.#list.push(row);
  }
}

const counted = (lists: readonly RowList[]): number => lists.reduce((sum, { count }) => sum + count, 0);

class Change implements SourceChange {
  readonly added: RowList[] = [];
  readonly removed: RowList[] = [];
  readonly lost: RowList[] = [];

  constructor(private readonly premises: Premises) {}

  get asserted(): number {
    return counted(this.added);
  }

  get retracted(): number {
    return counted(this.removed) + this.taken;
  }

  get taken(): number {
    return counted(this.lost);
  }

  assertions(graph: TermId, intern: (term: Term) => TermId): QuadColumns[] {
    return this.added.map((rows) =>
      this.#quads(rows, intern(terms.namedNode(rows.predicate as string)), graph, intern),
    );
  }

  retractions(graph: TermId): QuadColumns[] {
    return this.removed.map((rows) => this.#quads(rows, rows.predicate as TermId, graph, null));
  }

  takenOver(graph: TermId): QuadColumns[] {
    return this.lost.map((rows) => this.#quads(rows, rows.predicate as TermId, graph, null));
  }

  #quads(list: RowList, predicate: TermId, graph: TermId, intern: ((term: Term) => TermId) | null): QuadColumns {
    const quads = quadColumns(list.count);
    fillIds(quads.p, predicate);
    fillIds(quads.g, graph);
    this.#ids(quads.s, list, 0, intern);
    this.#ids(quads.o, list, 1, intern);
    return quads;
  }

  #ids(column: Uint32Array, list: RowList, side: 0 | 1, intern: ((term: Term) => TermId) | null): void {
    const { lows, highs } = this.premises.numbering;
    const { pairs } = list.relation;
    for (let at = 0; at < list.count; at++) {
      const number = pairs[2 * (list.rows[at] as number) + side] as number;
      const unknown = intern === null ? null : this.premises.unknownTerm(number);
      const id = unknown === null || intern === null ? null : intern(unknown);
      column[2 * at] = id === null ? (lows[number] as number) : lowOf(id);
      column[2 * at + 1] = id === null ? (highs[number] as number) : highOf(id);
    }
  }
}

function fillIds(column: Uint32Array, id: TermId): void {
  const [low, high] = [lowOf(id), highOf(id)];
  for (let at = 0; at < column.length; at += 2) {
    column[at] = low;
    column[at + 1] = high;
  }
}
