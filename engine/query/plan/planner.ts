/**
 * Algebra to physical plan. Each node is told which of its variables are wanted above, so that scans
 * read no column in vain, and how many rows at most (`goal`), so that under a LIMIT plans that start
 * soon win over plans that are cheap in all.
 */

import { type Algebra, type NodeOf, unfiltered } from '../algebra/algebra.js';
import type { Expression } from '../algebra/expression.js';
import { collectVariables } from '../algebra/mentioned.js';
import { patternVariables, scopeOf } from '../algebra/scope.js';
import { distinctRows, type Plan, planOver } from '../physical/plan.js';
import { type TextBound, textBoundOf } from './access/text-ranges.js';
import { type Bound, boundOf } from './access/value-ranges.js';
import { areAdjacent, bestOrder, markAdjacent, orderForDistincts } from './build/adjacent.js';
import { closurePart } from './build/closure.js';
import { extendPlan, projectPlan } from './build/columns.js';
import { compoundPart } from './build/compound.js';
import { outerPlan } from './build/correlated-input.js';
import { existential } from './build/existential.js';
import { markExists } from './build/exists.js';
import { filterPlan } from './build/filters.js';
import type { JoinPart } from './build/joins.js';
import { membersPart, membersPlan, walkPlan } from './build/members.js';
import { leftJoinPlan, minusPlan } from './build/optional.js';
import { servicePart, servicePlan } from './build/service.js';
import { countPlan, emptyPlan, graphsPlan, unitPlan, valuesPlan } from './build/small-plans.js';
import { tableFunctionPlan } from './build/table-function.js';
import { typeScanPart, typeScanPlan } from './build/type-scan.js';
import { eachGraphPlan, slicedGraphsPlan, unionPlan } from './build/union.js';
import type { PlanContext } from './context/context.js';
import { narrowedLeaf, patternLeaf, scanPlans } from './context/leaf.js';
import { JoinOrder, refuseTooManyParts } from './join-search/join-order.js';

/** Nanoseconds a row. */
const HASH_ROW_COST = 80;
const SORT_ROW_COST = 400;

type Names = ReadonlySet<string>;

export function planAlgebra(node: Algebra, wanted: Names, goal: number | null, context: PlanContext): Plan {
  context.check();
  switch (node.kind) {
    case 'unit':
      return unitPlan();
    case 'empty':
      return emptyPlan(node.variables);
    case 'service':
      return servicePlan(node);
    case 'members':
      return membersPlan(node, goal, context);
    case 'walk':
      return walkPlan(node, context);
    case 'tableFunction':
      return tableFunctionPlan(node, context);
    case 'instances':
      return typeScanPlan(node, context);
    case 'graphs':
      return graphsPlan(node.name, context);
    case 'values':
      return valuesPlan(node);
    case 'countPattern':
      return countPlan(node.pattern, node.variables, context);
    case 'patterns':
    case 'join':
      return planGroup(node, [], wanted, goal, context);
    case 'filter':
      return planFilter(node, wanted, goal, context);
    case 'extend':
      return planExtend(node, wanted, goal, context);
    case 'leftJoin':
      return leftJoinPlan(node, wanted, goal, context);
    case 'minus':
      return minusPlan(node, wanted, goal, context);
    case 'closure':
      return planGroup({ kind: 'join', inputs: [node] }, [], wanted, goal, context);
    case 'union':
      return unionPlan(node, wanted, goal, context);
    case 'eachGraph':
      return eachGraphPlan(node, wanted, context);
    case 'outer':
      return outerPlan(node);
    case 'group':
      return planAggregate(node, context);
    case 'sort':
      return planSort(node, wanted, context);
    case 'project':
      return projectPlan(planAlgebra(node.input, new Set(node.variables), goal, context), node.variables);
    case 'distinct':
      return planDistinct(node, goal, context);
    case 'reduced':
      return planAlgebra(node.input, wanted, goal, context);
    case 'slice':
      return planSlice(node, wanted, context);
  }
}

