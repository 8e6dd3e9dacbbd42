/** The options of a query in short: its graph, its times and its limits side by side. */

import { deadlineIn } from '../../engine/base/interrupt.js';
import type { QueryOptions } from '../../engine/query/query.js';
import type { ReadBudget } from '../../engine/query/read-context.js';
import type { TimeSlice } from '../../engine/storage/seam/scan.js';

export interface ShortOptions extends QueryOptions {
  readonly graph?: string | undefined;
  readonly namedGraphs?: readonly string[] | undefined;
  readonly tx?: number | undefined;
  readonly validAt?: number | undefined;
  readonly timeoutMs?: number | undefined;
  readonly memoryBudgetBytes?: number | undefined;
  readonly spillDirectory?: string | undefined;
  readonly joinRowsMax?: number | undefined;
}

function timeOf(tx: number | undefined, validAt: number | undefined): TimeSlice {
  if (tx === undefined) return validAt === undefined ? { kind: 'current' } : { kind: 'validAt', validAt };
  return validAt === undefined ? { kind: 'asOf', tx } : { kind: 'asOfValidAt', tx, validAt };
}

export function inFull(short: ShortOptions): QueryOptions {
  const { graph, namedGraphs, tx, validAt, timeoutMs, memoryBudgetBytes, spillDirectory, joinRowsMax, ...rest } = short;
  const budget: ReadBudget = { memoryBytes: memoryBudgetBytes, spillDirectory, joinRowsMax };
  const deadline = timeoutMs === undefined ? undefined : deadlineIn(timeoutMs, 'search.query_timeout_ms');
  return { scope: { graph, namedGraphs }, time: timeOf(tx, validAt), deadline, budget, ...rest };
}
