/**
 * EXISTS and NOT EXISTS. As a condition of a filter they keep or drop rows; inside other expressions
 * their answer becomes a column, which the expression reads.
 */

import type { Algebra } from '../../algebra/algebra.js';
import { expressionsOf } from '../../algebra/algebra.js';
import {
  conjunctionOf,
  type ExistsExpression,
  type Expression,
  hasExists,
  mapOperands,
} from '../../algebra/expression.js';
import { injectOuter } from '../../algebra/inject.js';
import { collectPatternVariables, variablesOf } from '../../algebra/mentioned.js';
import { scopeOf } from '../../algebra/scope.js';
import type { ApplyKind } from '../../execute/join/apply.js';
import type { RangePredicates } from '../../execute/range-join/range-index.js';
import type { HashJoinKeys } from '../../execute/tables/build-table.js';
import { readBy } from '../../physical/physical-operator.js';
import { distinctOf, type Plan, type PlanFacts } from '../../physical/plan.js';
import type { PlanContext } from '../context/context.js';
import {
  FIND_PARTNERS_COST,
  HASH_PROBE_ROW_COST,
  hashCost,
  SORT_PARTNER_COST,
  TESTED_PAIR_COST,
  TOLD_PAIRS,
} from '../context/costs.js';
import { projectPlan } from './columns.js';
import { applyPlan, outerRows } from './correlated-input.js';
import { existential } from './existential.js';
import { sharedKeys } from './joins.js';
import { rangedSides } from './range-predicates.js';
import { extremesOf, splitCompared } from './theta-exists.js';
import { isWorthAnotherPlan } from './worth.js';

const SELECTIVITY = 0.5;
/** Plans of a group that the filter is put into, roughly. */
const PLACES = 4;

/** Keeps the rows for which the pattern has, or has no, solution. */
export function existsPlan(input: Plan, { pattern, negated }: ExistsExpression, context: PlanContext): Plan {
  const hashed = hashedExists(input, pattern, negated, context);
  if (hashed !== null) {
    const further = { ...hashed.facts, cost: hashed.facts.cost - input.facts.cost };
    if (!context.allows('row-by-row') || context.hurried || !isWorthAnotherPlan(pattern, further, context))
      return hashed;
  }
  const applied = appliedExists(input, pattern, negated ? 'anti' : 'semi', [], context);
  if (hashed === null) return applied;
  return hashed.facts.cost < applied.facts.cost ? hashed : applied;
}

/** The input with a column for each EXISTS in the expression, and the expression that reads those. */
export function markExists(
  input: Plan,
  expression: Expression,
  context: PlanContext,
): { readonly plan: Plan; readonly expression: Expression } {
  let plan = input;
  const replace = (part: Expression): Expression => {
    if (part.kind !== 'exists') return mapOperands(part, replace);
    const mark = `_:~exists${context.nextSlot()}`;
    plan = appliedExists(plan, part.pattern, 'mark', [mark], context);
    const found: Expression = { kind: 'variable', name: mark };
    return part.negated ? { kind: 'call', operator: '!', args: [found] } : found;
  };
  const replaced = hasExists(expression) ? replace(expression) : expression;
  return { plan, expression: replaced };
}

function appliedExists(
  input: Plan,
  pattern: Algebra,
  kind: ApplyKind,
  added: readonly string[],
  context: PlanContext,
): Plan {
  const mentioned = new Set<string>();
  collectPatternVariables(pattern, mentioned);
  const names = input.facts.variables.filter((name) => mentioned.has(name));
  const outer = outerRows(input.facts, names, context);
  const asked = existential(pattern, new Set(names), context);
  const algebra = names.length === 0 ? asked : injectOuter(asked, outer);
  const shown = names.length === 0 ? [] : [outer.rowNumber];
  const goal = names.length === 0 ? 1 : null;
  const inner = projectPlan(context.planCompared(context.hurried ? 1 : PLACES, algebra, new Set(shown), goal), shown);
  const { facts } = input;
  return applyPlan(
    input,
    inner,
    outer,
    { kind, label: kind === 'anti' ? 'NOT EXISTS' : 'EXISTS', added },
    {
      ...facts,
      variables: [...facts.variables, ...added],
      certain: added.length === 0 ? facts.certain : new Set([...facts.certain, ...added]),
      rows: kind === 'mark' ? facts.rows : Math.max(1, facts.rows * SELECTIVITY),
    },
  );
}

