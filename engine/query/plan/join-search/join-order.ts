/**
 * A group of parts to a plan: the search (`search.ts`) says in which order and how they are joined,
 * here the plan is built as it says. Filters run as soon as their variables are bound.
 */

import type { Expression } from '../../algebra/expression.js';
import { hasExists } from '../../algebra/expression.js';
import { variablesOf } from '../../algebra/mentioned.js';
import { tooDeep } from '../../parse/guard.js';
import type { Plan } from '../../physical/plan.js';
import type { PatternLeaf } from '../access/pattern-leaf.js';
import { filterPlan } from '../build/filters.js';
import { hashJoin, indexJoin, type JoinPart, mergeJoin } from '../build/joins.js';
import { leapfrogJoin } from '../build/leapfrog.js';
import { rangeJoin } from '../build/range-joins.js';
import { joinedToStar, productAsStar } from '../build/stars.js';
import type { PlanContext } from '../context/context.js';
import { JoinModel } from './model.js';
import type { PendingFilter } from './model-parts.js';
import { JoinSearch } from './search.js';
import type { Entry } from './ways.js';

/** What a group may have, by far more than people and generators write; planning takes a second then. */
const PARTS_MAX = 2000;

/** Before the parts are looked at: each of them asks storage. */
export function refuseTooManyParts(count: number): void {
  if (count > PARTS_MAX) throw tooDeep(`more than ${PARTS_MAX} patterns stand in one group`);
}

/** A plan of some parts, and the filters that ran in it. */
interface Built {
  readonly plan: Plan;
  readonly ran: ReadonlySet<PendingFilter>;
}

export class JoinOrder {
  private readonly filters: readonly PendingFilter[];
  /** Variables that more than one part has. */
  private readonly shared = new Set<string>();
  /** Where a filter that asks a pattern runs when it is ready in several parts: in the one of fewest rows. */
  private readonly asked: ReadonlyMap<PendingFilter, number>;
  private readonly early: boolean;

  constructor(
    private readonly parts: readonly JoinPart[],
    conditions: readonly Expression[],
    private readonly wanted: ReadonlySet<string>,
    private readonly goal: number | null,
    private readonly context: PlanContext,
  ) {
    this.early = context.allows('early-filters') || parts.length === 1;
    const inScope = new Set<string>();
    for (const part of parts) {
      for (const name of (part.plans[0] as Plan).facts.variables) {
        (inScope.has(name) ? this.shared : inScope).add(name);
      }
    }
    this.filters = conditions.map((condition) => ({
      condition,
      waitsFor: [...variablesOf(condition)].filter((name) => inScope.has(name)),
    }));
    this.asked = new Map(
      this.filters.flatMap((filter) =>
        hasExists(filter.condition) ? [[filter, this.fewestRows(filter)] as const] : [],
      ),
    );
  }

  private fewestRows(filter: PendingFilter): number {
    const plans = this.parts.map((part) => part.plans[0] as Plan);
    let least = -1;
    for (const [at, plan] of plans.entries()) {
      if (this.isReady(filter, plan) && (least < 0 || plan.facts.rows < (plans[least] as Plan).facts.rows)) least = at;
    }
    return least;
  }

  plan(): Plan {
    const waiting = this.filters.filter((filter) => this.early && !this.isLate(filter));
    const model = new JoinModel(this.parts, waiting, this.context);
    const { plan: joined } = this.build(new JoinSearch(model, this.goal, this.context).best());
    const rest = this.filters.filter((filter) => !this.isReady(filter, joined)).map((filter) => filter.condition);
    return filterPlan(joined, rest, this.context);
  }

  private build(entry: Entry): Built {
    if (entry.way === 'start') {
      const elsewhere = (filter: PendingFilter): boolean =>
        (this.asked.get(filter) ?? entry.parts[0]) !== entry.parts[0];
      return this.filtered(entry.plan as Plan, new Set(), elsewhere);
    }
    const left = this.build(entry.left as Entry);
    const right = entry.right === null ? null : this.build(entry.right);
    const ran = new Set([...left.ran, ...(right?.ran ?? [])]);
    const ranged = entry.way === 'range' && right !== null ? this.rangeJoin(left.plan, right.plan, ran) : null;
    const { facts, ...joined } = ranged ?? this.join(entry, left.plan, right?.plan ?? null);
    const plan = { ...joined, facts: { ...facts, rows: entry.joinedRows } };
    return this.filtered(right === null ? joinedToStar(plan, this.context) : productAsStar(plan, this.context), ran);
  }

  /** The filters that are ready now are tested on the pairs, and have run; null where none of them tells partners. */
  private rangeJoin(left: Plan, right: Plan, ran: Set<PendingFilter>): Plan | null {
    const both = [left.facts, right.facts];
    const variables = new Set(both.flatMap((side) => side.variables));
    const certain = new Set(both.flatMap((side) => [...side.certain]));
    const ready = this.filters.filter(
      (filter) => !ran.has(filter) && !hasExists(filter.condition) && this.isSettledBy(filter, variables, certain),
    );
    const joined = rangeJoin(
      left,
      right,
      ready.map(({ condition }) => condition),
      this.context,
    );
    if (joined !== null) for (const filter of ready) ran.add(filter);
    return joined;
  }

  private join({ way, parts, variable, startup, cost }: Entry, left: Plan, right: Plan | null): Plan {
    if (right !== null) return (way === 'merge' ? mergeJoin(left, right) : null) ?? hashJoin(left, right);
    if (way === 'leapfrog') {
      const patterns = parts.map((at) => this.patternOf(at));
      const joined = leapfrogJoin(left, variable as string, patterns, this.context);
      return { ...joined, facts: { ...joined.facts, startup, cost } };
    }
    const { leaf, plans, joinTo } = this.parts[parts[0] as number] as JoinPart;
    const scan = plans[0] as Plan;
    const joined =
      way === 'own' || leaf === null ? joinTo?.(left) : indexJoin(left, leaf, scan.facts, this.wanted, this.context);
    return joined ?? hashJoin(left, scan);
  }

  private patternOf(at: number): readonly [PatternLeaf, Plan] {
    const { leaf, plans } = this.parts[at] as JoinPart;
    return [leaf as PatternLeaf, plans[0] as Plan];
  }

  /** `ran`: filters that need not run again; `elsewhere`: those that run in another part. */
  private filtered(
    plan: Plan,
    ran: ReadonlySet<PendingFilter>,
    elsewhere: (filter: PendingFilter) => boolean = () => false,
  ): Built {
    const ready = this.filters.filter((filter) => !ran.has(filter) && this.isReady(filter, plan) && !elsewhere(filter));
    const conditions = ready.map((filter) => filter.condition);
    return { plan: filterPlan(plan, conditions, this.context), ran: new Set([...ran, ...ready]) };
  }

  private isReady(filter: PendingFilter, { facts }: Plan): boolean {
    return this.isSettledBy(filter, new Set(facts.variables), facts.certain);
  }

  /** Each variable is bound in every row, or nothing else could bind it. */
  private isSettledBy(filter: PendingFilter, variables: ReadonlySet<string>, certain: ReadonlySet<string>): boolean {
    if (!this.early || this.isLate(filter)) return false;
    const isSettled = (name: string): boolean => certain.has(name) || (variables.has(name) && !this.shared.has(name));
    return filter.waitsFor.length > 0 && filter.waitsFor.every(isSettled);
  }

  /** Deep inside, an EXISTS is planned where its rows are known. */
  private isLate({ condition }: PendingFilter): boolean {
    return this.context.hurried && hasExists(condition);
  }
}
