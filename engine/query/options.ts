/** What a caller can say about one query. */

import type { CancelFlag } from '../base/interrupt.js';
import type { Instant, TxId } from '../storage/ids/layout.js';
import { CURRENT, type TimeSlice } from '../storage/scan.js';

export interface QueryOptions {
  /** Facts that were valid at this instant. */
  readonly validAt?: Instant | undefined;
  /** Facts as the store knew them after this transaction. */
  readonly tx?: TxId | undefined;
  /** IRI of the default graph instead of ROOT; FROM in the text beats it. An unknown one is empty. */
  readonly graph?: string | undefined;
  readonly baseIri?: string | undefined;
  /** search.query_timeout_ms; absent = no deadline. */
  readonly timeoutMs?: number | undefined;
  readonly signal?: AbortSignal | undefined;
  /** Another thread stops the query by it. */
  readonly flag?: CancelFlag | undefined;
  /** How much of `timeoutMs` is gone before the query begins. */
  readonly waitedMs?: number | undefined;
  /** query.memory_budget_mb in bytes. */
  readonly memoryBudgetBytes?: number | undefined;
  /** Names of rewrites and planner choices to switch off. */
  readonly disabledRewrites?: readonly string[] | undefined;
  /**
   * Subclass inference (`?s a <C>` includes instances of subclasses). It is not evaluated yet:
   * answers hold asserted types only, whatever is said here.
   */
  readonly inference?: boolean | undefined;
}

/** Default of query.memory_budget_mb. */
export const MEMORY_BUDGET_BYTES = 1024 * 2 ** 20;

export function timeSliceOf({ validAt, tx }: QueryOptions): TimeSlice {
  if (validAt === undefined) return tx === undefined ? CURRENT : { kind: 'asOf', tx };
  return tx === undefined ? { kind: 'validAt', validAt } : { kind: 'asOfValidAt', tx, validAt };
}
