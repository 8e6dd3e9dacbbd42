/** The query of a request that says `federated: true`, to every member; loaded with the first. */

import { SvcError } from '../../../base/errors.js';
import { askMembers } from '../../federation/ask-members.js';
import type { FederatedAnswer } from '../../federation/federated-answer.js';
import { remoteMembers } from '../../federation/members.js';
import type { OperationAnswer } from '../../requests/operation-answer.js';
import type { OperationContext } from '../definition/operation.js';
import { queryOf, WITH_TOKEN } from './query-options.js';
import type { ScopeRequest } from './query-scope.js';

type FederatedRequest = ScopeRequest & { readonly query: string; readonly limit?: number | undefined };

/** `local`: answers a request from this store alone. */
export function answerFederated(
  context: OperationContext,
  request: FederatedRequest,
  local: (request: object) => Promise<OperationAnswer>,
): Promise<FederatedAnswer> {
  const { configuration, read, control, representation, acceptable, ignoredFields = [], onMember } = context;
  if (representation !== 'body' && acceptable === undefined) {
    throw new SvcError(
      'invalid_request',
      `a federated answer tells of its members, which ${representation} can not hold`,
      {
        hint: 'ask for the JSON body: --json, or Accept: application/json',
      },
    );
  }
  const members = remoteMembers(configuration);
  const closed = members.find(({ authToken }) => authToken !== undefined);
  if (read.principal.readable !== null && closed !== undefined) {
    throw new SvcError('authority_denied', `the remote '${closed.name}' can not be asked: ${WITH_TOKEN}`);
  }
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
