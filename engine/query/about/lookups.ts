/**
 * Rows about nodes, in one state of a store, for questions about a handful of them. What is asked about the same node again
 * and again is read once; a node with many rows is looked up anew for each question.
 */

import { getOrInsert } from '../../base/maps.js';
import { type Term, terms } from '../../rdf/terms.js';
import type { TermId } from '../../storage/ids/layout.js';
import { columnOf, idIn, patternOf, readRows } from '../../storage/seam/rows.js';
import {
  CURRENT,
  type GraphSet,
  type IdColumn,
  type ProbeCursor,
  type StorageSnapshot,
} from '../../storage/seam/scan.js';
import type { QueryOptions } from '../options.js';
import { GraphScope } from '../plan/context/graph-scope.js';
import { datasetOf, WHOLE_SCOPE } from '../read-context.js';
import { GraphBooks } from '../registry/graph-book.js';

/** A triple of the default graph. */
export interface Row {
  readonly s: TermId;
  readonly p: TermId;
  readonly o: TermId;
}

/** Rows of a node that are kept: a node of a knowledge graph has some ten. */
const ROWS_OF_NODE_MAX = 256;
/** Of all nodes together; one takes some 100 bytes. */
const ROWS_MAX = 100_000;

/** Objects of one predicate of a node that are read before somebody asks for them. */
const OBJECTS_MAX = 16;

/** A node and its id. */
export interface KnownNode {
  readonly iri: string;
  readonly id: TermId;
}

const NOTHING: readonly Row[] = [];

export class Lookups {
  readonly #snapshot: StorageSnapshot;
  readonly #time;
  /** Null: the default graph is empty. */
  readonly #graphs: GraphSet | null;
  /** By subject; null: there are many. */
  readonly #rows = new Map<TermId, readonly Row[] | null>();
  readonly #ids = new Map<Term, TermId | null>();
  readonly #nodes = new Map<string, TermId | null>();
  #kept = 0;
  #probe: ProbeCursor | null = null;

  /** The snapshot stays the caller's, and has to be open as long as this is. */
  constructor(
    snapshot: StorageSnapshot,
    { scope = WHOLE_SCOPE, time = CURRENT, books }: Pick<QueryOptions, 'scope' | 'time' | 'books'> = {},
  ) {
    this.#snapshot = snapshot;
    this.#time = time;
    const graphs = new GraphScope(snapshot, time, books ?? new GraphBooks());
    this.#graphs = graphs.defaults(datasetOf(scope), scope).graphs;
  }

  /** Of a constant that is asked for again and again: the same object. Null: no row has it. */
  id(term: Term): TermId | null {
    let id = this.#ids.get(term);
    if (id === undefined) {
      id = this.#snapshot.encode(term, true);
      this.#ids.set(term, id);
    }
    return id;
  }

  /** Reads what is there about some nodes in one go. Returns their ids. */
  read(nodes: readonly string[]): readonly (TermId | null)[] {
    const ids = nodes.map((iri) => getOrInsert(this.#nodes, iri, () => this.#snapshot.encode(terms.namedNode(iri))));
    this.#readUnread(ids.filter((id) => id !== null));
    return ids;
  }

  /** Reads some nodes of which the ids are known, ascending or not, in one go. */
  readKnown(nodes: readonly KnownNode[]): void {
    for (const { iri, id } of nodes) this.#nodes.set(iri, id);
    this.#readUnread(nodes.map(({ id }) => id));
  }

  /** Reads what stands behind nodes that were read: the objects of a predicate, of nodes that have a few. */
  readBehind(nodes: readonly string[], p: TermId): void {
    const objects: TermId[] = [];
    for (const node of nodes) {
      const rows = this.#rows.get(this.#nodes.get(node) as TermId);
      const some = rows?.filter((row) => row.p === p) ?? NOTHING;
      if (some.length <= OBJECTS_MAX) for (const { o } of some) objects.push(o);
    }
    this.#readUnread(objects);
  }

  /** The triples that fit; what is undefined may be anything. */
  find(s: TermId | undefined, p: TermId | undefined, o: TermId | undefined): Iterable<Row> {
    if (this.#graphs === null) return NOTHING;
    if (s !== undefined && !this.#rows.has(s)) this.#readRows([s]);
    const known = s === undefined ? null : this.#rows.get(s);
    if (!known) return this.#scan(this.#graphs, s, p, o);
    return known.filter((row) => (p === undefined || row.p === p) && (o === undefined || row.o === o));
  }

  *#scan(graphs: GraphSet, s: TermId | undefined, p: TermId | undefined, o: TermId | undefined): Generator<Row> {
    const request = { graphs, pattern: patternOf({ s, p, o }), time: this.#time, columns: ['s', 'p', 'o'] } as const;
    for (const batch of readRows(this.#snapshot, request)) {
      for (let row = 0; row < batch.rows; row++) {
        yield { s: batch.id('s', row), p: batch.id('p', row), o: batch.id('o', row) };
      }
    }
  }

  #readUnread(nodes: readonly TermId[]): void {
    const unread = new Set(nodes.filter((id) => !this.#rows.has(id)));
    this.#readRows([...unread].sort((one, other) => (one < other ? -1 : one > other ? 1 : 0)));
  }

  /** Of nodes that are ascending, each once. */
  #readRows(nodes: readonly TermId[]): void {
    if (this.#graphs === null || nodes.length === 0) return;
    if (this.#kept > ROWS_MAX) {
      this.#rows.clear();
      this.#nodes.clear();
      this.#kept = 0;
    }
    this.#probe ??= this.#snapshot.probe({
      graphs: this.#graphs,
      pattern: {},
      order: 'SPOG',
      time: this.#time,
      keys: ['s'],
      columns: ['p', 'o'],
    });
    // Those behind a node with many rows are looked up once more, rather than all of its rows read.
    for (let from = 0; from < nodes.length; ) {
      const rest = nodes.slice(from);
      this.#probe.begin([columnOf(rest)], rest.length);
      from += this.#take(rest, this.#probe);
    }
  }

  /** Before the snapshot is. */
  close(): void {
    this.#probe?.close();
    this.#probe = null;
  }

  /** Returns how many nodes were read. */
  #take(nodes: readonly TermId[], probe: ProbeCursor): number {
    const found = nodes.map((): Row[] => []);
    const keep = (count: number): void => {
      for (let at = 0; at < count; at++) this.#rows.set(nodes[at] as TermId, found[at] as Row[]);
    };
    for (let batch = probe.next(); batch !== null; batch = probe.next()) {
      const { p, o } = batch.columns as { readonly p: IdColumn; readonly o: IdColumn };
      for (let row = 0; row < batch.rows; row++) {
        const at = batch.keys[row] as number;
        const rows = found[at] as Row[];
        if (rows.length === ROWS_OF_NODE_MAX) {
          keep(at);
          this.#rows.set(nodes[at] as TermId, null);
          return at + 1;
        }
        this.#kept++;
        rows.push({ s: nodes[at] as TermId, p: idIn(p, row), o: idIn(o, row) });
      }
    }
    keep(nodes.length);
    return nodes.length;
  }
}
