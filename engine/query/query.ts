/**
 * The way of a query: text → algebra (`parse`) → rewrites (`rewrites`) → plan (`plan`) → operators over
 * batches (`operators`) → an answer whose terms are decoded when they are looked at. What SPARQL has
 * and this engine does not evaluate yet is refused by name, before anything runs.
 *
 * An answer reads from its snapshot until it has been read to the end, closed, or has failed; the
 * snapshot stays the caller's to close.
 */

import type { Quad, Term } from '../rdf/terms.js';
import { booleanValue, literalOf } from '../rdf/values/index.js';
import type { TermId } from '../storage/ids/layout.js';
import type { IdColumn, StorageSnapshot } from '../storage/scan.js';
import type { ParsedQuery, QueryForm } from './algebra/algebra.js';
import { Execution } from './execution.js';
import { type ExplainNode, explainPlan, formatExplanation } from './explain.js';
import type { MarkIds } from './operators/apply.js';
import { MemoryBudget } from './operators/memory.js';
import type { Operator } from './operators/operator.js';
import { OuterSlots } from './operators/outer.js';
import type { Waits } from './operators/waits.js';
import { MEMORY_BUDGET_BYTES, type QueryOptions, timeSliceOf } from './options.js';
import { parseQuery } from './parse/parse.js';
import { PlanContext } from './plan/context.js';
import { QueryDataset } from './plan/dataset.js';
import { constructPlan, describePlan } from './plan/graph-plans.js';
import { openPlan } from './plan/open.js';
import type { Plan } from './plan/plan.js';
import { planAlgebra } from './plan/planner.js';
import { projectPlan } from './plan/project.js';
import { looseScans } from './plan/unordered.js';
import { type Resolved, resolveQuery } from './resolve.js';
import { quadsOf } from './results/quads.js';
import { rewriteQuery } from './rewrites/index.js';
import { ServiceClient } from './service/client.js';
import { QueryTerms } from './terms.js';

export type { ExplainNode } from './explain.js';
export type { InferenceReport } from './inference/infer-classes.js';
export type { QueryOptions } from './options.js';
export type { Parameters, ParameterValue } from './parameters/bind.js';
export { PLAN_CHOICES, REWRITES } from './rewrites/index.js';
export type { ServiceEndpoint } from './service/endpoints.js';

/** A batch of an answer; valid until the next one is asked for. */
export interface ResultBatch {
  readonly rows: number;
  /** One column of ids per variable; id 0 = unbound. */
  readonly columns: readonly IdColumn[];
  /** The terms of a column, each distinct id decoded once. */
  terms(column: number): (Term | undefined)[];
  /** The terms of the first `rows` of any ids of this answer, each distinct id decoded once. */
  decode(ids: IdColumn, rows: number): (Term | undefined)[];
}

export type ResultRow = readonly (Term | undefined)[];

export interface SelectResult {
  readonly kind: 'select';
  readonly variables: readonly string[];
  /** Can be read once, as batches or as rows. */
  readonly batches: AsyncIterable<ResultBatch>;
  rows(): AsyncIterable<ResultRow>;
  /** Estimates and, as far as the answer has been read, what happened. */
  profile(): ExplainNode;
}

export interface AskResult {
  readonly kind: 'ask';
  readonly value: boolean;
  profile(): ExplainNode;
}

/** The answer of CONSTRUCT and DESCRIBE: a set of triples, each once. */
export interface GraphResult {
  readonly kind: 'graph';
  /** Columns s, p, o, and g where the template names graphs. Can be read once, as batches or as quads. */
  readonly batches: AsyncIterable<ResultBatch>;
  quads(): AsyncIterable<Quad>;
  profile(): ExplainNode;
}

export type QueryResult = (SelectResult | AskResult | GraphResult) & {
  /** What subclass inference did or withheld; null where it has nothing to say. */
  readonly inference?: Resolved['inference'];
};

export interface PreparedQuery {
  readonly form: QueryForm;
  /** In the order of the projection; of CONSTRUCT and DESCRIBE what they read; empty for ASK. */
  readonly variables: readonly string[];
  execute(snapshot: StorageSnapshot, options?: QueryOptions): Promise<QueryResult>;
  explain(snapshot: StorageSnapshot, options?: ExplainOptions): Promise<Explanation>;
}

export interface ExplainOptions extends QueryOptions {
  /** Runs the query, so that the explanation holds what happened. */
  readonly analyze?: boolean | undefined;
}

export interface Explanation {
  readonly plan: ExplainNode;
  readonly text: string;
}

