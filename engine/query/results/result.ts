/** What a query answers, before it is a document: batches of ids whose terms are decoded when they are looked at. */

import type { Quad, Term } from '../../rdf/terms.js';
import type { IdColumn, StoredTerms } from '../../storage/seam/scan.js';
import type { ExplainNode } from '../physical/explain.js';

/** A batch of an answer; valid until the next one is asked for. */
export interface ResultBatch {
  readonly rows: number;
  /** One column of ids per variable; id 0 = unbound. */
  readonly columns: readonly IdColumn[];
  /** The terms of a column, each distinct id decoded once. */
  terms(column: number): (Term | undefined)[];
  /** The terms of the first `rows` of any ids of this answer, each distinct id decoded once. */
  decode(ids: IdColumn, rows: number): (Term | undefined)[];
  /** The stored bytes of distinct ids of the dictionary (see `StorageSnapshot.stored`). */
  stored(ids: IdColumn, count: number, take: (terms: StoredTerms) => void): void;
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

/** The answer of any form. */
export type FormResult = SelectResult | AskResult | GraphResult;