function planFilter(node: NodeOf<'filter'>, wanted: Names, goal: number | null, context: PlanContext): Plan {
  const { input, conditions: outermost } = unfiltered(node);
  const conditions = outermost.toReversed();
  if (input.kind === 'patterns' || input.kind === 'join') return planGroup(input, conditions, wanted, goal, context);
  return filterPlan(planAlgebra(input, withVariables(wanted, conditions), goal, context), conditions, context);
}

/** The patterns and other parts of a group, joined. */
function planGroup(
  node: NodeOf<'patterns' | 'join'>,
  conditions: readonly Expression[],
  wanted: Names,
  goal: number | null,
  context: PlanContext,
): Plan {
  const inputs = node.kind === 'join' ? node.inputs : [node];
  refuseTooManyParts(inputs.reduce((sum, input) => sum + (input.kind === 'patterns' ? input.patterns.length : 1), 0));
  const shared = sharedVariables(inputs);
  const read = withVariables(new Set([...wanted, ...shared]), conditions);
  const joined =
    context.isPart ||
    inputs.length > 1 ||
    inputs.some((input) => input.kind === 'patterns' && input.patterns.length > 1);
  const parts: JoinPart[] = [];
  const bounds: (Bound | TextBound)[] = [
    ...(context.allows('range-scans') ? conditions.flatMap((condition) => boundOf(condition) ?? []) : []),
    ...(context.allows('text-index') ? conditions.flatMap((condition) => textBoundOf(condition) ?? []) : []),
  ];
  const settled = new Set<Expression>();
  for (const input of inputs) {
    if (input.kind !== 'patterns') {
      parts.push(partOf(input, read, goal, context));
      continue;
    }
    for (const pattern of input.patterns) {
      const whole = patternLeaf(pattern, context);
      const narrowed = whole === null || bounds.length === 0 ? null : narrowedLeaf(whole, bounds, context);
      const leaf = narrowed === null ? whole : narrowed.leaf;
      if (leaf === null) return emptyPlan([...scopeOf(node).variables]);
      for (const condition of narrowed?.conditions ?? []) context.counted.add(condition);
      for (const condition of narrowed?.settled ?? []) settled.add(condition);
      parts.push({ plans: scanPlans(leaf, read, joined, context), leaf });
    }
  }
  if (parts.length === 0) return filterPlan(unitPlan(), conditions, context);
  context.notePlanned(parts.length);
  const left = conditions.filter((condition) => !settled.has(condition));
  return new JoinOrder(parts, left, read, goal, context).plan();
}

/** A part of a group that is no pattern. */
function partOf(node: Algebra, wanted: Names, goal: number | null, context: PlanContext): JoinPart {
  if (node.kind === 'instances') return typeScanPart(node, context);
  if (node.kind === 'service') return servicePart(node, goal);
  if (node.kind === 'members') return membersPart(node, goal, context);
  if (node.kind === 'closure') return closurePart(node, wanted, context);
  return compoundPart(node, wanted, context);
}

/** Variables that two parts of a group have in common. */
function sharedVariables(inputs: readonly Algebra[]): Set<string> {
  const once = new Set<string>();
  const shared = new Set<string>();
  const parts = inputs.flatMap((input): Iterable<string>[] =>
    input.kind === 'patterns' ? input.patterns.map(patternVariables) : [scopeOf(input).variables],
  );
  for (const part of parts) {
    for (const name of part) (once.has(name) ? shared : once).add(name);
  }
  return shared;
}

function planExtend(node: NodeOf<'extend'>, wanted: Names, goal: number | null, context: PlanContext): Plan {
  const planned = planAlgebra(node.input, withVariables(wanted, [node.expression]), goal, context);
  const { plan: input, expression } = markExists(planned, node.expression, context);
  return extendPlan(input, node.variable, expression, scopeOf(node).certain.has(node.variable));
}

