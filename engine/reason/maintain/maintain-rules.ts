/**
 * What a write changes in what follows, at the price of what it touches; exact, owners included (ruling R35). Level by level,
 * as a full run:
 *
 *  1. Suspects are facts that stand and may have lost a premise: the heads of matches with what went away (or, under negation,
 *     came), in what held before or holds now; and the heads of matches with suspects of the level itself, until there are no more.
 *     A fact of the graph is none: it holds by itself. Of a recognised closure walks find them, which are fewer (`closure-doubts.ts`).
 *  2. Without the suspects, what still follows is found: suspects that some rule derives from what is left, heads of matches with
 *     what came, and what follows from these, semi-naively (delete and rederive, Gupta et al. 1993).
 *  3. Of suspects and of what came, all rules are matched backward from the head: the rule that owned the fact goes on to own it
 *     if it derives it, else the first in rule order.
 *
 * A change that touches very much is given up for a full run, which costs less then.
 */

import { CompiledRule } from '../evaluate/compiled-rule.js';
import type { Bindings, Meter, Operand, Sink } from '../evaluate/join-steps.js';
import { Relation } from '../evaluate/relation.js';
import type { Rule } from '../rules/rule.js';
import type { RuleSet } from '../rules/rule-sets.js';
import type { Stratum } from '../rules/strata.js';
import type { Doubted } from './closure-doubts.js';
import type { DerivedState } from './derived-state.js';
import { ABSENT } from './known-pairs.js';
import { noChange, type PairChange } from './pair-change.js';
import { type WalkedClosure, walkedClosures } from './walked-closures.js';

/** Beyond so many facts that may have changed, and a share of those that there are, everything is evaluated anew, which costs less. */
const TOUCHED_MAX = 20_000;
const TOUCHED_SHARE = 1 / 20;

/** Beyond so many links that walks over closures look at, too. */
const WALKED_MAX = 2 ** 22;

/** A fact of the companion whose owner changes; a place, -1 = nobody of these, `ABSENT` = it does not stand. */
export type OwnerChange = (change: {
  readonly predicate: string;
  readonly s: number;
  readonly o: number;
  readonly before: number;
  readonly after: number;
}) => void;

/**
 * `base`: what the write changed in the graph, by predicate. Tells of each fact whose owner changes; false = too much is
 * touched, and what was told does not count.
 */
export function maintainRules(
  state: DerivedState,
  { strata }: RuleSet,
  base: ReadonlyMap<string, PairChange>,
  meter: Meter,
  tell: OwnerChange,
): boolean {
  const changed = new Map<string, PairChange>(base);
  for (const [predicate, { went }] of base) addAll(state.either(predicate), went);
  for (const stratum of strata) {
    const level = new LevelChange(state, stratum, changed, meter);
    if (level.isUntouched) continue;
    if (!level.suspect() || !level.rederive()) return false;
    level.settle(tell);
  }
  return !state.foreign;
}

class LevelChange {
  readonly #state: DerivedState;
  readonly #rules: Stratum['rules'];
  readonly #changed: Map<string, PairChange>;
  readonly #meter: Meter;
  readonly #heads: ReadonlySet<string>;
  /** By head predicate: what may be lost, and what is derived that did not hold. */
  readonly #suspects = new Map<string, Relation>();
  readonly #gained = new Map<string, Relation>();
  readonly #closures: readonly WalkedClosure[];
  #touched = 0;
  readonly #touchedMax: number;

