/**
 * The way of a query: text → algebra (`parse`) → rewrites (`rewrites`) → plan (`plan`, made of the
 * operators that `physical` defines) → operators over batches (`execute`) → an answer whose terms are decoded when they are looked at. What SPARQL has
 * and this engine does not evaluate yet is refused by name, before anything runs.
 *
 * An answer reads from its snapshot until it has been read to the end, closed, or has failed; the
 * snapshot stays the caller's to close.
 */

import type { SvcError } from '../base/errors.js';
import type { Term } from '../rdf/terms.js';
import type { IdColumn, StorageSnapshot } from '../storage/seam/scan.js';
import type { ParsedQuery, QueryForm } from './algebra/algebra.js';
import type { Execution } from './execution.js';
import { type OpenedQuery, openPlanned, openQuery } from './open-query.js';
import { type QueryOptions, refuseFutureTx } from './options.js';
import { bindQueryParameters, variablesOfQuery } from './parameters/bind.js';
import { bindEach } from './parameters/each.js';
import { guardTime } from './parse/guard.js';
import { parseQuery } from './parse/parse.js';
import { type ExplainNode, explainPlan } from './physical/explain.js';
import { planFor } from './plan-lookup.js';
import { refuseUnknownFunctions, refuseUnknownNames, refuseUnknownScope } from './refusals.js';
import { type Resolved, resolveQuery } from './resolve.js';
import { quadsOf } from './results/lines.js';
import type { FormResult, ResultBatch, ResultRow } from './results/result.js';
import { rewriteQuery } from './rewrites/index.js';
import type { QueryTerms } from './terms/terms.js';

export { type ExplainOptions, explain } from './explain/explain-query.js';
export type { Explanation } from './explain/explanation.js';
export type { InferenceReport, TypeReport } from './inference/infer-classes.js';
export type { QueryOptions } from './options.js';
export type { Parameters, ParameterValue } from './parameters/bind.js';
export type { ExplainNode } from './physical/explain.js';
export { PLAN_CHOICES } from './plan/context/choices.js';
export type { AskResult, GraphResult, ResultBatch, ResultRow, SelectResult } from './results/result.js';
export { REWRITES } from './rewrites/index.js';
export type { ServiceEndpoint } from './service/endpoints.js';

export type QueryResult = FormResult & {
  readonly form: QueryForm;
  /** Rows or triples that were taken so far. */
  readonly rowsRead: number;
  /** What subclass inference did or withheld; null where it has nothing to say. */
  readonly inference?: Resolved['inference'];
  /** Gives up what the answer holds, whether its reading has begun or not; whoever reads on finds `failure`, or the end. */
  close(failure?: SvcError | null): void;
};

export interface PreparedQuery {
  readonly form: QueryForm;
  /** In the order of the projection; of CONSTRUCT and DESCRIBE what they read; empty for ASK. */
  readonly variables: readonly string[];
  /** Variables that the text mentions: any may be a parameter. */
  readonly mentioned: readonly string[];
  /** Throws what every execution would: a function is not known. */
  check(): void;
  execute(snapshot: StorageSnapshot, options?: QueryOptions): Promise<QueryResult>;
  /**
   * For each row of terms as if they were parameters of the names, in one go: the solutions of a SELECT with the names as
   * variables, or the rows for which an ASK is true. Null where the query has to be asked row by row; nothing was run then.
   */
  executeEach(
    snapshot: StorageSnapshot,
    names: readonly string[],
    rows: readonly (readonly Term[])[],
    options?: QueryOptions,
  ): Promise<QueryResult | null>;
}

/** Parses the text; what depends on the store waits for the snapshot. */
export function prepareQuery(text: string, options: QueryOptions = {}): PreparedQuery {
  guardTime(text, options);
  refuseUnknownNames(options.disabledRewrites ?? []);
  return prepareParsed(text, parseQuery(text, { baseIri: options.baseIri }), options);
}

/** The same for what is known of the text already; it is told from others by its text. */
export function prepareParsed(text: string, parsed: ParsedQuery, options: QueryOptions = {}): PreparedQuery {
  return {
    form: parsed.form,
    variables: parsed.variables,
    get mentioned() {
      return [...variablesOfQuery(parsed)];
    },
    check: () => refuseUnknownFunctions(parsed.algebra),
    execute: (snapshot, more = {}) => askText(text, parsed, snapshot, { ...options, ...more }),
    executeEach: (snapshot, names, rows, more = {}) =>
      askEach(parsed, { names, rows }, snapshot, { ...options, ...more }),
  };
}

