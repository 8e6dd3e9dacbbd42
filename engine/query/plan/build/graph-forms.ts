/** Plans of the forms whose answer is a graph: CONSTRUCT and DESCRIBE above the plan of their solutions. */

import type { ParsedQuery, QuadPattern } from '../../algebra/algebra.js';
import { templateColumns } from '../../execute/rows/template.js';
import type { Plan, PlanFacts } from '../../physical/plan.js';
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
  const filled: Plan = { action: { kind: 'template', template }, inputs: [input], facts };
  return { action: { kind: 'distinct' }, inputs: [filled], facts };
}

export function describePlan(solutions: Plan, query: ParsedQuery, context: PlanContext): Plan {
  const { described } = query;
  const resources = described.length * Math.max(1, solutions.facts.rows);
  const facts = graphFacts(solutions, ['s', 'p', 'o'], resources * TRIPLES_DESCRIBED, resources * DESCRIBE_COST);
  const spec = { described, graphs: context.dataset.graphsOf(null), time: context.time };
  return { action: { kind: 'describe', spec }, inputs: [solutions], facts };
}

/** True when all solutions give the same triples. */
function isConstant(template: readonly QuadPattern[]): boolean {
  return template.every((pattern) =>
    [pattern.s, pattern.p, pattern.o, pattern.g].every(
      (term) => term === null || (term.kind === 'term' && /^(NamedNode|Literal)$/.test(term.term.termType)),
    ),
  );
}

function firstRow(input: Plan): Plan {
  const facts = { ...input.facts, rows: Math.min(1, input.facts.rows) };
  return { action: { kind: 'slice', offset: 0, limit: 1 }, inputs: [input], facts };
}

function graphFacts(input: Plan, variables: readonly string[], rows: number, cost: number): PlanFacts {
  return {
    variables,
    certain: new Set(variables.filter((name) => name !== 'g')),
    order: [],
    rows,
    startup: input.facts.startup,
    cost: input.facts.cost + cost,
    distinct: new Map(),
  };
}
