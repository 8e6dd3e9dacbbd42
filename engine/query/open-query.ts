/**
 * A query to running operators: the plan for a snapshot, and what one run has for itself (terms, memory,
 * deadline, endpoints).
 */

import { Interrupt } from '../base/interrupt.js';
import { ANYONE } from '../base/principal.js';
import { useThreadMemory } from '../kernels/thread-memory.js';
import { booleanValue, literalOf } from '../rdf/values/index.js';
import type { TermId } from '../storage/ids/layout.js';
import { CURRENT, type StorageSnapshot } from '../storage/seam/scan.js';
import type { ParsedQuery } from './algebra/algebra.js';
import type { MarkIds } from './execute/join/apply.js';
import { Execution } from './execution.js';
import { nowOf, type QueryOptions } from './options.js';
import { asTooDeep } from './parse/guard.js';
import { openPlan, type Plan } from './physical/plan.js';
import { projectPlan } from './plan/build/columns.js';

import { distribute } from './plan/build/distribute.js';
import { existential } from './plan/build/existential.js';
import { constructPlan, describePlan } from './plan/build/graph-forms.js';
import { PlanTerms, TrackedSnapshot } from './plan/cache/dependencies.js';
import { bufferBytes, type Planned } from './plan/cache/planned.js';
import { PlanContext } from './plan/context/context.js';
import { QueryDataset } from './plan/context/dataset.js';
import { runPasses } from './plan/passes/passes.js';
import { planAlgebra } from './plan/planner.js';
import { MEMORY_BUDGET_BYTES, NO_BUDGET, QUERY_THREADS, type ReadBudget, WHOLE_SCOPE } from './read-context.js';
import { askReadGates } from './read-gate.js';
import { GraphBooks } from './registry/graph-book.js';
import { MemoryBudget } from './runtime/memory.js';
import { morselLimits } from './runtime/morsels/morsel-run.js';
import type { Operator } from './runtime/operator.js';
import { MemoryPool } from './runtime/process-memory.js';
import { ServiceClient } from './service/client.js';
import { tellGraphs } from './tell-graphs.js';
import { QueryScope } from './terms/query-scope.js';
import { QueryTerms } from './terms/terms.js';

export interface OpenedQuery {
  readonly plan: Plan;
  readonly root: Operator;
  readonly terms: QueryTerms;
  readonly execution: Execution;
  readonly budget: MemoryBudget;
}

/** One run of a query: what it has for itself before there is a plan. */
interface Run {
  readonly snapshot: StorageSnapshot;
  readonly options: QueryOptions;
  readonly budget: MemoryBudget;
  readonly interrupt: Interrupt;
  readonly terms: QueryTerms;
  readonly books: GraphBooks;
}

/** Plans a query and opens it; `keep` is given what can be opened again. */
export function openQuery(
  query: ParsedQuery,
  snapshot: StorageSnapshot,
  options: QueryOptions,
  keep?: (planned: Planned) => void,
): OpenedQuery {
  return inRun(snapshot, options, (run) => {
    const planned = planQuery(query, run);
    keep?.(planned);
    return openIn(run, planned);
  });
}

/** Opens what was planned before. */
export function openPlanned(planned: Planned, snapshot: StorageSnapshot, options: QueryOptions): OpenedQuery {
  return inRun(snapshot, options, (run) => openIn(run, planned));
}

function inRun(snapshot: StorageSnapshot, options: QueryOptions, open: (run: Run) => OpenedQuery): OpenedQuery {
  const { budget, interrupt, terms } = beginRun(snapshot, options);
  try {
    return open({ snapshot, options, budget, interrupt, terms, books: options.books ?? new GraphBooks() });
  } catch (error) {
    budget.close();
    throw asTooDeep(error);
  }
}

/** What evaluates expressions needs; whoever begins it closes the budget. */
export function beginRun(
  snapshot: StorageSnapshot,
  options: QueryOptions,
): { readonly budget: MemoryBudget; readonly interrupt: Interrupt; readonly terms: QueryTerms } {
  const budget = budgetOf(options.budget ?? NO_BUDGET);
  budget.whenClosed(useThreadMemory());
  try {
    const interrupt = new Interrupt('the query', options);
    const terms = new QueryTerms(snapshot, budget, new QueryScope({ now: nowOf(options) }));
    // Plans of many parts and expressions over few but heavy rows look at the deadline themselves.
    terms.scope.watch(() => interrupt.check());
    return { budget, interrupt, terms };
  } catch (error) {
    budget.close();
    throw error;
  }
}

function planQuery(query: ParsedQuery, { snapshot, options, terms, interrupt, books }: Run): Planned {
  const tracked = new TrackedSnapshot(snapshot);
  const planTerms = new PlanTerms(tracked, terms);
  const { scope = WHOLE_SCOPE, time = CURRENT } = options;
  const dataset = new QueryDataset(tracked, { clause: query.dataset, scope, time, books });
  const disabled = new Set(options.disabledRewrites);
  const check = () => interrupt.check();
  const { functions } = options;
  const context = new PlanContext(tracked, dataset, planTerms, time, disabled, planAlgebra, check, functions);
  const goal = query.form === 'ask' ? 1 : null;
  const { members } = options;
  const asked = query.form === 'ask' ? existential(query.algebra, new Set(), context) : query.algebra;
  const algebra = members === undefined ? asked : distribute(asked, members, context);
  const solutions = planAlgebra(algebra, new Set(query.variables), goal, context);
  const formed = planForm(query, solutions, context);
  check();
  const plan = runPasses(formed, context);
  return {
    form: query.form,
    variables: query.variables,
    plan,
    reads: dataset.reads,
    touched: query.touched ?? null,
    dataset: query.dataset,
    bufferBytes: bufferBytes(plan),
    dependencies: planTerms.local ? null : tracked.dependencies,
  };
}

function openIn({ snapshot, options, budget, interrupt, terms, books }: Run, planned: Planned): OpenedQuery {
  const { plan } = planned;
  const { gates = [], principal = ANYONE, time = CURRENT } = options;
  askReadGates(gates, { principal, time, graphs: planned.reads, snapshot });
  // Of a federated join they were told before the others were asked.
  if (options.members === undefined) tellGraphs(planned.touched, planned.dataset, snapshot, books, options);
  const service = new ServiceClient(options.serviceEndpoints ?? []);
  budget.take(planned.bufferBytes);
  const { joinRowsMax = Number.POSITIVE_INFINITY, threads = QUERY_THREADS } = options.budget ?? NO_BUDGET;
  const calls = { functions: options.functions, options, waits: service.waits };
  const shared = {
    snapshot,
    terms,
    budget,
    service,
    members: options.members,
    calls,
    joinRowsMax,
    morsels: morselLimits(threads),
  };
  const root = openPlan(plan, { ...shared, slots: new Map(), marks: markIds(terms) });
  return { plan, root, terms, execution: new Execution(root, interrupt, service.waits, budget), budget };
}

function budgetOf({ memoryBytes, spillDirectory, spillBytesMax }: ReadBudget): MemoryBudget {
  const limitBytes = memoryBytes ?? MEMORY_BUDGET_BYTES;
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
