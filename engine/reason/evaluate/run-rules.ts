/**
 * One run of rules over a graph (semantics of reasoning, 1.6 and 1.7): what has to be asserted and retracted in its companion
 * graph, for each rule, so that the facts there are those that follow now.
 *
 *  1. The premises and the facts that stand in the companion become pairs of dense numbers.
 *  2. The rules are evaluated to their fixpoint; what stands is no premise, but it says who owned a fact before.
 *  3. What is derived is compared with what stands. A fact that a rule outside of the run owns stays with that rule.
 */

import { terms } from '../../rdf/terms.js';
import type { TermId, TxId } from '../../storage/ids/layout.js';
import type { StorageSnapshot } from '../../storage/seam/scan.js';
import type { Rule } from '../rules/rule.js';
import type { Stratum } from '../rules/strata.js';
import { Derived } from './derived.js';
import { evaluate } from './fixpoint.js';
import { type WorkLimits, WorkMeter } from './meter.js';
import { Numbering } from './numbering.js';
import { Premises } from './premises.js';
import type { Relation } from './relation.js';
import { ChangeList, OwnedRows, type RunResult } from './source-changes.js';
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

/** More numbers than any run has: they index arrays of 32-bit links. */
const HEADROOM = 1024;

export function runRules(run: RuleRun): RunResult {
  const { snapshot, graph, companion, rules, strata, owners } = run;
  const numbering = new Numbering();
  const derived = new Map<string, Derived>();
  const relations = new Map<string, Relation>();
  const usedBytes = (): number => {
    let bytes = numbering.bytes;
    for (const relation of relations.values()) bytes += relation.bytes;
    for (const facts of derived.values()) bytes += facts.bytes;
    return bytes;
  };
  const meter = new WorkMeter(run.limits, usedBytes);
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
  const bytes = usedBytes();
  return { ...compare(premises, standing, derived, snapshot, rules.length), bytes };
}

function compare(
  premises: Premises,
  standing: ReadonlyMap<TermId, StandingFacts>,
  derived: ReadonlyMap<string, Derived>,
  snapshot: StorageSnapshot,
  rules: number,
): Omit<RunResult, 'bytes'> {
  const list = new ChangeList(premises);
  const derivedById = new Map<TermId, Derived>();
  let count = 0;
  for (const [predicate, facts] of derived) {
    const { relation, base } = facts;
    count += facts.count;
    const id = snapshot.encode(terms.namedNode(predicate));
    if (id !== null) derivedById.set(id, facts);
    const before = id === null ? undefined : standing.get(id);
    const rows = new OwnedRows(relation, predicate);
    for (let row = base; row < relation.count; row++) {
      const owner = facts.ownerOf(row);
      if (before !== undefined) {
        const stands = before.ownerOf(relation.pairs[2 * row] as number, relation.pairs[2 * row + 1] as number);
        if (stands === owner || stands === -1) continue;
      }
      rows.push(owner, row);
    }
    for (const [owner, own] of rows.byOwner) list.changeOf(owner).lists.asserted.push(own);
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
    for (const [place, rows] of removed.byOwner) list.changeOf(place).lists.retracted.push(rows);
    for (const [place, rows] of taken.byOwner) list.changeOf(place).lists.taken.push(rows);
  }
  return { changes: list.changes, derived: count };
}

function ownerIn(facts: Derived, s: number, o: number): number {
  const row = facts.relation.find(s, o);
  return row < facts.base ? -1 : facts.ownerOf(row);
}
