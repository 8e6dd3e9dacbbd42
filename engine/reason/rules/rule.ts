/** Rules as they are evaluated (semantics of reasoning, section 1): a head follows where the body matches. */

import type { Quad, Term } from '../../rdf/terms.js';

export const RULE_NS = 'http://svc.local/rule#';

export type AtomTerm =
  | { readonly kind: 'variable'; readonly name: string }
  /** An IRI or an `xsd:string`. */
  | { readonly kind: 'constant'; readonly term: Exclude<Term, Quad> };

/** `predicate(s, o)`. */
export interface Atom {
  /** IRI. */
  readonly predicate: string;
  readonly s: AtomTerm;
  readonly o: AtomTerm;
}

export interface BodyAtom extends Atom {
  /** `not`: matches where the fact is absent. */
  readonly negated: boolean;
}

export interface Rule {
  /** Owns what it derives: the source of its transactions is `reasoner:ID`. */
  readonly id: string;
  /** The node that describes it, as N-Triples write it, but an IRI without brackets: rules are ordered by it. */
  readonly subject: string;
  readonly head: Atom;
  readonly body: readonly BodyAtom[];
}

export function variablesOf({ s, o }: Atom): string[] {
  return [s, o].flatMap((term) => (term.kind === 'variable' ? [term.name] : []));
}

/** As rules write it, for messages and plans. */
export function showAtom(atom: Atom & { readonly negated?: boolean }): string {
  const shown = `<${atom.predicate}>(${showTerm(atom.s)}, ${showTerm(atom.o)})`;
  return atom.negated === true ? `not ${shown}` : shown;
}

function showTerm(term: AtomTerm): string {
  if (term.kind === 'variable') return `?${term.name}`;
  return term.term.termType === 'NamedNode' ? `<${term.term.value}>` : JSON.stringify(term.term.value);
}
