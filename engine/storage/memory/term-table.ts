/**
 * Terms and their ids in memory. Numbers are given in the order of arrival, from 1, which is the
 * IRI of the ROOT graph. A table above another one holds the new terms of a write that is not published yet: its
 * numbers go on from those below, and nothing of it stands there until it is adopted.
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

export class TermTable {
  /** The table of the store, of one that holds what is new in a write. */
  readonly #below: TermTable | null;
  readonly #base: number;
  readonly #ids = new Map<string, TermId>();
  /** By number, from `#base + 1`. */
  readonly #terms: Term[] = [];

  constructor(below: TermTable | null = null) {
    this.#below = below;
    this.#base = below?.termNumberMax ?? 0;
    if (below !== null) return;
    const root = terms.namedNode(ROOT_GRAPH_IRI);
    this.#add(keyOf(root), root, makeId(TAG.iri, 0, BigInt(ROOT_TERM_NUMBER)));
  }

  /** The same terms for good, whatever comes into this table. */
  copy(): TermTable {
    const copy = new TermTable();
    for (const [key, id] of this.#ids) if (!copy.#ids.has(key)) copy.#add(key, this.decode(id), id);
    return copy;
  }

  /** Terms that it holds itself. */
  get size(): number {
    return this.#terms.length;
  }

  /** The greatest term number, with those of the table below. */
  get termNumberMax(): number {
    return this.#base + this.#terms.length;
  }

  intern(term: Term): TermId {
    const special = specialId(term);
    if (special !== null) return special;
    const key = keyOf(term);
    const known = this.#find(key);
    if (known !== null) return known;
    const id = makeId(tagOfTerm(term), auxiliaryOfTerm(term), BigInt(this.termNumberMax + 1));
    this.#add(key, normalised(term), id);
    return id;
  }

  lookup(term: Term): TermId | null {
    return specialId(term) ?? this.#find(keyOf(term));
  }

  #find(key: string): TermId | null {
    const below = this.#below === null ? null : this.#below.#find(key);
    return below ?? this.#ids.get(key) ?? null;
  }

  #add(key: string, term: Term, id: TermId): void {
    invariant(Number(payloadOf(id)) === this.termNumberMax + 1, 'term numbers follow one another');
    this.#terms.push(term);
    this.#ids.set(key, id);
  }

  /** The term of an id; inlined ones need no table. */
  decode(id: TermId): Term {
    if (id === UNBOUND) return terms.defaultGraph();
    if (!isDictionaryTag(tagOf(id))) return inlineTerm(id);
    const at = Number(payloadOf(id)) - this.#base - 1;
    if (at < 0 && this.#below !== null) return this.#below.decode(id);
    const term = this.#terms[at];
    invariant(term !== undefined, `no term has the id ${id.toString(16)}`);
    return term;
  }

  /** True for inlined ids and for those of terms that it or the table below holds. */
  has(id: TermId): boolean {
    if (!isDictionaryTag(tagOf(id))) return true;
    const number = Number(payloadOf(id));
    return number > 0 && number <= this.termNumberMax;
  }

  /** Moves all that is new into the table below. */
  adopt(): void {
    const below = this.#below;
    invariant(below?.termNumberMax === this.#base, 'the table has not changed since the one above it was made');
    for (const [key, id] of this.#ids) below.#add(key, this.decode(id), id);
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
