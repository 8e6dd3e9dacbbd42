/**
 * Quads that a program hands over, held to the rules of documents: absolute IRIs, legal labels and
 * language tags, whole characters, no variables, terms where RDF lets them stand. Terms are built
 * anew, so that those of any factory will do.
 */

import { SvcError } from '../base/errors.js';
import type { DocumentBlankNodes } from './blank-node-scope.js';
import { ReadFactory, TermFault } from './formats/read-factory.js';
import { type Quad, type Term, terms } from './terms.js';

export function assertLiteralSize(text: string, sourceName: string, bytesMax: number): void {
  // A UTF-16 unit is at most three bytes of UTF-8, so that most need not be measured.
  if (text.length * 3 <= bytesMax || Buffer.byteLength(text) <= bytesMax) return;
  throw new SvcError('limit_exceeded', `a literal is longer than statementBytesMax (${bytesMax} bytes)`, {
    position: { source: sourceName },
  });
}

export class CheckedTerms {
  readonly #factory: ReadFactory;
  readonly #sourceName: string;
  readonly #literalBytesMax: number;

  constructor(nodes: DocumentBlankNodes, sourceName: string, literalBytesMax = Number.POSITIVE_INFINITY) {
    this.#factory = new ReadFactory({ blankNode: nodes.make });
    this.#sourceName = sourceName;
    this.#literalBytesMax = literalBytesMax;
  }

  quad(quad: Quad): Quad {
    try {
      return terms.quad(
        this.#subject(quad.subject),
        this.#predicate(quad.predicate),
        this.#term(quad.object) as Quad['object'],
        quad.graph.termType === 'DefaultGraph' ? quad.graph : (this.#subject(quad.graph) as Quad['graph']),
      );
    } catch (error) {
      if (!(error instanceof TermFault)) throw error;
      throw new SvcError('parse_error', error.message, { position: { source: this.#sourceName }, cause: error });
    }
  }

  #subject(term: Term): Quad['subject'] {
    if (term.termType === 'NamedNode' || term.termType === 'BlankNode') return this.#term(term) as Quad['subject'];
    throw new TermFault(`a ${term.termType} can be neither a subject nor a graph`);
  }

  #predicate(term: Term): Quad['predicate'] {
    if (term.termType === 'NamedNode') return this.#term(term) as Quad['predicate'];
    throw new TermFault(`a ${term.termType} can not be a predicate`);
  }

  #term(term: Term): Term {
    switch (term.termType) {
      case 'NamedNode':
        return this.#factory.namedNode(term.value);
      case 'BlankNode':
        return this.#factory.blankNode(term.value);
      case 'Literal':
        assertLiteralSize(term.value, this.#sourceName, this.#literalBytesMax);
        if (term.language === '') return this.#factory.literal(term.value, term.datatype);
        return this.#factory.literal(term.value, { language: term.language, direction: term.direction ?? '' });
      case 'Quad': {
        const { subject, predicate, object } = term as Quad;
        return terms.quad(this.#subject(subject), this.#predicate(predicate), this.#term(object) as Quad['object']);
      }
      default:
        throw new TermFault(`a ${term.termType} can not be stored`);
    }
  }
}
