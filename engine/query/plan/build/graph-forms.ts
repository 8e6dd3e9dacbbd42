/** Plans of the forms whose answer is a graph: CONSTRUCT and DESCRIBE above the plan of their solutions. */

import { type ParsedQuery, type QuadPattern, termsOf } from '../../algebra/algebra.js';
import { templateColumns } from '../../execute/rows/template.js';
import { type Plan, type PlanFacts, planOver } from '../../physical/plan.js';
import type { PlanContext } from '../context/context.js';

/** Nanoseconds a triple. */
const TRIPLE_COST = 100;
const DESCRIBE_COST = 50_000;
/** Triples of a description, as a rule of thumb. */
const TRIPLES_DESCRIBED = 10;

/** The triples of the template for each solution, each triple once: a graph is a set. */
export function constructPlan(solutions: Plan, template: readonly QuadPattern[]): Plan {
  const input = isConstant(template) ? firstRow(solutions) : solutions;
  const rows = input.facts.rows * template.length;
  const facts = graphFacts(input, templateColumns(template), rows, rows * TRIPLE_COST);
  return planOver(planOver(input, { kind: 'template', template }, facts), { kind: 'distinct' });
}

export function describePlan(solutions: Plan, query: ParsedQuery, context: PlanContext): Plan {
  const { described } = query;
  const resources = described.length * Math.max(1, solutions.facts.rows);
  const facts = graphFacts(solutions, ['s', 'p', 'o'], resources * TRIPLES_DESCRIBED, resources * DESCRIBE_COST);
  const spec = { described, graphs: context.dataset.graphsOf(null), time: context.time };
  return planOver(solutions, { kind: 'describe', spec }, facts);
}

/** True when all solutions give the same triples. */
function isConstant(template: readonly QuadPattern[]): boolean {
  return template.every((pattern) =>
    termsOf(pattern).every(
      (term) => term === null || (term.kind === 'term' && /^(NamedNode|Literal)$/.test(term.term.termType)),
    ),
  );
}

function firstRow(input: Plan): Plan {
  return planOver(input, { kind: 'slice', offset: 0, limit: 1 }, { rows: Math.min(1, input.facts.rows) });
}

function graphFacts(
  { facts }: Plan,
  variables: readonly string[],
  rows: number,
  cost: number,
): Omit<PlanFacts, 'startup'> {
  const certain = new Set(variables.filter((name) => name !== 'g'));
  return { variables, certain, order: [], rows, cost: facts.cost + cost, distinct: new Map() };
}
