/**
 * Which rules run when (semantics of reasoning, 1.5). Nodes are predicates; each body atom is an edge to the predicate of
 * the head, a negative one where it is negated. The strongly connected components (Tarjan 1972) get levels: 0 where no
 * component before has a head, else one more than the highest of those. Negation inside a component refuses all rules.
 */

import { SvcError } from '../../base/errors.js';
import { compareCodePoints } from '../../base/text.js';
import type { Rule } from './rule.js';

/** Rules of one level, which may depend on each other; each with its place in the order of rules. */
export interface Stratum {
  readonly rules: readonly { readonly rule: Rule; readonly at: number }[];
}

/** Levels that have rules, from the lowest. `rules` in rule order. Throws `invalid_request` where a cycle has a negation. */
export function stratify(rules: readonly Rule[]): Stratum[] {
  const graph = new PredicateGraph(rules);
  const components = graph.components();
  for (const { head, body } of rules) {
    for (const { predicate, negated } of body) {
      if (!negated || components.of.get(predicate) !== components.of.get(head.predicate)) continue;
      throw negativeCycle(components.members[components.of.get(predicate) as number] as readonly string[]);
    }
  }
  const levels = levelsOf(rules, components);
  const strata = new Map<number, { readonly rule: Rule; readonly at: number }[]>();
  for (const [at, rule] of rules.entries()) {
    const level = levels[components.of.get(rule.head.predicate) as number] as number;
    strata.set(level, [...(strata.get(level) ?? []), { rule, at }]);
  }
  return [...strata].sort(([a], [b]) => a - b).map(([, ofLevel]) => ({ rules: ofLevel }));
}

function negativeCycle(predicates: readonly string[]): SvcError {
  const cycle = [...predicates].sort(compareCodePoints);
  return new SvcError(
    'invalid_request',
    `the rules are refused: negation inside the cycle ${JSON.stringify(cycle)}, so that no order of evaluation decides it`,
    { hint: 'nothing was written; take the negation out of the cycle, or divide the predicate in two' },
  );
}

interface Components {
  readonly of: ReadonlyMap<string, number>;
  /** Components before those that depend on them. */
  readonly members: readonly (readonly string[])[];
}

class PredicateGraph {
  /** Heads by body predicate. */
  readonly #heads = new Map<string, Set<string>>();

  constructor(rules: readonly Rule[]) {
    for (const { head, body } of rules) {
      this.#node(head.predicate);
      for (const { predicate } of body) this.#node(predicate).add(head.predicate);
    }
  }

  #node(predicate: string): Set<string> {
    const known = this.#heads.get(predicate);
    if (known !== undefined) return known;
    const heads = new Set<string>();
    this.#heads.set(predicate, heads);
    return heads;
  }

  /** Without recursion: a chain of 10,000 rules is no reason to fail. */
  components(): Components {
    const index = new Map<string, number>();
    const low = new Map<string, number>();
    const open: string[] = [];
    const isOpen = new Set<string>();
    const found: string[][] = [];
    for (const root of this.#heads.keys()) {
      if (index.has(root)) continue;
      const path: { readonly node: string; readonly left: Iterator<string> }[] = [];
      const enter = (node: string): void => {
        index.set(node, index.size);
        low.set(node, index.get(node) as number);
        open.push(node);
        isOpen.add(node);
        path.push({ node, left: (this.#heads.get(node) as Set<string>).values() });
      };
      enter(root);
      for (let top = path.at(-1); top !== undefined; top = path.at(-1)) {
        const { node, left } = top;
        const { value: next, done } = left.next();
        if (!done && !index.has(next)) {
          enter(next);
          continue;
        }
        if (!done) {
          if (isOpen.has(next)) low.set(node, Math.min(low.get(node) as number, index.get(next) as number));
          continue;
        }
        path.pop();
        const before = path.at(-1)?.node;
        if (before !== undefined) low.set(before, Math.min(low.get(before) as number, low.get(node) as number));
        if (low.get(node) !== index.get(node)) continue;
        const members = open.splice(open.lastIndexOf(node));
        for (const member of members) isOpen.delete(member);
        found.push(members);
      }
    }
    const members = found.reverse();
    return { members, of: new Map(members.flatMap((names, at) => names.map((name) => [name, at] as const))) };
  }
}

/** By component. */
function levelsOf(rules: readonly Rule[], { of, members }: Components): Int32Array {
  const hasHead = new Uint8Array(members.length);
  const before: Set<number>[] = members.map(() => new Set());
  for (const { head, body } of rules) {
    const to = of.get(head.predicate) as number;
    hasHead[to] = 1;
    for (const { predicate } of body) {
      const from = of.get(predicate) as number;
      if (from !== to) (before[to] as Set<number>).add(from);
    }
  }
  const levels = new Int32Array(members.length);
  for (const [at, predecessors] of before.entries()) {
    for (const from of predecessors) {
      if (hasHead[from] === 1) levels[at] = Math.max(levels[at] as number, 1 + (levels[from] as number));
    }
  }
  return levels;
}
