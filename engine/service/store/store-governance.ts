/** What a store says of policies and of who may attest what, one method each; loaded with the first call. */

import type { Stop } from '../../base/control.js';
import { SvcError } from '../../base/errors.js';
import type { Principal } from '../../base/principal.js';
import { readRulesOf } from '../../governance/read-rules.js';
import type { VerdictFields } from '../../governance/signatures.js';
import type { VerdictTrust } from '../../governance/verifier-registrations.js';
import { checkAsOf } from '../../query/registry/frozen.js';
import type { PolicyQuestion, PolicyVerdict } from '../governance/check-policy.js';
import { type GovernanceSettings, type TimeOptions, toTimeSlice } from '../options/store-options.js';
import { StoreShares } from './store-shares.js';

export abstract class StoreGovernance extends StoreShares {
  /** @internal */
  protected abstract readonly governance: GovernanceSettings | undefined;

  /** @internal The store as a principal may read it: what it may not read is not there. */
  abstract as(principal: Principal): StoreGovernance;

  /**
   * The store as somebody reads it by the rules of `governance.readRules`: `anonymous`, `shared`, or the IRI of a principal.
   * What they may not read is not there, and not written; it is over when the store is closed.
   */
  readAs(principal: string): this {
    const rules = readRulesOf(this.governance?.readRules);
    if (rules === null) {
      throw new SvcError(
        'invalid_request',
        'the store was opened without read rules, so that everybody reads everything',
        {
          hint: 'give openStore the option governance.readRules',
        },
      );
    }
    return this.as(rules.named(principal)) as this;
  }

  /** What a policy of ROOT, or a claim, says about a node, signed where the store has a signing identity; nothing is written. */
  async checkPolicy(question: PolicyQuestion, options: TimeOptions & Stop = {}): Promise<PolicyVerdict> {
    if (!this.readsAll) throw needsAll();
    const { checkPolicy, openIdentity } = await import('../governance/check-policy.js');
    return this.reading((snapshot) => {
      const time = toTimeSlice(options, snapshot.tx);
      checkAsOf(snapshot, time, this.asOf);
      const validAt = options.validAt instanceof Date ? options.validAt.toISOString() : options.validAt;
      const { baseNamespace } = this;
      const sources = { snapshot, time, validAt, baseNamespace, identity: openIdentity(this.governance?.signing) };
      return checkPolicy(question, sources, options);
    });
  }

  /** Whether a verifier is registered to attest a predicate. */
  async verifierAuthorized(verifier: string, predicate: string): Promise<boolean> {
    const { isAuthorized, verifierRegistrations } = await import('../../governance/verifier-registrations.js');
    return this.reading((snapshot) =>
      isAuthorized(verifierRegistrations(snapshot, this.baseNamespace), verifier, predicate),
    );
  }

  /** What a signed verdict is worth here. */
  async verifyVerdict(verdict: VerdictFields, signature: string): Promise<VerdictTrust> {
    const { trustInVerdict, verifierRegistrations } = await import('../../governance/verifier-registrations.js');
    return this.reading((snapshot) =>
      trustInVerdict(verifierRegistrations(snapshot, this.baseNamespace), verdict, signature),
    );
  }
}

function needsAll(): SvcError {
  return new SvcError(
    'authority_denied',
    'what a policy says is decided over every graph that it names, and the reader may read some graphs only',
  );
}
