/** Asks all members of a federation for the solutions of patterns, for everything or for the rows of the input. */

import { MembersOperator, type MembersSpec } from '../execute/rows/members.js';
import type { FederatedRun } from '../service/members.js';
import { type Definition, named, type PlanNode } from './physical-operator.js';

function allColumns(plan: PlanNode): string[] {
  return [...plan.facts.variables, ...plan.inputs.flatMap(allColumns)];
}

export const members: Definition<'members', { readonly spec: MembersSpec }> = {
  detail: ({ action: { spec } }) => {
    const who = [...(spec.local ? ['local'] : []), ...spec.sources.map(({ name, rows }) => `${name} (${rows})`)];
    const bound = spec.keys === null ? [] : [...spec.keys.certain, ...spec.keys.loose];
    return `${spec.label} of ${who.join(', ')}${bound.length === 0 ? '' : ` for ${named(bound)}`}`;
  },
  open: ({ action: { spec } }, input, { members: run, service, slots, terms, budget }) => {
    const joined = spec.keys !== null;
    const local = spec.local ? () => input(joined ? 1 : 0) : null;
    const resources = { run: run as FederatedRun, waits: service.waits, slots, terms, budget };
    return new MembersOperator(joined ? input(0) : null, local, spec, resources);
  },
  matches: (plan) => allColumns(plan),
  computes: () => 'kept',
  boundToConstants: true,
};
