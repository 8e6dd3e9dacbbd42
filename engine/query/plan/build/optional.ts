/**
 * OPTIONAL and MINUS: by a hash table over the other side, or, where few rows ask, by running the other
 * side for them.
 */

import type { Algebra, NodeOf } from '../../algebra/algebra.js';
import { conjunctionOf, conjunctsOf, type Expression, hasExists } from '../../algebra/expression.js';
import { collectPatternVariables, collectVariables } from '../../algebra/mentioned.js';
import { scopeOf } from '../../algebra/scope.js';
import { distinctOf, type Plan, type PlanFacts, unionOf } from '../../physical/plan.js';
import type { PlanContext } from '../context/context.js';
import { costFor, hashCost, OUTPUT_ROW_COST, rangeJoinCost, TESTED_PAIR_COST } from '../context/costs.js';
import { patternLeaf, scanPlans } from '../context/leaf.js';
import { projectPlan } from './columns.js';
import { applyPlan, joinOuter, outerRows } from './correlated-input.js';
import { existential } from './existential.js';
import { pairsOf, semiJoin } from './exists.js';
import { indexJoin, sharedKeys } from './joins.js';
import { type RangedSides, rangedSides } from './range-predicates.js';
import { joinedToStar, productAsStar } from './stars.js';
import { isWorthAnotherPlan } from './worth.js';

/** Of the pairs that share keys, those that comparisons leave. */
const TOLD_SHARE = 0.1;

type Names = ReadonlySet<string>;
type LeftJoin = NodeOf<'leftJoin'>;

export function leftJoinPlan(node: LeftJoin, wanted: Names, goal: number | null, context: PlanContext): Plan {
  const read = new Set([...wanted, ...sharedOf(node)]);
  if (node.condition !== null) collectVariables(node.condition, read);
  const left = context.planPart(node.left, read, goal);
  const probed = probedLeftJoin(node, left, read, context);
  if (probed !== null) {
    const hashed = hashedLeftJoin(node, left, context.planPart(node.right, read, null), context);
    return cheapest([probed, hashed], goal);
  }
  if (node.condition !== null && hasExists(node.condition)) return appliedLeftJoin(node, left, read, context);
  const compared = context.allows('row-by-row') && !context.hurried;
  const right = context.planCompared(compared ? 2 : 1, node.right, read, null);
  const hashed = hashedLeftJoin(node, left, right, context);
  const further = { ...hashed.facts, cost: hashed.facts.cost - left.facts.cost };
  if (!compared || !isWorthAnotherPlan(node.right, further, context)) return hashed;
  return cheapest([appliedLeftJoin(node, left, read, context), hashed], goal);
}

/** An optional side that is one pattern is looked up row by row; null when it is more, or can't be looked up. */
function probedLeftJoin(node: LeftJoin, left: Plan, read: Names, context: PlanContext): Plan | null {
  const { right, condition } = node;
  if (condition !== null || !context.allows('row-by-row') || !context.allows('index-joins')) return null;
  const [pattern, ...others] = right.kind === 'patterns' ? right.patterns : [];
  if (pattern === undefined || others.length > 0) return null;
  const leaf = patternLeaf(pattern, context);
  if (leaf === null) return null;
  const scan = (scanPlans(leaf, read, true, context)[0] as Plan).facts;
  const joined = indexJoin(left, leaf, scan, read, context);
  if (joined?.action.kind !== 'indexJoin') return null;
  const { action, facts } = joined;
  const optional = leftJoinFacts(left.facts, scan, facts.rows);
  const probed: Plan = {
    ...joined,
    action: { ...action, probe: { ...action.probe, optional: true }, label: `OPTIONAL ${action.label}` },
    facts: { ...optional, startup: facts.startup, cost: facts.cost },
  };
  return joinedToStar(probed, context);
}

function hashedLeftJoin({ condition }: LeftJoin, left: Plan, right: Plan, context: PlanContext): Plan {
  const keys = sharedKeys(left.facts, right.facts);
  const facts = leftJoinFacts(left.facts, right.facts, pairsOf(left.facts, right.facts, keys.certain));
  const ranged = keys.loose.length > 0 || condition === null ? null : comparedLeftJoin(condition, left, right, context);
  if (ranged !== null) {
    const { startup, cost } = rangeJoinCost(ranged.left.facts, ranged.right.facts, facts.rows * TOLD_SHARE, 0);
    return {
      action: { kind: 'hashLeftJoin', keys, condition: conjunctionOf(ranged.tested), range: ranged.range },
      inputs: [ranged.left, ranged.right],
      facts: { ...facts, startup, cost: cost + facts.rows * OUTPUT_ROW_COST },
    };
  }
  const { startup, cost } = hashCost(left.facts, right.facts);
  const tested = condition === null ? 0 : facts.rows * TESTED_PAIR_COST;
  const hashed: Plan = {
    action: { kind: 'hashLeftJoin', keys, condition },
    inputs: [left, right],
    facts: { ...facts, startup, cost: cost + tested + facts.rows * OUTPUT_ROW_COST },
  };
  return productAsStar(hashed, context);
}

