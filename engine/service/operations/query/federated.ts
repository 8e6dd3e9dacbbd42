/** The query of a request that says `federated: true`, to every member; loaded with the first. */

import { askMembers } from '../../federation/ask-members.js';
import type { FederatedAnswer } from '../../federation/federated-answer.js';
import type { OperationAnswer } from '../../requests/operation-answer.js';
import type { OperationContext } from '../definition/operation.js';
import { askableMembers } from './askable-members.js';
import { refuseOtherAnswers } from './joined.js';
import { queryOf } from './query-options.js';
import type { ScopeRequest } from './query-scope.js';

type FederatedRequest = ScopeRequest & { readonly query: string; readonly limit?: number | undefined };

/** `local`: answers a request from this store alone. */
export function answerFederated(
  context: OperationContext,
  request: FederatedRequest,
  local: (request: object) => Promise<OperationAnswer>,
): Promise<FederatedAnswer> {
  const { configuration, read, control, ignoredFields = [], onMember } = context;
  refuseOtherAnswers(context);
  const members = askableMembers(context);
  const { floors, deadline } = queryOf(context, request);
  const rowsMax = Math.min(request.limit ?? configuration.search.max_sparql_rows, configuration.search.max_sparql_rows);
  const { query: text, timeout_ms } = request;
  return askMembers({
    text,
    members,
    floors,
    deadline,
    budget: read.budget,
    rowsMax,
    ignoredFields,
    signal: control.signal,
    onMember,
    local: () => local({ query: text, verbose: true, limit: rowsMax, timeout_ms }),
  });
}
