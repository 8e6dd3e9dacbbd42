/**
 * Terms to ids for a stage: inlined, known to the dictionary, known to the delta, or new, with a
 * provisional number that becomes theirs when the stage is committed. Checks terms as documents do.
 */

import { SvcError } from '../../base/errors.js';
import { CheckedTerms, VERBATIM_NODES } from '../../rdf/checked-terms.js';
import type { Literal, Quad, Term } from '../../rdf/terms.js';
import type { DeltaTerms } from '../delta/delta-terms.js';
import type { DictionaryReader } from '../dictionary/reader.js';
import { dictionaryId, partsOf, storedBytes } from '../dictionary/stored-term.js';
import { inlineId } from '../ids/inline.js';
import { ROOT_ID } from '../ids/layout.js';
import type { ReadTransaction } from '../lmdb/file.js';
import type { Manifest } from '../runs/manifest.js';

const KNOWN_TERMS_MAX = 200_000;

/** An id as two halves, so that no BigInt is made per row. */
export interface IdHalves {
  readonly low: number;
  readonly high: number;
}

const ROOT = halvesOf(ROOT_ID);

function halvesOf(id: bigint): IdHalves {
  return { low: Number(id & 0xffffffffn), high: Number(id >> 32n) };
}

/** Ids of terms that were looked up before, kept over stages: an id that is committed never changes. */
export class KnownTerms {
  readonly ids = new Map<string, IdHalves>();

  keep(key: string, id: IdHalves): void {
    if (this.ids.size >= KNOWN_TERMS_MAX) this.ids.clear();
    this.ids.set(key, id);
  }

  clear(): void {
    this.ids.clear();
  }
}

export class TermEncoder {
  readonly #dictionary: DictionaryReader;
  readonly #manifest: Manifest;
  readonly #transaction: ReadTransaction;
  readonly #delta: DeltaTerms;
  readonly #known: KnownTerms;
  readonly #checked: CheckedTerms;
  /** Terms that are new with the stage. */
  readonly fresh: DeltaTerms;
  readonly #freshIds = new Map<string, IdHalves>();

  constructor(
    dictionary: DictionaryReader,
    manifest: Manifest,
    transaction: ReadTransaction,
    delta: DeltaTerms,
    known: KnownTerms,
    fresh: DeltaTerms,
  ) {
    this.#dictionary = dictionary;
    this.#manifest = manifest;
    this.#transaction = transaction;
    this.#delta = delta;
    this.#known = known;
    this.fresh = fresh;
    this.#checked = new CheckedTerms(VERBATIM_NODES, 'a quad of the transaction', undefined, 'invalid_request');
  }

  /** The ids of a quad, new terms getting numbers, to four places of `out`; the default graph is ROOT. */
  encode(given: Quad, out: IdHalves[]): void {
    if (this.#recall(given, out)) return;
    const { subject, predicate, object, graph } = this.#checked.quad(given);
    out[0] = this.#id(subject);
    out[1] = this.#id(predicate);
    out[2] = this.#id(object);
    out[3] = this.#id(graph);
  }

  /** The same without new terms: false when one of them is not known, so that the quad can't be open. */
  lookup(given: Quad, out: IdHalves[]): boolean {
    if (this.#recall(given, out)) return true;
    const { subject, predicate, object, graph } = this.#checked.quad(given);
    const terms = [subject, predicate, object, graph];
    for (let i = 0; i < 4; i++) {
      const id = this.#find(terms[i] as Term);
      if (id === null) return false;
      out[i] = id;
    }
    return true;
  }

  /** Ids of a quad all of whose terms were met, and so checked, before. */
  #recall(quad: Quad, out: IdHalves[]): boolean {
    const subject = this.#met(quad?.subject);
    if (subject === null || (quad.subject.termType as string) === 'Literal') return false;
    const predicate = this.#met(quad.predicate);
    if (predicate === null || quad.predicate.termType !== 'NamedNode') return false;
    const object = this.#met(quad.object);
    if (object === null) return false;
    const graph = quad.graph?.termType === 'DefaultGraph' ? ROOT : this.#met(quad.graph);
    if (graph === null || (quad.graph.termType as string) === 'Literal') return false;
    out[0] = subject;
    out[1] = predicate;
    out[2] = object;
    out[3] = graph;
    return true;
  }

  #met(term: Term | undefined): IdHalves | null {
    if (term === undefined || term === null || typeof term.value !== 'string') return null;
    if (term.termType !== 'NamedNode' && term.termType !== 'BlankNode' && term.termType !== 'Literal') return null;
    const key = keyOf(term);
    return this.#known.ids.get(key) ?? this.#freshIds.get(key) ?? null;
  }

  /** The id of a checked term, or null when neither the store nor the stage knows it. */
  #find(term: Term): IdHalves | null {
    if (term.termType === 'DefaultGraph') return ROOT;
    const key = keyOf(term);
    const known = this.#known.ids.get(key) ?? this.#freshIds.get(key);
    if (known !== undefined) return known;
    const id = this.#search(term);
    if (id === null) return null;
    const halves = halvesOf(id);
    this.#known.keep(key, halves);
    return halves;
  }

  #search(term: Term): bigint | null {
    const inlined = inlinedId(term);
    if (inlined !== null) return inlined;
    const parts = partsOf(term);
    if (parts === null) return null;
    const stored = storedBytes(parts);
    const number =
      this.#delta.find(stored) ??
      this.#dictionary.find(this.#manifest, this.#transaction, stored, Buffer.byteLength(parts.qualifier));
    return number === null ? null : dictionaryId(parts, number);
  }

  #id(term: Term): IdHalves {
    const found = this.#find(term);
    if (found !== null) return found;
    const parts = partsOf(term);
    if (parts === null) {
      throw new SvcError('unsupported', `a store file cannot hold a ${term.termType} yet`, {
        hint: 'triple terms are kept by stores in memory only',
      });
    }
    const id = halvesOf(dictionaryId(parts, this.fresh.add(storedBytes(parts))));
    this.#freshIds.set(keyOf(term), id);
    return id;
  }
}

function inlinedId(term: Term): bigint | null {
  if (term.termType !== 'Literal' || term.language) return null;
  return inlineId(term.datatype.value, term.value);
}

function keyOf(term: Term): string {
  switch (term.termType) {
    case 'NamedNode':
      return `I${term.value}`;
    case 'BlankNode':
      return `B${term.value}`;
    case 'Literal':
      return literalKey(term);
    default:
      return `?${term.termType}`;
  }
}

function literalKey(literal: Literal): string {
  if (!literal.language) return `T${literal.datatype.value}\0${literal.value}`;
  const direction = (literal as { direction?: string | null }).direction;
  return `L${literal.language.toLowerCase()}${direction ? `--${direction}` : ''}\0${literal.value}`;
}
