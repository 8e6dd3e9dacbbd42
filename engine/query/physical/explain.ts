/** What the planner chose and believed and, after a run, what happened: the plan as an object. */

import type { RequestWork, Traced } from '../runtime/operator.js';
import { operatorOf, type Plan } from './plan.js';

/** What an operator did. Sums over its runs, where it was opened more than once. */
export interface ActualWork {
  readonly rows: number;
  readonly batches: number;
  readonly calls: number;
  readonly runs: number;
  /** Read to its end; false where a LIMIT, or the other side of a join, needed no more. */
  readonly complete: boolean;
  /** With the inputs. */
  readonly timeMs: number;
  /** Without them. */
  readonly ownTimeMs: number;
  readonly blocksRead: number;
  /** Of what may be done by several threads: how many had part, at most. */
  readonly threads?: number;
  /** Of SERVICE: how often it asked, and its first requests. */
  readonly requestsMade?: number;
  readonly requests?: readonly RequestWork[];
}

export interface ExplainNode {
  readonly operator: string;
  readonly detail: string;
  readonly estimatedRows: number;
  readonly estimatedCost: number;
  readonly variables: readonly string[];
  /** Variables whose ids the rows come sorted by. */
  readonly order: readonly string[];
  /** Null before a run, and where the run never came here. */
  readonly actual: ActualWork | null;
  readonly inputs: readonly ExplainNode[];
}

export function explainPlan(plan: Plan, operator: Traced | null): ExplainNode {
  const { facts, action } = plan;
  const definition = operatorOf(plan);
  const inputs = plan.inputs.map((input, at) => explainPlan(input, operator?.traces[at] ?? null));
  return {
    operator: definition.explainedAs ?? action.kind,
    detail: definition.detail(plan),
    estimatedRows: Math.round(facts.rows),
    estimatedCost: Math.round(facts.cost),
    variables: facts.variables,
    order: facts.order,
    actual: operator === null ? null : actualWork(operator, inputs),
    inputs,
  };
}

function actualWork({ statistics }: Traced, inputs: readonly ExplainNode[]): ActualWork {
  const below = inputs.reduce((sum, { actual }) => sum + (actual?.timeMs ?? 0), 0);
  return { ...statistics, ownTimeMs: Math.max(0, statistics.timeMs - below) };
}
