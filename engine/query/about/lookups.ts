/**
 * Rows about nodes, in one state of a store, for questions about a handful of them. What is asked about the same node again
 * and again is read once; a node with many rows is looked up anew for each question.
 */

import { getOrInsert } from '../../base/maps.js';
import { type Term, terms } from '../../rdf/terms.js';
import type { TermId } from '../../storage/ids/layout.js';
import { columnOf, idIn, patternOf, readRows } from '../../storage/seam/rows.js';
import {
  type Column,
  CURRENT,
  type GraphSet,
  type IdColumn,
  type ProbeCursor,
  type StorageSnapshot,
  type TimeSlice,
} from '../../storage/seam/scan.js';
import type { DatasetClause } from '../algebra/algebra.js';
import type { QueryOptions } from '../options.js';
import { GraphScope } from '../plan/context/graph-scope.js';
import { datasetOf, WHOLE_SCOPE } from '../read-context.js';
import { GraphBooks } from '../registry/graph-book.js';

/** A triple of the default graph, or a quad of named graphs. */
export interface Row {
  readonly s: TermId;
  readonly p: TermId;
  readonly o: TermId;
  readonly g: TermId | null;
}

/** Null: the default graph; `one`: a graph by its name; `named`: those that a free GRAPH ranges over, or one of them. */
export type Where =
  | null
  | { readonly kind: 'one'; readonly graph: TermId }
  | { readonly kind: 'named'; readonly graph: TermId | undefined };

