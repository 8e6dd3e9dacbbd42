/**
 * Signatures of ed25519 (semantics of reasoning, 5.6 to 5.9): which bytes are signed, and whether a signature is one of
 * them. A message is its fields with `|` between them, so a field that holds one is refused. Keys and signatures are hex.
 */

import { createPublicKey, type KeyObject, verify } from 'node:crypto';
import { SvcError, showValue } from '../base/errors.js';

const PUBLIC_KEY = /^[0-9a-f]{64}$/i;
const SIGNATURE = /^[0-9a-f]{128}$/i;

export interface VerdictFields {
  readonly predicate_id: string;
  readonly target_ref: string;
  readonly outcome: string;
  readonly evidence_hash: string;
  readonly tier: string;
  readonly verifier: string;
}

/** The signed bytes of a verdict, as text. */
export function verdictMessage(verdict: VerdictFields): string {
  const { predicate_id, target_ref, outcome, evidence_hash, tier, verifier } = verdict;
  return messageOf('v1', { predicate_id, target_ref, outcome, evidence_hash, tier, verifier });
}

/** Those of a person's decision. */
export function decisionMessage(evidenceHash: string, outcome: string, by: string): string {
  return messageOf('decision-v1', { evidence_hash: evidenceHash, outcome, by });
}

/** Those of who vouches for a share bundle. */
export function shareMessage(shareId: string, verifier: string): string {
  return messageOf('share-v1', { share_id: shareId, verifier });
}

function messageOf(kind: string, fields: Readonly<Record<string, string>>): string {
  for (const [name, value] of Object.entries(fields)) {
    if (!value.includes('|')) continue;
    throw new SvcError('invalid_request', `'${name}' is ${showValue(value)}; a field that is signed can't hold |`);
  }
  return [kind, ...Object.values(fields)].join('|');
}

/** Whether the signature is one of the message by the key; what is no key and no signature is not. */
export function isSigned(message: string, signature: string, publicKey: string): boolean {
  if (!SIGNATURE.test(signature) || !PUBLIC_KEY.test(publicKey)) return false;
  try {
    return verify(null, Buffer.from(message, 'utf8'), keyOf(publicKey), Buffer.from(signature, 'hex'));
  } catch {
    // Not every 32 bytes are a point of the curve.
    return false;
  }
}

function keyOf(publicKey: string): KeyObject {
  const x = Buffer.from(publicKey, 'hex').toString('base64url');
  return createPublicKey({ key: { kty: 'OKP', crv: 'Ed25519', x }, format: 'jwk' });
}
