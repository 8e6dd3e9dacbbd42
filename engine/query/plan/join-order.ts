/**
 * The order in which the parts of a group are joined: dynamic programming over subsets while they
 * are few, greedy beyond. Plans grow one part at a time to the right; for each subset the cheapest
 * plan is kept, the one that starts soonest, and the cheapest for each variable it comes sorted by,
 * since a sorted input can be merged later. Filters run as soon as their variables are bound.
 */

import type { Expression } from '../algebra/expression.js';
import { hasExists } from '../algebra/expression.js';
import { variablesOf } from '../algebra/mentioned.js';
import { tooDeep } from '../parse/guard.js';
import type { PlanContext } from './context.js';
import { filterPlan } from './filters.js';
import { connected, hashJoin, indexJoin, mergeJoin } from './joins.js';
import { type PatternLeaf, scanPlans } from './leaf.js';
import { costFor, type Plan } from './plan.js';

/** 2^6 subsets of six parts take well under a millisecond. */
const DYNAMIC_PARTS_MAX = 6;

/** Beyond, the search gets narrower: each step tries few parts and keeps one plan. */
const WIDE_PARTS_MAX = 64;
const GREEDY_CANDIDATES_MAX = 12;
/** What a group may have, by far more than people and generators write; planning takes a second then. */
const PARTS_MAX = 2000;
/** In characters of an expression: what it takes to think about one more part. */
const EXTEND_WORK = 1000;
const EXTEND_VARIABLE_WORK = 50;

/** One part of a group: a pattern, or anything that has its own plan. */
export interface JoinPart {
  readonly plans: readonly Plan[];
  /** Null when the part can only be read as a whole. */
  readonly leaf: PatternLeaf | null;
  /** A way of its own to join the part to what is planned before it; null where it does not apply. */
  readonly joinTo?: (input: Plan) => Plan | null;
}

export function partOfPattern(
  leaf: PatternLeaf,
  wanted: ReadonlySet<string>,
  joined: boolean,
  context: PlanContext,
): JoinPart {
  return { plans: scanPlans(leaf, wanted, joined, context), leaf };
}

/** A filter of the group, with the variables it waits for. */
interface PendingFilter {
  readonly condition: Expression;
  readonly waitsFor: readonly string[];
}

/** Before the parts are looked at: each of them asks storage. */
export function refuseTooManyParts(count: number): void {
  if (count > PARTS_MAX) throw tooDeep(`more than ${PARTS_MAX} patterns stand in one group`);
}

export class JoinOrder {
  private readonly filters: readonly PendingFilter[];
  /** Each plan that is tried would plan the pattern of an EXISTS again. */
  private readonly existsLast: boolean;

  constructor(
    private readonly parts: readonly JoinPart[],
    conditions: readonly Expression[],
    private readonly wanted: ReadonlySet<string>,
    private readonly goal: number | null,
    private readonly context: PlanContext,
  ) {
    this.existsLast = context.hurried;
    const inScope = new Set(parts.flatMap((part) => this.facts(part).variables));
    this.filters = conditions.map((condition) => ({
      condition,
      waitsFor: [...variablesOf(condition)].filter((name) => inScope.has(name)),
    }));
  }

  plan(): Plan {
    const joined = this.join();
    const rest = this.filters.filter((filter) => !this.isReady(filter, joined)).map((filter) => filter.condition);
    return filterPlan(joined, rest, this.context);
  }

  private join(): Plan {
    const starts = this.parts.map((part) => part.plans.map((plan) => this.filtered(plan, [])));
    if (starts.length === 1) return this.best(starts[0] as Plan[]);
    if (!this.context.allows('join-order')) return this.inTextOrder(starts);
    return this.parts.length <= DYNAMIC_PARTS_MAX ? this.dynamic(starts) : this.greedy(starts);
  }

  private dynamic(starts: readonly (readonly Plan[])[]): Plan {
    const count = this.parts.length;
    const kept: Plan[][] = Array.from({ length: 1 << count }, () => []);
    starts.forEach((plans, part) => {
      kept[1 << part] = this.prune(plans);
    });
    for (let subset = 1; subset < kept.length; subset++) {
      const plans = kept[subset] as Plan[];
      if (plans.length === 0) continue;
      for (const part of this.nextParts(plans[0] as Plan, (part) => (subset & (1 << part)) === 0)) {
        const larger = subset | (1 << part);
        const candidates = plans.flatMap((plan) => this.extend(plan, part, starts[part] as Plan[]));
        kept[larger] = this.prune([...(kept[larger] as Plan[]), ...candidates]);
      }
    }
    return this.best(kept[kept.length - 1] as Plan[]);
  }

