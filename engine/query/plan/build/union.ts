/** UNION, and groups that are evaluated for one graph at a time. */

import type { Algebra, NodeOf } from '../../algebra/algebra.js';
import { substituteVariables } from '../../algebra/rename.js';
import { scopeOf } from '../../algebra/scope.js';
import { distinctOf, type Plan, planOver, unboundShare } from '../../physical/plan.js';
import type { PlanContext } from '../context/context.js';
import { acrossGraphs } from './across-graphs.js';
import { emptyPlan } from './small-plans.js';
import { isWorthAnotherPlan } from './worth.js';

type Names = ReadonlySet<string>;

/** Nanoseconds a row. */
const SLICED_ROW_COST = 10;

export function unionPlan(node: NodeOf<'union'>, wanted: Names, goal: number | null, context: PlanContext): Plan {
  return concatenation(
    node,
    node.inputs.map((input) => context.plan(input, wanted, goal)),
  );
}

export function eachGraphPlan(node: NodeOf<'eachGraph'>, wanted: Names, context: PlanContext): Plan {
  const { variable } = node;
  const graphs = context.dataset.existing({ kind: 'variable', name: variable });
  const across = graphs.length > 1 && context.allows('across-graphs') ? acrossGraphs(node) : null;
  const together = across === null ? null : context.plan(across, new Set([...wanted, variable]), null);
  if (together !== null && (context.hurried || !isWorthAnotherPlan(node, together.facts, context, graphs.length - 1)))
    return together;
  const inputs = graphs.map((graph) => {
    const term = context.terms.termOf(graph);
    const inner = substituteVariables(node.input, new Map([[variable, term]]));
    const named: Algebra = { kind: 'values', variables: [variable], rows: [[term]] };
    return context.plan({ kind: 'join', inputs: [named, inner] }, new Set([...wanted, variable]), null);
  });
  if (inputs.length === 0) return emptyPlan([...scopeOf(node).variables]);
  const apart = concatenation(node, inputs);
  return together !== null && together.facts.cost < apart.facts.cost ? together : apart;
}

/** LIMIT and OFFSET in each graph by itself. */
export function slicedGraphsPlan(node: NodeOf<'slice'>, per: string, wanted: Names, context: PlanContext): Plan {
  const input = context.plan(node.input, new Set([...wanted, per]), null);
  const values = context.dataset.existing({ kind: 'variable', name: per }).length;
  const { offset, limit } = node;
  const rows = limit === null ? input.facts.rows : Math.min(input.facts.rows, limit * values);
  const cost = input.facts.cost + input.facts.rows * SLICED_ROW_COST;
  return planOver(input, { kind: 'slice', offset, limit, per: { variable: per, values } }, { rows, cost });
}

function concatenation(node: Algebra, inputs: readonly Plan[]): Plan {
  const used = new Set(inputs.flatMap((input) => input.facts.variables));
  const variables = [...scopeOf(node).variables].filter((name) => used.has(name));
  if (inputs.length === 1 && inputs[0]?.facts.variables.join() === variables.join()) return inputs[0];
  const sum = (of: (plan: Plan) => number): number => inputs.reduce((total, plan) => total + of(plan), 0);
  // Nothing binds whatever it is asked for; a plan of no rows by an estimate may have some.
  const certain = variables.filter((name) => inputs.every(({ facts }) => facts.certain.has(name)));
  const rows = sum((plan) => plan.facts.rows);
  const unbound = variables
    .filter((name) => !certain.includes(name))
    .map((name) => [name, sum(({ facts }) => facts.rows * unboundShare(facts, name)) / Math.max(1, rows)] as const);
  return {
    action: { kind: 'union' },
    inputs,
    facts: {
      variables,
      certain: new Set(certain),
      order: [],
      rows,
      startup: inputs[0]?.facts.startup ?? 0,
      cost: sum((plan) => plan.facts.cost),
      distinct: new Map(
        variables.map((name) => [
          name,
          sum((plan) => (plan.facts.variables.includes(name) ? distinctOf(plan.facts, name) : 1)),
        ]),
      ),
      unbound: new Map(unbound),
      ...(unbound.length === 0 ? {} : { alternatives: inputs.flatMap(({ facts }) => facts.alternatives ?? [facts]) }),
    },
  };
}
