/**
 * A query to running operators: the plan for a snapshot, and what one run has for itself (terms, memory,
 * deadline, endpoints).
 */

import { booleanValue, literalOf } from '../rdf/values/index.js';
import type { TermId } from '../storage/ids/layout.js';
import type { StorageSnapshot } from '../storage/scan.js';
import type { ParsedQuery } from './algebra/algebra.js';
import { Execution, queryInterrupt } from './execution.js';
import { QueryScope } from './expressions/query-scope.js';
import type { MarkIds } from './operators/apply.js';
import { batchRowsFor } from './operators/batch.js';
import { MemoryBudget } from './operators/memory.js';
import type { Operator } from './operators/operator.js';
import { OuterSlots } from './operators/outer.js';
import { MEMORY_BUDGET_BYTES, nowOf, type QueryOptions, timeSliceOf } from './options.js';
import { asTooDeep } from './parse/guard.js';
import { PlanContext } from './plan/context.js';
import { QueryDataset } from './plan/dataset.js';
import { constructPlan, describePlan } from './plan/graph-plans.js';
import { openPlan } from './plan/open.js';
import type { Plan, PlanAction } from './plan/plan.js';
import { planAlgebra } from './plan/planner.js';
import { projectPlan } from './plan/project.js';
import { looseScans } from './plan/unordered.js';
import { dropUnread } from './plan/unread.js';
import { MemoryPool } from './process-memory.js';
import { ServiceClient } from './service/client.js';
import { QueryTerms } from './terms.js';

export interface OpenedQuery {
  readonly plan: Plan;
  readonly root: Operator;
  readonly terms: QueryTerms;
  readonly execution: Execution;
  readonly budget: MemoryBudget;
}

export function openQuery(query: ParsedQuery, snapshot: StorageSnapshot, options: QueryOptions): OpenedQuery {
  const budget = budgetOf(options);
  try {
    return openWithin(budget, query, snapshot, options);
  } catch (error) {
    budget.close();
    throw asTooDeep(error);
  }
}

function openWithin(
  budget: MemoryBudget,
  query: ParsedQuery,
  snapshot: StorageSnapshot,
  options: QueryOptions,
): OpenedQuery {
  const interrupt = queryInterrupt(options);
  const terms = new QueryTerms(snapshot, budget, new QueryScope({ now: nowOf(options) }));
  // Plans of many parts and expressions over few but heavy rows look at the deadline themselves.
  terms.scope.watch(() => interrupt.check());
  const dataset = new QueryDataset(snapshot, query.dataset, options.graph);
  const disabled = new Set(options.disabledRewrites);
  const context = new PlanContext(snapshot, dataset, terms, timeSliceOf(options), disabled, planAlgebra);
  const goal = query.form === 'ask' ? 1 : null;
  const planned = planAlgebra(query.algebra, new Set(query.variables), goal, context);
  const whole = planForm(query, planned, context);
  const service = new ServiceClient(options.serviceEndpoints ?? []);
  const plan = dropUnread(context.allows('unordered-scans') ? looseScans(whole) : whole);
  budget.take(bufferBytes(plan));
  const root = openPlan(plan, { snapshot, terms, budget, service, slots: new OuterSlots(), marks: markIds(terms) });
  return { plan, root, terms, execution: new Execution(root, interrupt, service.waits, budget), budget };
}

/** What the batches of usual plans take is not worth counting. */
const UNCOUNTED_BUFFER_BYTES = 8 * 2 ** 20;

/** Operators that hand on columns of their input, or that have no more than a column of their own. */
const WITHOUT_BATCH: ReadonlySet<PlanAction['kind']> = new Set([
  'extend',
  'project',
  'slice',
  'rows',
  'union',
  'outer',
]);

/** The batches that operators fill: one each, roughly. */
function bufferBytes(plan: Plan): number {
  let bytes = 0;
  const waiting = [plan];
  for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
    const width = next.facts.variables.length;
    if (!WITHOUT_BATCH.has(next.action.kind)) bytes += 8 * width * batchRowsFor(width);
    for (const input of next.inputs) waiting.push(input);
  }
  return Math.max(0, bytes - UNCOUNTED_BUFFER_BYTES);
}

function budgetOf({ memoryBudgetBytes, spillDirectory, spillBytesMax }: QueryOptions): MemoryBudget {
  const limitBytes = memoryBudgetBytes ?? MEMORY_BUDGET_BYTES;
  const spill = { directory: spillDirectory, limitBytes: spillBytesMax };
  return new MemoryBudget(limitBytes, { pool: new MemoryPool(limitBytes), spill });
}

function markIds(terms: QueryTerms): MarkIds {
  const [yes, no] = [true, false].map((value) => terms.encode(literalOf(booleanValue(value)))) as [TermId, TermId];
  return { yes, no };
}

/** What the form makes of the solutions. */
function planForm(query: ParsedQuery, planned: Plan, context: PlanContext): Plan {
  if (query.form === 'ask') return planned;
  const solutions = projectPlan(planned, query.variables);
  if (query.form === 'select') return solutions;
  return query.form === 'construct'
    ? constructPlan(solutions, query.template)
    : describePlan(solutions, query, context);
}
