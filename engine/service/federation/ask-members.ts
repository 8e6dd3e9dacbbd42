/**
 * A query to this store and every remote member: what may not be asked is refused first, in the order of what it costs;
 * then the query begins here, and only then anything leaves.
 */

import { setMaxListeners } from 'node:events';
import { type Deadline, leftMs } from '../../base/interrupt.js';
import type { LabelFloors } from '../../graphs/labels/floors.js';
import { touchedGraphs } from '../../query/algebra/touched-graphs.js';
import { parseQuery } from '../../query/parse/parse.js';
import { MEMORY_BUDGET_BYTES, type ReadBudget } from '../../query/read-context.js';
import { MemoryBudget } from '../../query/runtime/memory.js';
import { MemoryPool } from '../../query/runtime/process-memory.js';
import type { OperationAnswer } from '../requests/operation-answer.js';
import { refuseBelow, refuseOtherForms } from './admission.js';
import { FederatedAnswer } from './federated-answer.js';
import { MemberCall, type OnMember } from './member-call.js';
import type { Member } from './members.js';

export interface FederatedQuery {
  readonly text: string;
  readonly members: readonly Member[];
  readonly floors: LabelFloors | undefined;
  readonly deadline: Deadline | undefined;
  readonly budget: ReadBudget;
  /** Rows of all members together. */
  readonly rowsMax: number;
  readonly ignoredFields: readonly string[];
  readonly signal: AbortSignal | undefined;
  readonly onMember: OnMember | undefined;
  /** Asks this store; settles when its answer begins. */
  local(): Promise<OperationAnswer>;
}

export async function askMembers(query: FederatedQuery): Promise<FederatedAnswer> {
  const { text, members, floors, deadline, budget, rowsMax, ignoredFields, signal, onMember } = query;
  // Without a base: each member has an address of its own that it would resolve relative IRIs by.
  const parsed = parseQuery(text, {});
  refuseOtherForms(parsed);
  const { variables } = parsed;
  if (floors !== undefined) for (const member of members) refuseBelow(member, floors);
  const local = await query.local();
  const memoryBytes = budget.memoryBytes ?? MEMORY_BUDGET_BYTES;
  const memory = new MemoryBudget(memoryBytes, { pool: new MemoryPool(memoryBytes) });
  const stop = new AbortController();
  setMaxListeners(0, stop.signal);
  const onAbort = (): void => stop.abort(signal?.reason);
  signal?.addEventListener('abort', onAbort, { once: true });
  if (signal?.aborted) onAbort();
  const left = deadline === undefined ? undefined : leftMs(deadline);
  const question = { text, variables, rowsMax, memory, leftMs: left, signal: stop.signal };
  return new FederatedAnswer({
    local,
    calls: members.map((member) => new MemberCall(member, question, onMember)),
    variables,
    undeclared: touchedGraphs(parsed).endpoints.length,
    rowsMax,
    ignoredFields,
    memory,
    signal,
    abort: () => {
      signal?.removeEventListener('abort', onAbort);
      stop.abort();
    },
  });
}
