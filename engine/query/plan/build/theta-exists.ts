/**
 * Patterns of EXISTS with filters that compare them with the row, such as
 * `NOT EXISTS { ?later :of ?sensor ; :time ?t2 FILTER(?t2 > ?t) }`. The patterns alone are put into a table, the filters are
 * tested on its rows and the row at hand; where one inequality compares one value of theirs, only the rows with the
 * least or greatest one of a key can tell. Equalities and inequalities between something of theirs and something of the row
 * tell by values in order which rows need be tested (`range-predicates.ts`).
 */

import { type Algebra, filtered } from '../../algebra/algebra.js';
import { conjunctsOf, type Expression, hasExists, MIRRORED } from '../../algebra/expression.js';
import { variablesOf } from '../../algebra/mentioned.js';
import { scopeOf } from '../../algebra/scope.js';
import { distinctRows, type Plan, planOver } from '../../physical/plan.js';
import { KEEP_ROW_COST } from '../context/costs.js';
import { projectPlan } from './columns.js';

export interface ComparedPattern {
  /** What stands without the row. */
  readonly own: Algebra;
  /** Conditions that read variables of the row which the pattern does not bind. */
  readonly compared: readonly Expression[];
}

/** Null when a filter reads what neither side surely tells. */
export function splitCompared(pattern: Algebra, outer: ReadonlySet<string>): ComparedPattern | null {
  const compared: Expression[] = [];
  const own: Expression[] = [];
  let input = pattern;
  for (; input.kind === 'filter'; input = input.input) {
    for (const condition of conjunctsOf(input.condition)) {
      const names = [...variablesOf(condition)];
      const scope = scopeOf(input.input);
      const readsRow = names.some((name) => outer.has(name) && !scope.certain.has(name));
      if (readsRow && (hasExists(condition) || !names.every((name) => isTold(name, scope, outer)))) return null;
      (readsRow ? compared : own).unshift(condition);
    }
  }
  return { own: compared.length === 0 ? pattern : filtered(input, own), compared };
}

/** One side binds the variable, or both do and are joined by it. */
function isTold(name: string, inner: ReturnType<typeof scopeOf>, outer: ReadonlySet<string>): boolean {
  return inner.variables.has(name) ? inner.certain.has(name) : outer.has(name);
}

/** The rows of the pattern that can make the conditions true. */
export function extremesOf(plan: Plan, keys: readonly string[], compared: readonly Expression[]): Plan {
  const { facts } = plan;
  const [only, ...others] = compared;
  const extreme = only === undefined || others.length > 0 ? null : extremeOf(only, facts.variables);
  if (extreme === null || keys.includes(extreme.value)) return plan;
  return planOver(
    projectPlan(plan, [...keys, extreme.value]),
    { kind: 'minMaxPrefilter', spec: { keys, ...extreme } },
    {
      order: [],
      rows: distinctRows(facts, keys),
      startup: facts.cost,
      cost: facts.cost + facts.rows * KEEP_ROW_COST,
    },
  );
}

/** `?value > …`, with variables of the row alone on the other side. */
function extremeOf(
  condition: Expression,
  variables: readonly string[],
): { readonly value: string; readonly greatest: boolean } | null {
  if (condition.kind !== 'call' || !/^[<>]=?$/.test(condition.operator)) return null;
  const [first, second] = condition.args as [Expression, Expression];
  const reads = (expression: Expression): boolean =>
    [...variablesOf(expression)].some((name) => variables.includes(name));
  if (first.kind === 'variable' && variables.includes(first.name) && !reads(second))
    return { value: first.name, greatest: condition.operator.startsWith('>') };
  if (second.kind === 'variable' && variables.includes(second.name) && !reads(first))
    return { value: second.name, greatest: (MIRRORED[condition.operator] as string).startsWith('>') };
  return null;
}
