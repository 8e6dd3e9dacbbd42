/** A path of any or optional length, on its own. */

import { ClosureOperator } from '../execute/paths/closure.js';
import type { ClosureSpec } from '../execute/paths/spec.js';
import type { PhysicalOperator } from './physical-operator.js';

export interface ClosureAction {
  readonly kind: 'closure';
  readonly spec: ClosureSpec;
}

export function variablesOfClosure({ from, to, graphVariable }: ClosureSpec): string[] {
  const ends = [from, to].flatMap((end) => (end.kind === 'variable' ? [end.name] : []));
  return graphVariable === null ? ends : [...ends, graphVariable];
}

/** Where the walks begin; `joined`: from rows that bind an end. */
export function closureDetail({ label, from, to }: ClosureSpec, joined: boolean): string {
  if (from.kind === 'variable') return `${label}  [${joined ? `from ?${from.name}` : 'all pairs'}]`;
  return `${label}  [${to.kind === 'term' ? 'from end to end' : `towards ?${to.name}`}]`;
}

export const closure: PhysicalOperator<ClosureAction> = {
  detail: ({ action }) => closureDetail(action.spec, false),
  open: ({ action, facts }, _, { snapshot, budget }) =>
    new ClosureOperator(snapshot, action.spec, facts.variables, budget),
  matches: ({ action }) => variablesOfClosure(action.spec),
  boundToConstants: true,
};
