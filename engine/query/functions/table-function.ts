/**
 * Functions of the store that give rows: graph algorithms and searches. A query calls one by
 * `SERVICE <urn:svc:GROUP:NAME> { [] <urn:svc:GROUP:ARGUMENT> value ; <urn:svc:GROUP:RESULT> ?variable }` (ruling R67). Nothing leaves the
 * store: a call reads the graphs that the pattern stands in, at the time of the query. Who opens a store brings the functions; the
 * engine knows none.
 */

import type { Stop } from '../../base/control.js';
import { SvcError } from '../../base/errors.js';
import type { Term } from '../../rdf/terms.js';
import type { GraphSet, IdColumn, StorageSnapshot, TimeSlice } from '../../storage/seam/scan.js';

const PREFIX = 'urn:svc:';

/** True for the name of a function, known or not. */
export function isTableFunction(iri: string): boolean {
  return iri.startsWith(PREFIX);
}

/**
 * What the names of arguments and results of a function begin with: `urn:svc:algo:` of `urn:svc:algo:pagerank`, and of one that is
 * alone in its group, such as `urn:svc:search`, its own name.
 */
export function argumentPrefix(iri: string): string {
  const at = iri.lastIndexOf(':') + 1;
  return at === PREFIX.length ? `${iri}:` : iri.slice(0, at);
}

/** The terms that a call gives, by the names of the arguments. */
export type FunctionArguments = ReadonlyMap<string, readonly Term[]>;

/** One result of a call, a value a row. */
export type FunctionColumn =
  /** Ids of the snapshot. */
  | { readonly kind: 'ids'; readonly ids: IdColumn }
  | { readonly kind: 'doubles'; readonly values: Float64Array }
  | { readonly kind: 'integers'; readonly values: ArrayLike<number> }
  /** Of each row the place of its term. */
  | { readonly kind: 'terms'; readonly terms: readonly Term[]; readonly places: ArrayLike<number> };

export interface FunctionRows {
  readonly rows: number;
  /** Of each result that was asked for its column. */
  readonly columns: ReadonlyMap<string, FunctionColumn>;
}

export interface FunctionCall {
  readonly snapshot: StorageSnapshot;
  /** Null = an empty graph. */
  readonly graphs: GraphSet | null;
  readonly time: TimeSlice;
  readonly args: FunctionArguments;
  /** Names of the results that are wanted. */
  readonly results: readonly string[];
  readonly memoryBytes: number;
  /** What stops the query, and the end of its operator. */
  readonly control: Stop;
}

export interface TableFunction {
  /** Names of what it takes, and of what it gives. */
  readonly takes: readonly string[];
  readonly gives: readonly string[];
  /** Throws `invalid_request` for arguments that make no sense; before anything runs. */
  check(args: FunctionArguments): void;
  /** Throws what a query may: `aborted`, `query_timeout`, `query_complexity`. */
  run(call: FunctionCall): Promise<FunctionRows>;
}

export interface TableFunctions {
  /** IRIs of all. */
  readonly names: readonly string[];
  find(iri: string): TableFunction | null;
}

/** Throws `invalid_request` where there is no such function, or none at all. */
export function tableFunction(iri: string, functions: TableFunctions | undefined): TableFunction {
  const known = functions?.find(iri) ?? null;
  if (known !== null) return known;
  const names = functions?.names ?? [];
  throw new SvcError('invalid_request', `SERVICE <${iri}>: there is no such function here`, {
    hint:
      names.length === 0
        ? 'an update has no functions: ask by a query, and write what it answers'
        : `there are ${names.map((name) => `<${name}>`).join(', ')}`,
  });
}
