/**
 * The way of a query: text → algebra (`parse`) → rewrites (`rewrites`) → plan (`plan`) → operators over
 * batches (`operators`) → an answer whose terms are decoded when they are looked at. What SPARQL has
 * and this engine does not evaluate yet is refused by name, before anything runs.
 *
 * An answer reads from its snapshot until it has been read to the end, closed, or has failed; the
 * snapshot stays the caller's to close.
 */

import type { IdColumn, StorageSnapshot } from '../storage/scan.js';
import type { ParsedQuery, QueryForm } from './algebra/algebra.js';
import type { Execution } from './execution.js';
import { explainPlan } from './explain.js';
import { keepPlan, keptPlan } from './kept-plans.js';
import { type OpenedQuery, openPlanned, openQuery } from './open-query.js';
import type { QueryOptions } from './options.js';
import { variablesOfQuery } from './parameters/bind.js';
import { guardTime } from './parse/guard.js';
import { parseQuery } from './parse/parse.js';
import { type Resolved, resolveQuery } from './resolve.js';
import { quadsOf } from './results/quads.js';
import type { FormResult, ResultBatch, ResultRow } from './results/result.js';
import { rewriteQuery } from './rewrites/index.js';
import type { QueryTerms } from './terms.js';

export type { ExplainNode } from './explain.js';
export { type ExplainOptions, explain } from './explain-query.js';
export type { Explanation } from './explanation.js';
export type { InferenceReport, TypeReport } from './inference/infer-classes.js';
export type { QueryOptions } from './options.js';
export type { Parameters, ParameterValue } from './parameters/bind.js';
export type { AskResult, GraphResult, ResultBatch, ResultRow, SelectResult } from './results/result.js';
export { PLAN_CHOICES, REWRITES } from './rewrites/index.js';
export type { ServiceEndpoint } from './service/endpoints.js';

export type QueryResult = FormResult & {
  /** What subclass inference did or withheld; null where it has nothing to say. */
  readonly inference?: Resolved['inference'];
  /** Gives up what the answer holds, whether its reading has begun or not. */
  close(): void;
};

export interface PreparedQuery {
  readonly form: QueryForm;
  /** In the order of the projection; of CONSTRUCT and DESCRIBE what they read; empty for ASK. */
  readonly variables: readonly string[];
  /** Variables that the text mentions: any may be a parameter. */
  readonly mentioned: readonly string[];
  execute(snapshot: StorageSnapshot, options?: QueryOptions): Promise<QueryResult>;
}

/** Parses the text; what depends on the store waits for the snapshot. */
export function prepareQuery(text: string, options: QueryOptions = {}): PreparedQuery {
  guardTime(text, options);
  const parsed = parseQuery(text, { baseIri: options.baseIri });
  const query = rewriteQuery(parsed, new Set(options.disabledRewrites));
  return {
    form: query.form,
    variables: query.variables,
    get mentioned() {
      return [...variablesOfQuery(parsed)];
    },
    async execute(snapshot, more = {}) {
      const all = { ...options, ...more };
      return (await runKept(text, snapshot, all)) ?? (await runFresh({ text, parsed, query }, snapshot, all));
    },
  };
}

/** A text on its way to a plan. */
interface Question {
  readonly text: string;
  readonly parsed: ParsedQuery;
  /** What the rewrites make of it as it stands; null = nobody has looked yet. */
  readonly query: ParsedQuery | null;
}

/** With the plan that is kept for the text; null where there is none. */
async function runKept(text: string, snapshot: StorageSnapshot, options: QueryOptions): Promise<QueryResult | null> {
  const kept = await keptPlan(text, snapshot, options);
  if (kept === null) return null;
  const { planned, inference } = kept;
  return { ...(await answer(planned, openPlanned(planned, snapshot, options))), inference };
}

async function runFresh(question: Question, snapshot: StorageSnapshot, options: QueryOptions): Promise<QueryResult> {
  const { text, parsed } = question;
  const resolved = await resolveQuery(parsed, question.query, snapshot, options);
  const opened = openQuery(resolved.query, snapshot, resolved.options, (planned) =>
    keepPlan({ text, parsed, resolved, planned }, snapshot, options),
  );
  return { ...(await answer(resolved.query, opened)), inference: resolved.inference };
}

/** Runs a query that was made rather than written: the pattern of an update. */
export async function executeParsed(
  parsed: ParsedQuery,
  snapshot: StorageSnapshot,
  options: QueryOptions,
): Promise<QueryResult> {
  const query = rewriteQuery(parsed, new Set(options.disabledRewrites));
  return answer(query, openQuery(query, snapshot, options));
}

export async function executeQuery(
  snapshot: StorageSnapshot,
  text: string,
  options: QueryOptions = {},
): Promise<QueryResult> {
  const kept = await runKept(text, snapshot, options);
  if (kept !== null) return kept;
  const began = performance.now();
  guardTime(text, options);
  const parsed = parseQuery(text, { baseIri: options.baseIri });
  const waitedMs = (options.waitedMs ?? 0) + performance.now() - began;
  return runFresh({ text, parsed, query: null }, snapshot, { ...options, waitedMs });
}

async function answer(
  query: { readonly form: QueryForm; readonly variables: readonly string[] },
  opened: OpenedQuery,
): Promise<QueryResult> {
  const { execution } = opened;
  const profile = () => explainPlan(opened.plan, opened.root);
  const reading = { busy: false };
  const batches = resultBatches(execution, opened.terms, reading);
  const close = () => {
    // A generator that has not begun closes nothing by itself, one that waits does so later.
    if (!reading.busy) execution.close();
    // It fails where the reading has failed, and who reads is told.
    batches.return().catch(() => undefined);
  };
  if (query.form === 'ask') {
    // A batch is never empty, so the first one answers; leaving the loop closes the operators.
    for await (const batch of batches) return { kind: 'ask', value: batch.rows > 0, close, profile };
    return { kind: 'ask', value: false, close, profile };
  }
  if (query.form !== 'select') return { kind: 'graph', batches, quads: () => quadsOf(batches), close, profile };
  return { kind: 'select', variables: query.variables, batches, rows: () => resultRows(batches), close, profile };
}

async function* resultBatches(
  execution: Execution,
  terms: QueryTerms,
  reading: { busy: boolean },
): AsyncGenerator<ResultBatch, void, undefined> {
  reading.busy = true;
  for await (const { rows, columns } of execution.batches()) {
    reading.busy = false;
    yield {
      rows,
      columns,
      terms: (column) => terms.decode(columns[column] as IdColumn, rows),
      decode: (ids, count) => terms.decode(ids, count),
      stored: (ids, count, take) => terms.stored(ids, count, take),
    };
    reading.busy = true;
  }
}

async function* resultRows(batches: AsyncIterable<ResultBatch>): AsyncGenerator<ResultRow, void, undefined> {
  for await (const batch of batches) {
    const columns = batch.columns.map((_, column) => batch.terms(column));
    for (let row = 0; row < batch.rows; row++) yield columns.map((terms) => terms[row]);
  }
}
