/** What governance needs of keys: somebody who signs what the service says, and whether others have signed what they say. */

export interface Signer {
  /** IRI under which the signatures are verified. */
  readonly verifier: string;
  /** Hexadecimal digits. */
  readonly publicKey: string;
  /** Hexadecimal digits of the signature over the bytes of a text. */
  sign(message: string): string;
}

/** How sure the service is of what it says: it stands in its own transaction log. */
export const COMMITTED = 'committed';

export type Outcome = 'satisfied' | 'unsatisfied' | 'unknown';

export interface Judgement {
  readonly predicate: string;
  readonly target: string;
  readonly outcome: Outcome;
  readonly hash: string;
}

/** The signed bytes of a verdict (semantics of reasoning, 5.7). */
export function verdictMessage(
  { predicate, target, outcome, hash }: Judgement,
  tier: string,
  verifier: string,
): string {
  return `v1|${predicate}|${target}|${outcome}|${hash}|${tier}|${verifier}`;
}
