/**
 * Ids by terms. IRIs and plain texts, which most terms are, are found by their own strings, which know their hash after
 * the first time; the others by a key that is put together for each look.
 */

import { type Literal, type Term, XSD_STRING } from '../../rdf/terms.js';
import { writeTripleText } from '../dictionary/triple-text.js';

/** An id as two halves, so that no BigInt is made per row. */
export interface IdHalves {
  readonly low: number;
  readonly high: number;
}

/** From this length on a part of a text may be kept as a view of the whole. */
const VIEW_LENGTH = 13;

export class TermMap {
  /** True for keys of its own, which hold no document in memory that terms were cut from. */
  readonly #copies: boolean;
  readonly #iris = new Map<string, IdHalves>();
  readonly #texts = new Map<string, IdHalves>();
  readonly #others = new Map<string, IdHalves>();

  constructor(copies = false) {
    this.#copies = copies;
  }

  get size(): number {
    return this.#iris.size + this.#texts.size + this.#others.size;
  }

  get(term: Term): IdHalves | undefined {
    if (term.termType === 'NamedNode') return this.#iris.get(term.value);
    return isText(term) ? this.#texts.get(term.value) : this.#others.get(keyOf(term));
  }

  set(term: Term, id: IdHalves): void {
    if (term.termType === 'NamedNode') this.#iris.set(this.#own(term.value), id);
    else if (isText(term)) this.#texts.set(this.#own(term.value), id);
    else this.#others.set(keyOf(term), id);
  }

  #own(text: string): string {
    return this.#copies && text.length >= VIEW_LENGTH ? Buffer.from(text).toString() : text;
  }

  clear(): void {
    this.#iris.clear();
    this.#texts.clear();
    this.#others.clear();
  }
}

function isText(term: Term): term is Literal {
  return term.termType === 'Literal' && !term.language && term.datatype.value === XSD_STRING;
}

function keyOf(term: Term): string {
  switch (term.termType) {
    case 'BlankNode':
      return `B${term.value}`;
    case 'Literal':
      return literalKey(term);
    case 'Quad':
      return `Q${writeTripleText(term)}`;
    default:
      return `?${term.termType}`;
  }
}

function literalKey(literal: Literal): string {
  if (!literal.language) return `T${literal.datatype.value}\0${literal.value}`;
  const direction = (literal as { direction?: string | null }).direction;
  return `L${literal.language.toLowerCase()}${direction ? `--${direction}` : ''}\0${literal.value}`;
}
