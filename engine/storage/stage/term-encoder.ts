/**
 * Terms to ids for a stage: inlined, known to the dictionary, known to the delta, or new, with a
 * provisional number that becomes theirs when the stage is committed. Checks terms as documents do.
 */

import { invariant } from '../../base/errors.js';
import { CheckedTerms, isQuadLike, VERBATIM_NODES } from '../../rdf/checked-terms.js';
import type { Quad, Term } from '../../rdf/terms.js';
import type { DeltaTerms } from '../delta/delta-terms.js';
import { dictionaryId, partsOf, storedBytes, storedKey } from '../dictionary/stored-term.js';
import { inlineId } from '../ids/inline.js';
import { ROOT_ID } from '../ids/layout.js';
import type { View } from '../snapshot/view.js';
import { type IdHalves, TermMap } from './term-map.js';

const KNOWN_TERMS_MAX = 200_000;

const ROOT = halvesOf(ROOT_ID);

type Kinds = ReadonlySet<Term['termType']>;
type Place = 'subject' | 'predicate' | 'object' | 'graph';

/**
 * Kinds of terms in the positions of a quad that are found by their key before they are checked; a graph
 * is named as a subject is. Triple terms are checked every time.
 */
const SUBJECT: Kinds = new Set(['NamedNode', 'BlankNode']);
const PREDICATE: Kinds = new Set(['NamedNode']);
const OBJECT: Kinds = new Set(['NamedNode', 'BlankNode', 'Literal']);
const KINDS = [SUBJECT, PREDICATE, OBJECT, SUBJECT];
const PLACES: readonly Place[] = ['subject', 'predicate', 'object', 'graph'];

function halvesOf(id: bigint): IdHalves {
  return { low: Number(id & 0xffffffffn), high: Number(id >> 32n) };
}

/** Ids of terms that were looked up before, kept over stages: an id that is committed never changes. */
export class KnownTerms {
  readonly ids = new TermMap(true);

  keep(term: Term, id: IdHalves): void {
    if (this.ids.size >= KNOWN_TERMS_MAX) this.ids.clear();
    this.ids.set(term, id);
  }

  clear(): void {
    this.ids.clear();
  }
}

export class TermEncoder {
  readonly #view: View;
  readonly #delta: DeltaTerms;
  readonly #known: KnownTerms;
  readonly #checked: CheckedTerms;
  /** Terms that are new with the stage. */
  readonly fresh: DeltaTerms;
  readonly #freshIds = new TermMap();

  constructor(view: View, delta: DeltaTerms, known: KnownTerms, fresh: DeltaTerms) {
    this.#view = view;
    this.#delta = delta;
    this.#known = known;
    this.fresh = fresh;
    this.#checked = new CheckedTerms(VERBATIM_NODES, 'a quad of the transaction', undefined, 'invalid_request');
  }

  /** The ids of a quad, new terms getting numbers, to four places of `out`; the default graph is ROOT. */
  encode(quad: Quad, out: IdHalves[]): void {
    if (!isQuadLike(quad)) this.#checked.quad(quad);
    out[0] = this.#met(quad.subject, SUBJECT) ?? this.#create('subject', quad.subject);
    out[1] = this.#met(quad.predicate, PREDICATE) ?? this.#create('predicate', quad.predicate);
    out[2] = this.#met(quad.object, OBJECT) ?? this.#create('object', quad.object);
    out[3] = this.#met(quad.graph, SUBJECT) ?? this.#create('graph', quad.graph);
  }

  /** The id of a term by itself, a new one getting a number. */
  intern(term: Term): IdHalves {
    return this.#met(term, OBJECT) ?? this.#create('object', term);
  }

  /** The same without new terms: false when one of them is not known, so that the quad can't be open. */
  lookup(quad: Quad, out: IdHalves[]): boolean {
    if (!isQuadLike(quad)) this.#checked.quad(quad);
    const terms = [quad.subject, quad.predicate, quad.object, quad.graph];
    let known = true;
    for (let i = 0; i < 4; i++) {
      const term = terms[i] as Term;
      // All terms are checked, even when one is not known.
      const id =
        this.#met(term, KINDS[i] as Kinds) ?? this.#resolve(this.#checked.termAt(PLACES[i] as Place, term), false);
      if (id === null) known = false;
      else out[i] = id;
    }
    return known;
  }

  /** The id of a term that was met, and so checked, before, of a kind that may stand there. */
  #met(term: Term, kinds: Kinds): IdHalves | null {
    if (term.termType === 'DefaultGraph') return kinds === SUBJECT ? ROOT : null;
    if (!kinds.has(term.termType) || typeof term.value !== 'string') return null;
    return this.#known.ids.get(term) ?? this.#freshIds.get(term) ?? null;
  }

  #create(place: Place, term: Term): IdHalves {
    return this.#resolve(this.#checked.termAt(place, term), true) as IdHalves;
  }

  /** The id of a checked term; null when neither the store nor the stage knows it and it is not to be made. */
  #resolve(term: Term, create: boolean): IdHalves | null {
    if (term.termType === 'DefaultGraph') return ROOT;
    const known = this.#known.ids.get(term) ?? this.#freshIds.get(term);
    if (known !== undefined) return known;
    const inlined = inlinedId(term);
    if (inlined !== null) return this.#keep(term, inlined);
    const parts = partsOf(term);
    invariant(parts !== null, 'a checked term can be stored');
    const stored = storedBytes(parts);
    const name = storedKey(stored);
    const { context, manifest, transaction } = this.#view;
    const number =
      this.#delta.find(stored, name) ??
      context.dictionary.find(manifest, transaction, stored, Buffer.byteLength(parts.qualifier));
    if (number !== null) return this.#keep(term, dictionaryId(parts, number));
    if (!create) return null;
    const id = halvesOf(dictionaryId(parts, this.fresh.add(stored, name)));
    this.#freshIds.set(term, id);
    return id;
  }

  #keep(term: Term, id: bigint): IdHalves {
    const halves = halvesOf(id);
    this.#known.keep(term, halves);
    return halves;
  }
}

function inlinedId(term: Term): bigint | null {
  if (term.termType !== 'Literal' || term.language) return null;
  return inlineId(term.datatype.value, term.value);
}
