/** What a caller can say about one query. */

import { SvcError } from '../base/errors.js';
import type { CancelFlag } from '../base/interrupt.js';
import type { Instant, TxId } from '../storage/ids/layout.js';
import { CURRENT, type TimeSlice } from '../storage/seam/scan.js';
import type { DatasetClause } from './algebra/algebra.js';
import type { ClassHierarchies } from './inference/hierarchy.js';
import type { Parameters } from './parameters/bind.js';
import type { PlanCache } from './plan/cache/plan-cache.js';
import type { ServiceEndpoint } from './service/endpoints.js';

export interface QueryOptions {
  /** Facts that were valid at this instant. */
  readonly validAt?: Instant | undefined;
  /** Facts as the store knew them after this transaction. */
  readonly tx?: TxId | undefined;
  /** IRI of the default graph instead of ROOT; FROM in the text beats it. An unknown one is empty. */
  readonly graph?: string | undefined;
  /**
   * IRIs of the graphs of the default graph, and of the named graphs: where either list has an entry, the two are the
   * dataset of the query, whatever its text says (SPARQL 1.1 Protocol, 2.1.4).
   */
  readonly defaultGraphs?: readonly string[] | undefined;
  readonly namedGraphs?: readonly string[] | undefined;
  readonly baseIri?: string | undefined;
  /** search.query_timeout_ms; absent = no deadline. */
  readonly timeoutMs?: number | undefined;
  /** The setting behind `timeoutMs`, when it is another. */
  readonly timeoutSetting?: string | undefined;
  readonly signal?: AbortSignal | undefined;
  /** Another thread stops the query by it. */
  readonly flag?: CancelFlag | undefined;
  /** How much of `timeoutMs` is gone before the query begins. */
  readonly waitedMs?: number | undefined;
  /** query.memory_budget_mb in bytes. */
  readonly memoryBudgetBytes?: number | undefined;
  /** Where queries put what does not fit into memory; default the system's folder for temporary files. */
  readonly spillDirectory?: string | undefined;
  /** query.spill_max_mb in bytes. */
  readonly spillBytesMax?: number | undefined;
  /** search.max_join_rows: what a join may give; absent = no ceiling. */
  readonly joinRowsMax?: number | undefined;
  /** Names of rewrites and planner choices to switch off. */
  readonly disabledRewrites?: readonly string[] | undefined;
  /**
   * Subclass inference: in ROOT, `?s a <C>` includes instances of subclasses. False: asserted types only,
   * and the answer says what was withheld. Absent: the same without a word.
   */
  readonly inference?: boolean | undefined;
  /** What NOW() says instead of the clock. */
  readonly now?: Date | undefined;
  /** Terms for variables of the text, by name without the question mark. */
  readonly parameters?: Parameters | undefined;
  /** Endpoints that SERVICE may ask; absent = none. */
  readonly serviceEndpoints?: readonly ServiceEndpoint[] | undefined;
  /** query.named_graph_paths: `refuse` makes a property path inside GRAPH an error. */
  readonly namedGraphPaths?: 'evaluate' | 'refuse' | undefined;
  /** What the caller remembers of class hierarchies, for one store; absent = nothing. */
  readonly hierarchies?: ClassHierarchies | undefined;
  /** What the caller remembers of plans, for one store; absent = nothing. */
  readonly plans?: PlanCache | undefined;
}

/** Default of query.memory_budget_mb. */
export const MEMORY_BUDGET_BYTES = 1024 * 2 ** 20;

/** In seconds since 1970. */
export function nowOf({ now }: QueryOptions): number | undefined {
  if (now === undefined) return undefined;
  if (now instanceof Date && !Number.isNaN(now.getTime())) return now.getTime() / 1000;
  throw new SvcError('invalid_request', 'now: expected a valid Date');
}

/** The dataset that the options describe; null where they leave it to the text. */
export function datasetOf({ defaultGraphs = [], namedGraphs = [] }: QueryOptions): DatasetClause | null {
  return defaultGraphs.length === 0 && namedGraphs.length === 0 ? null : { defaultGraphs, namedGraphs };
}

/** A transaction that is not there yet can't be asked about: its answer would change once it is there. */
export function refuseFutureTx(tx: number | undefined, latest: TxId): void {
  if (tx === undefined || tx <= latest) return;
  throw new SvcError('invalid_request', `there is no transaction ${tx} yet: the latest is ${latest}`, {
    hint: 'leave the transaction out to ask about the present',
  });
}

export function timeSliceOf({ validAt, tx }: QueryOptions): TimeSlice {
  if (validAt === undefined) return tx === undefined ? CURRENT : { kind: 'asOf', tx };
  return tx === undefined ? { kind: 'validAt', validAt } : { kind: 'asOfValidAt', tx, validAt };
}
