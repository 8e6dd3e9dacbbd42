/** Walks a property path of any length from where its ends are known. */

import { formatExpression } from '../algebra/expression.js';
import { ClosureOperator } from '../execute/paths/closure.js';
import type { ClosureLabel, ClosureSpec } from '../execute/paths/spec.js';
import type { Definition } from './physical-operator.js';

export function variablesOfClosure({ from, to, graphVariable }: ClosureSpec): string[] {
  const ends = [from, to].flatMap((end) => (end.kind === 'variable' ? [end.name] : []));
  return graphVariable === null ? ends : [...ends, graphVariable];
}

/** Where the walks begin; `joined`: from rows that bind an end. */
export function closureDetail({ label, from, to }: ClosureSpec, joined: boolean): string {
  const text = textOf(label);
  if (from.kind === 'variable') return `${text}  [${joined ? `from ?${from.name}` : 'all pairs'}]`;
  return `${text}  [${to.kind === 'term' ? 'from end to end' : `towards ?${to.name}`}]`;
}

function textOf({ s, path, o, g }: ClosureLabel): string {
  const text = `${formatExpression(s)} ${path} ${formatExpression(o)}`;
  return g === null ? text : `GRAPH ${formatExpression(g)} { ${text} }`;
}

/** A path of any or optional length, on its own. */
export const closure: Definition<'closure', { readonly spec: ClosureSpec }> = {
  detail: ({ action }) => closureDetail(action.spec, false),
  open: ({ action, facts }, _, { snapshot, budget }) =>
    new ClosureOperator(snapshot, action.spec, facts.variables, budget),
  matches: ({ action }) => variablesOfClosure(action.spec),
};
