/**
 * Quads that a program hands over, held to the rules of documents: absolute IRIs, legal labels and
 * language tags, whole characters, no variables, terms where RDF lets them stand. Terms are built
 * anew, so that those of any factory will do.
 */

import { invariant, SvcError } from '../base/errors.js';
import { type BlankNodeMaker, ReadFactory, TermFault } from './formats/input/read-factory.js';
import { type Literal, type NamedNode, type Quad, type Term, terms } from './terms.js';

export function assertLiteralSize(text: string, sourceName: string, bytesMax: number): void {
  // A UTF-16 unit is at most three bytes of UTF-8, so that most need not be measured.
  if (text.length * 3 <= bytesMax || Buffer.byteLength(text) <= bytesMax) return;
  throw new SvcError('limit_exceeded', `a literal is longer than statementBytesMax (${bytesMax} bytes)`, {
    position: { source: sourceName },
  });
}

/** Who names the blank nodes. */
export interface BlankNodes {
  readonly make: BlankNodeMaker;
}

/** Blank nodes keep the labels that they have. */
export const VERBATIM_NODES: BlankNodes = {
  make: (label) => {
    invariant(label !== null, 'the node of a quad has a label');
    return terms.blankNode(label);
  },
};

const POSITIONS = ['subject', 'predicate', 'object', 'graph'] as const;

/** Programs hand over what they like; terms are told by their `termType`. */
export function isQuadLike(quad: unknown): boolean {
  if (typeof quad !== 'object' || quad === null) return false;
  return POSITIONS.every((position) => typeof (quad as Partial<Quad>)[position]?.termType === 'string');
}

export class CheckedTerms {
  readonly #factory: ReadFactory;

  constructor(
    nodes: BlankNodes,
    private readonly sourceName: string,
    private readonly literalBytesMax = Number.POSITIVE_INFINITY,
    private readonly faultCode: 'parse_error' | 'invalid_request' = 'parse_error',
  ) {
    this.#factory = new ReadFactory({ blankNode: nodes.make });
  }

  quad(quad: Quad): Quad {
    try {
      if (!isQuadLike(quad)) throw new TermFault('this is no quad: it lacks a subject, predicate, object or graph');
      return terms.quad(
        this.#subject(quad.subject),
        this.#predicate(quad.predicate),
        this.#term(quad.object) as Quad['object'],
        quad.graph.termType === 'DefaultGraph' ? quad.graph : (this.#subject(quad.graph) as Quad['graph']),
      );
    } catch (error) {
      throw this.#told(error);
    }
  }

  /** One term of a quad, held to the rules of its position. */
  termAt(position: (typeof POSITIONS)[number], term: Term): Term {
    try {
      if (position === 'object') return this.#term(term);
      if (position === 'predicate') return this.#predicate(term);
      return position === 'graph' && term.termType === 'DefaultGraph' ? term : this.#subject(term);
    } catch (error) {
      throw this.#told(error);
    }
  }

  #told(error: unknown): unknown {
    if (!(error instanceof TermFault)) return error;
    return new SvcError(this.faultCode, error.message, { position: { source: this.sourceName }, cause: error });
  }

  #subject(term: Term): Quad['subject'] {
    if (term.termType === 'NamedNode' || term.termType === 'BlankNode') return this.#term(term) as Quad['subject'];
    throw new TermFault(`a ${term.termType} can be neither a subject nor a graph`);
  }

  #predicate(term: Term): Quad['predicate'] {
    if (term.termType === 'NamedNode') return this.#term(term) as Quad['predicate'];
    throw new TermFault(`a ${term.termType} can not be a predicate`);
  }

  #datatype(literal: Literal): NamedNode {
    if (typeof literal.datatype?.value !== 'string') throw new TermFault('a literal lacks its datatype');
    return this.#factory.namedNode(literal.datatype.value);
  }

  #term(term: Term): Term {
    switch (term.termType) {
      case 'NamedNode':
        return this.#factory.namedNode(term.value);
      case 'BlankNode':
        return this.#factory.blankNode(term.value);
      case 'Literal':
        assertLiteralSize(term.value, this.sourceName, this.literalBytesMax);
        if (!term.language) return this.#factory.literal(term.value, this.#datatype(term));
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
