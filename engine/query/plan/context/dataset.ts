/**
 * Which graphs a query reads (semantics of graphs, 2.3). The default graph is ROOT unless the caller
 * or FROM says otherwise, and never falls back to ROOT: graphs that the store does not know are empty.
 * `GRAPH ?g` ranges over the named graphs without those that are never bound freely (system graphs, overlays,
 * quarantine, frozen graphs), or over exactly the FROM NAMED ones. `graph-scope.ts` says what names stand for; what it said
 * is noted with the plan, which is made anew when that changes.
 */

import type { Term } from '../../../rdf/terms.js';
import { ROOT_ID, type TermId } from '../../../storage/ids/layout.js';
import type { GraphSet, StorageSnapshot, TimeSlice } from '../../../storage/seam/scan.js';
import { graphTest } from '../../../storage/seam/source.js';
import type { DatasetClause, PatternTerm } from '../../algebra/algebra.js';
import { isPlainScope, type ReadScope } from '../../read-context.js';
import type { GraphBooks } from '../../registry/graph-book.js';
import type { RegistryQuestion, TrackedSnapshot } from '../cache/dependencies.js';
import { GraphScope } from './graph-scope.js';

/** What a query is asked about. */
export interface AskedDataset {
  /** FROM and FROM NAMED of the text, or of the protocol. */
  readonly clause: DatasetClause | null;
  readonly scope: ReadScope;
  readonly time: TimeSlice;
  readonly books: GraphBooks;
}

const ROOT: GraphSet = { kind: 'one', graph: ROOT_ID };

export class QueryDataset {
  /** What the patterns of the query read, as far as they have been looked at. */
  readonly reads: GraphSet[] = [];
  /** Null = an empty default graph; undefined = nobody has asked. */
  #defaults: GraphSet | null | undefined;
  #named: { readonly graphs: GraphSet | null; readonly ids: readonly TermId[] } | null | undefined;
  readonly #asked: AskedDataset;
  /** Made once, since questions are told apart by the functions that ask them. */
  readonly #unbound: RegistryQuestion = (snapshot) => this.#scopeOf(snapshot).unbound();
  readonly #frozen: RegistryQuestion = (snapshot) => this.#scopeOf(snapshot).frozen;

  constructor(
    private readonly snapshot: TrackedSnapshot,
    asked: AskedDataset,
  ) {
    this.#asked = asked;
  }

  /** The graphs that a pattern reads; null = none. */
  graphsOf(name: PatternTerm | null): GraphSet | null {
    const graphs = this.#resolve(name);
    if (graphs !== null && !this.reads.includes(graphs)) this.reads.push(graphs);
    return graphs;
  }

  #resolve(name: PatternTerm | null): GraphSet | null {
    if (name === null) return this.#defaultGraphs;
    if (name.kind === 'term') {
      if (!this.#mayName(name.term)) return null;
      const graph = this.snapshot.encode(name.term);
      return graph === null ? null : this.#sourceOf(graph, name.term);
    }
    const named = this.#namedGraphs;
    return named === null ? { kind: 'named', except: this.snapshot.registry(this.#unbound) } : named.graphs;
  }

  get #defaultGraphs(): GraphSet | null {
    if (this.#defaults === undefined) {
      const { clause, scope } = this.#asked;
      const isRoot = clause === null && isPlainScope(scope);
      this.#defaults = isRoot
        ? ROOT
        : this.snapshot.graphSet((snapshot) => this.#scopeOf(snapshot).defaults(clause, scope).graphs);
    }
    return this.#defaults;
  }

  /** Those of FROM NAMED; null = all named graphs. */
  get #namedGraphs() {
    if (this.#named === undefined) {
      const { clause } = this.#asked;
      const graphs =
        clause === null ? null : this.snapshot.graphSet((snapshot) => this.#scopeOf(snapshot).named(clause).graphs);
      const ids =
        clause === null ? [] : this.snapshot.registry((snapshot) => this.#scopeOf(snapshot).named(clause).ids);
      this.#named = clause === null ? null : { graphs, ids };
    }
    return this.#named;
  }

  /**
   * Where the rows of one graph come from: they are its own, or lie in another store. Looking at the IRI, where there are such
   * graphs, makes the plan one for this graph alone.
   */
  #sourceOf(graph: TermId, name: Term): GraphSet {
    if (this.snapshot.registry(this.#frozen).length === 0 || name.value === '') return { kind: 'one', graph };
    return this.snapshot.graphSet((snapshot) => this.#scopeOf(snapshot).one(graph)) as GraphSet;
  }

  /** The graphs that exist for a group under GRAPH without patterns. */
  existing(name: PatternTerm): readonly TermId[] {
    const set = this.graphsOf(name);
    if (set === null) return [];
    if (name.kind === 'term') {
      // Looking at the IRI makes the plan one for this graph alone.
      const graph = name.term.value === '' ? null : this.snapshot.encode(name.term);
      return this.snapshot.registry((snapshot) => {
        return graph !== null && this.#scopeOf(snapshot).exists(graph) ? [graph] : [];
      });
    }
    const known = this.snapshot.registry((snapshot) => this.#scopeOf(snapshot).existing());
    return known.filter(graphTest(set));
  }

  /** Whether FROM NAMED lets a graph be named. Looking at the IRI makes the plan one for this graph alone. */
  #mayName(name: Term): boolean {
    const named = this.#namedGraphs;
    if (named === null) return true;
    const graph = name.value === '' ? null : this.snapshot.encode(name);
    return graph !== null && named.ids.includes(graph);
  }

  #scopeOf(snapshot: StorageSnapshot): GraphScope {
    return new GraphScope(snapshot, this.#asked.time, this.#asked.books);
  }
}
