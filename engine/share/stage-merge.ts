/** Puts a merge on a stage: what they added is asserted, what they removed and we still have is retracted. */

import { breathe, type Control, throwIfStopped } from '../base/control.js';
import { type Quad, ROOT_GRAPH_IRI, terms } from '../rdf/terms.js';
import { highOf, lowOf } from '../storage/ids/halves.js';
import { ROOT_ID, type TermId } from '../storage/ids/layout.js';
import type { QuadColumns, Stage } from '../storage/seam/engine.js';
import { pickedRows } from '../storage/seam/rows.js';
import type { IdColumn } from '../storage/seam/scan.js';
import { addedRows, addedTerms, type ShareComparison } from './compare-share.js';
import type { TripleList } from './triple-list.js';

const WHAT = 'the merge';
const BATCH_QUADS = 65_536;

export async function stageMerge(stage: Stage, comparison: ShareComparison, control: Control): Promise<void> {
  const { graph, ground, blank } = comparison;
  await assertRows(stage, graph, ground.added.known, addedRows(comparison), control);
  await assertTerms(stage, graph, addedTerms(comparison), control);
  retractList(stage, graph, ground.retracted);
  stage.retract(inGraph(blank.retracted, graph));
}

/** Some of the triples of columns. */
export async function assertRows(
  stage: Stage,
  graph: string | null,
  { s, p, o }: Readonly<Record<'s' | 'p' | 'o', IdColumn>>,
  rows: readonly number[],
  control: Control,
): Promise<void> {
  if (rows.length === 0) return;
  const id = graphId(stage, graph);
  for (let from = 0; from < rows.length; from += BATCH_QUADS) {
    const some = rows.slice(from, from + BATCH_QUADS);
    stage.assertIds({
      rows: some.length,
      s: pickedRows(s, some),
      p: pickedRows(p, some),
      o: pickedRows(o, some),
      g: filled(id, some.length),
    });
    throwIfStopped(control, WHAT);
    await breathe();
  }
}

export async function assertTerms(
  stage: Stage,
  graph: string | null,
  triples: readonly Quad[],
  control: Control,
): Promise<void> {
  for (let from = 0; from < triples.length; from += BATCH_QUADS) {
    stage.assert(inGraph(triples.slice(from, from + BATCH_QUADS), graph));
    throwIfStopped(control, WHAT);
    await breathe();
  }
}

export function assertList(stage: Stage, graph: string, list: TripleList): void {
  if (list.rows > 0) stage.assertIds(quadsOf(stage, graph, list));
}

function retractList(stage: Stage, graph: string | null, list: TripleList): void {
  if (list.rows > 0) stage.retractIds(quadsOf(stage, graph, list));
}

function quadsOf(stage: Stage, graph: string | null, list: TripleList): QuadColumns {
  const id = graphId(stage, graph);
  return list.quads([lowOf(id), highOf(id)]);
}

function graphId(stage: Stage, graph: string | null): TermId {
  return graph === null || graph === ROOT_GRAPH_IRI ? ROOT_ID : stage.intern(terms.namedNode(graph));
}

export function inGraph(triples: readonly Quad[], graph: string | null): Quad[] {
  const node = graph === null ? terms.defaultGraph() : terms.namedNode(graph);
  return triples.map(({ subject, predicate, object }) => terms.quad(subject, predicate, object, node));
}

function filled(id: TermId, rows: number): Uint32Array {
  const column = new Uint32Array(2 * rows);
  const [low, high] = [lowOf(id), highOf(id)];
  for (let at = 0; at < column.length; at += 2) {
    column[at] = low;
    column[at + 1] = high;
  }
  return column;
}
