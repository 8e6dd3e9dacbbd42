/** The policies that judge writes, by the class that they are about. */

import { actionPolicies, type Policy } from './policies.js';
import type { GovernanceReader } from './records.js';

const NONE: readonly Policy[] = [];

export class PolicyBook {
  readonly #byClass = new Map<string, Policy[]>();

  constructor(reader: GovernanceReader) {
    for (const policy of actionPolicies(reader)) {
      // What only advises runs nothing at the gate.
      if (policy.response === 'none') continue;
      for (const of of new Set(policy.targets)) {
        const all = this.#byClass.get(of);
        if (all === undefined) this.#byClass.set(of, [policy]);
        else all.push(policy);
      }
    }
  }

  get isEmpty(): boolean {
    return this.#byClass.size === 0;
  }

  has(of: string): boolean {
    return this.#byClass.has(of);
  }

  /** Those about any of some classes, each with the first of these that it is about, in the order of their IRIs. */
  about(classes: readonly string[]): readonly { readonly policy: Policy; readonly of: string }[] {
    const [only] = classes;
    // They are in their order.
    if (classes.length === 1)
      return (this.#byClass.get(only as string) ?? NONE).map((policy) => ({ policy, of: only as string }));
    const found = new Map<Policy, string>();
    for (const of of classes) {
      for (const policy of this.#byClass.get(of) ?? NONE) if (!found.has(policy)) found.set(policy, of);
    }
    return [...found]
      .map(([policy, of]) => ({ policy, of }))
      .sort(({ policy: one }, { policy: other }) => (one.iri < other.iri ? -1 : one.iri > other.iri ? 1 : 0));
  }
}
