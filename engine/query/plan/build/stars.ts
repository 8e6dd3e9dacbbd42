/**
 * Joins of one subject with several of its properties, made one operator (`execute/join/star-join.ts`) where they are planned:
 *
 *  - A lookup of a pattern by a variable, inner or optional, joins the one by the same variable below it. A lookup between them
 *    by another variable, or a filter, goes above the star, unless it leaves few of many rows.
 *  - Patterns of one constant subject with few rows each are a star in place of their product.
 */

import { variablesOf } from '../../algebra/mentioned.js';
import { isStar, type StarLeg, type StarSpec } from '../../execute/join/star-join.js';
import { distinctOf, type Plan, type PlanFacts } from '../../physical/plan.js';
import type { PlanContext } from '../context/context.js';
import { starLegCost } from '../context/costs.js';

/** So few rows are looked up for all patterns, whatever the first ones leave of them. */
const FEW_ROWS = 512;
/** Of many rows this share has to pass a pattern or a filter for those above it to be looked up with it. */
const KEPT_SHARE_MIN = 0.5;
/** Objects of a subject and predicate, on average: a star holds those of a batch of subjects. */
export const OBJECTS_MAX = 16;
const LEGS_MAX = 32;
/** Rows that patterns of a constant subject may make together. */
const CONSTANT_ROWS_MAX = 256;

type Request = StarLeg['scan']['request'];

/** What is above a plan may run for all rows of its input as well. */
export function keepsRows(before: number, after: number): boolean {
  return before <= FEW_ROWS || after >= KEPT_SHARE_MIN * before;
}

/** A lookup as the last leg of the star below it; the lookup itself where there is none. */
export function joinedToStar(plan: Plan, context: PlanContext): Plan {
  const top = context.allows('stars') ? lookupOf(plan) : null;
  if (top === null) return plan;
  const lifted: Plan[] = [];
  let below = inputOf(plan);
  for (; ; below = inputOf(below)) {
    const [input] = below.inputs;
    if (input === undefined || !keepsRows(input.facts.rows, below.facts.rows)) return plan;
    const next = lookupOf(below);
    const spec = next === null ? null : joinedSpec(next, top);
    if (spec !== null) return above(lifted, starOver(below, spec, plan), plan);
    if (!canBeLifted(below) || mentions(below, objectsOf(top.legs))) return plan;
    lifted.push(below);
  }
}

/** The star `spec`, which ends with the lookups of `below` and `added`. */
function starOver(below: Plan, spec: StarSpec, added: Plan): Plan {
  const { facts } = below;
  const before = inputOf(added).facts;
  const fanOut = added.facts.rows / Math.max(1, before.rows);
  const { need } = spec.legs.at(-1) as StarLeg;
  const rows = facts.rows * (need === 'optional' ? Math.max(1, fanOut) : fanOut);
  return {
    action: { kind: 'starJoin', spec },
    inputs: below.inputs,
    facts: {
      ...withObjects(facts, added.facts, spec.legs.slice(-1)),
      order: need === 'optional' ? [] : facts.order,
      rows,
      cost: facts.cost + starLegCost(facts.rows, rows),
    },
  };
}

/** The facts with the columns of legs. */
function withObjects(facts: PlanFacts, from: PlanFacts, legs: readonly StarLeg[]): PlanFacts {
  const variables = [...facts.variables];
  const certain = new Set(facts.certain);
  const distinct = new Map(facts.distinct);
  for (const leg of legs) {
    for (const name of objectsOf([leg])) {
      if (variables.includes(name)) continue;
      variables.push(name);
      distinct.set(name, distinctOf(from, name));
      if (leg.need !== 'optional') certain.add(name);
    }
  }
  return { ...facts, variables, certain, distinct };
}

const inputOf = (plan: Plan): Plan => plan.inputs[0] as Plan;

/** A lookup of patterns' objects by their subject. */
function lookupOf(plan: Plan): StarSpec | null {
  const { action, facts } = plan;
  if (action.kind === 'starJoin') return action.spec.subject.kind === 'key' ? action.spec : null;
  if (action.kind !== 'indexJoin') return null;
  const { scan, parts, residual, optional = false } = action.probe;
  const [key, ...others] = parts.filter((part) => part.kind === 'key');
  if (key === undefined || others.length > 0 || key.position !== 's' || residual.length > 0) return null;
  if (!isProperty(scan) || facts.rows > OBJECTS_MAX * Math.max(1, inputOf(plan).facts.rows)) return null;
  const leg = { scan, need: optional ? 'optional' : 'required', label: action.label } as const;
  return { subject: { kind: 'key', variable: key.variable }, legs: [leg] };
}

/** A pattern with a constant predicate, of which no graph is asked. */
function isProperty({ request, outputs, equal }: StarLeg['scan']): boolean {
  const isRead = outputs.every(({ position }) => position === 's' || position === 'o');
  return request.pattern.p?.kind === 'id' && equal.length === 0 && isRead;
}

/** The legs of both; null where they can't be one star. */
function joinedSpec(one: StarSpec, other: StarSpec): StarSpec | null {
  const [a, b] = [one.subject, other.subject];
  const same =
    a.kind === 'key' ? b.kind === 'key' && a.variable === b.variable : b.kind === 'constant' && a.id === b.id;
  const [first, second] = [one.legs[0] as StarLeg, other.legs[0] as StarLeg];
  if (!same || !asksAlike(first.scan.request, second.scan.request)) return null;
  const spec = { subject: a, legs: [...one.legs, ...other.legs] };
  return spec.legs.length <= LEGS_MAX && isStar(spec) ? spec : null;
}

