/**
 * Whether two datasets are the same up to the names of their blank nodes: both are canonized and
 * compared. RDFC-1.0 knows neither triple terms nor base directions, so these are first rewritten,
 * without loss, into what it knows: a triple term becomes a blank node of its own with three quads in
 * a graph of its own; a direction goes into a datatype.
 */

import { foldedTerm, languageSuffix, termKey } from '../../engine/rdf/canonical/lines.js';
import { type CanonizeOptions, canonize } from '../../engine/rdf/canonical/rdfc.js';
import { type Quad, type RDF, type Term, terms } from '../../engine/rdf/terms.js';

const NAMESPACE = 'urn:svc:isomorphism:';
const TRIPLE_TERMS = terms.namedNode(`${NAMESPACE}triple-terms`);

export async function sameDataset(
  left: Iterable<Quad>,
  right: Iterable<Quad>,
  options: CanonizeOptions = {},
): Promise<boolean> {
  const [first, second] = await Promise.all([comparable(left, options), comparable(right, options)]);
  return first === second;
}

/** Text that is equal for isomorphic datasets and for no others; for messages of tests too. */
export async function comparable(quads: Iterable<Quad>, options: CanonizeOptions = {}): Promise<string> {
  return (await canonize(new Rewriting().rewrite(quads), options)).nquads;
}

class Rewriting {
  readonly #nodes = new Map<string, RDF.BlankNode>();
  readonly #extra: Quad[] = [];

  rewrite(quads: Iterable<Quad>): Quad[] {
    const rewritten: Quad[] = [];
    for (const quad of quads) {
      rewritten.push(
        terms.quad(
          this.#term(quad.subject) as RDF.Quad_Subject,
          quad.predicate,
          this.#term(quad.object) as RDF.Quad_Object,
          this.#term(quad.graph) as RDF.Quad_Graph,
        ),
      );
    }
    return rewritten.concat(this.#extra);
  }

  #term(term: Term): Term {
    // No written label starts like these, whatever the dataset: a dot can't be the first character.
    if (term.termType === 'BlankNode') return terms.blankNode(`.n.${term.value}`);
    if (term.termType === 'Literal' && term.direction) {
      return terms.literal(term.value, terms.namedNode(`${NAMESPACE}direction:${languageSuffix(foldedTerm(term))}`));
    }
    return term.termType === 'Quad' ? this.#tripleTerm(term) : term;
  }

  #tripleTerm(triple: RDF.BaseQuad): Term {
    const key = termKey(triple as Term);
    const known = this.#nodes.get(key);
    if (known !== undefined) return known;
    const node = terms.blankNode(`.t.${this.#nodes.size}`);
    this.#nodes.set(key, node);
    for (const part of ['subject', 'predicate', 'object'] as const) {
      const object = this.#term(triple[part]) as RDF.Quad_Object;
      this.#extra.push(terms.quad(node, terms.namedNode(NAMESPACE + part), object, TRIPLE_TERMS));
    }
    return node;
  }
}
