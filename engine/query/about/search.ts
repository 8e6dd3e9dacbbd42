/**
 * Solutions of a query by lookups, one after the other, until somebody has seen enough.
 *
 *  1. Patterns are looked up one after the other, the one with the most known places first, each for the solutions of those
 *     before. Paths are walked from an end that is known.
 *  2. A group sees what it binds itself, and nothing else: what has a condition, a value or an aggregate of its own and stands
 *     beside others is solved by itself, once, and its solutions are joined with theirs.
 *  3. The work is bounded. Whoever needs more steps has to plan.
 */

import { getOrInsert } from '../../base/maps.js';
import { TAG, type TermId, tagOf } from '../../storage/ids/layout.js';
import type { Algebra, Expression, NodeOf, PatternTerm, QuadPattern } from '../algebra/algebra.js';
import { conjunctsOf } from '../algebra/expression.js';
import { collectPatternVariables, someNode } from '../algebra/mentioned.js';
import type { Conditions, Bound as Solution } from './conditions.js';
import type { Lookups, Row, Where } from './lookups.js';
import { Walks } from './walks.js';

/** Lookups, rows and solutions of one question: planning it takes as long as some hundred of them. */
const STEPS_MAX = 500;
const PLACES = ['s', 'p', 'o', 'g'] as const;

class TooMuch extends Error {}
/** Thrown in place of an answer; it has no trace, since it is no fault. */
export const TOO_MUCH = new TooMuch('too many rows');

function giveUp(): never {
  throw TOO_MUCH;
}

/** The node that is asked about: a constant of the query, whatever binds variables. */
interface Node {
  readonly variable: string;
  /** Null: a term that no row has. */
  readonly id: TermId | null;
}

/** Whether enough is known. */
type Then = () => boolean;

export class Search {
  #steps = 0;
  readonly #walks: Walks;
  /** What is solved by itself has the same solutions wherever it is asked for. */
  readonly #alone = new Map<Algebra, readonly Solution[]>();
  #bound: Map<string, TermId | null>;

  constructor(
    private readonly node: Node,
    private readonly lookups: Lookups,
    private readonly conditions: Conditions,
  ) {
    this.#walks = new Walks(lookups, () => this.#step());
    this.#bound = new Map([[node.variable, node.id]]);
  }

  exists(algebra: Algebra): boolean {
    return this.#solve(algebra, () => true);
  }

  /** Goes through the solutions of a node until `then` has enough; they are bound while it looks. */
  #solve(node: Algebra, then: Then): boolean {
    switch (node.kind) {
      case 'unit':
        return then();
      case 'empty':
        return false;
      case 'patterns':
        return this.#match(node.patterns, then);
      case 'closure':
        return this.#walk(node, then);
      case 'values':
        return node.rows.some((row) => this.#withRow(node.variables, row, then));
      case 'join':
        return this.#join(node.inputs, then);
      case 'union':
        return node.inputs.some((input) => this.#solve(input, then));
      case 'filter':
        return this.#solve(node.input, () => this.#isTrue(node.condition) && then());
      case 'leftJoin':
        return this.#leftJoin(node, then);
      case 'minus':
        return this.#solve(node.left, () => !this.#isTakenAway(node.right) && then());
      case 'extend':
        return this.#solve(node.input, () => this.#extend(node, then));
      case 'group':
      case 'distinct':
        return this.#solutionsOf(node).some((one) => this.#with(one, then));
      case 'project':
      case 'reduced':
      case 'sort':
        return this.#solve(node.input, then);
      default:
        return giveUp();
    }
  }

  /** Beside others, whose solutions are bound. */
  #solveBeside(node: Algebra, then: Then): boolean {
    if (!isClosed(node)) return this.#solve(node, then);
    return this.#solveAlone(node).some((one) => this.#with(one, then));
  }

