/**
 * The graph store protocol on a stage: a whole graph is replaced, merged into, or taken away, in one
 * transaction (semantics of graphs, 8.5). Replacing retracts all and asserts the new contents; netting
 * does the rest, so that what stays keeps its row, its transaction and the start of its validity.
 */

import { breathe, type Control, throwIfStopped } from '../base/control.js';
import { SvcError } from '../base/errors.js';
import { checkForkOpen } from '../query/registry/fork-rows.js';
import { findGraph } from '../query/registry/graph-rows.js';
import type { GraphRegistration } from '../query/registry/registration.js';
import { type Quad, ROOT_GRAPH_IRI, terms } from '../rdf/terms.js';
import type { Stage } from '../storage/seam/engine.js';
import { readRows, withSnapshot } from '../storage/seam/rows.js';
import { CURRENT, type StorageSnapshot } from '../storage/seam/scan.js';
import { checkNewStoreGraph, checkStoreRow, checkStoreTarget } from './targets.js';

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
  return withSnapshot(stage.snapshot(), async (before) => {
    const known = findGraph(before, graph);
    if (known === null) checkNewStoreGraph(before, graph);
    else checkStoreRow(known);
    checkForkOpen(before, graph);
    if (known === null && method === 'delete') throw new SvcError('not_found', `unknown graph: ${graph}`);
    if (known !== null && method !== 'post') await retractAll(stage, before, graph, control);
    if (method === 'delete' && graph !== ROOT_GRAPH_IRI) registry.unregister(before, [graph]);
    await assertAll(stage, quads, control);
    // Facts register a graph by themselves.
    if (known === null && method !== 'delete' && quads.length === 0) registry.register(before, graph);
    return { created: known === null };
  });
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
  const columns = ['s', 'p', 'o', 'g'] as const;
  for (const batch of readRows(before, { graphs: { kind: 'one', graph }, pattern: {}, time: CURRENT, columns })) {
    throwIfStopped(control, WHAT);
    stage.retractIds(batch.quads());
    await breathe();
  }
}