function asksAlike(a: Request, b: Request): boolean {
  const graphs =
    a.graphs.kind === 'one' ? b.graphs.kind === 'one' && a.graphs.graph === b.graphs.graph : a.graphs === b.graphs;
  return graphs && a.time === b.time;
}

/** Operators that look at each row of their first input on its own. */
function canBeLifted({ action, inputs }: Plan): boolean {
  if (inputs.length !== 1) return false;
  return action.kind === 'filter' || action.kind === 'indexJoin' || action.kind === 'starJoin';
}

/** The variables that legs bind to objects. */
function objectsOf(legs: readonly StarLeg[]): string[] {
  return legs.flatMap(({ scan }) =>
    scan.outputs.flatMap(({ position, variable }) => (position === 'o' ? [variable] : [])),
  );
}

/** A filter may name a variable that is bound further up only. */
function mentions({ action, facts }: Plan, names: readonly string[]): boolean {
  if (action.kind !== 'filter') return names.some((name) => facts.variables.includes(name));
  return action.conditions.some((condition) => names.some((name) => variablesOf(condition).has(name)));
}

/** A product, inner or optional, of patterns of one constant subject as their star; the product itself where they are none. */
export function productAsStar(plan: Plan, context: PlanContext): Plan {
  const { action } = plan;
  if (!context.allows('stars') || !isProduct(plan)) return plan;
  const [left, right] = plan.inputs as [Plan, Plan];
  const [one, other] = [bottomOf(left), bottomOf(right)];
  if (one === null || other === null) return plan;
  const optional = action.kind === 'hashLeftJoin';
  if (optional && (other.above.length > 0 || other.spec.legs.length > 1)) return plan;
  const legs = optional ? other.spec.legs.map((leg) => ({ ...leg, need: 'optional' as const })) : other.spec.legs;
  const spec = joinedSpec(one.spec, { ...other.spec, legs });
  const rows = one.star.facts.rows * Math.max(1, other.star.facts.rows);
  if (spec === null || rows > CONSTANT_ROWS_MAX) return plan;
  if (one.above.some((upper) => mentions(upper, right.facts.variables))) return plan;
  if (other.above.some((upper) => mentions(upper, objectsOf(one.spec.legs)))) return plan;
  const before = withObjects(one.star.facts, other.star.facts, legs);
  const cost = one.star.facts.cost + starLegCost(one.star.facts.rows, rows);
  const star: Plan = { action: { kind: 'starJoin', spec }, inputs: [], facts: { ...before, order: [], rows, cost } };
  return above([...one.above, ...other.above], star, plan);
}

function isProduct({ action }: Plan): boolean {
  if (action.kind !== 'hashJoin' && action.kind !== 'hashLeftJoin') return false;
  if (action.kind === 'hashLeftJoin' && action.condition !== null) return false;
  return action.keys.certain.length + action.keys.loose.length === 0;
}

/** A star of a constant subject, or a pattern that may become one, and what stands above it, the uppermost first. */
interface Bottom {
  readonly star: Plan;
  readonly spec: StarSpec;
  readonly above: readonly Plan[];
}

function bottomOf(plan: Plan): Bottom | null {
  const lifted: Plan[] = [];
  let star = plan;
  for (; canBeLifted(star) || (star.action.kind === 'hashLeftJoin' && isProduct(star)); star = inputOf(star))
    lifted.push(star);
  const { action, facts } = star;
  if (action.kind === 'starJoin') return { star, spec: action.spec, above: lifted };
  if (action.kind !== 'scan' || !isProperty(action.spec) || facts.rows > CONSTANT_ROWS_MAX) return null;
  const { s } = action.spec.request.pattern;
  if (s?.kind !== 'id') return null;
  const leg = { scan: action.spec, need: 'required', label: action.label } as const;
  return { star, spec: { subject: { kind: 'constant', id: s.id }, legs: [leg] }, above: lifted };
}

/** The star with what was lifted above it, the uppermost first; as many rows as the plan in whose place it is. */
function above(lifted: readonly Plan[], star: Plan, { facts }: Plan): Plan {
  const whole = lifted.reduceRight(over, star);
  return { ...whole, facts: { ...whole.facts, rows: facts.rows } };
}

/** An operator that gives the columns of its first input, and then its own, over another one. */
function over(below: Plan, plan: Plan): Plan {
  const { facts } = plan;
  const before = inputOf(plan).facts;
  const { facts: now } = below;
  const own = facts.variables.filter((name) => !before.variables.includes(name) && !now.variables.includes(name));
  const ordered = before.order.every((name, at) => now.order[at] === name);
  return {
    action: plan.action,
    inputs: [below, ...plan.inputs.slice(1)],
    facts: {
      variables: [...now.variables, ...own],
      certain: new Set([...facts.certain, ...now.certain]),
      order: ordered ? facts.order : [],
      rows: facts.rows * Math.max(1, now.rows / Math.max(1, before.rows)),
      startup: facts.startup,
      cost: now.cost + Math.max(0, facts.cost - before.cost),
      distinct: new Map([...now.distinct, ...facts.distinct]),
    },
  };
}