function planAggregate(node: NodeOf<'group'>, context: PlanContext): Plan {
  const scope = scopeOf(node.input).variables;
  const counted = node.aggregates.flatMap(({ expression }) => (expression === null ? [] : [expression]));
  const wholeRows = node.aggregates.some(({ distinct, expression }) => distinct && expression === null);
  const wanted = withVariables(new Set([...node.keys, ...(wholeRows ? scope : [])]), counted);
  const missing = node.keys.filter((key) => !scope.has(key));
  // Each value counts once, or the least or greatest of them alone.
  const isSet = node.aggregates.every(({ distinct, function: made }) => distinct || made === 'min' || made === 'max');
  const grouped = isSet ? existential(node.input, wanted, context) : node.input;
  const planned = orderForDistincts(planAlgebra(grouped, wanted, null, context), node.aggregates, node.keys, context);
  let input = missing.length === 0 ? planned : projectPlan(planned, [...planned.facts.variables, ...missing]);
  const marked = node.aggregates.map((aggregate) => {
    if (aggregate.expression === null) return aggregate;
    const { plan, expression } = markExists(input, aggregate.expression, context);
    input = plan;
    return { ...aggregate, expression };
  });
  const { facts } = input;
  const aggregates = context.allows('adjacent-distincts') ? markAdjacent(marked, node.keys, input) : marked;
  const leading = new Set(facts.order.slice(0, node.keys.length));
  const sorted = context.allows('sorted-groups') && node.keys.length > 0 && node.keys.every((key) => leading.has(key));
  const rows = node.keys.length === 0 ? 1 : distinctRows(facts, node.keys);
  const cost = facts.cost + facts.rows * HASH_ROW_COST;
  const variables = [...node.keys, ...node.aggregates.map((aggregate) => aggregate.variable)];
  const order = sorted ? facts.order.slice(0, node.keys.length) : [];
  const action = { kind: 'aggregate', keys: node.keys, aggregates, sorted } as const;
  return planOver(input, action, { variables, certain: scopeOf(node).certain, order, rows, startup: cost, cost });
}

function planSort(node: NodeOf<'sort'>, wanted: Names, context: PlanContext): Plan {
  const expressions = node.keys.map((key) => key.expression);
  let input = planAlgebra(node.input, withVariables(wanted, expressions), null, context);
  const keys = node.keys.map((key) => {
    const marked = markExists(input, key.expression, context);
    input = marked.plan;
    return { ...key, expression: marked.expression };
  });
  const { facts } = input;
  const rows = node.limit === null ? facts.rows : Math.min(facts.rows, node.limit);
  const cost = facts.cost + facts.rows * SORT_ROW_COST;
  return planOver(input, { kind: 'sort', keys, limit: node.limit }, { order: [], rows, startup: cost, cost });
}

function planDistinct(node: NodeOf<'distinct'>, goal: number | null, context: PlanContext): Plan {
  const { variables } = scopeOf(node);
  const planned = planAlgebra(existential(node.input, variables, context), variables, goal, context);
  const input = bestOrder(planned, [planned.facts.variables], context);
  const { facts } = input;
  const adjacent = context.allows('adjacent-distincts') && areAdjacent(facts.order, facts.variables);
  const rows = distinctRows(facts, facts.variables);
  return planOver(input, { kind: 'distinct', adjacent }, { rows, cost: facts.cost + facts.rows * HASH_ROW_COST });
}

function planSlice(node: NodeOf<'slice'>, wanted: Names, context: PlanContext): Plan {
  if (node.per !== undefined) return slicedGraphsPlan(node, node.per, wanted, context);
  const end = node.limit === null ? null : node.offset + node.limit;
  const input = planAlgebra(node.input, wanted, end, context);
  const left = Math.max(0, input.facts.rows - node.offset);
  const rows = node.limit === null ? left : Math.min(left, node.limit);
  return planOver(input, { kind: 'slice', offset: node.offset, limit: node.limit }, { rows });
}

function withVariables(names: Names, expressions: readonly Expression[]): Set<string> {
  const all = new Set(names);
  for (const expression of expressions) collectVariables(expression, all);
  return all;
}
