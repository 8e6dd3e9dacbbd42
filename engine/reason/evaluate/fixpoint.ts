/**
 * Semi-naive evaluation, level by level (Ullman 1989; semantics of reasoning, 1.6). In the first round of a level every rule
 * matches its whole body; after it, a rule whose body grows with the level matches what the round before has added, until a
 * round adds nothing.
 */

import type { Stratum } from '../rules/strata.js';
import { close, closuresOf } from './closure.js';
import { CompiledRule, type RuleNames } from './compiled-rule.js';
import type { Derived } from './derived.js';
import type { Bindings, Meter, Operand, Sink } from './join-steps.js';
import type { Relation } from './relation.js';

export interface FixpointNames extends Omit<RuleNames, 'isGrowing'> {
  /** What is derived of a predicate; made before its level begins. */
  derivedOf(predicate: string): Derived;
  /** Whether a number can be the subject of a fact. */
  isSubject(number: number): boolean;
}

export function evaluate(
  strata: readonly Stratum[],
  names: FixpointNames,
  limits: { readonly meter: Meter; readonly numbers: number },
): void {
  for (const { rules } of strata) {
    const heads = new Set(rules.map(({ rule }) => rule.head.predicate));
    const derived = [...heads].map((predicate) => names.derivedOf(predicate));
    const level = { ...names, isGrowing: (predicate: string) => heads.has(predicate) } as RuleNames & FixpointNames;
    const compiled = rules.map(({ rule, at }) => {
      const into = names.derivedOf(rule.head.predicate);
      const sink = ({ head }: CompiledRule) => new HeadSink(into, head.s, head.o, at, names, limits.meter);
      return new CompiledRule(rule, level, sink, limits);
    });
    const closures = closuresOf(rules);
    const window = new RoundWindow(derived.map(({ relation }) => relation));
    const general = compiled.filter((_, at) => !closures.has(rules[at] as Stratum['rules'][number]));
    for (const rule of general) rule.matchAll(window);
    for (const [{ rule, at }, { forward, edges }] of closures) {
      const between = edges === null ? null : names.relationOf(edges);
      close(names.derivedOf(rule.head.predicate), between, { forward, rule: at, ...limits });
    }
    const recursive = general.filter(({ isRecursive }) => isRecursive);
    while (recursive.length > 0 && window.advance()) for (const rule of recursive) rule.matchNew(window);
  }
}

/** Which rows of the growing relations the last round has added. */
class RoundWindow {
  readonly #deltas = new Map<Relation, { from: number; to: number }>();

  constructor(relations: readonly Relation[]) {
    for (const relation of relations) this.#deltas.set(relation, { from: 0, to: relation.count });
  }

  deltaOf(relation: Relation): { readonly from: number; readonly to: number } {
    return this.#deltas.get(relation) ?? { from: 0, to: relation.count };
  }

  /** False when nothing was added. */
  advance(): boolean {
    let grown = false;
    for (const [relation, delta] of this.#deltas) {
      delta.from = delta.to;
      delta.to = relation.count;
      grown ||= delta.from < delta.to;
    }
    return grown;
  }
}

class HeadSink implements Sink {
  constructor(
    private readonly into: Derived,
    private readonly s: Operand,
    private readonly o: Operand,
    private readonly rule: number,
    private readonly names: Pick<FixpointNames, 'isSubject'>,
    private readonly meter: Meter,
  ) {}

  process(bindings: Bindings, rows: number): void {
    this.meter.spend(rows);
    const { into, s, o, rule, names } = this;
    const subjects = s.kind === 'slot' ? (bindings[s.slot] as Uint32Array) : null;
    const objects = o.kind === 'slot' ? (bindings[o.slot] as Uint32Array) : null;
    const subject = s.kind === 'number' ? s.number : 0;
    const object = o.kind === 'number' ? o.number : 0;
    for (let row = 0; row < rows; row++) {
      const from = subjects === null ? subject : (subjects[row] as number);
      if (!names.isSubject(from)) continue;
      into.add(from, objects === null ? object : (objects[row] as number), rule);
    }
  }
}
