/**
 * The term factory that the parsers are given. It holds terms to `term-checks.ts` and leaves blank
 * nodes to the caller, who scopes them. Language tags stay as they are written.
 *
 * A fault is thrown as `TermFault`; the reader that drives the parser knows the place and makes the
 * error of it.
 */

import { type RDF, RDF_DIR_LANG_STRING, RDF_LANG_STRING, terms } from '../../terms.js';
import { hasLoneSurrogate, iriFault, isBlankNodeLabel, isLanguageTag } from './term-checks.js';

/** Called for each written label, and with null for each anonymous node, in the order of the document. */
export type BlankNodeMaker = (label: string | null) => RDF.BlankNode;

export class TermFault extends Error {}

/** IRIs repeat, so those that were checked are kept. When there are so many, all are dropped. */
const CACHED_IRIS_MAX = 16_384;
const MESSAGE_CHARACTERS_MAX = 100;

type LanguageOrDatatype = string | RDF.NamedNode | { language: string; direction?: 'ltr' | 'rtl' | '' | null };

export interface ReadFactoryOptions {
  readonly blankNode: BlankNodeMaker;
  /** `drop` leaves the base direction of a string out, as JSON-LD 1.1 does without `rdfDirection`. */
  readonly directions?: 'keep' | 'drop' | undefined;
}

export class ReadFactory {
  readonly #blankNode: BlankNodeMaker;
  readonly #keepDirections: boolean;
  /** Where set: collects the names of the anonymous nodes that are made. */
  anonymous: Set<string> | null = null;
  readonly #iris = new Map<string, RDF.NamedNode>();
  readonly defaultGraph = terms.defaultGraph.bind(terms);
  readonly quad = terms.quad.bind(terms);
  readonly fromTerm = terms.fromTerm?.bind(terms);
  readonly fromQuad = terms.fromQuad?.bind(terms);

  constructor(options: ReadFactoryOptions) {
    this.#blankNode = options.blankNode;
    this.#keepDirections = options.directions !== 'drop';
  }

  namedNode<Iri extends string = string>(value: Iri): RDF.NamedNode<Iri> {
    const known = this.#iris.get(value);
    if (known !== undefined) return known as RDF.NamedNode<Iri>;
    const fault = iriFault(value);
    if (fault !== null) throw new TermFault(`the IRI <${shorten(value)}> ${fault}`);
    const made = terms.namedNode(value);
    if (this.#iris.size >= CACHED_IRIS_MAX) this.#iris.clear();
    this.#iris.set(value, made);
    return made;
  }

  blankNode(label?: string): RDF.BlankNode {
    if (label === undefined) {
      const node = this.#blankNode(null);
      this.anonymous?.add(node.value);
      return node;
    }
    if (!isBlankNodeLabel(label)) throw new TermFault(`_:${shorten(label)} is not a legal blank node label`);
    return this.#blankNode(label);
  }

  literal(value: string, kind?: LanguageOrDatatype | null): RDF.Literal {
    if (hasLoneSurrogate(value)) throw new TermFault('a string has half of a surrogate pair');
    if (kind === undefined || kind === null) return terms.literal(value);
    if (typeof kind === 'string') return terms.literal(value, languageTag(kind));
    if ('termType' in kind) {
      if (kind.value === RDF_LANG_STRING || kind.value === RDF_DIR_LANG_STRING) {
        throw new TermFault(
          `a literal of datatype ${kind.value.slice(kind.value.indexOf('#') + 1)} needs a language tag`,
        );
      }
      return terms.literal(value, kind);
    }
    if (!kind.language) return terms.literal(value);
    const language = languageTag(kind.language);
    if (!kind.direction || !this.#keepDirections) return terms.literal(value, language);
    return terms.literal(value, { language, direction: kind.direction });
  }

  variable(name: string): RDF.Variable {
    throw new TermFault(`a variable (?${name}) has no place in a document`);
  }
}

function languageTag(tag: string): string {
  if (!isLanguageTag(tag)) throw new TermFault(`${JSON.stringify(shorten(tag))} is not a language tag`);
  return tag;
}

function shorten(text: string): string {
  return text.length <= MESSAGE_CHARACTERS_MAX ? text : `${text.slice(0, MESSAGE_CHARACTERS_MAX)}...`;
}
