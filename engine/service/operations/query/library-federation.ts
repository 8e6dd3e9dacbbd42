/** Federated queries of the library. Light: what answers them is loaded with the first. */

import { SvcError } from '../../../base/errors.js';
import { optionsOf, refuseUnknown } from '../../options/refuse-unknown.js';
import type { OperationContext } from '../definition/operation.js';
import type { FederatedResult, FederationMember, FederationOptions } from './federation-options.js';

const KNOWN_OPTIONS = optionsOf<FederationOptions>()('members how limit timeoutMs floors serviceEndpoints signal');
const KNOWN_OF_MEMBER = optionsOf<FederationMember>()('name url authToken timeoutMs labels');

/** Asks a SELECT of an open store and of the members, or over the facts of all of them. */
export async function askFederation(
  store: OperationContext['store'],
  text: string,
  options: FederationOptions,
): Promise<FederatedResult> {
  refuseUnknown(options, KNOWN_OPTIONS, 'option of askFederation');
  const { members, how = 'union' } = options;
  if (!Array.isArray(members)) throw new SvcError('invalid_request', 'members: expected a list of members');
  for (const member of members) refuseUnknown(member, KNOWN_OF_MEMBER, 'key of a member');
  if (how !== 'union' && how !== 'join') {
    throw new SvcError('invalid_request', `how: expected 'union' or 'join', not ${JSON.stringify(how)}`);
  }
  const { askMembersOf } = await import('./ask-federation.js');
  return askMembersOf(store, text, options);
}
