/**
 * A rule with numbers in place of terms, and its pipelines: one that matches the whole body, and one for each atom that
 * grows with the rule's own level, which begins with what is new in that atom. The order of the others is greedy: what is
 * bound on both sides is a test, then the smallest relation that is bound on one side.
 */

import type { BodyAtom, Rule } from '../rules/rule.js';
import {
  type Bindings,
  CheckStep,
  DeltaScan,
  ExpandStep,
  type Meter,
  type Operand,
  ProductStep,
  type Sink,
  type Step,
} from './join-steps.js';
import type { Relation } from './relation.js';

export interface CompiledAtom {
  readonly relation: Relation;
  readonly s: Operand;
  readonly o: Operand;
  readonly negated: boolean;
  /** It grows while the rule's level runs. */
  readonly growing: boolean;
}

/** What rules are made into numbers with. */
export interface RuleNames {
  relationOf(predicate: string): Relation;
  numberOf(term: Extract<BodyAtom['s'], { kind: 'constant' }>['term']): number;
  isGrowing(predicate: string): boolean;
}

/** Rows of the relations as a round sees them. */
export interface Round {
  /** Before it: where the rows of the round before began, and where they end. */
  deltaOf(relation: Relation): { readonly from: number; readonly to: number };
}

interface RoundPipeline {
  readonly scan: DeltaScan;
  readonly steps: ReadonlyMap<CompiledAtom, Step>;
  /** Of all relations, when it was made. */
  readonly size: number;
}

export class CompiledRule {
  readonly head: { readonly relation: Relation; readonly s: Operand; readonly o: Operand };
  readonly #atoms: readonly CompiledAtom[];
  readonly #meter: Meter;
  readonly #rounds = new Map<CompiledAtom, RoundPipeline>();
  /** More than any number there will be. */
  readonly #numbers: number;

