/** Walks a property path of any length from where its ends are known. */

import { ClosureOperator } from '../execute/paths/closure.js';
import type { ClosureSpec } from '../execute/paths/spec.js';
import type { Definition } from './physical-operator.js';

export function variablesOfClosure({ from, to, graphVariable }: ClosureSpec): string[] {
  const ends = [from, to].flatMap((end) => (end.kind === 'variable' ? [end.name] : []));
  return graphVariable === null ? ends : [...ends, graphVariable];
}

/** Where the walks begin; `joined`: from rows that bind an end. */
export function closureDetail({ label, from, to }: ClosureSpec, joined: boolean): string {
  if (from.kind === 'variable') return `${label}  [${joined ? `from ?${from.name}` : 'all pairs'}]`;
  return `${label}  [${to.kind === 'term' ? 'from end to end' : `towards ?${to.name}`}]`;
}

/** A path of any or optional length, on its own. */
export const closure: Definition<'closure', { readonly spec: ClosureSpec }> = {
  detail: ({ action }) => closureDetail(action.spec, false),
  open: ({ action, facts }, _, { snapshot, budget }) =>
    new ClosureOperator(snapshot, action.spec, facts.variables, budget),
  matches: ({ action }) => variablesOfClosure(action.spec),
  boundToConstants: true,
};
