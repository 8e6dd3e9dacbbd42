/** Which identifier policy guards a share (semantics text 6.6, ruling R51): the one that is named, else the one beside the store. */

import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { SvcError } from '../../base/errors.js';
import { storeFolder } from '../../graphs/archives.js';
import { hasBlock, type IdentifierPolicy, POLICY_FILE, readIdentifierPolicy } from '../../share/identifier-policy.js';

/** Null where none is named and none stands beside the store; one that can't be read is an error. */
export function locatePolicy(storePath: string, named: string | undefined): IdentifierPolicy | null {
  if (named !== undefined) return readIdentifierPolicy(named);
  const folder = storeFolder(storePath);
  if (folder === null) return null;
  const path = join(folder, POLICY_FILE);
  return existsSync(path) ? readIdentifierPolicy(path) : null;
}

/** For what leaves by command: there has to be one, and it has to block something. */
export function requirePolicy(storePath: string, named: string | undefined): IdentifierPolicy {
  const policy = locatePolicy(storePath, named);
  if (policy === null) {
    throw new SvcError('identifier_policy', 'there is no identifier policy, so nothing is shared', {
      hint: `name one (--identifier-policy FILE, or share.identifier_policy), or put ${POLICY_FILE} beside the store file`,
    });
  }
  if (!hasBlock(policy)) {
    throw new SvcError(
      'identifier_policy',
      `the identifier policy ${policy.path} has no entry of tier "block", so nothing is shared`,
    );
  }
  return policy;
}
