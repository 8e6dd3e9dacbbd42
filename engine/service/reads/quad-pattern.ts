/**
 * RDF/JS patterns over a snapshot: which rows a pattern means, and those rows as quads. In RDF/JS
 * the ROOT graph is the default graph; a pattern may name it either way.
 */

import { SvcError } from '../../base/errors.js';
import { everyGraph } from '../../query/registry/system-graphs.js';
import { type NamedNode, type Quad, ROOT_GRAPH_IRI, type Term, terms } from '../../rdf/terms.js';
import { ROOT_ID, type TermId } from '../../storage/ids/layout.js';
import {
  BATCH_ROWS,
  type Batch,
  type GraphSet,
  type IdColumn,
  type PositionTest,
  type ScanPattern,
  type ScanRequest,
  type StorageSnapshot,
  type TermColumn,
  type TimeSlice,
} from '../../storage/seam/scan.js';

/** Absent, null and variables match anything. */
export interface QuadPattern {
  readonly subject?: Term | null | undefined;
  readonly predicate?: Term | null | undefined;
  readonly object?: Term | null | undefined;
  readonly graph?: Term | null | undefined;
}

/** The rows of a pattern; null when a term is unknown to the store, so that nothing matches. */
export type MatchedRows = Pick<ScanRequest, 'graphs' | 'pattern' | 'time'> | null;

type Wanted =
  | { readonly kind: 'anything' }
  | { readonly kind: 'nothing' }
  | { readonly kind: 'id'; readonly id: TermId };

function wanted(snapshot: StorageSnapshot, term: Term | null | undefined): Wanted {
  if (term === null || term === undefined || term.termType === 'Variable') return { kind: 'anything' };
  const id = snapshot.encode(term);
  return id === null ? { kind: 'nothing' } : { kind: 'id', id };
}

function wantedGraph(snapshot: StorageSnapshot, term: Term | null | undefined): Wanted {
  if (term?.termType === 'DefaultGraph') return { kind: 'id', id: ROOT_ID };
  return wanted(snapshot, term);
}

export function matchRows(snapshot: StorageSnapshot, pattern: QuadPattern, time: TimeSlice): MatchedRows {
  const graph = wantedGraph(snapshot, pattern.graph);
  const tests: { s?: PositionTest; p?: PositionTest; o?: PositionTest } = {};
  const positions = [
    ['s', pattern.subject],
    ['p', pattern.predicate],
    ['o', pattern.object],
  ] as const;
  for (const [position, term] of positions) {
    const want = wanted(snapshot, term);
    if (want.kind === 'nothing') return null;
    if (want.kind === 'id') tests[position] = want;
  }
  if (graph.kind === 'nothing') return null;
  const graphs: GraphSet = graph.kind === 'id' ? { kind: 'one', graph: graph.id } : everyGraph(snapshot);
  return { graphs, pattern: tests satisfies ScanPattern, time };
}

export function countRows(snapshot: StorageSnapshot, rows: MatchedRows): number {
  return rows === null ? 0 : snapshot.count(rows);
}

/** A column of a batch with only the rows that count. */
function compact(batch: Batch, column: TermColumn, scratch: IdColumn): IdColumn {
  const ids = batch.columns[column];
  if (ids === null) throw new SvcError('internal', `invariant broken: the scan gave no column ${column}`);
  const selection = batch.selection;
  if (selection === null) return ids;
  for (let at = 0; at < selection.length; at++) {
    const row = selection[at] as number;
    scratch[2 * at] = ids[2 * row] as number;
    scratch[2 * at + 1] = ids[2 * row + 1] as number;
  }
  return scratch;
}

const ROOT_NODE: NamedNode = terms.namedNode(ROOT_GRAPH_IRI);

function graphTerm(term: Term): Quad['graph'] {
  return term.equals(ROOT_NODE) ? terms.defaultGraph() : (term as Quad['graph']);
}

/** The matching quads, a batch at a time, in the order that serves the pattern best. */
export function* readQuadBatches(snapshot: StorageSnapshot, rows: MatchedRows): Generator<Quad[]> {
  if (rows === null) return;
  const cursor = snapshot.scan({ ...rows, columns: ['s', 'p', 'o', 'g'] });
  const scratch = new Uint32Array(2 * BATCH_ROWS);
  try {
    for (let batch = cursor.next(); batch !== null; batch = cursor.next()) {
      const count = batch.selection?.length ?? batch.rows;
      const subjects = snapshot.decode(compact(batch, 's', scratch), count);
      const predicates = snapshot.decode(compact(batch, 'p', scratch), count);
      const objects = snapshot.decode(compact(batch, 'o', scratch), count);
      const graphs = snapshot.decode(compact(batch, 'g', scratch), count);
      const quads: Quad[] = [];
      for (let at = 0; at < count; at++) {
        quads.push(
          terms.quad(
            subjects[at] as Quad['subject'],
            predicates[at] as Quad['predicate'],
            objects[at] as Quad['object'],
            graphTerm(graphs[at] as Term),
          ),
        );
      }
      if (quads.length > 0) yield quads;
    }
  } finally {
    cursor.close();
  }
}
