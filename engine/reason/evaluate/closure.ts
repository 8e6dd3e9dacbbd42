/**
 * Transitive closures, recognised by the form of the one recursive rule of a predicate and computed source by source: a
 * breadth-first walk from each source over adjacency lists, with marks in place of a hash table. Every match of the rule is an
 * edge that a walk looks at, so owners are found on the way.
 *
 *   right      P(x, z) :- P(x, y), E(y, z)      P is what there was, followed by any number of E
 *   left       P(x, z) :- E(x, y), P(y, z)      the same from the objects backward
 *   quadratic  P(x, z) :- P(x, y), P(y, z)      E is what there was of P
 */

import type { BodyAtom, Rule } from '../rules/rule.js';
import type { Stratum } from '../rules/strata.js';
import type { Derived } from './derived.js';
import type { Meter } from './join-steps.js';
import type { Relation } from './relation.js';

export interface Closure {
  /** `forward`: walks begin at subjects. */
  readonly forward: boolean;
  /** The predicate of the edges; null = what there was of the predicate itself. */
  readonly edges: string | null;
}

type RuleAt = Stratum['rules'][number];

/** The rules of a level that are closures, each the only recursive one of its predicate; what they need besides is there before. */
export function closuresOf(rules: Stratum['rules']): Map<RuleAt, Closure> {
  const heads = new Set(rules.map(({ rule }) => rule.head.predicate));
  const recursive = new Map<string, RuleAt[]>();
  for (const one of rules) {
    if (!one.rule.body.some(({ predicate }) => heads.has(predicate))) continue;
    const { predicate } = one.rule.head;
    recursive.set(predicate, [...(recursive.get(predicate) ?? []), one]);
  }
  const closures = new Map<RuleAt, Closure>();
  for (const [only, ...others] of recursive.values()) {
    const closure = only === undefined || others.length > 0 ? null : closureOf(only.rule);
    if (only === undefined || closure === null || (closure.edges !== null && heads.has(closure.edges))) continue;
    closures.set(only, closure);
  }
  return closures;
}

/** What a rule closes; null = it is of another form. */
function closureOf({ head, body }: Rule): Closure | null {
  const [one, other] = body;
  if (body.length !== 2 || one === undefined || other === undefined || one.negated || other.negated) return null;
  for (const [first, second] of [
    [one, other],
    [other, one],
  ] as const) {
    const [x, y, yAgain, z] = [first.s, first.o, second.s, second.o].map(nameOf);
    if (x === null || y === null || z === null || y !== yAgain) continue;
    if (x === y || y === z || x === z || nameOf(head.s) !== x || nameOf(head.o) !== z) continue;
    const [isFirst, isSecond] = [first.predicate === head.predicate, second.predicate === head.predicate];
    if (isFirst && isSecond) return { forward: true, edges: null };
    if (isFirst) return { forward: true, edges: second.predicate };
    if (isSecond) return { forward: false, edges: first.predicate };
  }
  return null;
}

function nameOf(term: BodyAtom['s']): string | null {
  return term.kind === 'variable' ? term.name : null;
}

/** Rows by the number on one side, as offsets into a list of rows. */
class Adjacency {
  readonly offsets: Uint32Array;
  /** Rows, and the numbers on their other side. */
  readonly rows: Uint32Array;
  readonly others: Uint32Array;

  constructor(relation: Relation, numbers: number, forward: boolean) {
    const { pairs, count } = relation;
    const [near, far] = forward ? [0, 1] : [1, 0];
    const offsets = new Uint32Array(numbers + 1);
    for (let row = 0; row < count; row++) (offsets[(pairs[2 * row + near] as number) + 1] as number)++;
    for (let number = 0; number < numbers; number++) (offsets[number + 1] as number) += offsets[number] as number;
    const next = offsets.slice();
    this.rows = new Uint32Array(count);
    this.others = new Uint32Array(count);
    for (let row = 0; row < count; row++) {
      const at = next[pairs[2 * row + near] as number]++ as number;
      this.rows[at] = row;
      this.others[at] = pairs[2 * row + far] as number;
    }
    this.offsets = offsets;
  }
}

/** Adds to `into` what the rule at a place derives from what is there. `edges` null = the pairs that are there. */
export function close(
  into: Derived,
  edges: Relation | null,
  { forward, rule, numbers, meter }: { forward: boolean; rule: number; numbers: number; meter: Meter },
): void {
  const seeds = new Adjacency(into.relation, numbers, forward);
  const links = edges === null ? seeds : new Adjacency(edges, numbers, forward);
  /** Of a node: the source whose walk has reached it last, + 1; and the row of a pair that was there before, + 1. */
  const reached = new Uint32Array(numbers);
  const seedRows = new Uint32Array(numbers);
  const queue = new Uint32Array(numbers);
  for (let source = 0; source < numbers; source++) {
    const begin = seeds.offsets[source] as number;
    const end = seeds.offsets[source + 1] as number;
    if (begin === end) continue;
    const mark = source + 1;
    let found = 0;
    for (let at = begin; at < end; at++) {
      const node = seeds.others[at] as number;
      reached[node] = mark;
      seedRows[node] = (seeds.rows[at] as number) + 1;
      queue[found++] = node;
    }
    let looked = 0;
    for (let next = 0; next < found; next++) {
      const node = queue[next] as number;
      const last = links.offsets[node + 1] as number;
      for (let at = links.offsets[node] as number; at < last; at++) {
        const target = links.others[at] as number;
        if (reached[target] !== mark) {
          reached[target] = mark;
          seedRows[target] = 0;
          queue[found++] = target;
          if (forward) into.append(source, target, rule);
          else into.append(target, source, rule);
        } else if (seedRows[target] !== 0) {
          into.see((seedRows[target] as number) - 1, rule);
          seedRows[target] = 0;
        }
      }
      looked += last - (links.offsets[node] as number);
    }
    meter.spend(looked + found);
  }
}