/** `parsed`: what the text says, where that is known. */
async function askText(
  text: string,
  parsed: ParsedQuery | null,
  snapshot: StorageSnapshot,
  options: QueryOptions,
): Promise<QueryResult> {
  refuseFutureTx(options.time, snapshot.tx);
  refuseUnknownScope(snapshot, options);
  const prepared = await planFor(text, parsed, snapshot, options);
  if (prepared.kind === 'planned') {
    const { planned, inference } = prepared.kept;
    return answer(planned, inference, openPlanned(planned, snapshot, options));
  }
  const resolved = await resolveQuery(prepared.parsed, snapshot, prepared.options);
  const opened = openQuery(resolved.query, snapshot, prepared.options, (planned) => prepared.keep(planned, resolved));
  return answer(resolved.query, resolved.inference, opened);
}

interface TermRows {
  readonly names: readonly string[];
  readonly rows: readonly (readonly Term[])[];
}

async function askEach(
  parsed: ParsedQuery,
  { names, rows }: TermRows,
  snapshot: StorageSnapshot,
  { parameters = {}, ...options }: QueryOptions,
): Promise<QueryResult | null> {
  const each = bindEach(bindQueryParameters(parsed, parameters), names, rows);
  if (each === null) return null;
  const { query, inference } = await resolveQuery(each, snapshot, options);
  return answer(query, inference, openQuery(query, snapshot, options));
}

/** Runs a query that was made rather than written: the pattern of an update. */
export async function executeParsed(
  parsed: ParsedQuery,
  snapshot: StorageSnapshot,
  options: QueryOptions,
): Promise<QueryResult> {
  refuseUnknownNames(options.disabledRewrites ?? []);
  const query = rewriteQuery(parsed, new Set(options.disabledRewrites));
  // What an update computes goes into the store by its id, and its solutions are kept until all of them are there.
  const disabledRewrites = [...(options.disabledRewrites ?? []), 'query-local', 'transient-terms'];
  return answer(query, null, openQuery(query, snapshot, { ...options, disabledRewrites }));
}

export async function executeQuery(
  snapshot: StorageSnapshot,
  text: string,
  options: QueryOptions = {},
): Promise<QueryResult> {
  return askText(text, null, snapshot, options);
}

interface Reading {
  busy: boolean;
  rows: number;
}

/**
 * What every answer has. A class, because V8 gives each object literal with a getter a shape of its own that keeps
 * all it can reach until the next full collection: of small queries, that was most of the collector's work.
 */
class Running {
  constructor(
    readonly form: QueryForm,
    readonly inference: Resolved['inference'],
    private readonly opened: OpenedQuery,
    private readonly reader: AsyncGenerator<ResultBatch, void, undefined>,
    private readonly reading: Reading,
  ) {}

  get rowsRead(): number {
    return this.reading.rows;
  }

  close(failure: SvcError | null = null): void {
    if (failure !== null) {
      this.opened.execution.fail(failure);
      return;
    }
    // A generator that has not begun closes nothing by itself, one that waits does so later.
    if (!this.reading.busy) this.opened.execution.close();
    // It fails where the reading has failed, and who reads is told.
    this.reader.return().catch(() => undefined);
  }

  profile(): ExplainNode {
    return explainPlan(this.opened.plan, this.opened.root);
  }
}

async function answer(
  query: { readonly form: QueryForm; readonly variables: readonly string[] },
  inference: Resolved['inference'],
  opened: OpenedQuery,
): Promise<QueryResult> {
  const reading = { busy: false, rows: 0 };
  const batches = resultBatches(opened.execution, opened.terms, reading);
  const about = new Running(query.form, inference, opened, batches, reading);
  if (query.form === 'ask') {
    // A batch is never empty, so the first one answers; leaving the loop closes the operators.
    for await (const batch of batches) return Object.assign(about, { kind: 'ask' as const, value: batch.rows > 0 });
    return Object.assign(about, { kind: 'ask' as const, value: false });
  }
  if (query.form !== 'select') {
    return Object.assign(about, { kind: 'graph' as const, batches, quads: () => quadsOf(batches) });
  }
  const { variables } = query;
  return Object.assign(about, { kind: 'select' as const, variables, batches, rows: () => resultRows(batches) });
}

async function* resultBatches(
  execution: Execution,
  terms: QueryTerms,
  reading: Reading,
): AsyncGenerator<ResultBatch, void, undefined> {
  reading.busy = true;
  for await (const { rows, columns } of execution.batches()) {
    reading.busy = false;
    reading.rows += rows;
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