  /** All solutions, where nothing but the node is bound. */
  #solveAlone(node: Algebra): readonly Solution[] {
    const known = this.#alone.get(node);
    if (known !== undefined) return known;
    const around = this.#bound;
    this.#bound = new Map([[this.node.variable, this.node.id]]);
    try {
      const solutions = this.#solutionsOf(node);
      this.#alone.set(node, solutions);
      return solutions;
    } finally {
      this.#bound = around;
    }
  }

  #solutionsOf(node: Algebra): readonly Solution[] {
    if (node.kind === 'group') {
      const groups = this.conditions.groupsOf(node, this.#collect(node.input)) ?? giveUp();
      for (const _ of groups) this.#step();
      return groups;
    }
    if (node.kind !== 'distinct') return this.#collect(node);
    const names = node.input.kind === 'project' ? node.input.variables : giveUp();
    const found = new Map<string, Solution>();
    for (const one of this.#collect(node.input)) {
      const shown = new Map<string, TermId | null>();
      for (const name of names) {
        const id = one.get(name);
        if (id === null) giveUp();
        if (id !== undefined) shown.set(name, id);
      }
      found.set(names.map((name) => shown.get(name) ?? '').join(' '), shown);
    }
    return [...found.values()];
  }

  #collect(node: Algebra): readonly Solution[] {
    const solutions: Solution[] = [];
    this.#solve(node, () => {
      this.#step();
      solutions.push(new Map(this.#bound));
      return false;
    });
    return solutions;
  }

  #join(inputs: readonly Algebra[], then: Then, at = 0): boolean {
    const input = inputs[at];
    if (input === undefined) return then();
    const others = (): boolean => this.#join(inputs, then, at + 1);
    return at === 0 ? this.#solve(input, others) : this.#solveBeside(input, others);
  }

  #leftJoin({ left, right, condition }: NodeOf<'leftJoin'>, then: Then): boolean {
    return this.#solve(left, () => {
      let isAlone = true;
      const found = this.#solveBeside(right, () => {
        if (condition !== null && !this.#isTrue(condition)) return false;
        isAlone = false;
        return then();
      });
      return found || (isAlone && then());
    });
  }

  /** Some solution agrees with the one that is bound, in at least one variable. */
  #isTakenAway(right: Algebra): boolean {
    if (bindsAll(right)) {
      const names = new Set<string>();
      collectPatternVariables(right, names);
      names.delete(this.node.variable);
      const shares = [...names].some((name) => this.#bound.has(name));
      return shares && this.#solve(right, () => true);
    }
    return this.#solveAlone(right).some((one) => {
      this.#step();
      let shares = false;
      for (const [name, id] of one) {
        if (name === this.node.variable) continue;
        const here = this.#bound.get(name);
        if (here === undefined) continue;
        if (here === null || id === null) giveUp();
        if (here !== id) return false;
        shares = true;
      }
      return shares;
    });
  }

  #extend({ variable, expression }: NodeOf<'extend'>, then: Then): boolean {
    this.#step();
    const id = this.conditions.valueOf(expression, this.#bound);
    if (id === null) return giveUp();
    return id === undefined ? then() : this.#with([[variable, id]], then);
  }

  #withRow(variables: readonly string[], row: NodeOf<'values'>['rows'][number], then: Then): boolean {
    this.#step();
    const bound = variables.flatMap((name, at) => {
      const term = row[at];
      return term ? [[name, this.conditions.idOf(term)] as const] : [];
    });
    return this.#with(bound, then);
  }

  /** With more variables bound, where they agree with those that are. */
  #with(solution: Iterable<readonly [string, TermId | null]>, then: Then): boolean {
    const added: string[] = [];
    let agrees = true;
    for (const [name, id] of solution) {
      const here = this.#bound.get(name);
      if (here === undefined) {
        this.#bound.set(name, id);
        added.push(name);
      } else if (name !== this.node.variable) {
        if (here === null || id === null) giveUp();
        agrees = here === id;
        if (!agrees) break;
      }
    }
    this.#step();
    const found = agrees && then();
    for (const name of added) this.#bound.delete(name);
    return found;
  }

  #isTrue(condition: Expression): boolean {
    return conjunctsOf(condition).every((one) => {
      if (one.kind === 'exists') return this.#solve(one.pattern, () => true) !== one.negated;
      this.#step();
      return this.conditions.isTrue(one, this.#bound) ?? giveUp();
    });
  }

  #walk(node: NodeOf<'closure'>, then: Then): boolean {
    const [s, o] = [this.#endOf(node.s), this.#endOf(node.o)];
    const isNamed = [node.s, node.o].some((end) => end.kind === 'term' || end.name === this.node.variable);
    const from = s ?? o;
    // Without an end that is known all nodes are ends.
    if (from === undefined) return giveUp();
    const [start, end] = s === undefined ? [from, undefined] : [s, o];
    const free = s === undefined ? node.s : node.o;
    for (const reached of this.#walks.from(node, start, { isBackward: s === undefined, isNamed })) {
      if (end !== undefined && reached !== end) continue;
      const found = end !== undefined || free.kind === 'term' ? then() : this.#with([[free.name, reached]], then);
      if (found) return true;
      if (end !== undefined) return false;
    }
    return false;
  }

  /** Undefined: not known yet. A term that is in no row is left to those who know what it equals. */
  #endOf(term: PatternTerm): TermId | undefined {
    const id = this.#idOf(term);
    return isStored(id) ? id : giveUp();
  }

  #match(patterns: readonly QuadPattern[], then: Then): boolean {
    if (patterns.length === 0) return then();
    const next = this.#bestOf(patterns);
    const others = patterns.filter((pattern) => pattern !== next);
    const [s, p, o] = [this.#idOf(next.s), this.#idOf(next.p), this.#idOf(next.o)];
    const g = next.g === null ? undefined : this.#idOf(next.g);
    if (!isStored(s) || !isStored(p) || !isStored(o) || !isStored(g)) return false;
    this.#step();
    for (const row of this.lookups.find(s, p, o, this.#whereOf(next.g, g))) {
      this.#step();
      const added = this.#bind(next, row);
      if (added === null) continue;
      const found = this.#match(others, then);
      for (const name of added) this.#bound.delete(name);
      if (found) return true;
    }
    return false;
  }

  /** A name stands for its graph, whatever GRAPH with a variable ranges over. */
  #whereOf(term: PatternTerm | null, graph: TermId | undefined): Where {
    if (term === null) return null;
    const isNamed = term.kind === 'term' || term.name === this.node.variable;
    return isNamed && graph !== undefined ? { kind: 'one', graph } : { kind: 'named', graph };
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
      // GRAPH with a name has looked nowhere else.
      if (term === null || term.kind === 'term' || (place === 'g' && row.g === null)) continue;
      const before = this.#bound.get(term.name);
      if (before === row[place]) continue;
      if (before !== undefined) {
        for (const name of added) this.#bound.delete(name);
        return null;
      }
      this.#bound.set(term.name, row[place] as TermId);
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
    return term.kind === 'term' || this.#bound.has(term.name);
  }

  /** Undefined: anything. */
  #idOf(term: PatternTerm): TermId | null | undefined {
    return term.kind === 'term' ? this.lookups.id(term.term) : this.#bound.get(term.name);
  }
}

/** Its meaning depends on what it binds itself: with others bound beside it there would be other solutions. */
function isClosed(node: Algebra): boolean {
  return getOrInsert(closed, node, () => someNode(node, ({ kind }) => !OPEN.has(kind)));
}

const closed = new WeakMap<Algebra, boolean>();
const OPEN: ReadonlySet<Algebra['kind']> = new Set(['unit', 'empty', 'patterns', 'closure', 'values', 'join', 'union']);

/** Each solution binds every variable of it, whatever is bound beside it. */
function bindsAll(node: Algebra): boolean {
  return !someNode(node, ({ kind }) => !/^(?:unit|patterns|closure|join)$/.test(kind));
}

/** Not of a term that the query has computed, or of one that the store does not know. */
function isStored(id: TermId | null | undefined): id is TermId | undefined {
  return id !== null && (id === undefined || tagOf(id) !== TAG.local);
}
