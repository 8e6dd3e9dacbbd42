/** What a set of rules has to be before it is evaluated or stored (semantics of reasoning, 1.4). */

import { SvcError } from '../../base/errors.js';
import { refused } from './read-rules.js';
import { type Rule, showAtom, variablesOf } from './rule.js';
import { type Stratum, stratify } from './strata.js';

/** The levels of the rules. Throws `invalid_request`, naming the rule. */
export function checkRules(rules: readonly Rule[]): Stratum[] {
  for (const rule of rules) checkSafe(rule);
  const subjects = new Map<string, string>();
  for (const { id, subject } of rules) {
    const other = subjects.get(id);
    if (other !== undefined) throw twice(id, other, subject);
    subjects.set(id, subject);
  }
  return stratify(rules);
}

function checkSafe({ id, head, body }: Rule): void {
  const positive = body.filter(({ negated }) => !negated);
  if (positive.length === 0) throw refused(id, 'the body has no positive atom');
  const bound = new Set(positive.flatMap(variablesOf));
  const free = variablesOf(head).find((name) => !bound.has(name));
  if (free !== undefined) throw refused(id, `?${free} of the head is in no positive atom of the body`);
  for (const atom of body) {
    const unbound = variablesOf(atom).find((name) => !bound.has(name));
    if (unbound === undefined) continue;
    throw refused(id, `?${unbound} of the atom '${showAtom(atom)}' is in no positive atom of the body`);
  }
}

function twice(id: string, one: string, other: string): SvcError {
  return new SvcError(
    'invalid_request',
    `two rules have the id '${id}': <${one}> and <${other}>; each would take back what the other derives`,
    { hint: 'nothing was written; give each rule an id of its own (rule:id)' },
  );
}
