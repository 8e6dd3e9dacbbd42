/**
 * Plans for SERVICE: alone, for everything that the endpoint has to say, or behind rows that bind some of
 * its variables, which is what a request should be narrowed by. Requests are far dearer than local work,
 * so the endpoint is asked as late as the group allows.
 */

import type { NodeOf } from '../../algebra/algebra.js';
import { scopeOf } from '../../algebra/scope.js';
import type { ServiceSpec, ServiceVariable } from '../../execute/rows/service.js';
import { parseQuery } from '../../parse/parse.js';
import { distinctOf, leafPlan, type Plan, planOver, unionOf } from '../../physical/plan.js';
import { connected, type JoinPart, sharedKeys } from './joins.js';

type Service = NodeOf<'service'>;

/** Nanoseconds of a request, and rows that a remote pattern has in all or for one row of the input: guesses. */
const REQUEST_COST = 50_000_000;
const WHOLE_ROWS = 100_000;
const WHOLE_COST = 20 * REQUEST_COST;
const ROWS_PER_BINDING = 1;
const JOIN_COST = 100;

export function servicePart(node: Service, goal: number | null): JoinPart {
  const alone = servicePlan(node);
  return {
    plans: [alone],
    leaf: null,
    joinTo: (input) => (connected(input.facts, alone.facts) ? boundPlan(input, alone, node, goal) : null),
  };
}

export function servicePlan(node: Service): Plan {
  const variables = variablesOf(node);
  const certain = variables.filter((variable) => variable.certain && !node.silent);
  return leafPlan({ kind: 'service', spec: specOf(node, variables, null, 0) }, node.variables, {
    certain: new Set(certain.map(({ variable }) => variable)),
    rows: WHOLE_ROWS,
    startup: WHOLE_COST,
    cost: WHOLE_COST,
  });
}

function boundPlan(input: Plan, { facts: alone }: Plan, node: Service, goal: number | null): Plan {
  const variables = variablesOf(node);
  const answered = variables.filter(({ certain }) => certain).map(({ variable }) => variable);
  const keys = sharedKeys(input.facts, { ...alone, certain: new Set(answered) });
  const { facts } = input;
  const rows = Math.max(1, facts.rows * ROWS_PER_BINDING);
  const bound = node.variables.filter((name) => facts.variables.includes(name));
  const distinct = bound.reduce((product, name) => product * distinctOf(facts, name), 1);
  const combinations = goal === null ? Math.min(facts.rows, distinct) : 0;
  return planOver(
    input,
    { kind: 'service', spec: specOf(node, variables, keys, combinations) },
    {
      variables: unionOf(facts.variables, node.variables),
      certain: new Set([...facts.certain, ...alone.certain]),
      order: [],
      rows,
      startup: facts.cost + REQUEST_COST,
      cost: facts.cost + REQUEST_COST + rows * JOIN_COST,
    },
  );
}

function specOf(
  { endpoint, silent, query }: Service,
  variables: readonly ServiceVariable[],
  keys: ServiceSpec['keys'],
  combinations: number,
): ServiceSpec {
  return { endpoint, silent, query, variables, keys, combinations };
}

/** A variable that a subquery hides here has its own name there. */
function variablesOf({ variables, query }: Service): ServiceVariable[] {
  const always = certainIn(query);
  return variables.map((variable) => {
    const name = variable.replace(/~\d+$/, '');
    return { variable, name, certain: always.has(name) };
  });
}

/** What every solution binds, as far as this engine understands the pattern. */
function certainIn(query: string): ReadonlySet<string> {
  try {
    return scopeOf(parseQuery(query).algebra).certain;
  } catch {
    return new Set();
  }
}
