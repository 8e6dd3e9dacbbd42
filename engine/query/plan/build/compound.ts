/**
 * Parts of a group that are more than patterns: UNION, OPTIONAL, MINUS, subqueries, BIND. They are read as a whole, or run for
 * the rows that are joined with them, when those are few: what is selective beside such a part reaches into it.
 */

import type { Algebra } from '../../algebra/algebra.js';
import { expressionsOf } from '../../algebra/algebra.js';
import { isVolatile } from '../../algebra/expression.js';
import { someNode } from '../../algebra/mentioned.js';
import { scopeOf } from '../../algebra/scope.js';
import type { Plan } from '../../physical/plan.js';
import type { PlanContext } from '../context/context.js';
import { projectPlan } from './columns.js';
import { applyPlan, joinOuter, outerRows } from './correlated-input.js';
import { type JoinPart, joinFacts, sharedKeys } from './joins.js';
import { isWorthAnotherPlan } from './worth.js';

/** What a row costs at least that is looked up inside. */
const INNER_ROW_COST_MIN = 500;
/** Inputs of about as many rows get one plan. */
const ROWS_STEP = 8;
/** Plans of one part; where there are more inputs, those that bind the same share one. */
const INNER_PLANS_MAX = 6;

export function compoundPart(node: Algebra, wanted: ReadonlySet<string>, context: PlanContext): JoinPart {
  const whole = context.planPart(node, wanted, null);
  if (!context.allows('row-by-row') || !isWorthAnotherPlan(node, whole.facts, context) || !takesRows(node)) {
    return { plans: [whole], leaf: null };
  }
  const inner: InnerPlans = { byInput: new Map(), byNames: new Map(), made: 0 };
  return {
    plans: [whole],
    leaf: null,
    joinTo: (input) => joinedFor(input, whole, node, wanted, inner, context),
    ...(context.allows('hash-joins') ? { inputRowsMax: whole.facts.cost / INNER_ROW_COST_MIN } : {}),
  };
}

interface Inner {
  readonly plan: Plan;
  readonly outer: ReturnType<typeof outerRows>;
  readonly added: readonly string[];
  /** Of the rows, where they may leave it unbound. */
  readonly completed: readonly string[];
}

/** Those of one part that there are. */
interface InnerPlans {
  readonly byInput: Map<string, Inner | null>;
  readonly byNames: Map<string, Inner>;
  made: number;
}

/** The rows can be put inside, and it gives the same each time it is asked. */
function takesRows(node: Algebra): boolean {
  if (!/^(union|leftJoin|minus|filter|extend|project|distinct|group|join)$/.test(node.kind)) return false;
  const draws = (part: Algebra): boolean =>
    part.kind === 'service' || part.kind === 'tableFunction' || expressionsOf(part).some(isVolatile);
  return !someNode(node, draws);
}

function joinedFor(
  input: Plan,
  whole: Plan,
  node: Algebra,
  wanted: ReadonlySet<string>,
  known: InnerPlans,
  context: PlanContext,
): Plan | null {
  const { certain, loose } = sharedKeys(input.facts, whole.facts);
  // In one sequence, whatever that of the input's columns is: what the search looked at is found again when it is built.
  const names = [...certain, ...loose].sort();
  if (names.length === 0) return null;
  const shared = names.map((name) => (input.facts.certain.has(name) ? name : `${name}?`)).join(' ');
  const key = `${shared} ${Math.ceil(Math.log(Math.max(1, input.facts.rows)) / Math.log(ROWS_STEP))}`;
  let inner = known.byInput.get(key);
  if (inner === undefined) {
    const { made } = known;
    const isMade = !context.hurried && made < INNER_PLANS_MAX && isWorthAnotherPlan(node, whole.facts, context, made);
    if (isMade) {
      inner = innerFor(input, names, node, wanted, context);
      known.made++;
      known.byNames.set(shared, inner);
    } else inner = known.byNames.get(shared) ?? null;
    known.byInput.set(key, inner);
  }
  if (inner === null) return null;
  const { plan, outer, added, completed } = inner;
  const joined = joinFacts(input.facts, whole.facts, []);
  const variables = [...input.facts.variables, ...added];
  const facts = { ...joined, variables, certain: new Set(variables.filter((name) => joined.certain.has(name))) };
  return applyPlan(input, plan, outer, { kind: 'join', label: node.kind, added, completed }, facts);
}

function innerFor(
  input: Plan,
  names: readonly string[],
  node: Algebra,
  wanted: ReadonlySet<string>,
  context: PlanContext,
): Inner {
  const outer = outerRows(input.facts, names, context);
  const added = [...scopeOf(node).variables].filter((name) => wanted.has(name) && !names.includes(name));
  const completed = names.filter((name) => !input.facts.certain.has(name));
  const shown = [outer.rowNumber, ...completed, ...added];
  const joined = joinOuter(node, outer);
  return { plan: projectPlan(context.planCompared(2, joined, new Set(shown), null), shown), outer, added, completed };
}
