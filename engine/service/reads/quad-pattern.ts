/**
 * RDF/JS patterns over a snapshot: which rows a pattern means, and those rows as quads. In RDF/JS
 * the ROOT graph is the default graph; a pattern may name it either way.
 */

import { homeOf } from '../../query/registry/freeze-rows.js';
import { everyGraph } from '../../query/registry/system-graphs.js';
import { type NamedNode, type Quad, ROOT_GRAPH_IRI, type Term, terms } from '../../rdf/terms.js';
import { ROOT_ID, type TermId } from '../../storage/ids/layout.js';
import { patternOf, readRows } from '../../storage/seam/rows.js';
import type { GraphSet, ScanRequest, StorageSnapshot, TermColumn, TimeSlice } from '../../storage/seam/scan.js';

/** Absent, null and variables match anything. */
export type TermPattern = Term | null | undefined;

export interface QuadPattern {
  readonly subject?: TermPattern;
  readonly predicate?: TermPattern;
  readonly object?: TermPattern;
  readonly graph?: TermPattern;
}

/** The same in the sequence of RDF/JS. */
export type QuadTerms = [subject?: TermPattern, predicate?: TermPattern, object?: TermPattern, graph?: TermPattern];

export function toPattern([subject, predicate, object, graph]: QuadTerms): QuadPattern {
  return { subject, predicate, object, graph };
}

/** The rows of a pattern, those of a frozen graph that it names among them; null when a term is unknown to the store, so that nothing matches. */
export type MatchedRows = Pick<ScanRequest, 'graphs' | 'pattern' | 'time'> | null;

/** The id that a position has to have; undefined = any, null = one that the store does not know. */
function wanted(snapshot: StorageSnapshot, term: TermPattern): TermId | null | undefined {
  return term === null || term === undefined || term.termType === 'Variable' ? undefined : snapshot.encode(term);
}

export function matchRows(snapshot: StorageSnapshot, pattern: QuadPattern, time: TimeSlice): MatchedRows {
  const { subject, predicate, object, graph } = pattern;
  const [s, p, o] = [wanted(snapshot, subject), wanted(snapshot, predicate), wanted(snapshot, object)];
  const g = graph?.termType === 'DefaultGraph' ? ROOT_ID : wanted(snapshot, graph);
  if (s === null || p === null || o === null || g === null) return null;
  const graphs: GraphSet = g === undefined ? everyGraph(snapshot) : homeOf(snapshot, g);
  return { graphs, pattern: patternOf({ s, p, o }), time };
}

export function countRows(snapshot: StorageSnapshot, rows: MatchedRows): number {
  return rows === null ? 0 : snapshot.count(rows);
}

const ROOT_NODE: NamedNode = terms.namedNode(ROOT_GRAPH_IRI);

function graphTerm(term: Term): Quad['graph'] {
  return term.equals(ROOT_NODE) ? terms.defaultGraph() : (term as Quad['graph']);
}

/** The matching quads, a batch at a time, in the order that serves the pattern best. */
export function* readQuadBatches(snapshot: StorageSnapshot, rows: MatchedRows): Generator<Quad[]> {
  if (rows === null) return;
  for (const batch of readRows(snapshot, { ...rows, columns: ['s', 'p', 'o', 'g'] })) {
    const decoded = (name: TermColumn) => snapshot.decode(batch.column(name), batch.rows);
    const [subjects, predicates, objects, graphs] = [decoded('s'), decoded('p'), decoded('o'), decoded('g')];
    const quads: Quad[] = [];
    for (let at = 0; at < batch.rows; at++) {
      const [subject, predicate] = [subjects[at] as Quad['subject'], predicates[at] as Quad['predicate']];
      quads.push(terms.quad(subject, predicate, objects[at] as Quad['object'], graphTerm(graphs[at] as Term)));
    }
    if (quads.length > 0) yield quads;
  }
}
