/**
 * Which graphs a query reads (semantics of graphs, 2.3). The default graph is ROOT unless the caller
 * or FROM says otherwise, and never falls back to ROOT: graphs that the store does not know are empty.
 * `GRAPH ?g` ranges over the named graphs without the meta graph, or over exactly the FROM NAMED ones.
 */

import { terms } from '../../rdf/terms.js';
import { ROOT_ID, type TermId } from '../../storage/ids/layout.js';
import type { GraphSet, StorageSnapshot } from '../../storage/scan.js';
import type { DatasetClause, PatternTerm } from '../algebra/algebra.js';

export const META_GRAPH_IRI = 'urn:svc:graph:meta';

export class QueryDataset {
  /** Null = an empty default graph. */
  private readonly defaultGraphs: GraphSet | null;
  /** Graphs of FROM NAMED; null = all named graphs. */
  private readonly namedGraphs: readonly TermId[] | null;
  private readonly metaGraph: TermId | null;

  constructor(
    private readonly snapshot: StorageSnapshot,
    clause: DatasetClause | null,
    graph: string | undefined,
  ) {
    this.metaGraph = this.idOf(META_GRAPH_IRI);
    this.namedGraphs = clause === null ? null : this.idsOf(clause.namedGraphs);
    if (clause !== null) this.defaultGraphs = graphSet(this.idsOf(clause.defaultGraphs));
    else this.defaultGraphs = graph === undefined ? { kind: 'one', graph: ROOT_ID } : graphSet(this.idsOf([graph]));
  }

  /** The graphs that a pattern reads; null = none. */
  graphsOf(name: PatternTerm | null): GraphSet | null {
    if (name === null) return this.defaultGraphs;
    if (name.kind === 'term') {
      const graph = this.snapshot.encode(name.term);
      if (graph === null || (this.namedGraphs !== null && !this.namedGraphs.includes(graph))) return null;
      return { kind: 'one', graph };
    }
    if (this.namedGraphs === null) return { kind: 'named', except: this.metaGraph === null ? [] : [this.metaGraph] };
    return this.namedGraphs.length === 0 ? null : { kind: 'some', graphs: this.namedGraphs, merged: false };
  }

  /** The graphs that exist for a group under GRAPH without patterns. */
  existing(name: PatternTerm): readonly TermId[] {
    const set = this.graphsOf(name);
    if (set === null) return [];
    const known = this.snapshot.graphs();
    switch (set.kind) {
      case 'one':
        return known.filter((graph) => graph === set.graph);
      case 'some':
        return known.filter((graph) => set.graphs.includes(graph));
      case 'named':
        return known.filter((graph) => graph !== ROOT_ID && !set.except.includes(graph));
      case 'all':
        return known;
    }
  }

  private idOf(iri: string): TermId | null {
    return this.snapshot.encode(terms.namedNode(iri));
  }

  private idsOf(iris: readonly string[]): TermId[] {
    const ids = iris.map((iri) => this.idOf(iri)).filter((id): id is TermId => id !== null);
    return [...new Set(ids)].sort((a, b) => (a < b ? -1 : 1));
  }
}

function graphSet(graphs: readonly TermId[]): GraphSet | null {
  if (graphs.length === 0) return null;
  return graphs.length === 1 ? { kind: 'one', graph: graphs[0] as TermId } : { kind: 'some', graphs, merged: true };
}
