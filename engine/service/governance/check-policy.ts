/** What a policy, or a claim, says about a node now or in the past (semantics of reasoning, 5.7); nothing is written. */

import type { Stop } from '../../base/control.js';
import { SvcError } from '../../base/errors.js';
import { Claims } from '../../governance/claims.js';
import { askAbout, checkTarget, type Policy, policyOf } from '../../governance/policies.js';
import { GovernanceReader } from '../../governance/records.js';
import { verdictMessage } from '../../governance/signatures.js';
import {
  openSigningIdentity,
  type SigningIdentity,
  type SigningSettings,
  UNSIGNED_VERIFIER,
} from '../../governance/signing-identity.js';
import { COMMITTED, fnv1a, type Outcome } from '../../governance/verdicts.js';
import { isAuthorized, verifierRegistrations } from '../../governance/verifier-registrations.js';
import { ROOT_GRAPH_IRI } from '../../rdf/terms.js';
import type { StorageSnapshot, TimeSlice } from '../../storage/seam/scan.js';

export interface PolicyQuestion {
  /** IRI. */
  readonly target: string;
  /** IRI of a policy of ROOT; a claim goes before its own. */
  readonly policy?: string | undefined;
  /** ASK about `$target`. */
  readonly claim?: string | undefined;
  /** What the verdict on a claim is about; default the policy, if one is named too, and then `inline`. */
  readonly predicateId?: string | undefined;
  /** ASK that says whether there is anything to judge by; default that of the policy, where its claim is asked. */
  readonly evidenceProbe?: string | undefined;
}

export interface PolicyVerdict {
  readonly predicateId: string;
  readonly target: string;
  readonly outcome: Outcome;
  readonly evidenceHash: string;
  readonly tier: typeof COMMITTED;
  readonly verifier: string;
  /** A registration of ROOT lets the verifier attest the predicate. */
  readonly verifierAuthorized: boolean;
  /** Null: there is no signing identity. */
  readonly signature: { readonly signature: string; readonly publicKey: string } | null;
}

export interface PolicySources {
  readonly snapshot: StorageSnapshot;
  readonly time: TimeSlice;
  /** `valid_at` as it was asked for: part of the evidence. */
  readonly validAt: string | undefined;
  readonly baseNamespace: string;
  readonly identity: SigningIdentity | null;
}

interface Asked extends Pick<Policy, 'iri' | 'claims' | 'probes'> {
  readonly predicateId: string;
}

/** What messages call a claim that is no policy's. */
const INLINE = 'inline';

const HINT = "an ASK query in which $target stands for the node, such as 'ASK { $target ?p ?o }'";

/** Texts are parsed once; they say the same for every store. */
const CLAIMS = new Claims(HINT);

export async function checkPolicy(
  question: PolicyQuestion,
  { snapshot, time, validAt, baseNamespace, identity }: PolicySources,
  { signal, flag }: Stop,
): Promise<PolicyVerdict> {
  const { target } = question;
  checkTarget(target);
  const { predicateId, claims, probes, iri } = askedOf(question, new GovernanceReader(snapshot, baseNamespace, time));
  const asked = { iri, claims, probes };
  const claimed = await CLAIMS.within(snapshot, ROOT_GRAPH_IRI, { signal, flag, time });
  let outcome: Outcome;
  try {
    [outcome] = (await CLAIMS.outcomesOf(asked, [target], claimed)) as [Outcome];
  } finally {
    claimed.close();
  }
  const bound = claims.map((claim) => askAbout(claim, target)).join('|');
  const evidenceHash = fnv1a(`${predicateId}|${target}|${validAt ?? ''}|${bound}`);
  const verifier = identity?.verifier ?? UNSIGNED_VERIFIER;
  const fields = { predicate_id: predicateId, target_ref: target, outcome, evidence_hash: evidenceHash };
  const message = verdictMessage({ ...fields, tier: COMMITTED, verifier });
  const registrations = verifierRegistrations(snapshot, baseNamespace);
  return {
    predicateId,
    target,
    outcome,
    evidenceHash,
    tier: COMMITTED,
    verifier,
    verifierAuthorized: isAuthorized(registrations, verifier, predicateId),
    signature: identity && { signature: identity.sign(message), publicKey: identity.publicKey },
  };
}

function askedOf({ policy, claim, predicateId, evidenceProbe }: PolicyQuestion, reader: GovernanceReader): Asked {
  if (policy === undefined && claim === undefined) {
    throw new SvcError('invalid_request', "neither 'policy' nor 'claim' is given", { hint: HINT });
  }
  const given = evidenceProbe === undefined ? null : [evidenceProbe];
  if (claim !== undefined) {
    return { predicateId: predicateId ?? policy ?? INLINE, claims: [claim], probes: given ?? [], iri: INLINE };
  }
  const { claims, probes, iri } = policyOf(reader.node(policy as string));
  if (claims.length === 0) {
    throw new SvcError('invalid_request', `<${iri}> has no claim in ROOT`, { hint: 'name a policy, or send a claim' });
  }
  return { predicateId: iri, claims, probes: given ?? probes, iri };
}

export const openIdentity = (settings: SigningSettings = {}): SigningIdentity | null => openSigningIdentity(settings);
