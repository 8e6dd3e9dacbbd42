/** A stored set of shapes as a graph: Turtle through `n3`, which the server reads it by, too. Everything of it that the page uses is here. */

import { type ParsedTerm, Parser } from 'n3';
import type { Term as AnyTerm } from '../parts/term.js';

/** Shapes hold no triple terms. */
export type Term = Exclude<AnyTerm, { readonly type: 'triple' }>;

export const SH = 'http://www.w3.org/ns/shacl#';
export const RDF = 'http://www.w3.org/1999/02/22-rdf-syntax-ns#';
export const RDFS = 'http://www.w3.org/2000/01/rdf-schema#';
export const OWL = 'http://www.w3.org/2002/07/owl#';

/** Longer lists are cut: no form has more entries to choose from. */
const LIST_MAX = 10_000;

/** What is said of one node, by predicate. */
type Facts = ReadonlyMap<string, readonly Term[]>;

export class ShapesGraph {
  readonly #facts = new Map<string, Map<string, Term[]>>();

  constructor(turtle: string) {
    for (const { subject, predicate, object } of new Parser({ format: 'text/turtle' }).parse(turtle)) {
      const key = keyOf(toTerm(subject));
      const facts = this.#facts.get(key) ?? new Map<string, Term[]>();
      facts.set(predicate.value, [...(facts.get(predicate.value) ?? []), toTerm(object)]);
      this.#facts.set(key, facts);
    }
  }

  *nodes(): Generator<readonly [key: string, facts: Facts]> {
    yield* this.#facts;
  }

  facts(key: string): Facts {
    return this.#facts.get(key) ?? new Map();
  }

  values(key: string, predicate: string): readonly Term[] {
    return this.facts(key).get(predicate) ?? [];
  }

  /** The members of a list; a list that runs in a circle ends where it began. */
  list(head: Term): Term[] {
    const members: Term[] = [];
    const seen = new Set<string>();
    for (let at = keyOf(head); at !== `<${RDF}nil>` && !seen.has(at) && members.length < LIST_MAX; ) {
      seen.add(at);
      members.push(...this.values(at, `${RDF}first`));
      const [rest] = this.values(at, `${RDF}rest`);
      if (rest === undefined) break;
      at = keyOf(rest);
    }
    return members;
  }

  isList(node: Term): boolean {
    return keyOf(node) === `<${RDF}nil>` || this.values(keyOf(node), `${RDF}first`).length > 0;
  }
}

/** `<IRI>` or `_:label`. */
export function keyOf({ type, value }: Term): string {
  if (type === 'uri') return `<${value}>`;
  return type === 'bnode' ? `_:${value}` : '';
}

export function iriOf(key: string): string | null {
  return key.startsWith('<') ? key.slice(1, -1) : null;
}

function toTerm({ termType, value, language, datatype }: ParsedTerm): Term {
  if (termType === 'NamedNode') return { type: 'uri', value };
  if (termType === 'BlankNode') return { type: 'bnode', value };
  if (termType !== 'Literal') return { type: 'literal', value: `(${termType})` };
  if (language !== undefined && language !== '') return { type: 'literal', value, 'xml:lang': language };
  return datatype === undefined ? { type: 'literal', value } : { type: 'literal', value, datatype: datatype.value };
}
