/** The closures among the rules of a level whose changes walks can follow, and the facts that are their links. */

import { closuresOf } from '../evaluate/closure.js';
import type { Meter } from '../evaluate/join-steps.js';
import type { Relation } from '../evaluate/relation.js';
import type { Rule } from '../rules/rule.js';
import type { Stratum } from '../rules/strata.js';
import { ClosureDoubts, type Links } from './closure-doubts.js';
import type { DerivedState } from './derived-state.js';
import type { PairChange } from './pair-change.js';

export interface WalkedClosure {
  readonly predicate: string;
  /** The recursive one. */
  readonly rule: Rule;
  readonly forward: boolean;
  /** Predicates whose facts are links: of the predicate itself those of the graph alone. */
  readonly linked: readonly string[];
  readonly doubts: ClosureDoubts;
}

export function walkedClosures(
  rules: Stratum['rules'],
  state: DerivedState,
  changed: ReadonlyMap<string, PairChange>,
  meter: Meter,
): WalkedClosure[] {
  const walked: WalkedClosure[] = [];
  for (const [{ rule }, { forward, edges }] of closuresOf(rules)) {
    const { predicate } = rule.head;
    const others = rules.flatMap((one) =>
      one.rule !== rule && one.rule.head.predicate === predicate ? [one.rule] : [],
    );
    const copied = others.map(copiedBy);
    // A closure over itself has all that there was as links; what others than copies derive of it is not listed anywhere.
    if (edges === null && copied.includes(null)) continue;
    const linked = edges === null ? copied.filter((name) => name !== null) : [edges];
    const links: Links[] = linked.map((name) => ({ now: state.now(name), either: state.either(name) }));
    if (edges === null) {
      linked.push(predicate);
      links.push(ownLinks(state, predicate, changed.get(predicate)?.went));
    }
    const linksAreSeeds = edges === null || copied.includes(edges);
    const doubts = new ClosureDoubts(links, state.either(predicate), { forward, linksAreSeeds, meter });
    walked.push({ predicate, rule, forward, linked, doubts });
  }
  return walked;
}

/** What the graph itself says of the predicate; what a rule derives of it is none of its own links. */
function ownLinks(state: DerivedState, predicate: string, went: Relation | undefined): Links {
  const either = state.own(predicate);
  for (let row = 0; went !== undefined && row < went.count; row++) {
    either.add(went.pairs[2 * row] as number, went.pairs[2 * row + 1] as number);
  }
  return { now: state.own(predicate), either };
}

/** The predicate whose facts a rule copies, all of them and as they are; null = it does something else. */
function copiedBy({ head, body }: Rule): string | null {
  const [only] = body;
  if (only === undefined || body.length !== 1 || only.negated) return null;
  const [s, o] = [head.s, head.o];
  if (s.kind !== 'variable' || o.kind !== 'variable' || s.name === o.name) return null;
  if (only.s.kind !== 'variable' || only.o.kind !== 'variable') return null;
  return only.s.name === s.name && only.o.name === o.name ? only.predicate : null;
}