/** Rows of a node that are kept: a node of a knowledge graph has some ten. */
const ROWS_OF_NODE_MAX = 256;
/** Of all nodes together; one takes some 100 bytes. */
const ROWS_MAX = 100_000;
/** IRIs with their ids. */
const NODES_MAX = 10_000;

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
  readonly #time: TimeSlice;
  readonly #scope: GraphScope;
  /** Says which graphs can be named; null: all. */
  readonly #clause: DatasetClause | null;
  readonly #defaults: NodeRows;
  /** Made when they are first asked for. */
  #named: NodeRows | null = null;
  readonly #ones = new Map<TermId, NodeRows>();
  readonly #ids = new Map<Term, TermId | null>();
  readonly #nodes = new Map<string, TermId | null>();

  /** The snapshot stays the caller's, and has to be open as long as this is. */
  constructor(
    snapshot: StorageSnapshot,
    { scope = WHOLE_SCOPE, time = CURRENT, books }: Pick<QueryOptions, 'scope' | 'time' | 'books'> = {},
  ) {
    this.#snapshot = snapshot;
    this.#time = time;
    this.#scope = new GraphScope(snapshot, time, books ?? new GraphBooks());
    this.#clause = datasetOf(scope);
    this.#defaults = this.#rowsIn(this.#scope.defaults(this.#clause, scope).graphs, false);
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
    if (this.#nodes.size > NODES_MAX) this.#nodes.clear();
    const ids = nodes.map((iri) => getOrInsert(this.#nodes, iri, () => this.#snapshot.encode(terms.namedNode(iri))));
    const known = ids.filter((id) => id !== null);
    this.#defaults.read(known);
    // Whoever has asked about named graphs will do so for the next nodes.
    this.#named?.read(known);
    for (const one of this.#ones.values()) one.read(known);
    return ids;
  }

  /** Reads some nodes of which the ids are known, ascending or not, in one go. */
  readKnown(nodes: readonly KnownNode[]): void {
    for (const { iri, id } of nodes) this.#nodes.set(iri, id);
    this.#defaults.read(nodes.map(({ id }) => id));
  }

  /** Reads what stands behind nodes that were read: the objects of a predicate, of nodes that have a few. */
  readBehind(nodes: readonly string[], p: TermId): void {
    const objects: TermId[] = [];
    for (const node of nodes) {
      const some = this.#defaults.known(this.#nodes.get(node) as TermId).filter((row) => row.p === p);
      if (some.length <= OBJECTS_MAX) for (const { o } of some) objects.push(o);
    }
    this.#defaults.read(objects);
  }

  /** The rows that fit; what is undefined may be anything. */
  find(s: TermId | undefined, p: TermId | undefined, o: TermId | undefined, where: Where = null): Iterable<Row> {
    if (where === null) return this.#defaults.find(s, p, o);
    if (where.kind === 'one') {
      const one = getOrInsert(this.#ones, where.graph, () => this.#rowsIn(this.#one(where.graph), false));
      return one.find(s, p, o);
    }
    this.#named ??= this.#rowsIn(this.#free(), true);
    return this.#named.find(s, p, o, where.graph);
  }

  /** Before the snapshot is. */
  close(): void {
    for (const one of [this.#defaults, this.#named, ...this.#ones.values()]) one?.close();
  }

  /** Null: it can't be named. */
  #one(graph: TermId): GraphSet | null {
    const isNamed = this.#clause === null || this.#scope.named(this.#clause).ids.includes(graph);
    return isNamed ? this.#scope.one(graph) : null;
  }

  /** What GRAPH with a variable ranges over. */
  #free(): GraphSet | null {
    if (this.#clause !== null) return this.#scope.named(this.#clause).graphs;
    return { kind: 'named', except: this.#scope.unbound() };
  }

  #rowsIn(graphs: GraphSet | null, isOfGraphs: boolean): NodeRows {
    return new NodeRows(this.#snapshot, this.#time, { graphs, isOfGraphs });
  }
}

/** Of a set of graphs: those of nodes are kept by subject. */
class NodeRows {
  /** Null: none. */
  readonly #graphs: GraphSet | null;
  /** By subject; null: there are many. */
  readonly #rows = new Map<TermId, readonly Row[] | null>();
  /** Rows say in which graph they are. */
  readonly #isOfGraphs: boolean;
  #kept = 0;
  #probe: ProbeCursor | null = null;

  constructor(
    private readonly snapshot: StorageSnapshot,
    private readonly time: TimeSlice,
    { graphs, isOfGraphs }: { readonly graphs: GraphSet | null; readonly isOfGraphs: boolean },
  ) {
    this.#graphs = graphs;
    this.#isOfGraphs = isOfGraphs;
  }

  read(nodes: readonly TermId[]): void {
    const unread = new Set(nodes.filter((id) => !this.#rows.has(id)));
    this.#readRows([...unread].sort((one, other) => (one < other ? -1 : one > other ? 1 : 0)));
  }

  /** What is kept about a node. */
  known(node: TermId): readonly Row[] {
    return this.#rows.get(node) ?? NOTHING;
  }

  find(s: TermId | undefined, p: TermId | undefined, o: TermId | undefined, g?: TermId): Iterable<Row> {
    if (this.#graphs === null) return NOTHING;
    if (s !== undefined && !this.#rows.has(s)) this.#readRows([s]);
    const known = s === undefined ? null : this.#rows.get(s);
    if (!known) return this.#scan(this.#graphs, { s, p, o }, g);
    return known.filter(
      (row) => (p === undefined || row.p === p) && (o === undefined || row.o === o) && (g === undefined || row.g === g),
    );
  }

  *#scan(
    graphs: GraphSet,
    pattern: { readonly s?: TermId | undefined; readonly p?: TermId | undefined; readonly o?: TermId | undefined },
    g: TermId | undefined,
  ): Generator<Row> {
    const columns: readonly Column[] = this.#isOfGraphs ? ['s', 'p', 'o', 'g'] : ['s', 'p', 'o'];
    for (const batch of readRows(this.snapshot, { graphs, pattern: patternOf(pattern), time: this.time, columns })) {
      for (let row = 0; row < batch.rows; row++) {
        const graph = this.#isOfGraphs ? batch.id('g', row) : null;
        if (g !== undefined && graph !== g) continue;
        yield { s: batch.id('s', row), p: batch.id('p', row), o: batch.id('o', row), g: graph };
      }
    }
  }

  /** Of nodes that are ascending, each once. */
  #readRows(nodes: readonly TermId[]): void {
    if (this.#graphs === null || nodes.length === 0) return;
    if (this.#kept > ROWS_MAX) {
      this.#rows.clear();
      this.#kept = 0;
    }
    this.#probe ??= this.snapshot.probe({
      graphs: this.#graphs,
      pattern: {},
      order: 'SPOG',
      time: this.time,
      keys: ['s'],
      columns: this.#isOfGraphs ? ['p', 'o', 'g'] : ['p', 'o'],
    });
    // Those behind a node with many rows are looked up once more, rather than all of its rows read.
    for (let from = 0; from < nodes.length; ) {
      const rest = nodes.slice(from);
      this.#probe.begin([columnOf(rest)], rest.length);
      from += this.#take(rest, this.#probe);
    }
  }

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
      const { p, o, g } = batch.columns;
      for (let row = 0; row < batch.rows; row++) {
        const at = batch.keys[row] as number;
        const rows = found[at] as Row[];
        if (rows.length === ROWS_OF_NODE_MAX) {
          keep(at);
          this.#rows.set(nodes[at] as TermId, null);
          return at + 1;
        }
        this.#kept++;
        const graph = this.#isOfGraphs ? idIn(g as IdColumn, row) : null;
        rows.push({ s: nodes[at] as TermId, p: idIn(p as IdColumn, row), o: idIn(o as IdColumn, row), g: graph });
      }
    }
    keep(nodes.length);
    return nodes.length;
  }
}
