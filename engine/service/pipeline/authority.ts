/**
 * Who may write, asked before anything is staged (ruling R57): a refusal costs no work, and tells nothing of the store. A
 * refusal comes into the event log as those of gates do.
 */

import type { Control } from '../../base/control.js';
import type { Principal } from '../../base/principal.js';
import type { LoadOptions, TransactionOptions } from '../../storage/seam/engine.js';
import { GateRefusal, type Verdict } from '../gates/gates.js';

/** What somebody is about to write. */
export interface IntendedWrite {
  readonly kind: 'load' | 'transaction';
  readonly principal: Principal;
  /** What it is called, and what was asked for; absent for writes of the library itself. */
  readonly command?: { readonly name: string; readonly request: object } | undefined;
  /** Its labels, with the graph that it is for as far as that is known: of loads, and of what is written about graphs. */
  readonly options: LoadOptions | TransactionOptions;
}

export interface Authority {
  allows(write: IntendedWrite, control: Control): Verdict | Promise<Verdict>;
}

/** Throws the refusal. */
export async function askAuthority(authority: Authority, write: IntendedWrite, control: Control): Promise<void> {
  const verdict = await authority.allows(write, control);
  if (verdict.kind === 'refused') throw new GateRefusal('authority', verdict);
}
