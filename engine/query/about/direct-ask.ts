/**
 * ASK queries that are answered by a few lookups, without a plan: what a policy claims about a node is asked once for each
 * node that a write touches, in a state that is gone right after.
 *
 *  1. What can be asked so: triple patterns of the default graph, joined or united, with conditions on their values and on
 *     whether others exist or not. Anything else, such as OPTIONAL, paths of any length or GRAPH, is left to the planner.
 *  2. Patterns are looked up one after the other, the one with the most known places first, each for the solutions of those
 *     before. Conditions see what their own group binds, and nothing else: a group with a condition is never the second.
 *  3. The work is bounded: a question that looks at more rows is left to the planner, too, which knows better ways.
 */

import type { TermId } from '../../storage/ids/layout.js';
import type { Algebra, Expression, ParsedQuery, PatternTerm, QuadPattern } from '../algebra/algebra.js';
import { conjunctsOf, isRepeatable } from '../algebra/expression.js';
import { asTooDeep } from '../parse/guard.js';
import type { Conditions } from './conditions.js';
import type { Lookups, Row } from './lookups.js';

/** Lookups and rows of one question: planning it takes as long as some hundred of them. */
const STEPS_MAX = 500;
const PLACES = ['s', 'p', 'o'] as const;

class TooMuch extends Error {}
/** Thrown in place of an answer; it has no trace, since it is no fault. */
const TOO_MUCH = new TooMuch('too many rows');

function giveUp(): never {
  throw TOO_MUCH;
}

/** Whether a query can be asked so. */
export function isDirect({ form, dataset, algebra }: ParsedQuery): boolean {
  return form === 'ask' && dataset === null && isSimple(algebra, true);
}

/** `isFirst`: nothing is bound yet but by what is around it. */
function isSimple(node: Algebra, isFirst: boolean): boolean {
  switch (node.kind) {
    case 'unit':
      return true;
    case 'patterns':
      return node.patterns.every(({ g }) => g === null);
    case 'join':
      return node.inputs.every((input, at) => isSimple(input, isFirst && at === 0));
    case 'union':
      return node.inputs.every((input) => isSimple(input, isFirst));
    case 'filter':
      return isFirst && isSimple(node.input, true) && conjunctsOf(node.condition).every(isDecidable);
    default:
      return false;
  }
}

const isDecidable = (condition: Expression): boolean =>
  condition.kind === 'exists' ? isSimple(condition.pattern, true) : isRepeatable(condition);

/** Whether the query is true with a term for a variable; null: it has to be planned. */
export function askDirectly(
  { algebra }: ParsedQuery,
  { variable, id }: { readonly variable: string; readonly id: TermId | null },
  lookups: Lookups,
  conditions: Conditions,
): boolean | null {
  try {
    return new Search(lookups, conditions, new Map([[variable, id]])).solve(algebra, () => true);
  } catch (error) {
    if (error === TOO_MUCH) return null;
    throw asTooDeep(error);
  }
}

class Search {
  #steps = 0;

  constructor(
    private readonly lookups: Lookups,
    private readonly conditions: Conditions,
    /** Null: a term that no row has. */
    private readonly bound: Map<string, TermId | null>,
  ) {}

  /** Whether a solution of the node satisfies `then`. */
  solve(node: Algebra, then: () => boolean): boolean {
    switch (node.kind) {
      case 'unit':
        return then();
      case 'patterns':
        return this.#match(node.patterns, then);
      case 'join':
        return this.#join(node.inputs, then);
      case 'union':
        return node.inputs.some((input) => this.solve(input, then));
      case 'filter':
        return this.solve(node.input, () => this.#isTrue(node.condition) && then());
      default:
        return giveUp();
    }
  }

  #join(inputs: readonly Algebra[], then: () => boolean): boolean {
    const [first, ...others] = inputs;
    return first === undefined ? then() : this.solve(first, () => this.#join(others, then));
  }

  #isTrue(condition: Expression): boolean {
    return conjunctsOf(condition).every((one) => {
      if (one.kind === 'exists') return this.solve(one.pattern, () => true) !== one.negated;
      this.#step();
      return this.conditions.isTrue(one, this.bound) ?? giveUp();
    });
  }

  #match(patterns: readonly QuadPattern[], then: () => boolean): boolean {
    if (patterns.length === 0) return then();
    const next = this.#bestOf(patterns);
    const others = patterns.filter((pattern) => pattern !== next);
    const [s, p, o] = [this.#idOf(next.s), this.#idOf(next.p), this.#idOf(next.o)];
    if (s === null || p === null || o === null) return false;
    this.#step();
    for (const row of this.lookups.find(s, p, o)) {
      this.#step();
      const added = this.#bind(next, row);
      if (added === null) continue;
      const found = this.#match(others, then);
      for (const name of added) this.bound.delete(name);
      if (found) return true;
    }
    return false;
  }

  #step(): void {
    this.#steps++;
    if (this.#steps > STEPS_MAX) giveUp();
  }

  /** Names that are bound by the row now; null where it does not fit. */
  #bind(pattern: QuadPattern, row: Row): string[] | null {
    const added: string[] = [];
    for (const place of PLACES) {
      const term = pattern[place];
      if (term.kind === 'term') continue;
      const before = this.bound.get(term.name);
      if (before === row[place]) continue;
      if (before !== undefined) {
        for (const name of added) this.bound.delete(name);
        return null;
      }
      this.bound.set(term.name, row[place]);
      added.push(term.name);
    }
    return added;
  }

  /** A known subject counts most: its rows are at hand. */
  #bestOf(patterns: readonly QuadPattern[]): QuadPattern {
    const weight = ({ s, p, o }: QuadPattern): number =>
      (this.#isKnown(s) ? 4 : 0) + (this.#isKnown(o) ? 3 : 0) + (this.#isKnown(p) ? 1 : 0);
    return patterns.reduce((best, one) => (weight(one) > weight(best) ? one : best));
  }

  #isKnown(term: PatternTerm): boolean {
    return term.kind === 'term' || this.bound.has(term.name);
  }

  /** Undefined: anything. */
  #idOf(term: PatternTerm): TermId | null | undefined {
    return term.kind === 'term' ? this.lookups.id(term.term) : this.bound.get(term.name);
  }
}