/** Parses and rewrites; the plan waits for the snapshot, whose statistics it needs. */
export function prepareQuery(text: string, options: QueryOptions = {}): PreparedQuery {
  const parsed = parseQuery(text, { baseIri: options.baseIri });
  const query = rewriteQuery(parsed, new Set(options.disabledRewrites));
  return {
    form: query.form,
    variables: query.variables,
    async execute(snapshot, more = {}) {
      const resolved = await resolveQuery(parsed, query, snapshot, { ...options, ...more });
      const result = await run(resolved.query, snapshot, resolved.options);
      return { ...result, inference: resolved.inference };
    },
    async explain(snapshot, more = {}) {
      const resolved = await resolveQuery(parsed, query, snapshot, { ...options, ...more });
      return explainQuery(resolved.query, snapshot, { ...more, ...resolved.options });
    },
  };
}

/** Runs a query that was made rather than written: the pattern of an update. */
export async function executeParsed(
  parsed: ParsedQuery,
  snapshot: StorageSnapshot,
  options: QueryOptions,
): Promise<QueryResult> {
  return run(rewriteQuery(parsed, new Set(options.disabledRewrites)), snapshot, options);
}

export async function executeQuery(
  snapshot: StorageSnapshot,
  text: string,
  options: QueryOptions = {},
): Promise<QueryResult> {
  return prepareQuery(text, options).execute(snapshot);
}

export async function explain(
  snapshot: StorageSnapshot,
  text: string,
  options: ExplainOptions = {},
): Promise<Explanation> {
  return prepareQuery(text, options).explain(snapshot, options);
}

interface Opened {
  readonly plan: Plan;
  readonly root: Operator;
  readonly terms: QueryTerms;
  readonly waits: Waits;
}

function open(query: ParsedQuery, snapshot: StorageSnapshot, options: QueryOptions): Opened {
  const budget = new MemoryBudget(options.memoryBudgetBytes ?? MEMORY_BUDGET_BYTES);
  const terms = new QueryTerms(snapshot, budget);
  const dataset = new QueryDataset(snapshot, query.dataset, options.graph);
  const disabled = new Set(options.disabledRewrites);
  const context = new PlanContext(snapshot, dataset, terms, timeSliceOf(options), disabled, planAlgebra);
  const goal = query.form === 'ask' ? 1 : null;
  const planned = planAlgebra(query.algebra, new Set(query.variables), goal, context);
  const whole = planForm(query, planned, context);
  const service = new ServiceClient(options.serviceEndpoints ?? []);
  const plan = context.allows('unordered-scans') ? looseScans(whole) : whole;
  return {
    plan,
    root: openPlan(plan, { snapshot, terms, budget, service, slots: new OuterSlots(), marks: markIds(terms) }),
    terms,
    waits: service.waits,
  };
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

async function run(query: ParsedQuery, snapshot: StorageSnapshot, options: QueryOptions): Promise<QueryResult> {
  const opened = open(query, snapshot, options);
  const execution = executionOf(opened, options);
  const profile = () => explainPlan(opened.plan, opened.root);
  if (query.form === 'ask') {
    // A batch is never empty, so the first one answers; leaving the loop closes the operators.
    for await (const batch of execution.batches()) return { kind: 'ask', value: batch.rows > 0, profile };
    return { kind: 'ask', value: false, profile };
  }
  const batches = resultBatches(execution, opened.terms);
  if (query.form !== 'select') return { kind: 'graph', batches, quads: () => quadsOf(batches), profile };
  return { kind: 'select', variables: query.variables, batches, rows: () => resultRows(batches), profile };
}

/** Expressions over few but heavy rows look at the deadline themselves. */
function executionOf({ root, waits, terms }: Opened, options: QueryOptions): Execution {
  const execution = new Execution(root, options, waits);
  terms.scope.watch(() => execution.check());
  return execution;
}

async function* resultBatches(execution: Execution, terms: QueryTerms): AsyncGenerator<ResultBatch, void, undefined> {
  for await (const { rows, columns } of execution.batches()) {
    const decode = (ids: IdColumn, count: number) => terms.decode(ids, count);
    yield { rows, columns, terms: (column) => decode(columns[column] as IdColumn, rows), decode };
  }
}

async function* resultRows(batches: AsyncIterable<ResultBatch>): AsyncGenerator<ResultRow, void, undefined> {
  for await (const batch of batches) {
    const columns = batch.columns.map((_, column) => batch.terms(column));
    for (let row = 0; row < batch.rows; row++) yield columns.map((terms) => terms[row]);
  }
}

async function explainQuery(
  query: ParsedQuery,
  snapshot: StorageSnapshot,
  options: ExplainOptions,
): Promise<Explanation> {
  const opened = open(query, snapshot, options);
  const { plan, root } = opened;
  let ran = false;
  if (options.analyze) {
    for await (const _ of executionOf(opened, options).batches()) if (query.form === 'ask') break;
    ran = true;
  }
  root.close();
  const node = explainPlan(plan, ran ? root : null);
  return { plan: node, text: formatExplanation(node) };
}