  constructor(state: DerivedState, { rules }: Stratum, changed: Map<string, PairChange>, meter: Meter) {
    this.#state = state;
    this.#rules = rules;
    this.#changed = changed;
    this.#meter = meter;
    this.#heads = new Set(rules.map(({ rule }) => rule.head.predicate));
    for (const predicate of this.#heads) {
      this.#suspects.set(predicate, new Relation());
      this.#gained.set(predicate, new Relation());
    }
    const there = [...this.#heads].reduce((sum, predicate) => sum + state.now(predicate).size, 0);
    this.#touchedMax = Math.max(TOUCHED_MAX, TOUCHED_SHARE * there);
    this.#closures = walkedClosures(rules, state, changed, meter);
  }

  get isUntouched(): boolean {
    return !this.#rules.some(({ rule: { head, body } }) =>
      [head, ...body].some(({ predicate }) => this.#changed.has(predicate)),
    );
  }

  /** False when there are too many. */
  suspect(): boolean {
    const fresh = new Map<string, Relation>();
    for (const predicate of this.#heads) {
      const { came, went } = this.#changed.get(predicate) ?? noChange();
      // What went may still follow; what came is derived no longer, and holds all the same.
      each(went, (s, o) => this.#doubt(fresh, predicate, s, o));
      each(came, (s, o) => (this.#suspects.get(predicate) as Relation).add(s, o));
    }
    for (const { rule } of this.#rules) {
      if (this.#closures.some((closure) => closure.rule === rule)) continue;
      for (const [at, { predicate, negated }] of rule.body.entries()) {
        if (this.#heads.has(predicate)) continue;
        const change = this.#changed.get(predicate);
        if (change !== undefined) this.#matchEither(rule, at, negated ? change.came : change.went, fresh);
      }
    }
    for (const closure of this.#closures) if (!this.#walk(closure, fresh)) return false;
    while (fresh.size > 0) {
      if (this.#touched > this.#touchedMax) return false;
      const last = new Map(fresh);
      fresh.clear();
      for (const { rule } of this.#rules) {
        for (const [at, { predicate }] of rule.body.entries()) {
          const pairs = last.get(predicate);
          if (pairs !== undefined) this.#matchEither(rule, at, pairs, fresh);
        }
      }
    }
    return this.#touched <= this.#touchedMax;
  }

  /** Doubts what a closure may have lost with links that went and seeds in doubt; false when there is too much of it. */
  #walk(closure: WalkedClosure, fresh: Map<string, Relation>): boolean {
    const { predicate, forward, linked, doubts } = closure;
    const seeds = fresh.get(predicate);
    fresh.delete(predicate);
    for (const name of linked) {
      const went = this.#changed.get(name)?.went;
      if (!this.#doubtEach(closure, went, (s, o) => (forward ? doubts.ofLink(s, o) : doubts.ofLink(o, s))))
        return false;
    }
    return this.#doubtEach(closure, seeds, (s, o) => (forward ? doubts.ofSeed(s, o) : doubts.ofSeed(o, s)));
  }

  #doubtEach(
    { predicate, forward, doubts }: WalkedClosure,
    pairs: Relation | undefined,
    doubted: (s: number, o: number) => readonly Doubted[],
  ): boolean {
    for (let row = 0; pairs !== undefined && row < pairs.count; row++) {
      for (const { from, to } of doubted(...pairAt(pairs, row))) {
        if (doubts.walked > WALKED_MAX || this.#touched + from.length * to.length > this.#touchedMax) return false;
        const found = new Relation();
        for (const near of from) for (const far of to) forward ? found.add(near, far) : found.add(far, near);
        this.#state.known(predicate).lookUp(found);
        // Walks have followed the doubt already.
        const followed = new Map<string, Relation>();
        each(found, (s, o) => this.#doubt(followed, predicate, s, o));
      }
    }
    return true;
  }

  /** The heads of matches in what held or holds, negation left aside: more than were lost, never fewer. */
  #matchEither(rule: Rule, at: number, pairs: Relation, fresh: Map<string, Relation>): void {
    if (pairs.count === 0) return;
    const begin = { ...(rule.body[at] as Rule['body'][number]), negated: false };
    const body = [begin, ...rule.body.filter((atom, place) => place !== at && !atom.negated)];
    const found = new Relation();
    this.#compiled({ ...rule, body }, (predicate) => this.#state.either(predicate), found).matchFrom(0, pairs);
    this.#state.known(rule.head.predicate).lookUp(found);
    each(found, (s, o) => this.#doubt(fresh, rule.head.predicate, s, o));
  }

  #doubt(fresh: Map<string, Relation>, predicate: string, s: number, o: number): void {
    const suspects = this.#suspects.get(predicate) as Relation;
    if (suspects.find(s, o) >= 0) return;
    const state = this.#state;
    const wasBase = this.#changed.get(predicate)?.went;
    if (state.standing(predicate, s, o) === ABSENT && (wasBase === undefined || wasBase.find(s, o) < 0)) return;
    suspects.add(s, o);
    this.#touched++;
    if (state.isBase(predicate, s, o)) return;
    const own = fresh.get(predicate) ?? new Relation();
    own.add(s, o);
    fresh.set(predicate, own);
  }

  /** False when there is too much. */
  rederive(): boolean {
    const state = this.#state;
    for (const [predicate, suspects] of this.#suspects) {
      const { hidden } = state.now(predicate);
      each(suspects, (s, o) => {
        if (!state.isBase(predicate, s, o)) hidden.add(s, o);
      });
    }
    let fresh = new Map<string, Relation>();
    const derive = (predicate: string, found: Relation): void => {
      const now = state.now(predicate);
      state.known(predicate).lookUp(found);
      each(found, (s, o) => {
        if (now.find(s, o) >= 0) return;
        now.add(s, o);
        const own = fresh.get(predicate) ?? new Relation();
        own.add(s, o);
        fresh.set(predicate, own);
        const gained = this.#gained.get(predicate) as Relation;
        gained.add(s, o);
        this.#touched++;
      });
    };
    for (const [predicate, { came }] of this.#changed) {
      if (!this.#heads.has(predicate)) continue;
      const own = new Relation();
      each(came, (s, o) => own.add(s, o));
      if (own.count > 0) fresh.set(predicate, own);
    }
    const begun = fresh;
    fresh = new Map();
    for (const { rule } of this.#rules) {
      const { predicate } = rule.head;
      const found = new Relation();
      const compiled = this.#compiled(rule, (name) => state.now(name), found);
      compiled.matchHeads(this.#suspects.get(predicate) as Relation);
      for (const [at, { predicate: name, negated }] of rule.body.entries()) {
        if (this.#heads.has(name)) continue;
        const change = this.#changed.get(name);
        if (change === undefined) continue;
        compiled.matchFrom(at, negated ? change.went : change.came);
      }
      derive(predicate, found);
    }
    for (const [predicate, pairs] of begun) {
      const own = fresh.get(predicate) ?? new Relation();
      each(pairs, (s, o) => own.add(s, o));
      fresh.set(predicate, own);
    }
    while (fresh.size > 0) {
      if (this.#touched > this.#touchedMax) return false;
      const last = fresh;
      fresh = new Map();
      for (const { rule } of this.#rules) {
        const found = new Relation();
        let compiled: CompiledRule | null = null;
        for (const [at, { predicate }] of rule.body.entries()) {
          const pairs = last.get(predicate);
          if (pairs === undefined) continue;
          compiled ??= this.#compiled(rule, (name) => state.now(name), found);
          compiled.matchFrom(at, pairs);
        }
        derive(rule.head.predicate, found);
      }
    }
    return this.#touched <= this.#touchedMax;
  }

  /** Finds the owners of what may have changed, and what that is for the levels above. */
  settle(tell: OwnerChange): void {
    const state = this.#state;
    for (const predicate of this.#heads) {
      const own = this.#rules.filter(({ rule }) => rule.head.predicate === predicate);
      const candidates = new Relation();
      addAll(candidates, this.#suspects.get(predicate) as Relation);
      addAll(candidates, this.#gained.get(predicate) as Relation);
      state.known(predicate).lookUp(candidates);
      const before = new Int32Array(candidates.count);
      const after = new Int32Array(candidates.count).fill(ABSENT);
      const isBase = new Uint8Array(candidates.count);
      for (let row = 0; row < candidates.count; row++) {
        const [s, o] = pairAt(candidates, row);
        before[row] = state.standing(predicate, s, o);
        isBase[row] = Number(state.isBase(predicate, s, o));
      }
      for (const { rule, at } of own) {
        const found = new Relation();
        this.#compiled(rule, (name) => state.now(name), found).matchHeads(candidates);
        each(found, (s, o) => {
          const row = candidates.find(s, o);
          if (row < 0 || isBase[row] === 1) return;
          if (after[row] === ABSENT || at === before[row]) after[row] = at;
        });
      }
      const change = noChange();
      const base = this.#changed.get(predicate);
      for (let row = 0; row < candidates.count; row++) {
        const [s, o] = pairAt(candidates, row);
        const [was, is] = [before[row] as number, after[row] as number];
        if (was !== is) tell({ predicate, s, o, before: was, after: is });
        const wasBase = isBase[row] === 1 ? !isIn(base?.came, s, o) : isIn(base?.went, s, o);
        const held = was !== ABSENT || wasBase;
        const holds = is !== ABSENT || isBase[row] === 1;
        if (holds && !held) change.came.add(s, o);
        if (!holds && held) change.went.add(s, o);
      }
      if (change.came.count + change.went.count > 0) this.#changed.set(predicate, change);
      else this.#changed.delete(predicate);
      addAll(state.either(predicate), change.came);
    }
  }

  #compiled(rule: Rule, relationOf: (predicate: string) => Relation, found: Relation): CompiledRule {
    const state = this.#state;
    const names = {
      relationOf,
      numberOf: state.terms.numberOf.bind(state.terms),
      isGrowing: () => false,
    };
    const sink = ({ head }: CompiledRule): Sink => new PairSink(head, found, (number) => state.terms.isSubject(number));
    return new CompiledRule(rule, names, sink, { meter: this.#meter, numbers: Number.POSITIVE_INFINITY });
  }
}

class PairSink implements Sink {
  constructor(
    private readonly head: { readonly s: Operand; readonly o: Operand },
    private readonly found: Relation,
    private readonly isSubject: (number: number) => boolean,
  ) {}

  process(bindings: Bindings, rows: number): void {
    const { s, o } = this.head;
    for (let row = 0; row < rows; row++) {
      const from = valueIn(s, bindings, row);
      if (this.isSubject(from)) this.found.add(from, valueIn(o, bindings, row));
    }
  }
}

function valueIn(operand: Operand, bindings: Bindings, row: number): number {
  return operand.kind === 'number' ? operand.number : ((bindings[operand.slot] as Uint32Array)[row] as number);
}

function pairAt({ pairs }: Relation, row: number): [s: number, o: number] {
  return [pairs[2 * row] as number, pairs[2 * row + 1] as number];
}

function each(relation: Relation, take: (s: number, o: number) => void): void {
  for (let row = 0; row < relation.count; row++) take(...pairAt(relation, row));
}

function isIn(pairs: Relation | undefined, s: number, o: number): boolean {
  return pairs !== undefined && pairs.find(s, o) >= 0;
}

function addAll(into: Relation, from: Relation): void {
  each(from, (s, o) => into.add(s, o));
}
