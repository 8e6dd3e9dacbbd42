/** The gates of governance that are on. Each is loaded with the first write that it judges: most stores have none. */

import type { Control } from '../../base/control.js';
import { mayRead } from '../../base/principal.js';
import { ROOT_GRAPH_IRI } from '../../rdf/terms.js';
import type { Instant } from '../../storage/ids/layout.js';
import type { StorageEngine } from '../../storage/seam/engine.js';
import type { Gate, GateName, StagedWrite, Verdict } from '../gates/gates.js';
import type { GovernanceSettings } from '../options/store-options.js';
import { BASE_NS_DEFAULT } from '../requests/namespaces.js';
import type { Authority, IntendedWrite } from './authority.js';

export interface GovernanceGates {
  readonly gates: readonly Gate[];
  /** Asked before anything is staged; all of them have to allow a write. */
  readonly authorities: readonly Authority[];
}

export function governanceOf(
  engine: StorageEngine,
  settings: GovernanceSettings | undefined,
  now: () => Instant,
): GovernanceGates {
  const { enforceOnWrite = false, validatePlacement = false, enforceAuthority = false, signing = {} } = settings ?? {};
  const base = (): string => engine.baseNamespace(BASE_NS_DEFAULT);
  const gates: Gate[] = [];
  if (validatePlacement) {
    gates.push(new LoadedGate('placement', async () => new (await import('./placement-gate.js')).PlacementGate(base)));
  }
  if (enforceOnWrite) {
    const load = async (): Promise<Gate> => {
      const { openSigningIdentity } = await import('../../governance/signing-identity.js');
      const { PolicyGate } = await import('./policy-gate.js');
      return new PolicyGate({ baseNamespace: base, signer: openSigningIdentity(signing), now });
    };
    gates.push(new LoadedGate('policy', load));
  }
  const authorities: Authority[] = enforceOnWrite || validatePlacement ? [READS_ROOT] : [];
  if (!enforceAuthority) return { gates, authorities };
  const load = async () => new (await import('./authority-gate.js')).AuthorityGate(engine, base);
  const authority = new LoadedGate('authority', load);
  return { gates: [...gates, authority], authorities: [...authorities, new LoadedAuthority(authority)] };
}

/**
 * Policies stand in ROOT, ask about ROOT, and what comes of them is written there. Who may not read ROOT would be told of it
 * by each refusal, or would be judged by less than others are: so he writes nothing where they judge.
 */
const READS_ROOT: Authority = {
  allows: ({ principal }) =>
    mayRead(principal, ROOT_GRAPH_IRI)
      ? { kind: 'accepted', findings: [] }
      : {
          kind: 'refused',
          code: 'authority_denied',
          message: 'writes are judged by policies of ROOT, which the reader may not read (governance.read_rules)',
          hint: 'a rule that names ROOT lets a principal write, too',
          findings: [],
        },
};

/** A gate that is loaded when it is first asked. */
class LoadedGate<Loaded extends Gate> implements Gate {
  #gate: Loaded | null = null;

  constructor(
    readonly name: GateName,
    private readonly load: () => Promise<Loaded>,
  ) {}

  /** Writes have turns, so that nobody else loads it meanwhile. */
  async loaded(): Promise<Loaded> {
    this.#gate ??= await this.load();
    return this.#gate;
  }

  judge(write: StagedWrite, control: Control): Verdict | Promise<Verdict> {
    return this.#gate?.judge(write, control) ?? this.loaded().then((gate) => gate.judge(write, control));
  }
}

class LoadedAuthority implements Authority {
  constructor(private readonly gate: LoadedGate<Gate & Authority>) {}

  async allows(write: IntendedWrite, control: Control): Promise<Verdict> {
    return (await this.gate.loaded()).allows(write, control);
  }
}
