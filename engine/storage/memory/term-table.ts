/**
 * Terms and their ids in memory. Numbers are given in the order of arrival, from 1, which is the
 * IRI of the ROOT graph. An overlay holds the new terms of a write that is not published yet: its
 * numbers go on from the table's, and nothing of it stands in the table until it is adopted.
 */

import { invariant } from '../../base/errors.js';
import {
  type Literal,
  type Quad,
  RDF_DIR_LANG_STRING,
  RDF_LANG_STRING,
  ROOT_GRAPH_IRI,
  type Term,
  terms,
  XSD_STRING,
} from '../../rdf/terms.js';
import { inlineId, inlineTerm } from '../ids/inline.js';
import {
  datatypeCode,
  isDictionaryTag,
  makeId,
  payloadOf,
  ROOT_ID,
  ROOT_TERM_NUMBER,
  TAG,
  type TermId,
  tagOf,
  UNBOUND,
} from '../ids/layout.js';

/** Terms by id and ids by term, as a snapshot needs them. */
export interface TermView {
  lookup(term: Term): TermId | null;
  decode(id: TermId): Term;
}

export class TermTable implements TermView {
  readonly #ids = new Map<string, TermId>();
  /** By term number; number 0 is no term. */
  readonly #terms: Term[] = [terms.defaultGraph()];

  constructor() {
    const root = terms.namedNode(ROOT_GRAPH_IRI);
    const id = this.adopt(root, keyOf(root), makeId(TAG.iri, 0, BigInt(ROOT_TERM_NUMBER)));
    invariant(id === ROOT_ID, 'the ROOT graph is term 1');
  }

  /** The greatest term number. */
  get size(): number {
    return this.#terms.length - 1;
  }

  lookup(term: Term): TermId | null {
    return specialId(term) ?? this.find(keyOf(term));
  }

  find(key: string): TermId | null {
    return this.#ids.get(key) ?? null;
  }

  /** The term of an id; inlined ones need no table. */
  decode(id: TermId): Term {
    if (id === UNBOUND) return terms.defaultGraph();
    if (!isDictionaryTag(tagOf(id))) return inlineTerm(id);
    const term = this.#terms[Number(payloadOf(id))];
    invariant(term !== undefined, `no term has the id ${id.toString(16)}`);
    return term;
  }

  adopt(term: Term, key: string, id: TermId): TermId {
    invariant(Number(payloadOf(id)) === this.#terms.length, 'term numbers follow one another');
    this.#terms.push(term);
    this.#ids.set(key, id);
    return id;
  }
}

export class TermOverlay implements TermView {
  readonly #table: TermTable;
  readonly #base: number;
  readonly #added = new Map<string, { readonly term: Term; readonly id: TermId }>();
  /** The same terms, by number from `#base + 1`. */
  readonly #terms: Term[] = [];

  constructor(table: TermTable) {
    this.#table = table;
    this.#base = table.size;
  }

  get size(): number {
    return this.#added.size;
  }

  /** The greatest term number, with those of the table. */
  get termNumberMax(): number {
    return this.#base + this.#added.size;
  }

  intern(term: Term): TermId {
    const special = specialId(term);
    if (special !== null) return special;
    const key = keyOf(term);
    const known = this.#table.find(key) ?? this.#added.get(key)?.id;
    if (known !== undefined && known !== null) return known;
    const id = makeId(tagOfTerm(term), auxiliaryOfTerm(term), BigInt(this.#base + this.#added.size + 1));
    const stored = normalised(term);
    this.#added.set(key, { term: stored, id });
    this.#terms.push(stored);
    return id;
  }

  lookup(term: Term): TermId | null {
    const special = specialId(term);
    if (special !== null) return special;
    const key = keyOf(term);
    return this.#table.find(key) ?? this.#added.get(key)?.id ?? null;
  }

  decode(id: TermId): Term {
    const at = isDictionaryTag(tagOf(id)) ? Number(payloadOf(id)) - this.#base - 1 : -1;
    if (at < 0) return this.#table.decode(id);
    const term = this.#terms[at];
    invariant(term !== undefined, `no term has the id ${id.toString(16)}`);
    return term;
  }

  /** True for inlined ids and for those of terms that the table or the overlay holds. */
  has(id: TermId): boolean {
    if (!isDictionaryTag(tagOf(id))) return true;
    const number = Number(payloadOf(id));
    return number > 0 && number <= this.#base + this.#terms.length;
  }

  /** Moves all that is new into the table. */
  adopt(): void {
    invariant(this.#table.size === this.#base, 'the table has not changed since the overlay was made');
    for (const [key, { term, id }] of this.#added) this.#table.adopt(term, key, id);
  }
}

/** Ids that need no dictionary: the default graph and inlined literals. */
function specialId(term: Term): TermId | null {
  if (term.termType === 'DefaultGraph') return ROOT_ID;
  if (term.termType === 'Literal' && term.language === '') return inlineId(term.datatype.value, term.value);
  return null;
}

/** Equal for equal terms: languages without regard to case, simple literals as xsd:string. */
function keyOf(term: Term): string {
  switch (term.termType) {
    case 'NamedNode':
      return `<${term.value}`;
    case 'BlankNode':
      return `_${term.value}`;
    case 'Literal':
      return literalKey(term);
    case 'Quad':
      return `(${[term.subject, term.predicate, term.object].map((part) => lengthPrefixed(keyOf(part))).join('')}`;
    default:
      return `?${term.value}`;
  }
}

function literalKey(term: Literal): string {
  const language = `@${term.language.toLowerCase()}--${term.direction || ''}`;
  // A NUL can't be in a datatype IRI nor in a language tag, so that it ends them for certain.
  return `"${term.language === '' ? term.datatype.value : language}\0${term.value}`;
}

function lengthPrefixed(text: string): string {
  return `${text.length}:${text}`;
}

function tagOfTerm(term: Term): number {
  switch (term.termType) {
    case 'NamedNode':
      return TAG.iri;
    case 'BlankNode':
      return TAG.blank;
    case 'Quad':
      return TAG.triple;
    case 'Literal':
      switch (term.datatype.value) {
        case XSD_STRING:
          return TAG.string;
        case RDF_LANG_STRING:
          return TAG.langString;
        case RDF_DIR_LANG_STRING:
          return TAG.dirLangString;
        default:
          return TAG.typed;
      }
    default:
      invariant(false, `a ${term.termType} is not stored`);
  }
}

function auxiliaryOfTerm(term: Term): number {
  return tagOfTerm(term) === TAG.typed ? datatypeCode((term as Literal).datatype.value) : 0;
}

/** Within triple terms language tags are in lower case, as in files. */
function normalised(term: Term): Term {
  if (term.termType !== 'Quad') return term;
  const { subject, predicate, object } = term as Quad;
  return terms.quad(subject, predicate, withinTriple(object) as Quad['object']);
}

function withinTriple(term: Term): Term {
  if (term.termType !== 'Literal' || term.language === '') return normalised(term);
  const language = term.language.toLowerCase();
  return terms.literal(term.value, term.direction ? { language, direction: term.direction } : language);
}
