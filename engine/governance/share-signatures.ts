/**
 * Who vouches for a share bundle. The signature stands beside the manifest and names its own key, so that it can be
 * checked by anybody; that the key is to be trusted is said here by a registration alone, which attests `share`.
 */

import { isSigned, shareMessage } from './signatures.js';
import type { SigningIdentity } from './signing-identity.js';
import type { VerifierRegistration } from './verifier-registrations.js';

/** What a registration attests whose verifier may vouch for bundles. */
export const ATTESTS_SHARES = 'share';

/** As `signature.json` has it. */
export interface AttachedSignature {
  readonly verifier: string;
  readonly public_key: string;
  readonly signature: string;
}

export interface ShareTrust {
  /** The signature is one of this share, by the key that it names. */
  readonly valid: boolean;
  /** A registration of the store gives the verifier this key. */
  readonly registered: boolean;
  /** It is valid, and a registration with this key attests `share`. */
  readonly trusted: boolean;
}

export function signShare(identity: SigningIdentity, shareId: string): AttachedSignature {
  const { verifier, publicKey } = identity;
  return { verifier, public_key: publicKey, signature: identity.sign(shareMessage(shareId, verifier)) };
}

/** A text that is no signature is not valid; it is never an error. */
export function checkShareSignature(
  shareId: string,
  { verifier, public_key: publicKey, signature }: AttachedSignature,
  registrations: readonly VerifierRegistration[],
): ShareTrust {
  const valid = !verifier.includes('|') && isSigned(shareMessage(shareId, verifier), signature, publicKey);
  const key = publicKey.toLowerCase();
  const own = registrations.filter(
    ({ verifiers, publicKeys }) => verifiers.includes(verifier) && publicKeys.includes(key),
  );
  return {
    valid,
    registered: own.length > 0,
    trusted: valid && own.some(({ attests }) => attests.includes(ATTESTS_SHARES)),
  };
}