/** Null where joining is not the same as asking row by row, or nothing is shared or compared by which partners are found. */
function hashedExists(input: Plan, pattern: Algebra, negated: boolean, context: PlanContext): Plan | null {
  const { facts } = input;
  const split = splitCompared(pattern, new Set(facts.variables));
  if (split === null || (split.compared.length > 0 && !context.allows('compared-exists'))) return null;
  const { own, compared } = split;
  const scope = scopeOf(own);
  const shared = facts.variables.filter((name) => scope.variables.has(name));
  if (shared.length === 0 && compared.length === 0) return null;
  if (!isJoinable(own, new Set(facts.variables))) return null;
  const read = new Set([...shared, ...[...readBy(compared)].filter((name) => scope.variables.has(name))]);
  const told = existential(own, read, context);
  const planned = context.planCompared(context.hurried ? 1 : PLACES, told, read, null);
  const keys = sharedKeys(facts, planned.facts);
  if (keys.loose.length > 0) return null;
  const right = extremesOf(planned, keys.certain, compared);
  const label = negated ? 'NOT EXISTS' : 'EXISTS';
  const ranged = rangedSides(input, right, compared, context);
  if (ranged === null) {
    if (keys.certain.length === 0) return null;
    return semiJoin(input, right, { keys, compared, negated, label });
  }
  return semiJoin(ranged.left, ranged.right, { keys, compared, negated, label, range: ranged.range }, facts);
}

interface SemiJoin {
  readonly keys: HashJoinKeys;
  readonly compared: readonly Expression[];
  readonly negated: boolean;
  readonly label: string;
  readonly range?: RangePredicates;
}

/** `shown`: the facts of the rows that come out. */
export function semiJoin(
  left: Plan,
  right: Plan,
  { keys, compared, negated, label, range }: SemiJoin,
  shown: PlanFacts = left.facts,
): Plan {
  const { facts } = left;
  const sorting = range === undefined ? 0 : right.facts.rows * SORT_PARTNER_COST;
  const probe = HASH_PROBE_ROW_COST + (range === undefined ? 0 : FIND_PARTNERS_COST);
  const all = compared.length === 0 ? 0 : pairsOf(facts, right.facts, keys.certain);
  const { startup, cost } = hashCost(facts, right.facts, probe);
  const pairs = range === undefined ? all : Math.min(all, facts.rows * TOLD_PAIRS);
  return {
    action: {
      kind: 'hashSemiJoin',
      keys,
      condition: conjunctionOf(compared),
      ...(range === undefined ? {} : { range }),
      anti: negated,
      label,
    },
    inputs: [left, right],
    facts: {
      ...shown,
      rows: Math.max(1, facts.rows * SELECTIVITY),
      startup: startup + sorting,
      cost: cost + sorting + pairs * TESTED_PAIR_COST,
    },
  };
}

export function pairsOf(left: PlanFacts, right: PlanFacts, keys: readonly string[]): number {
  const distinct = keys.map((name) => Math.max(distinctOf(left, name), distinctOf(right, name)));
  return (left.rows * right.rows) / Math.max(1, ...distinct);
}

/** Patterns, joins and filters that see of the row only what the patterns bind as well. */
function isJoinable(node: Algebra, outer: ReadonlySet<string>): boolean {
  switch (node.kind) {
    case 'patterns':
    case 'closure':
      return true;
    case 'values':
      return node.rows.every((row) => row.every((term) => term !== null));
    case 'join':
      return node.inputs.every((input) => isJoinable(input, outer));
    case 'filter': {
      const { certain } = scopeOf(node.input);
      const own = expressionsOf(node).every(
        (expression) =>
          !hasExists(expression) && [...variablesOf(expression)].every((name) => !outer.has(name) || certain.has(name)),
      );
      return own && isJoinable(node.input, outer);
    }
    default:
      return false;
  }
}
