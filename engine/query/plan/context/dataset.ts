/**
 * Which graphs a query reads (semantics of graphs, 2.3). The default graph is ROOT unless the caller
 * or FROM says otherwise, and never falls back to ROOT: graphs that the store does not know are empty.
 * `GRAPH ?g` ranges over the named graphs without those that are never bound freely (system graphs, overlays,
 * quarantine, frozen graphs), or over exactly the FROM NAMED ones. Which graphs exist is read as of now.
 */

import { type Term, terms } from '../../../rdf/terms.js';
import { ROOT_ID, type TermId } from '../../../storage/ids/layout.js';
import type { GraphSet, StorageSnapshot } from '../../../storage/seam/scan.js';
import { graphTest } from '../../../storage/seam/source.js';
import type { DatasetClause, PatternTerm } from '../../algebra/algebra.js';
import { graphExists, hiddenIds, registeredIds } from '../../registry/graph-rows.js';
import { META_GRAPH_IRI, systemGraphIds } from '../../registry/system-graphs.js';
import type { TrackedSnapshot } from '../cache/dependencies.js';

export class QueryDataset {
  /** What the patterns of the query read, as far as they have been looked at. */
  readonly reads: GraphSet[] = [];
  /** Null = an empty default graph. */
  private readonly defaultGraphs: GraphSet | null;
  /** Graphs of FROM NAMED; null = all named graphs. */
  private readonly namedGraphs: readonly TermId[] | null;

  constructor(
    private readonly snapshot: TrackedSnapshot,
    clause: DatasetClause | null,
    graph: string | undefined,
  ) {
    this.namedGraphs = clause === null ? null : this.idsOf(clause.namedGraphs);
    if (clause !== null) this.defaultGraphs = this.mergedOf(this.idsOf(clause.defaultGraphs));
    else this.defaultGraphs = this.mergedOf(graph === undefined ? [ROOT_ID] : this.idsOf([graph]));
  }

  /** The graphs that a pattern reads; null = none. */
  graphsOf(name: PatternTerm | null): GraphSet | null {
    const graphs = this.resolve(name);
    if (graphs !== null && !this.reads.includes(graphs)) this.reads.push(graphs);
    return graphs;
  }

  private resolve(name: PatternTerm | null): GraphSet | null {
    if (name === null) return this.defaultGraphs;
    if (name.kind === 'term') {
      if (!this.mayName(name.term)) return null;
      const graph = this.snapshot.encode(name.term);
      return graph === null ? null : this.sourceOf(graph);
    }
    if (this.namedGraphs === null) return { kind: 'named', except: this.snapshot.registry(unboundIds) };
    return this.namedGraphs.length === 0 ? null : { kind: 'some', graphs: this.namedGraphs, merged: false };
  }

  /**
   * Where the rows of one graph come from: they are its own. A graph that is composed of others (an overlay over its base, a graph
   * with what follows from it) gets its composition here; patterns, their estimates and their plans take any set.
   */
  private sourceOf(graph: TermId): GraphSet {
    return { kind: 'one', graph };
  }

  /** Several graphs as one; null = none. */
  private mergedOf(graphs: readonly TermId[]): GraphSet | null {
    const [only, ...others] = graphs;
    if (only === undefined) return null;
    return others.length === 0 ? this.sourceOf(only) : { kind: 'some', graphs, merged: true };
  }

  /** The graphs that exist for a group under GRAPH without patterns. */
  existing(name: PatternTerm): readonly TermId[] {
    const set = this.graphsOf(name);
    if (set === null) return [];
    if (name.kind === 'term') {
      // Looking at the IRI makes the plan one for this graph alone.
      const iri = name.term.value;
      return this.snapshot.registry((snapshot) => idsOfExisting(snapshot, iri));
    }
    if (set.kind === 'one') return [set.graph];
    const known = [...new Set([...this.snapshot.graphs(), ...this.snapshot.registry(existingIds)])];
    return known.filter(graphTest(set));
  }

  /** Whether FROM NAMED lets a graph be named. Looking at the IRI makes the plan one for this graph alone. */
  private mayName(name: Term): boolean {
    if (this.namedGraphs === null) return true;
    const graph = this.idOf(name.value);
    return graph !== null && this.namedGraphs.includes(graph);
  }

  private idOf(iri: string): TermId | null {
    return this.snapshot.encode(terms.namedNode(iri));
  }

  private idsOf(iris: readonly string[]): TermId[] {
    const ids = iris.map((iri) => this.idOf(iri)).filter((id): id is TermId => id !== null);
    return [...new Set(ids)].sort((a, b) => (a < b ? -1 : 1));
  }
}

/** Graphs that a free `GRAPH ?g` never binds. */
function unboundIds(snapshot: StorageSnapshot): TermId[] {
  return [...new Set([...systemGraphIds(snapshot), ...hiddenIds(snapshot)])];
}

function idsOfExisting(snapshot: StorageSnapshot, iri: string): TermId[] {
  const graph = snapshot.encode(terms.namedNode(iri));
  return graph !== null && graphExists(snapshot, iri) ? [graph] : [];
}

/** Graphs that exist without facts: those with rows, ROOT, and the meta graph. */
function existingIds(snapshot: StorageSnapshot): TermId[] {
  const meta = snapshot.encode(terms.namedNode(META_GRAPH_IRI));
  return [ROOT_ID, ...(meta === null ? [] : [meta]), ...registeredIds(snapshot)];
}