function comparedLeftJoin(condition: Expression, left: Plan, right: Plan, context: PlanContext): RangedSides | null {
  return context.allows('range-joins') ? rangedSides(left, right, conjunctsOf(condition), context) : null;
}

function appliedLeftJoin(node: LeftJoin, left: Plan, read: Names, context: PlanContext): Plan {
  const mentioned = new Set<string>();
  collectPatternVariables(node.right, mentioned);
  if (node.condition !== null) collectVariables(node.condition, mentioned);
  const names = left.facts.variables.filter((name) => mentioned.has(name));
  const outer = outerRows(left.facts, names, context);
  const right = scopeOf(node.right).variables;
  const completed = names.filter((name) => right.has(name) && !left.facts.certain.has(name));
  const added = [...right].filter((name) => read.has(name) && !left.facts.variables.includes(name));
  const joined = joinOuter(node.right, outer);
  const algebra: Algebra =
    node.condition === null ? joined : { kind: 'filter', input: joined, condition: node.condition };
  const shown = [outer.rowNumber, ...completed, ...added];
  const inner = projectPlan(context.planCompared(2, algebra, new Set(shown), null), shown);
  const facts = leftJoinFacts(left.facts, inner.facts, inner.facts.rows * Math.max(1, left.facts.rows / outer.rows));
  const applied = { kind: 'left', label: 'OPTIONAL', added, completed } as const;
  return applyPlan(left, inner, outer, applied, { ...facts, variables: [...left.facts.variables, ...added] });
}

function leftJoinFacts(left: PlanFacts, right: PlanFacts, matches: number): Omit<PlanFacts, 'startup' | 'cost'> {
  const variables = unionOf(left.variables, right.variables);
  const distinct = new Map(
    variables.map((name) => [name, distinctOf(left.variables.includes(name) ? left : right, name)]),
  );
  const missing = 1 - Math.min(1, matches / Math.max(1, left.rows));
  const unbound = new Map([
    ...(left.unbound ?? []),
    ...right.variables.flatMap((name) => (left.variables.includes(name) ? [] : [[name, missing] as const])),
  ]);
  return { variables, certain: left.certain, order: [], rows: Math.max(left.rows, matches), distinct, unbound };
}

export function minusPlan(node: NodeOf<'minus'>, wanted: Names, goal: number | null, context: PlanContext): Plan {
  const shared = sharedOf(node);
  const left = context.planPart(node.left, new Set([...wanted, ...shared]), goal);
  if (shared.size === 0) return left;
  const compared = context.allows('row-by-row') && !context.hurried;
  const other = existential(node.right, shared, context);
  const right = context.planCompared(compared ? 2 : 1, other, shared, null);
  const keys = sharedKeys(left.facts, right.facts);
  const hashed = semiJoin(left, right, { keys, compared: [], negated: true, label: 'MINUS' });
  const further = { ...hashed.facts, cost: hashed.facts.cost - left.facts.cost };
  if (keys.loose.length > 0 || !compared || !isWorthAnotherPlan(other, further, context)) return hashed;
  const outer = outerRows(left.facts, keys.certain, context);
  const shown = [outer.rowNumber];
  const inner = projectPlan(context.planCompared(2, joinOuter(other, outer), new Set(shown), null), shown);
  const facts = { ...left.facts, rows: hashed.facts.rows };
  return cheapest([applyPlan(left, inner, outer, { kind: 'anti', label: 'MINUS' }, facts), hashed], goal);
}

function sharedOf(node: { readonly left: Algebra; readonly right: Algebra }): Set<string> {
  const right = scopeOf(node.right).variables;
  return new Set([...scopeOf(node.left).variables].filter((name) => right.has(name)));
}

function cheapest(plans: readonly Plan[], goal: number | null): Plan {
  return plans.reduce((a, b) => (costFor(b.facts, goal) < costFor(a.facts, goal) ? b : a));
}
