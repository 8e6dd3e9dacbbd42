/**
 * The graph store protocol on a stage: a whole graph is replaced, merged into, or taken away, in one
 * transaction (semantics of graphs, 8.5). Replacing retracts all and asserts the new contents; netting
 * does the rest, so that what stays keeps its row, its transaction and the start of its validity.
 */

import { breathe, type Control, throwIfStopped } from '../base/control.js';
import { SvcError } from '../base/errors.js';
import { findGraph } from '../query/registry/graph-rows.js';
import type { GraphRegistration } from '../query/registry/registration.js';
import { checkNewGraph } from '../query/registry/system-graphs.js';
import { type Quad, ROOT_GRAPH_IRI, terms } from '../rdf/terms.js';
import { highOf, lowOf } from '../storage/ids/halves.js';
import type { TermId } from '../storage/ids/layout.js';
import type { Stage } from '../storage/seam/engine.js';
import { type Batch, CURRENT, type IdColumn, type StorageSnapshot } from '../storage/seam/scan.js';
import { checkStoreRow, checkStoreTarget } from './targets.js';

export const GRAPH_STORE_METHODS = ['put', 'post', 'delete'] as const;
export type GraphStoreMethod = (typeof GRAPH_STORE_METHODS)[number];

const BATCH_QUADS = 4096;
const WHAT = 'the write of a graph';

/** What a write of a graph did, besides its changes. */
export interface GraphStoreOutcome {
  /** The graph was not there before. */
  readonly created: boolean;
}

export async function writeGraph(
  stage: Stage,
  registry: GraphRegistration,
  write: { readonly method: GraphStoreMethod; readonly graph: string; readonly quads: readonly Quad[] },
  control: Control,
): Promise<GraphStoreOutcome> {
  const { method, graph, quads } = write;
  checkStoreTarget(graph);
  const before = stage.snapshot();
  try {
    const known = findGraph(before, graph);
    if (known === null) checkNewGraph(graph);
    else checkStoreRow(known);
    if (known === null && method === 'delete') throw new SvcError('not_found', `unknown graph: ${graph}`);
    if (known !== null && method !== 'post') await retractAll(stage, before, graph, control);
    if (method === 'delete' && graph !== ROOT_GRAPH_IRI) registry.unregister(before, [graph]);
    await assertAll(stage, quads, control);
    // Facts register a graph by themselves.
    if (known === null && method !== 'delete' && quads.length === 0) registry.register(before, graph);
    return { created: known === null };
  } finally {
    before.close();
  }
}

async function assertAll(stage: Stage, quads: readonly Quad[], control: Control): Promise<void> {
  for (let from = 0; from < quads.length; from += BATCH_QUADS) {
    throwIfStopped(control, WHAT);
    stage.assert(quads.slice(from, from + BATCH_QUADS));
    await breathe();
  }
}

async function retractAll(stage: Stage, before: StorageSnapshot, iri: string, control: Control): Promise<void> {
  const graph = before.encode(terms.namedNode(iri));
  if (graph === null) return;
  const request = { graphs: { kind: 'one', graph }, pattern: {}, time: CURRENT, columns: ['s', 'p', 'o'] } as const;
  const cursor = before.scan(request);
  try {
    for (let batch = cursor.next(); batch !== null; batch = cursor.next()) {
      throwIfStopped(control, WHAT);
      const rows = batch.selection?.length ?? batch.rows;
      const [s, p, o] = (['s', 'p', 'o'] as const).map((name) => picked(batch as Batch, name, rows));
      stage.retractIds({ rows, s: s as IdColumn, p: p as IdColumn, o: o as IdColumn, g: filled(graph, rows) });
      await breathe();
    }
  } finally {
    cursor.close();
  }
}

/** The rows of a column that count. */
function picked({ columns, selection }: Batch, name: 's' | 'p' | 'o', rows: number): IdColumn {
  const ids = columns[name] as IdColumn;
  if (selection === null) return ids.slice(0, 2 * rows);
  const chosen = new Uint32Array(2 * rows);
  for (let at = 0; at < rows; at++) {
    const row = selection[at] as number;
    chosen[2 * at] = ids[2 * row] as number;
    chosen[2 * at + 1] = ids[2 * row + 1] as number;
  }
  return chosen;
}

function filled(graph: TermId, rows: number): IdColumn {
  const column = new Uint32Array(2 * rows);
  for (let row = 0; row < rows; row++) {
    column[2 * row] = lowOf(graph);
    column[2 * row + 1] = highOf(graph);
  }
  return column;
}
