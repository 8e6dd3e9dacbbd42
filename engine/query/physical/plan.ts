/**
 * The physical plan: which operators run, over which scans, in which order, and what the planner
 * believes about each. Costs are nanoseconds, roughly; only their proportions matter.
 *
 * A plan is plain data that is kept and opened many times, over other snapshots too (`plan/cache/`). It
 * may hold ids of the dictionary, graphs and times; never a snapshot, a budget, local ids or anything else
 * of one run, which are handed in when it is opened. What it concludes from the store it has to ask the snapshot
 * and the terms of its `PlanContext` for, which write it down (`plan/cache/dependencies.ts`); of an estimate only
 * an exact zero may decide what the answer is.
 *
 * Constants of the query stand in a plan as terms or as ids (BigInt) of their own, never as something made
 * of them: so a plan serves queries with other constants, too, unless the definition of an operator says no. Who looks at the
 * value of a constant to plan differently need not tell: the term notices.
 *
 * Here stands the one list of operators: leaves, joins, and what goes over rows, each in a file of its own.
 */

import { invariant } from '../../base/errors.js';
import type { Operator } from '../runtime/operator.js';
import { aggregate } from './aggregate.js';
import { apply } from './apply.js';
import { closure } from './closure.js';
import { closureJoin } from './closure-join.js';
import { correlatedInput } from './correlated-input.js';
import { describe } from './describe.js';
import { distinct } from './distinct.js';
import { extend } from './extend.js';
import { filter } from './filter.js';
import { hashJoin } from './hash-join.js';
import { hashLeftJoin } from './hash-left-join.js';
import { hashSemiJoin } from './hash-semi-join.js';
import { indexJoin } from './index-join.js';
import { leapfrogJoin } from './leapfrog-join.js';
import { members } from './members.js';
import { mergeJoin } from './merge-join.js';
import { minMaxPrefilter } from './min-max-prefilter.js';
import type { PhysicalOperator, PlanFacts, Resources } from './physical-operator.js';
import { project } from './project.js';
import { rangeJoin } from './range-join.js';
import { rows } from './rows.js';
import { scan } from './scan.js';
import { service } from './service.js';
import { slice } from './slice.js';
import { sort } from './sort.js';
import { starJoin } from './star-join.js';
import { tableFunction } from './table-function.js';
import { template } from './template.js';
import { union } from './union.js';
import { walk } from './walk.js';

export type { PlanFacts, Resources } from './physical-operator.js';

export const OPERATORS = {
  scan,
  rows,
  closure,
  correlatedInput,
  mergeJoin,
  hashJoin,
  hashLeftJoin,
  hashSemiJoin,
  rangeJoin,
  leapfrogJoin,
  indexJoin,
  closureJoin,
  apply,
  starJoin,
  filter,
  extend,
  project,
  slice,
  union,
  distinct,
  sort,
  aggregate,
  minMaxPrefilter,
  service,
  members,
  walk,
  tableFunction,
  template,
  describe,
};

type ActionOf<Definition> = Definition extends PhysicalOperator<infer Action> ? Action : never;
/** What a node of a plan does: the actions of all operators, by their kinds. */
export type PlanAction = ActionOf<(typeof OPERATORS)[keyof typeof OPERATORS]>;

export interface Plan {
  readonly action: PlanAction;
  readonly inputs: readonly Plan[];
  readonly facts: PlanFacts;
  /** With each of its batches, terms that were computed for those before may be forgotten (`plan/passes/transient-terms.ts`). */
  readonly forgetsTerms?: true;
}

/** A node over one input, with the facts of that as far as none are given. */
export function planOver(input: Plan, action: PlanAction, facts: Partial<PlanFacts> = {}): Plan {
  return { action, inputs: [input], facts: { ...input.facts, ...facts } };
}

/** A node without inputs, all of whose rows bind the variables, in no order and from the start, unless the facts say else. */
export function leafPlan(
  action: PlanAction,
  variables: readonly string[],
  facts: Pick<PlanFacts, 'rows' | 'cost'> & Partial<PlanFacts>,
): Plan {
  const usual = { variables, certain: new Set(variables), order: [], startup: 0, distinct: new Map() };
  return { action, inputs: [], facts: { ...usual, ...facts } };
}

/** The columns of both, those of the first in front. */
export function unionOf(first: readonly string[], second: readonly string[]): string[] {
  return [...first, ...second.filter((name) => !first.includes(name))];
}

/** What is left of an order where only these columns are. */
export function orderWithin(order: readonly string[], variables: readonly string[]): readonly string[] {
  const hidden = order.findIndex((name) => !variables.includes(name));
  return hidden < 0 ? order : order.slice(0, hidden);
}

/** Of some plans the one that costs least. */
export function cheapestOf(plans: readonly Plan[]): Plan {
  return plans.reduce((a, b) => (b.facts.cost < a.facts.cost ? b : a));
}

/** Different values of the variables together, or as many as there are rows. */
export function distinctRows(facts: PlanFacts, variables: readonly string[]): number {
  return Math.min(
    facts.rows,
    variables.reduce((product, name) => product * distinctOf(facts, name), 1),
  );
}

export function operatorOf({ action }: Plan): PhysicalOperator<PlanAction> {
  return OPERATORS[action.kind];
}

/** The plan over what its inputs become; the plan itself where nothing changes. */
export function mapInputs(plan: Plan, change: (input: Plan, at: number) => Plan): Plan {
  const inputs = plan.inputs.map(change);
  return inputs.every((input, at) => input === plan.inputs[at]) ? plan : { ...plan, inputs };
}

/** A plan relies on the order of an input's rows. */
export function usesOrder(plan: Plan, at: number, ordered: boolean): boolean {
  return operatorOf(plan).usesOrder?.(plan, at, ordered) ?? ordered;
}

export function openPlan(plan: Plan, resources: Resources): Operator {
  const definition = operatorOf(plan);
  const operator = definition.open(plan, (at) => openPlan(plan.inputs[at] as Plan, resources), resources);
  const { variables } = plan.facts;
  invariant(
    operator.variables.length === variables.length && variables.every((name, at) => operator.variables[at] === name),
    `${plan.action.kind} has the columns that were planned`,
  );
  if (definition.pairsRows?.(plan) === true) operator.rowsMax = resources.joinRowsMax;
  if (plan.forgetsTerms === true) operator.beforeStep = () => resources.terms.forgetTransient();
  return operator;
}

/** Where nothing tells how many rows leave a variable unbound which may be. */
const UNBOUND_SHARE = 0.01;

/** The share of the rows that are thought to leave a variable unbound. */
export function unboundShare(facts: PlanFacts, variable: string): number {
  if (facts.certain.has(variable)) return 0;
  if (!facts.variables.includes(variable)) return 1;
  return Math.max(UNBOUND_SHARE, Math.min(1, facts.unbound?.get(variable) ?? 0));
}

export function distinctOf(facts: PlanFacts, variable: string): number {
  return Math.max(1, Math.min(facts.distinct.get(variable) ?? facts.rows, facts.rows));
}
