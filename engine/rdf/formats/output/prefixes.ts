/**
 * IRIs as prefixed names, without any escape: an IRI whose local part would need one is written whole.
 * Of several namespaces that fit, the longest wins; of equal ones, the first prefix in sorted order.
 */

import { type Quad, RDF_NS, type Term } from '../../terms.js';
import { isPlainLocalName, isPrefixName } from '../input/term-checks.js';
import type { Prefixes } from './quad-writer.js';

const CACHED_NAMES_MAX = 16_384;

interface Namespace {
  readonly prefix: string;
  readonly iri: string;
}

export class PrefixTable {
  readonly #namespaces: readonly Namespace[];
  readonly #names = new Map<string, { text: string; prefix: string | null }>();

  constructor(
    prefixes: Prefixes,
    private readonly onUse: (prefix: string) => void,
  ) {
    this.#namespaces = Object.entries(prefixes)
      .filter(([prefix, iri]) => isPrefixName(prefix) && iri !== '')
      .map(([prefix, iri]) => ({ prefix, iri }))
      .sort((left, right) => right.iri.length - left.iri.length || (left.prefix < right.prefix ? -1 : 1));
  }

  /** `ex:name`, or `<iri>`. */
  nameOf(iri: string): string {
    let known = this.#names.get(iri);
    if (known === undefined) {
      known = this.#find(iri);
      if (this.#names.size >= CACHED_NAMES_MAX) this.#names.clear();
      this.#names.set(iri, known);
    }
    if (known.prefix !== null) this.onUse(known.prefix);
    return known.text;
  }

  #find(iri: string): { text: string; prefix: string | null } {
    for (const { prefix, iri: namespace } of this.#namespaces) {
      if (!iri.startsWith(namespace)) continue;
      const local = iri.slice(namespace.length);
      if (isPlainLocalName(local)) return { text: `${prefix}:${local}`, prefix };
    }
    return { text: `<${iri}>`, prefix: null };
  }
}

/** Calls `see` with every IRI of a quad that Turtle would write, datatypes included (`rdf:type` is written `a`). */
export function visitIris(quad: Quad, see: (iri: string) => void): void {
  visitTerm(quad.subject, see);
  if (quad.predicate.value !== `${RDF_NS}type`) visitTerm(quad.predicate, see);
  visitTerm(quad.object, see);
  visitTerm(quad.graph, see);
}

function visitTerm(term: Term, see: (iri: string) => void): void {
  if (term.termType === 'NamedNode') see(term.value);
  else if (term.termType === 'Literal' && term.language === '') see(term.datatype.value);
  else if (term.termType === 'Quad') {
    visitTerm(term.subject, see);
    visitTerm(term.predicate, see);
    visitTerm(term.object, see);
  }
}
