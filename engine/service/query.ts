/**
 * Queries of the library: the query engine over a snapshot of its own, which is given back when the
 * answer has been read, was closed, or failed.
 */

import type { QueryResult } from '../query/query.js';
import type { Term } from '../rdf/terms.js';
import type { StoreSnapshot } from './snapshot.js';
import { type TimeOptions, toInstant } from './store-options.js';

export type ResultFormat = 'table' | 'json' | 'csv' | 'tsv' | 'xml';

export interface QueryOptions extends TimeOptions {
  /** IRI of the graph that is read as the default graph; absent = ROOT. */
  readonly graph?: string | undefined;
  readonly timeoutMs?: number | undefined;
  readonly memoryBudgetBytes?: number | undefined;
  readonly signal?: AbortSignal | undefined;
}

/** A row of a SELECT: a term per variable, undefined where unbound. */
export type Row = readonly (Term | undefined)[];

/** A SELECT's rows can be read once, as rows, as bindings or as text. */
export interface SelectAnswer {
  readonly kind: 'select';
  readonly variables: readonly string[];
  rows(): AsyncIterable<Row>;
  bindings(): AsyncIterable<Readonly<Record<string, Term>>>;
  encode(format: ResultFormat): AsyncIterable<string>;
  /** Gives the snapshot back when the rows will not be read to their end. */
  close(): void;
}

export interface AskAnswer {
  readonly kind: 'ask';
  readonly value: boolean;
  encode(format: ResultFormat): AsyncIterable<string>;
}

export type QueryAnswer = SelectAnswer | AskAnswer;

/** Runs a query over a snapshot and takes care of the snapshot from then on. */
export async function runQuery(snapshot: StoreSnapshot, text: string, options: QueryOptions): Promise<QueryAnswer> {
  try {
    const { executeQuery } = await import('../query/query.js');
    const { validAt, ...rest } = options;
    const instant = validAt === undefined ? {} : { validAt: toInstant(validAt, true) };
    const result = await executeQuery(snapshot.storage, text, { ...rest, ...instant });
    return toAnswer(result, snapshot);
  } catch (error) {
    snapshot.close();
    throw error;
  }
}
