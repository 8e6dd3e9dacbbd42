/**
 * The data that is validated: some graphs of a snapshot. In a graph other than ROOT the `rdf:type` and `rdfs:subClassOf`
 * facts of ROOT count, too; a companion `#inferred` graph is read together with its base.
 *
 * All lookups are sorted probes that stay open for as long as the view does.
 */

import { getOrInsert } from '../../base/maps.js';
import { ROOT_GRAPH_IRI, type Term, terms } from '../../rdf/terms.js';
import { highOf, lowOf } from '../../storage/ids/halves.js';
import { ROOT_ID, type TermId } from '../../storage/ids/layout.js';
import {
  BATCH_ROWS,
  type Column,
  CURRENT,
  type GraphSet,
  type IdColumn,
  type ProbeBatch,
  type ProbeCursor,
  type StorageSnapshot,
} from '../../storage/seam/scan.js';
import { RDF_TYPE, SUB_CLASS_OF } from '../shapes/vocabulary.js';
import { distinct, grown, IdList, type IdSet, NO_IDS } from './id-columns.js';
import { SubjectCache } from './subject-cache.js';
import { TermNames } from './term-names.js';

/** Pairs of a row of the keys that were looked up and an id that was found there; by row, then by id. */
export class Pairs {
  rows: Uint32Array<ArrayBuffer>;
  ids: Uint32Array<ArrayBuffer>;
  count = 0;

  constructor(capacity = 64) {
    this.rows = new Uint32Array(Math.max(1, capacity));
    this.ids = new Uint32Array(2 * Math.max(1, capacity));
  }

  push(row: number, low: number, high: number): void {
    if (this.count === this.rows.length) this.reserve(2 * this.count);
    this.rows[this.count] = row;
    this.ids[2 * this.count] = low;
    this.ids[2 * this.count + 1] = high;
    this.count++;
  }

  reserve(rows: number): void {
    if (rows <= this.rows.length) return;
    const capacity = Math.max(rows, 2 * this.rows.length);
    this.rows = grown(this.rows, capacity);
    this.ids = grown(this.ids, 2 * capacity);
  }
}

/** Facts of subjects, each with the row of its subject. */
export interface Facts {
  readonly subjects: number[];
  readonly predicates: IdList;
  readonly objects: IdList;
  readonly count: number;
}

const INFERRED = '#inferred';

export class DataGraph {
  readonly rdfType: TermId;
  readonly subClassOf: TermId;
  readonly #cursors = new Map<string, ProbeCursor>();
  readonly #subjectCache = new SubjectCache(() => this.#factsCursor());
  /** The graphs of which every fact counts, and those of which only types and subclasses do. */
  readonly #graphs: readonly TermId[];
  readonly #context: readonly TermId[];
  /** The IRIs of the graphs of which every fact counts. */
  readonly graphIris: readonly string[];

  /**
   * `graph`: the IRI of the destination. `check` is called now and then and throws when the work has to stop.
   * The snapshot stays the caller's to close, after the view.
   */
  constructor(
    readonly snapshot: StorageSnapshot,
    readonly graph: string = ROOT_GRAPH_IRI,
    private readonly check: () => void = () => undefined,
    readonly names: TermNames = new TermNames(snapshot),
  ) {
    const own = graph.endsWith(INFERRED) ? [graph.slice(0, -INFERRED.length), graph] : [graph];
    this.graphIris = own;
    this.#graphs = own.flatMap((iri) => this.#graphId(iri) ?? []);
    this.#context = own.includes(ROOT_GRAPH_IRI) ? [] : [ROOT_ID];
    this.rdfType = this.idOf(RDF_TYPE);
    this.subClassOf = this.idOf(SUB_CLASS_OF);
  }

