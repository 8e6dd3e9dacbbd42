/**
 * Bindings of the RDF/JS query interface (https://rdf.js.org/query-spec/): a row of a SELECT as a map from
 * variables to terms that never changes; what changes it makes another one. Variables go by term or by
 * name without the question mark.
 */

import { type RDF, type Term, terms } from '../../rdf/terms.js';

type Key = RDF.Variable | string;

const nameOf = (key: Key): string => (typeof key === 'string' ? key : key.value);

const variables = new Map<string, RDF.Variable>();
/** Names of variables that are kept as terms: those of a few hundred queries. */
const VARIABLES_MAX = 10_000;

function variableOf(name: string): RDF.Variable {
  let variable = variables.get(name);
  if (variable === undefined) {
    variable = terms.variable?.(name) as RDF.Variable;
    if (variables.size >= VARIABLES_MAX) variables.clear();
    variables.set(name, variable);
  }
  return variable;
}

export class RowBindings implements RDF.Bindings {
  readonly type = 'bindings' as const;
  readonly #terms: ReadonlyMap<string, Term>;

  constructor(entries: Iterable<readonly [string, Term]> = []) {
    this.#terms = new Map(entries);
  }

  get size(): number {
    return this.#terms.size;
  }

  has(key: Key): boolean {
    return this.#terms.has(nameOf(key));
  }

  get(key: Key): Term | undefined {
    return this.#terms.get(nameOf(key));
  }

  set(key: Key, value: Term): RowBindings {
    return new RowBindings(new Map(this.#terms).set(nameOf(key), value));
  }

  delete(key: Key): RowBindings {
    const name = nameOf(key);
    return new RowBindings([...this.#terms].filter(([other]) => other !== name));
  }

  *keys(): IterableIterator<RDF.Variable> {
    for (const name of this.#terms.keys()) yield variableOf(name);
  }

  values(): IterableIterator<Term> {
    return this.#terms.values();
  }

  forEach(visit: (value: Term, key: RDF.Variable) => unknown): void {
    for (const [variable, term] of this) visit(term, variable);
  }

  *[Symbol.iterator](): IterableIterator<[RDF.Variable, Term]> {
    for (const [name, term] of this.#terms) yield [variableOf(name), term];
  }

  equals(other: RDF.Bindings | null | undefined): boolean {
    if (other === this) return true;
    if (!other || other.size !== this.size) return false;
    for (const [name, term] of this.#terms) if (!term.equals(other.get(name))) return false;
    return true;
  }

  filter(keep: (value: Term, key: RDF.Variable) => boolean): RowBindings {
    return new RowBindings([...this.#terms].filter(([name, term]) => keep(term, variableOf(name))));
  }

  map(change: (value: Term, key: RDF.Variable) => Term): RowBindings {
    return new RowBindings([...this.#terms].map(([name, term]) => [name, change(term, variableOf(name))] as const));
  }

  merge(other: RDF.Bindings): RowBindings | undefined {
    for (const [variable, term] of other) {
      const own = this.get(variable);
      if (own !== undefined && !own.equals(term)) return undefined;
    }
    return this.mergeWith((own) => own, other);
  }

  mergeWith(merger: (self: Term, other: Term, key: RDF.Variable) => Term, other: RDF.Bindings): RowBindings {
    const merged = new Map(this.#terms);
    for (const [variable, term] of other) {
      const own = merged.get(variable.value);
      merged.set(variable.value, own === undefined || own.equals(term) ? term : merger(own, term, variable));
    }
    return new RowBindings(merged);
  }
}

export const bindingsFactory: RDF.BindingsFactory = {
  bindings: (entries = []) => new RowBindings(entries.map(([variable, term]) => [variable.value, term] as const)),
  fromBindings: (bindings) => new RowBindings([...bindings].map(([variable, term]) => [variable.value, term] as const)),
};
