/**
 * The triples of a verified share on their way into a graph of a stage, line by line (semantics text 6.8 C, D, F): blank
 * nodes get the scope of the share, names that were found are rewritten, and what is off the vocabulary is noted by its
 * subject. Terms are looked up once and quads staged by ids, many at a time.
 */

import { type NamedNode, type Term, terms } from '../rdf/terms.js';
import { highOf, lowOf } from '../storage/ids/halves.js';
import type { TermId } from '../storage/ids/layout.js';
import type { QuadColumns, Stage } from '../storage/seam/engine.js';
import { mapQuads, quadColumns } from '../storage/seam/rows.js';
import type { LinePlaces } from './canonical-reader.js';
import { importedLabel, objectOf } from './line-terms.js';
import type { Vocabulary } from './local-vocabulary.js';
import { RDF_TYPE_IRI } from './name-rewrite.js';

const BATCH_QUADS = 65_536;
/** Objects that are remembered by their texts; then it begins anew. */
const OBJECTS_MAX = 200_000;

export interface StagingPlan {
  readonly shareId: string;
  readonly graph: string;
  /** From foreign to local IRI. */
  readonly targets: ReadonlyMap<string, string>;
  /** Null = everything is in it. */
  readonly vocabulary: Vocabulary | null;
}

/** A term of a triple that the vocabulary does not have. */
export interface OffVocabulary {
  /** IRI, or `_:label`. */
  readonly subject: string;
  readonly term: string;
}

interface Predicate {
  readonly id: TermId;
  readonly iri: string;
  readonly isType: boolean;
  readonly isKnown: boolean;
}

export class TripleStager {
  /** Quads of the graph that were not open before. */
  staged = 0;
  /** Each subject and word once; at most `offMax`. */
  readonly off: OffVocabulary[] = [];
  /** All subjects with a triple off the vocabulary. */
  readonly offSubjects = new Set<TermId>();
  readonly #seenOff = new Set<string>();
  readonly #quads: QuadColumns = quadColumns(BATCH_QUADS);
  readonly #predicates = new Map<string, Predicate>();
  readonly #objects = new Map<string, TermId>();
  #rows = 0;
  #subjectText = '';
  #subject: TermId = 0n;
  #subjectName = '';

  constructor(
    private readonly stage: Stage,
    private readonly plan: StagingPlan,
    private readonly offMax: number,
  ) {
    const graph = stage.intern(terms.namedNode(plan.graph));
    const { g } = this.#quads;
    for (let row = 0; row < BATCH_QUADS; row++) put(g, row, graph);
  }

  take(line: LinePlaces): void {
    const { bytes } = line;
    const subject = bytes.toString('latin1', line.start, line.subjectEnd);
    if (subject !== this.#subjectText) {
      this.#subjectText = subject;
      const term = this.#subjectOf(line);
      this.#subjectName = term.termType === 'BlankNode' ? `_:${term.value}` : term.value;
      this.#subject = this.stage.intern(term);
    }
    const predicate = this.#predicateOf(bytes.toString('latin1', line.predicateStart, line.predicateEnd), line);
    const object = this.#objectOf(line, predicate.isType);
    this.#checkWords(predicate, line);
    const { s, p, o } = this.#quads;
    put(s, this.#rows, this.#subject);
    put(p, this.#rows, predicate.id);
    put(o, this.#rows, object);
    if (++this.#rows === BATCH_QUADS) this.flush();
  }

  flush(): void {
    if (this.#rows === 0) return;
    const rows = this.#rows;
    this.staged += this.stage.assertIds(mapQuads(this.#quads, rows, (column) => column.slice(0, 2 * rows)));
    this.#rows = 0;
  }

  #subjectOf({ bytes, start, subjectEnd, subjectBlank }: LinePlaces): Term {
    if (subjectBlank !== -1) return terms.blankNode(importedLabel(this.plan.shareId, subjectBlank));
    return this.#local(bytes.toString('utf8', start + 1, subjectEnd - 1));
  }

  #local(iri: string): NamedNode {
    return terms.namedNode(this.plan.targets.get(iri) ?? iri);
  }

  #predicateOf(text: string, { bytes, predicateStart, predicateEnd }: LinePlaces): Predicate {
    const known = this.#predicates.get(text);
    if (known !== undefined) return known;
    const iri = bytes.toString('utf8', predicateStart + 1, predicateEnd - 1);
    const predicate = {
      id: this.stage.intern(terms.namedNode(iri)),
      iri,
      isType: iri === RDF_TYPE_IRI,
      isKnown: this.plan.vocabulary?.has(iri) ?? true,
    };
    this.#predicates.set(text, predicate);
    return predicate;
  }

  #objectOf(line: LinePlaces, isClass: boolean): TermId {
    const { bytes, objectStart, objectEnd, objectKind } = line;
    // A class is never rewritten, though the same IRI as an object may be.
    const text = bytes.toString('latin1', objectStart, objectEnd);
    const key = isClass ? `a ${text}` : text;
    const known = this.#objects.get(key);
    if (known !== undefined) return known;
    const term = objectOf(line, (number) => importedLabel(this.plan.shareId, number));
    const id = this.stage.intern(objectKind === 'iri' && !isClass ? this.#local(term.value) : term);
    if (this.#objects.size === OBJECTS_MAX) this.#objects.clear();
    this.#objects.set(key, id);
    return id;
  }

  #checkWords({ iri, isType, isKnown }: Predicate, line: LinePlaces): void {
    const { vocabulary } = this.plan;
    if (vocabulary === null) return;
    if (!isKnown) this.#noteOff(iri);
    if (!isType) return;
    const { bytes, objectStart, objectEnd, objectKind } = line;
    const text = bytes.toString('utf8', objectStart, objectEnd);
    if (objectKind === 'iri' && vocabulary.has(text.slice(1, -1))) return;
    this.#noteOff(objectKind === 'iri' ? text.slice(1, -1) : text);
  }

  #noteOff(term: string): void {
    this.offSubjects.add(this.#subject);
    if (this.off.length === this.offMax) return;
    const key = `${this.#subjectName} ${term}`;
    if (this.#seenOff.has(key)) return;
    this.#seenOff.add(key);
    this.off.push({ subject: this.#subjectName, term });
  }
}

function put(column: Uint32Array, row: number, id: TermId): void {
  column[2 * row] = lowOf(id);
  column[2 * row + 1] = highOf(id);
}