  constructor(
    { head, body }: Rule,
    names: RuleNames,
    private readonly sink: (rule: CompiledRule) => Sink,
    { meter, numbers }: { readonly meter: Meter; readonly numbers: number },
  ) {
    this.#meter = meter;
    this.#numbers = numbers;
    const slots = new Map<string, number>();
    const operandOf = (term: BodyAtom['s']): Operand => {
      if (term.kind === 'constant') return { kind: 'number', number: names.numberOf(term.term) };
      const slot = slots.get(term.name) ?? slots.size;
      slots.set(term.name, slot);
      return { kind: 'slot', slot };
    };
    this.#atoms = body.map(({ predicate, s, o, negated }) => ({
      relation: names.relationOf(predicate),
      s: operandOf(s),
      o: operandOf(o),
      negated,
      growing: names.isGrowing(predicate) && !negated,
    }));
    this.head = { relation: names.relationOf(head.predicate), s: operandOf(head.s), o: operandOf(head.o) };
  }

  get isRecursive(): boolean {
    return this.#atoms.some(({ growing }) => growing);
  }

  /** Matches the body with what each relation holds before the round. */
  matchAll(round: Round): void {
    const { first, steps } = this.#pipeline(null);
    this.#limit(steps, round, null);
    first.process([], 1);
  }

  /** Matches the body with at least one premise that the round before has added. */
  matchNew(round: Round): void {
    for (const atom of this.#atoms) {
      if (!atom.growing) continue;
      const { from, to } = round.deltaOf(atom.relation);
      if (from === to) continue;
      const { scan, steps } = this.#roundOf(atom);
      this.#limit(steps, round, atom);
      scan.run(from, to);
    }
  }

  /** The pipeline of the rounds before, until the relations have grown to twice their sizes, which decide its order. */
  #roundOf(atom: CompiledAtom): RoundPipeline {
    const size = this.#atoms.reduce((sum, { relation }) => sum + relation.size, 0);
    const known = this.#rounds.get(atom);
    if (known !== undefined && size < 2 * known.size) return known;
    const { first, steps } = this.#pipeline(atom);
    const made = { scan: new DeltaScan(this.#meter, first, atom.relation, atom.s, atom.o), steps, size };
    this.#rounds.set(atom, made);
    return made;
  }

  /** Matches the body with one atom from some pairs, and the others from all that their relations hold. */
  matchFrom(at: number, pairs: Relation): void {
    this.#matchPairs(this.#atoms[at] as CompiledAtom, pairs);
  }

  /** Matches the body with the head from some pairs: the sink is given those that the rule derives. */
  matchHeads(pairs: Relation): void {
    this.#matchPairs({ ...this.head, negated: false, growing: false }, pairs);
  }

  #matchPairs(begin: CompiledAtom, pairs: Relation): void {
    if (pairs.count === 0) return;
    const { first, steps } = this.#pipeline(begin);
    for (const step of steps.values()) step.limit = Number.POSITIVE_INFINITY;
    new DeltaScan(this.#meter, first, pairs, begin.s, begin.o).run(0, pairs.count);
  }

  /** Atoms before the one that is new see what was there before it, so that no match is made twice. */
  #limit(steps: ReadonlyMap<CompiledAtom, Step>, round: Round, begin: CompiledAtom | null): void {
    const at = begin === null ? -1 : this.#atoms.indexOf(begin);
    for (const [place, atom] of this.#atoms.entries()) {
      const step = steps.get(atom);
      if (step === undefined) continue;
      const { from, to } = atom.growing ? round.deltaOf(atom.relation) : { from: 0, to: atom.relation.count };
      step.limit = place < at && atom.growing ? from : to;
    }
  }

  #pipeline(begin: CompiledAtom | null): { first: Sink; steps: Map<CompiledAtom, Step> } {
    const bound = new Set<number>();
    if (begin !== null) for (const slot of slotsOf(begin)) bound.add(slot);
    const order = this.#order(begin, bound);
    // From the head backward: each step keeps what those behind it read.
    const needed = new Set(slotsOf(this.head));
    const before: Set<number>[] = [];
    const have = new Set(begin === null ? [] : slotsOf(begin));
    for (const atom of order) {
      before.push(new Set(have));
      for (const slot of slotsOf(atom)) have.add(slot);
    }
    const steps = new Map<CompiledAtom, Step>();
    let next: Sink = this.sink(this);
    for (let at = order.length - 1; at >= 0; at--) {
      const atom = order[at] as CompiledAtom;
      const known = before[at] as Set<number>;
      const kept = [...needed].filter((slot) => known.has(slot));
      const step = this.#step(atom, known, next, kept);
      steps.set(atom, step);
      for (const slot of slotsOf(atom)) needed.add(slot);
      next = step;
    }
    return { first: next, steps };
  }

  #step(atom: CompiledAtom, known: ReadonlySet<number>, next: Sink, kept: readonly number[]): Step {
    const { relation, s, o, negated } = atom;
    const [sBound, oBound] = [isBound(s, known), isBound(o, known)];
    if (sBound && oBound) return new CheckStep(this.#meter, next, kept, relation, s, o, negated);
    if (sBound || oBound) {
      const [side, key, other] = sBound ? (['s', s, o] as const) : (['o', o, s] as const);
      return new ExpandStep(this.#meter, next, kept, relation, side, key, slotOf(other), this.#numbers);
    }
    return new ProductStep(this.#meter, next, kept, relation, slotOf(s), slotOf(o));
  }

  #order(begin: CompiledAtom | null, bound: Set<number>): CompiledAtom[] {
    const left = new Set(this.#atoms.filter((atom) => atom !== begin));
    const order: CompiledAtom[] = [];
    while (left.size > 0) {
      let best: CompiledAtom | null = null;
      let rank = Number.POSITIVE_INFINITY;
      for (const atom of left) {
        const free = [atom.s, atom.o].filter((operand) => !isBound(operand, bound)).length;
        if (atom.negated && free > 0) continue;
        const cost = free === 0 ? 0 : free * 2 ** 33 + atom.relation.size;
        if (cost < rank) [best, rank] = [atom, cost];
      }
      const chosen = best as CompiledAtom;
      left.delete(chosen);
      order.push(chosen);
      for (const slot of slotsOf(chosen)) bound.add(slot);
    }
    return order;
  }
}

function isBound(operand: Operand, bound: ReadonlySet<number>): boolean {
  return operand.kind === 'number' || bound.has(operand.slot);
}

function slotOf(operand: Operand): number {
  return operand.kind === 'slot' ? operand.slot : -1;
}

function slotsOf({ s, o }: { readonly s: Operand; readonly o: Operand }): number[] {
  return [s, o].flatMap((operand) => (operand.kind === 'slot' ? [operand.slot] : []));
}

export type { Bindings };
