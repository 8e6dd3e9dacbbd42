/**
 * Finds the premises by which a rule derives a fact (semantics of reasoning, 2.5): the head is bound to the fact, then the
 * positive atoms are matched in the order of the body, candidates in the order of their texts. The first match that is whole
 * is the smallest list of premises.
 */

import { type Term, terms } from '../../rdf/terms.js';
import type { TermId } from '../../storage/ids/layout.js';
import type { AtomTerm, BodyAtom, Rule } from '../rules/rule.js';
import type { FactIds, FactPattern, FactReader, Narrowing } from './fact-reader.js';

/** An atom that has to be absent, with its variables filled in. */
export interface AbsentAtom {
  readonly s: Term;
  /** IRI. */
  readonly predicate: string;
  readonly o: Term;
  /** True while no such fact is there. */
  readonly held: boolean;
}

export interface RuleMatch {
  /** By variable, in the order in which the body names them. */
  readonly bindings: ReadonlyMap<string, Term>;
  /** By positive atom. */
  readonly premises: readonly FactIds[];
  readonly absences: readonly AbsentAtom[];
}

export interface MatchOptions {
  /** Where premises are looked for. */
  readonly candidates: FactReader;
  /** What negated atoms are held against. */
  readonly standing: FactReader;
  /** Only a match whose negated atoms hold. */
  readonly mustHold: boolean;
}

/** Null: there is no match. `predicate` of the fact is an IRI, as its id. */
export function matchRule(rule: Rule, fact: FactIds, options: MatchOptions): RuleMatch | null {
  return new Matcher(rule, options).match(fact);
}

/** Null: the head has another form than the fact. */
export function headBindings(rule: Rule, fact: FactIds, reader: FactReader): ReadonlyMap<string, Term> | null {
  return new Matcher(rule, { candidates: reader, standing: reader, mustHold: false }).head(fact);
}

interface Compiled {
  readonly atom: BodyAtom;
  /** Null: the store has never seen it, so nothing matches. */
  readonly p: TermId | null;
  readonly s: Place;
  readonly o: Place;
}

type Place =
  | { readonly variable: string; readonly id?: undefined }
  | { readonly variable: null; readonly id: TermId | null };

class Matcher {
  readonly #positive: readonly Compiled[];
  readonly #negated: readonly Compiled[];
  readonly #bound = new Map<string, TermId>();
  readonly #premises: FactIds[] = [];

  constructor(
    private readonly rule: Rule,
    private readonly options: MatchOptions,
  ) {
    const compiled = rule.body.map((atom) => this.#compile(atom));
    this.#positive = compiled.filter(({ atom }) => !atom.negated);
    this.#negated = compiled.filter(({ atom }) => atom.negated);
  }

  match(fact: FactIds): RuleMatch | null {
    if (!this.#bindHead(fact) || !this.#from(0)) return null;
    const bindings = this.#terms();
    const absences = this.#negated.map((one): AbsentAtom => {
      const term = (part: AtomTerm): Term => (part.kind === 'constant' ? part.term : (bindings.get(part.name) as Term));
      const { s, o, predicate } = one.atom;
      return { s: term(s), predicate, o: term(o), held: this.#holds(one) };
    });
    return { bindings, premises: this.#premises, absences };
  }

  head(fact: FactIds): ReadonlyMap<string, Term> | null {
    return this.#bindHead(fact) ? this.#terms() : null;
  }

  #compile(atom: BodyAtom): Compiled {
    const { candidates } = this.options;
    const place = (term: AtomTerm): Place =>
      term.kind === 'variable' ? { variable: term.name } : { variable: null, id: candidates.encode(term.term) };
    return { atom, p: candidates.encode(terms.namedNode(atom.predicate)), s: place(atom.s), o: place(atom.o) };
  }

  #bindHead({ s, p, o }: FactIds): boolean {
    const { head } = this.rule;
    const { candidates } = this.options;
    if (candidates.encode(terms.namedNode(head.predicate)) !== p) return false;
    return [[head.s, s] as const, [head.o, o] as const].every(([term, id]) => {
      if (term.kind === 'constant') return candidates.encode(term.term) === id;
      const known = this.#bound.get(term.name);
      this.#bound.set(term.name, id);
      return known === undefined || known === id;
    });
  }

  #terms(): Map<string, Term> {
    const names = new Set(
      [...this.rule.body, this.rule.head].flatMap(({ s, o }) =>
        [s, o].flatMap((term) => (term.kind === 'variable' && this.#bound.has(term.name) ? [term.name] : [])),
      ),
    );
    const ordered = [...names];
    const found = this.options.candidates.decode(ordered.map((name) => this.#bound.get(name) as TermId));
    return new Map(ordered.map((name, at) => [name, found[at] as Term]));
  }

  /** Matches the positive atoms from a place on; leaves the bindings and premises of the match. */
  #from(at: number): boolean {
    const compiled = this.#positive[at];
    if (compiled === undefined) return !this.options.mustHold || this.#negated.every((one) => this.#holds(one));
    const pattern = this.#patternOf(compiled);
    if (pattern === null) return false;
    if (pattern.s !== undefined && pattern.o !== undefined) {
      const fact = { s: pattern.s, p: pattern.p, o: pattern.o };
      return this.options.candidates.has(fact) && this.#with(fact, at);
    }
    const first = pattern.s === undefined ? compiled.s.variable : null;
    const second = pattern.o === undefined ? compiled.o.variable : null;
    const free = [first, second];
    for (const fact of this.options.candidates.inOrder(pattern, this.#narrowings(free, at))) {
      if (first !== null && first === second && fact.s !== fact.o) continue;
      if (first !== null) this.#bound.set(first, fact.s);
      if (second !== null) this.#bound.set(second, fact.o);
      if (this.#with(fact, at)) return true;
    }
    for (const name of free) if (name !== null) this.#bound.delete(name);
    return false;
  }

  #with(fact: FactIds, at: number): boolean {
    this.#premises.push(fact);
    if (this.#from(at + 1)) return true;
    this.#premises.pop();
    return false;
  }

  /** What is known of an atom's facts; null = nothing can match it. */
  #patternOf({ p, s, o }: Compiled): FactPattern | null {
    const [subject, object] = [this.#idOf(s), this.#idOf(o)];
    return p === null || subject === null || object === null ? null : { s: subject, p, o: object };
  }

  /** Undefined: a variable that is free. */
  #idOf(place: Place): TermId | null | undefined {
    return place.variable === null ? place.id : this.#bound.get(place.variable);
  }

  /** What later atoms ask of the variables that an atom binds, where they have no other. */
  #narrowings(free: readonly (string | null)[], at: number): Narrowing[] {
    const found: Narrowing[] = [];
    for (const later of this.#positive.slice(at + 1)) {
      const pattern = this.#patternOf(later);
      if (pattern === null || (pattern.s === undefined) === (pattern.o === undefined)) continue;
      const there = pattern.s === undefined ? 's' : 'o';
      const place = free.indexOf(later[there].variable);
      if (place >= 0) found.push({ place: place === 0 ? 's' : 'o', pattern, at: there });
    }
    return found;
  }

  #holds(compiled: Compiled): boolean {
    const pattern = this.#patternOf(compiled);
    return pattern === null || !this.options.standing.has(pattern as FactIds);
  }
}
