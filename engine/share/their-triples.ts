/**
 * The triples of a verified share as a store knows them, line by line: foreign names rewritten, terms looked up, nothing
 * written. Three kinds: ground triples whose terms the store knows, by ids; ground triples with a term that it has
 * never seen, which so stand in no graph of it; and triples with blank nodes, whose identity is found by others.
 */

import { type Quad, type Term, terms } from '../rdf/terms.js';
import type { TermId } from '../storage/ids/layout.js';
import type { StorageSnapshot } from '../storage/seam/scan.js';
import { canonicalTriple } from './canonical-lines.js';
import type { LinePlaces } from './canonical-reader.js';
import { objectOf } from './line-terms.js';
import { RDF_TYPE_IRI } from './name-rewrite.js';
import { isRange } from './share-names.js';
import { TripleIndex } from './triple-index.js';

/** Objects that are remembered by their texts, since many share one; then it begins anew. */
const IRIS_MAX = 16_384;

interface Found {
  readonly term: Term;
  /** Null = the store does not know it. */
  readonly id: TermId | null;
}

export interface ReadingPlan {
  /** From foreign to local IRI. */
  readonly targets: ReadonlyMap<string, string>;
  /** How many triples are to come. */
  readonly triples: number;
}

export class TheirTriples {
  readonly known: TripleIndex;
  readonly fresh: Quad[] = [];
  /** With canonical labels, as they stand in the share. */
  readonly blank: Quad[] = [];
  readonly #iris = new Map<string, Found>();
  readonly #predicates = new Map<string, Found & { readonly isType: boolean }>();
  /** Two lines may become one triple when names are rewritten. */
  readonly #seen: Set<string> | null;
  #subjectBytes = Buffer.alloc(0);
  #subject: Found = { term: terms.namedNode(''), id: null };

  constructor(
    private readonly snapshot: StorageSnapshot,
    private readonly plan: ReadingPlan,
  ) {
    this.known = new TripleIndex(plan.triples, plan.targets.size === 0);
    this.#seen = plan.targets.size === 0 ? null : new Set();
  }

  take(line: LinePlaces): void {
    const { bytes, subjectBlank, objectBlank } = line;
    if (!isRange(bytes, line.start, line.subjectEnd, this.#subjectBytes)) {
      this.#subjectBytes = Buffer.from(bytes.subarray(line.start, line.subjectEnd));
      const label = subjectBlank === -1 ? null : terms.blankNode(labelOf(subjectBlank));
      this.#subject = label === null ? this.#node(bytes, line.start, line.subjectEnd) : { term: label, id: null };
    }
    const predicate = this.#predicateOf(line);
    const object = this.#objectOf(line, predicate.isType);
    const subject = this.#subject;
    if (subject.id !== null && predicate.id !== null && object.id !== null) {
      this.known.add(subject.id, predicate.id, object.id);
      return;
    }
    const quad = terms.quad(
      subject.term as Quad['subject'],
      predicate.term as Quad['predicate'],
      object.term as Quad['object'],
    );
    if (subjectBlank !== -1 || objectBlank !== -1) this.blank.push(quad);
    else if (this.#isNew(quad)) this.fresh.push(quad);
  }

  #isNew(quad: Quad): boolean {
    if (this.#seen === null) return true;
    const line = canonicalTriple(quad);
    if (this.#seen.has(line)) return false;
    this.#seen.add(line);
    return true;
  }

  #predicateOf({ bytes, predicateStart, predicateEnd }: LinePlaces): Found & { readonly isType: boolean } {
    const text = bytes.toString('latin1', predicateStart, predicateEnd);
    const known = this.#predicates.get(text);
    if (known !== undefined) return known;
    const iri = bytes.toString('utf8', predicateStart + 1, predicateEnd - 1);
    const predicate = { ...this.#find(terms.namedNode(iri)), isType: iri === RDF_TYPE_IRI };
    this.#predicates.set(text, predicate);
    return predicate;
  }

  #objectOf(line: LinePlaces, isClass: boolean): Found {
    const { bytes, objectKind } = line;
    if (objectKind === 'blank') return { term: terms.blankNode(labelOf(line.objectBlank)), id: null };
    if (objectKind === 'literal') return this.#find(objectOf(line, labelOf));
    return this.#iri(bytes, line.objectStart, line.objectEnd, isClass);
  }

  #iri(bytes: Buffer, from: number, to: number, isClass: boolean): Found {
    const text = bytes.toString('latin1', from, to);
    const key = isClass ? `a ${text}` : text;
    const known = this.#iris.get(key);
    if (known !== undefined) return known;
    const found = this.#node(bytes, from, to, isClass);
    if (this.#iris.size === IRIS_MAX) this.#iris.clear();
    this.#iris.set(key, found);
    return found;
  }

  /** Classes are never rewritten. */
  #node(bytes: Buffer, from: number, to: number, isClass = false): Found {
    const iri = bytes.toString('utf8', from + 1, to - 1);
    return this.#find(terms.namedNode(isClass ? iri : (this.plan.targets.get(iri) ?? iri)));
  }

  #find(term: Term): Found {
    return { term, id: this.snapshot.encode(term) };
  }
}

function labelOf(number: number): string {
  return `c14n${number}`;
}
