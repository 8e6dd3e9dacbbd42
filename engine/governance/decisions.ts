/**
 * Decisions of people about what a policy holds back (semantics of reasoning, 5.6): requests for them, what they are signed
 * over, and how they rule. A decision that is not signed by a registered decider does not exist.
 */

import { createHash } from 'node:crypto';
import type { GovernanceReader } from './records.js';
import { decisionMessage, isSigned } from './signatures.js';

export type Ruling =
  /** Nobody was asked yet. */
  | { readonly kind: 'unasked' }
  | { readonly kind: 'approved' }
  /** For good: approvals do not outrank it. */
  | { readonly kind: 'rejected' }
  /** Seconds since 1970. */
  | { readonly kind: 'pending'; readonly expiresAt: number }
  | { readonly kind: 'expired'; readonly expiresAt: number };

export function evidenceHash(policy: string, target: string): string {
  return `sha256:${createHash('sha256').update(`${policy}|${target}`, 'utf8').digest('hex')}`;
}

export function requestIri(base: string, hash: string): string {
  return `${base}decision_request_${hash.slice('sha256:'.length, 'sha256:'.length + 32)}`;
}

/** `now`: seconds since 1970. */
export function rulingOn(
  reader: GovernanceReader,
  { policy, target, base }: { readonly policy: string; readonly target: string; readonly base: string },
  now: number,
): Ruling {
  const hash = evidenceHash(policy, target);
  const request = reader.node(requestIri(base, hash));
  const expiries = request.all('expiresAt').map(Number).filter(Number.isFinite);
  if (expiries.length === 0) return { kind: 'unasked' };
  const outcomes = new Set<string>();
  for (const decision of reader.withValue('Decision', 'evidenceHash', hash)) {
    for (const by of decision.all('by')) {
      const keys = reader
        .withValue('VerifierRegistration', 'verifier', by)
        .filter((registration) => registration.all('attests').includes(policy))
        .flatMap((registration) => registration.all('publicKey'));
      for (const outcome of decision.all('outcome')) {
        // What can't be signed is no decision.
        if (outcome.includes('|') || by.includes('|')) continue;
        const message = decisionMessage(hash, outcome, by);
        const signatures = decision.all('signature');
        if (keys.some((key) => signatures.some((one) => isSigned(message, one, key)))) outcomes.add(outcome);
      }
    }
  }
  if ([...outcomes].some((outcome) => outcome !== 'approve')) return { kind: 'rejected' };
  if (outcomes.has('approve')) return { kind: 'approved' };
  const expiresAt = Math.max(...expiries);
  return now >= expiresAt ? { kind: 'expired', expiresAt } : { kind: 'pending', expiresAt };
}