  private greedy(starts: readonly (readonly Plan[])[]): Plan {
    const left = new Set(starts.keys());
    const first = [...left].reduce((a, b) => (this.rows(starts[b]) < this.rows(starts[a]) ? b : a));
    left.delete(first);
    let plans = this.prune(starts[first] as Plan[]);
    while (left.size > 0) {
      let chosen = -1;
      let found: Plan[] = [];
      for (const part of this.fewest(this.nextParts(plans[0] as Plan, (candidate) => left.has(candidate)))) {
        const candidates = plans.flatMap((plan) => this.extend(plan, part, starts[part] as Plan[]));
        if (chosen < 0 || this.score(candidates) < this.score(found)) [chosen, found] = [part, candidates];
      }
      left.delete(chosen);
      plans = this.parts.length > WIDE_PARTS_MAX ? [this.best(found)] : this.prune(found);
    }
    return this.best(plans);
  }

  /** Of many parts only those with the fewest rows are tried next. */
  private fewest(parts: number[]): number[] {
    if (parts.length <= GREEDY_CANDIDATES_MAX) return parts;
    const rows = (part: number): number => this.rows((this.parts[part] as JoinPart).plans);
    return parts.sort((a, b) => rows(a) - rows(b)).slice(0, GREEDY_CANDIDATES_MAX);
  }

  private inTextOrder(starts: readonly (readonly Plan[])[]): Plan {
    let plan = (starts[0] as Plan[])[0] as Plan;
    for (let part = 1; part < starts.length; part++) {
      plan = this.best(this.extend(plan, part, starts[part] as Plan[]));
    }
    return plan;
  }

  /** Parts that may come next: those that share a variable, or all where none does. */
  private nextParts(plan: Plan, isLeft: (part: number) => boolean): number[] {
    const all = [...this.parts.keys()].filter(isLeft);
    const joined = all.filter((part) => connected(plan.facts, this.facts(this.parts[part] as JoinPart)));
    return joined.length > 0 ? joined : all;
  }

  /** All ways to join one more part. */
  private extend(plan: Plan, part: number, starts: readonly Plan[]): Plan[] {
    this.context.terms.scope.spend(EXTEND_WORK + EXTEND_VARIABLE_WORK * plan.facts.variables.length);
    const rights = this.prune(starts);
    const found: Plan[] = [];
    for (const right of rights) {
      const merged = this.context.allows('merge-joins') ? mergeJoin(plan, right) : null;
      if (merged !== null) found.push(this.filtered(merged, this.appliedTo([plan, right])));
    }
    const { leaf, plans, joinTo } = this.parts[part] as JoinPart;
    const own = joinTo?.(plan) ?? null;
    if (own !== null && this.context.allows('index-joins')) found.push(this.filtered(own, this.appliedTo([plan])));
    if (leaf !== null && this.context.allows('index-joins')) {
      const probed = indexJoin(plan, leaf, (plans[0] as Plan).facts, this.wanted, this.context);
      if (probed !== null) found.push(this.filtered(probed, this.appliedTo([plan])));
    }
    if (found.length > 0 && !this.context.allows('hash-joins')) return found;
    for (const right of rights) {
      const applied = this.appliedTo([plan, right]);
      found.push(this.filtered(hashJoin(plan, right), applied), this.filtered(hashJoin(right, plan), applied));
    }
    return found;
  }

  private filtered(plan: Plan, applied: readonly PendingFilter[]): Plan {
    if (!this.context.allows('early-filters') && this.parts.length > 1) return plan;
    const ready = this.filters.filter((filter) => !applied.includes(filter) && this.isReady(filter, plan));
    return filterPlan(
      plan,
      ready.map((filter) => filter.condition),
      this.context,
    );
  }

  private appliedTo(plans: readonly Plan[]): PendingFilter[] {
    return this.filters.filter((filter) => plans.some((plan) => this.isReady(filter, plan)));
  }

  private isReady(filter: PendingFilter, plan: Plan): boolean {
    if (!this.context.allows('early-filters') && this.parts.length > 1) return false;
    if (this.existsLast && hasExists(filter.condition)) return false;
    return filter.waitsFor.length > 0 && filter.waitsFor.every((name) => plan.facts.certain.has(name));
  }

  /** The cheapest plan, the cheapest for the rows asked for, and the cheapest for each leading variable. */
  private prune(plans: readonly Plan[]): Plan[] {
    const kept = new Set([this.best(plans), cheapest(plans, (plan) => plan.facts.cost)]);
    const leading = new Set(plans.flatMap((plan) => plan.facts.order.slice(0, 1)));
    for (const variable of leading) {
      const sorted = plans.filter((plan) => plan.facts.order[0] === variable);
      kept.add(cheapest(sorted, (plan) => plan.facts.cost));
    }
    return [...kept];
  }

  private best(plans: readonly Plan[]): Plan {
    return cheapest(plans, (plan) => costFor(plan.facts, this.goal));
  }

  private score(plans: readonly Plan[]): number {
    return Math.min(...plans.map((plan) => plan.facts.cost));
  }

  private rows(plans: readonly Plan[] | undefined): number {
    return Math.min(...(plans ?? []).map((plan) => plan.facts.rows));
  }

  private facts(part: JoinPart): Plan['facts'] {
    return (part.plans[0] as Plan).facts;
  }
}

function cheapest(plans: readonly Plan[], costOf: (plan: Plan) => number): Plan {
  return plans.reduce((a, b) => (costOf(b) < costOf(a) ? b : a));
}
