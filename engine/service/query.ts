/**
 * Queries of the library: the query engine over a snapshot of its own, which is given back when the
 * answer has been read to its end, was left or closed, or failed.
 */

import type { CancelFlag } from '../base/interrupt.js';
import type { QueryResult } from '../query/query.js';
import type { ResultFormat } from '../query/results/formats.js';
import type { Quad, Term } from '../rdf/terms.js';
import type { StoreSnapshot } from './snapshot.js';
import { type TimeOptions, toTimeSlice } from './store-options.js';

export type { ResultFormat };

export interface QueryOptions extends TimeOptions {
  /** IRI of the graph that is read as the default graph; absent = ROOT. An unknown one is empty. */
  readonly graph?: string | undefined;
  readonly timeoutMs?: number | undefined;
  readonly memoryBudgetBytes?: number | undefined;
  readonly signal?: AbortSignal | undefined;
  /** Names of rewrites and planner choices to switch off, to compare answers. */
  readonly disabledRewrites?: readonly string[] | undefined;
  /** Internal: another thread stops the query by it. */
  readonly flag?: CancelFlag | undefined;
  /** Internal: how much of `timeoutMs` the query spent in a queue. */
  readonly waitedMs?: number | undefined;
}

/** A row of a SELECT: a term per variable, undefined where unbound. */
export type Row = readonly (Term | undefined)[];

/** An answer as a document: chunks of text, or of bytes for the binary formats. */
export type AnswerChunks = AsyncIterable<string | Uint8Array>;

/** A SELECT's rows can be read once: as rows, as bindings, or as a document. */
export interface SelectAnswer {
  readonly kind: 'select';
  readonly variables: readonly string[];
  rows(): AsyncIterable<Row>;
  /** Each row as an object; an unbound variable is absent. */
  bindings(): AsyncIterable<Readonly<Record<string, Term>>>;
  encode(format: ResultFormat): AnswerChunks;
  /** Gives the snapshot back when the rows will not be read. */
  close(): void;
}

export interface AskAnswer {
  readonly kind: 'ask';
  readonly value: boolean;
  encode(format: ResultFormat): AnswerChunks;
}

/** The graph of a CONSTRUCT or DESCRIBE: each triple once. It can be read once: as quads, or as a document. */
export interface GraphAnswer {
  readonly kind: 'graph';
  quads(): AsyncIterable<Quad>;
  encode(format: ResultFormat): AnswerChunks;
  /** Gives the snapshot back when the quads will not be read. */
  close(): void;
}

export type QueryAnswer = SelectAnswer | AskAnswer | GraphAnswer;

async function* closing<Item>(items: AsyncIterable<Item>, snapshot: StoreSnapshot): AsyncGenerator<Item> {
  try {
    yield* items;
  } finally {
    snapshot.close();
  }
}

async function* toBindings(variables: readonly string[], rows: AsyncIterable<Row>) {
  for await (const row of rows) {
    const bindings: Record<string, Term> = {};
    variables.forEach((variable, at) => {
      const term = row[at];
      if (term) bindings[variable] = term;
    });
    yield bindings;
  }
}

/**
 * Runs a query over a snapshot and takes care of the snapshot from then on. The engine is loaded
 * with the first query: what only writes or counts starts faster without it.
 */
export async function runQuery(snapshot: StoreSnapshot, text: string, options: QueryOptions): Promise<QueryAnswer> {
  let result: QueryResult;
  const [{ executeQuery }, { encodeResult }] = await Promise.all([
    import('../query/query.js'),
    import('../query/results/encode.js'),
  ]);
  try {
    const { validAt: _, ...rest } = options;
    const time = toTimeSlice(options);
    const validAt = 'validAt' in time ? time.validAt : undefined;
    result = await executeQuery(snapshot.storage, text, { ...rest, validAt });
  } catch (error) {
    snapshot.close();
    throw error;
  }
  const encode = (format: ResultFormat) => closing(encodeResult(result, format), snapshot);
  if (result.kind === 'ask') {
    snapshot.close();
    return { kind: 'ask', value: result.value, encode };
  }
  const close = (): void => snapshot.close();
  if (result.kind === 'graph') {
    const graph = result;
    return { kind: 'graph', quads: () => closing(graph.quads(), snapshot), encode, close };
  }
  const select = result;
  const rows = () => closing(select.rows(), snapshot);
  return {
    kind: 'select',
    variables: select.variables,
    rows,
    bindings: () => toBindings(select.variables, rows()),
    encode,
    close,
  };
}
