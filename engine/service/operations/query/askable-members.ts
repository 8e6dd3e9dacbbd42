/** The members of a federation that a request may ask: a token of the operator is no right of whoever may read some graphs only. */

import { SvcError } from '../../../base/errors.js';
import { type Member, remoteMembers } from '../../federation/members.js';
import type { OperationContext } from '../definition/operation.js';
import { WITH_TOKEN } from './query-options.js';

export function askableMembers({ configuration, read }: OperationContext): readonly Member[] {
  const members = remoteMembers(configuration);
  const closed = members.find(({ authToken }) => authToken !== undefined);
  if (read.principal.readable !== null && closed !== undefined) {
    throw new SvcError('authority_denied', `the remote '${closed.name}' can not be asked: ${WITH_TOKEN}`);
  }
  return members;
}