  #graphId(iri: string): TermId | null {
    if (iri === ROOT_GRAPH_IRI) return ROOT_ID;
    // A graph that a document of quads names by a blank node stands here as `_:label`; no IRI begins so.
    return this.snapshot.encode(iri.startsWith('_:') ? terms.blankNode(iri.slice(2)) : terms.namedNode(iri));
  }

  /** Where facts of a predicate count. */
  graphsOf(predicate: TermId): GraphSet {
    return graphSet(this.#isShared(predicate) ? [...this.#graphs, ...this.#context] : this.#graphs);
  }

  /** ROOT has facts of the predicate that count besides those of the destination. */
  #isShared(predicate: TermId): boolean {
    return this.#context.length > 0 && (predicate === this.rdfType || predicate === this.subClassOf);
  }

  /** Which facts of a graph are part of the data: all, those of types and classes, or none. */
  standingOf(graph: TermId): 'all' | 'types' | 'none' {
    if (this.#graphs.includes(graph)) return 'all';
    return this.#context.includes(graph) ? 'types' : 'none';
  }

  idOf(term: Term): TermId {
    return this.names.idOf(term);
  }

  idsOf(terms: readonly Term[]): IdSet {
    const ids = BigUint64Array.from(terms, (term) => this.idOf(term));
    return distinct(new Uint32Array(ids.buffer), ids.length);
  }

  decode(ids: IdColumn, count: number): Term[] {
    return this.names.decode(ids, count);
  }

  term(low: number, high: number): Term {
    return this.decode(Uint32Array.of(low, high), 1)[0] as Term;
  }

  /** The objects of a predicate by subject; `nodes` is a set. */
  objects(nodes: IdSet, predicate: TermId): Pairs {
    return this.#lookUp(nodes, predicate, 's');
  }

  /** The subjects of a predicate by object. */
  subjects(nodes: IdSet, predicate: TermId): Pairs {
    return this.#lookUp(nodes, predicate, 'o');
  }

  /** The objects of a predicate in the destination and in ROOT, whether they are part of the data or not. */
  objectsAnywhere(nodes: IdSet, predicate: TermId): Pairs {
    const graphs = [...this.#graphs, ...this.#context];
    const found = new Pairs(nodes.count);
    if (graphs.length === 0) return found;
    const cursor = this.#probe(graphSet(graphs), 's', ['o'], predicate);
    try {
      eachFound(cursor, nodes, this.check, appendTo(found, 'o'));
    } finally {
      cursor.close();
    }
    return found;
  }

  #probe(graphs: GraphSet, key: 's' | 'o', columns: readonly Column[], predicate?: TermId): ProbeCursor {
    const pattern = predicate === undefined ? {} : { p: { kind: 'id', id: predicate } as const };
    const order = key === 's' ? 'SPOG' : 'POSG';
    return this.snapshot.probe({ graphs, pattern, order, time: CURRENT, keys: [key], columns });
  }

  #lookUp(nodes: IdSet, predicate: TermId, key: 's' | 'o'): Pairs {
    const found = new Pairs(nodes.count);
    if (key === 's' && this.#lookUpCached(nodes, predicate, found)) return found;
    const cursor = nodes.count === 0 ? null : this.#cursor(predicate, key);
    if (cursor === null) return found;
    eachFound(cursor, nodes, this.check, appendTo(found, key === 's' ? 'o' : 's'));
    return found;
  }

  /** For few subjects, whose facts are all read at once and cached; false when the cache does not serve the lookup. */
  #lookUpCached(nodes: IdSet, predicate: TermId, found: Pairs): boolean {
    if (nodes.count === 0 || this.#graphs.length === 0 || this.#isShared(predicate)) return false;
    const { objects } = this.#subjectCache;
    return this.#subjectCache.withPredicate(nodes, lowOf(predicate), highOf(predicate), (row, at) =>
      found.push(row, objects.ids[2 * at] as number, objects.ids[2 * at + 1] as number),
    );
  }

  /** Null where no graph can hold such a fact. */
  #cursor(predicate: TermId, key: 's' | 'o'): ProbeCursor | null {
    if (!this.#mayHold(predicate)) return null;
    return getOrInsert(this.#cursors, `${key} ${predicate}`, () =>
      this.#probe(this.graphsOf(predicate), key, [key === 's' ? 'o' : 's'], predicate),
    );
  }

  #mayHold(predicate: TermId): boolean {
    return this.#graphs.length > 0 || this.#isShared(predicate);
  }

  /** All facts of subjects that are part of the data; each once, in no order. */
  facts(nodes: IdSet): Facts {
    const found = { subjects: [] as number[], predicates: new IdList(nodes.count), objects: new IdList(nodes.count) };
    const shared = this.#context.length === 0 ? [] : [this.rdfType, this.subClassOf];
    if (this.#graphs.length > 0) this.#ownFacts(nodes, shared, found);
    for (const predicate of shared) {
      const { rows, ids, count } = this.objects(nodes, predicate);
      for (let row = 0; row < count; row++) {
        found.subjects.push(rows[row] as number);
        found.predicates.push(lowOf(predicate), highOf(predicate));
        found.objects.push(ids[2 * row] as number, ids[2 * row + 1] as number);
      }
    }
    return { ...found, count: found.subjects.length };
  }

  #ownFacts(nodes: IdSet, except: readonly TermId[], found: Omit<Facts, 'count'>): void {
    const skipped = except.map((id) => [lowOf(id), highOf(id)] as const);
    const take = (subject: number, p: IdColumn, o: IdColumn, row: number): void => {
      const [low, high] = [p[2 * row] as number, p[2 * row + 1] as number];
      if (skipped.some(([otherLow, otherHigh]) => low === otherLow && high === otherHigh)) return;
      found.subjects.push(subject);
      found.predicates.push(low, high);
      found.objects.push(o[2 * row] as number, o[2 * row + 1] as number);
    };
    const cache = this.#subjectCache;
    if (cache.all(nodes, (row, at) => take(row, cache.predicates.ids, cache.objects.ids, at))) return;
    eachFound(this.#factsCursor(), nodes, this.check, (rows, keys, columns, offset) => {
      const [p, o] = [columns.p as IdColumn, columns.o as IdColumn];
      for (let row = 0; row < rows; row++) take(offset + (keys[row] as number), p, o, row);
    });
  }

  /** All facts of subjects in the graphs whose every fact counts. */
  #factsCursor(): ProbeCursor {
    return getOrInsert(this.#cursors, 'facts', () => this.#probe(graphSet(this.#graphs), 's', ['p', 'o']));
  }

  /** The nodes that have a class as their type, without those of its subclasses; some more than `most` at most. */
  instances(type: TermId, most = Number.POSITIVE_INFINITY): IdSet {
    return this.#column({ p: this.rdfType, o: type }, 's', most);
  }

  /** Every subject, or object, of a predicate. */
  ends(predicate: TermId, column: 's' | 'o'): IdSet {
    return this.#column({ p: predicate }, column);
  }

  #column(
    { p, o }: { readonly p: TermId; readonly o?: TermId },
    column: 's' | 'o',
    most = Number.POSITIVE_INFINITY,
  ): IdSet {
    if (!this.#mayHold(p)) return NO_IDS;
    const found = new IdList(BATCH_ROWS);
    const cursor = this.snapshot.scan({
      graphs: this.graphsOf(p),
      pattern: { p: { kind: 'id', id: p }, ...(o === undefined ? {} : { o: { kind: 'id', id: o } }) },
      order: 'POSG',
      time: CURRENT,
      columns: [column],
    });
    try {
      for (let batch = cursor.next(); batch !== null && found.count < most; batch = cursor.next()) {
        this.check();
        const ids = batch.columns[column] as IdColumn;
        if (batch.selection === null) found.append(ids, batch.rows);
        else for (const row of batch.selection) found.push(ids[2 * row] as number, ids[2 * row + 1] as number);
      }
    } finally {
      cursor.close();
    }
    return found.toSet();
  }

  close(): void {
    for (const cursor of this.#cursors.values()) cursor.close();
    this.#cursors.clear();
  }
}

function graphSet(graphs: readonly TermId[]): GraphSet {
  const [graph] = graphs;
  return graphs.length === 1 ? { kind: 'one', graph: graph as TermId } : { kind: 'some', graphs, merged: true };
}

type TakeFound = (rows: number, keys: Uint32Array, columns: ProbeBatch['columns'], offset: number) => void;

function appendTo(found: Pairs, column: 's' | 'o'): TakeFound {
  return (rows, keys, columns, offset) => {
    found.reserve(found.count + rows);
    found.ids.set((columns[column] as IdColumn).subarray(0, 2 * rows), 2 * found.count);
    for (let row = 0; row < rows; row++) found.rows[found.count + row] = offset + (keys[row] as number);
    found.count += rows;
  };
}

/** Gives `take` all that is found; keys count from `offset`. */
function eachFound(cursor: ProbeCursor, nodes: IdSet, check: () => void, take: TakeFound): void {
  for (let from = 0; from < nodes.count; from += BATCH_ROWS) {
    check();
    const count = Math.min(BATCH_ROWS, nodes.count - from);
    cursor.begin([nodes.ids.subarray(2 * from, 2 * (from + count))], count);
    for (let batch = cursor.next(); batch !== null; batch = cursor.next()) {
      if (batch.rows > 0) take(batch.rows, batch.keys, batch.columns, from);
    }
  }
}
