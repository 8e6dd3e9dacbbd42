/** The gates of governance that are on. They are told of here and loaded when the store is: most stores have none. */

import { checkSignature } from '../../governance/signatures.js';
import type { Instant } from '../../storage/ids/layout.js';
import type { StorageEngine } from '../../storage/seam/engine.js';
import type { Gate } from '../gates/gates.js';
import type { GovernanceSettings } from '../options/store-options.js';
import { BASE_NS_DEFAULT } from '../requests/namespaces.js';
import type { Authority } from './authority.js';
import { AuthorityGate } from './authority-gate.js';
import { PlacementGate } from './placement-gate.js';
import { PolicyGate } from './policy-gate.js';

export interface GovernanceGates {
  readonly gates: readonly Gate[];
  /** Asked before anything is staged. */
  readonly authority: Authority | undefined;
}

export function governanceOf(
  engine: StorageEngine,
  { enforceOnWrite = false, validatePlacement = false, enforceAuthority = false }: GovernanceSettings = {},
  now: () => Instant,
): GovernanceGates {
  const baseNamespace = (): string => engine.baseNamespace(BASE_NS_DEFAULT);
  const authority = enforceAuthority ? new AuthorityGate(engine, baseNamespace) : undefined;
  const policy = enforceOnWrite
    ? new PolicyGate({ baseNamespace, signer: () => null, checkSignature, now })
    : undefined;
  const placement = validatePlacement ? new PlacementGate(baseNamespace) : undefined;
  const gates = [authority, placement, policy].filter((gate): gate is Gate & typeof gate => gate !== undefined);
  return { gates, authority };
}
