/**
 * Graphs as a store's callers ask for them: the list, one graph, a new one, and whole graphs written by the
 * graph store protocol. What it means stands in `engine/graphs`; here it goes through the write pipeline.
 */

import { SvcError } from '../../base/errors.js';
import { createGraph } from '../../graphs/create-graph.js';
import { type GraphStoreMethod, writeGraph } from '../../graphs/graph-store.js';
import { readSources } from '../../storage/documents/read-sources.js';
import type { LoadSource } from '../../storage/seam/engine.js';
import { settleWrite, type WriteOptions } from '../options/write-options.js';
import type { WritePipeline } from '../pipeline/pipeline.js';
import type { GraphWriteOptions, GraphWriteResult } from './graph-write.js';
import { type TransactionResult, toResult } from './transact.js';

export type { GraphWriteOptions, GraphWriteResult };

export interface CreatedGraphResult extends TransactionResult {
  readonly number: number;
  readonly created: boolean;
}

/** Registers an empty graph; `source` is `graph-create`. */
export async function runCreateGraph(
  pipeline: WritePipeline,
  iri: string,
  options: WriteOptions,
): Promise<CreatedGraphResult> {
  const settled = settleWrite({ ...options, source: 'graph-create' });
  const receipt = await pipeline.transact((stage, registry) => createGraph(stage, registry, iri), settled, options);
  return { ...toResult(receipt), ...receipt.result };
}

/** Documents that come as a stream: nobody knows how large they are. */
function areLarge(sources: readonly LoadSource[]): boolean {
  return sources.some((source) => source.kind === 'bytes' && !(source.bytes instanceof Uint8Array));
}

/** Replaces, merges into or takes away a graph; `source` is `graph-store:<method>`. Documents are read before the write's turn. */
export async function runGraphWrite(
  pipeline: WritePipeline,
  method: GraphStoreMethod,
  graph: string,
  sources: readonly LoadSource[],
  options: GraphWriteOptions,
): Promise<GraphWriteResult> {
  const { signal, flag, onProgress, wait, blankNodeScope, ...about } = options;
  const control = { signal, flag, onProgress, wait };
  const settled = settleWrite({ ...about, source: `graph-store:${method}` });
  let based: readonly LoadSource[] = sources.map((source) =>
    source.kind === 'quads' ? source : { baseIri: graph, ...source },
  );
  if (method !== 'delete' && areLarge(based)) {
    // Loaded when needed: most graphs that are written are small.
    const { boundedSources, loadIntoGraph } = await import('./large-graph-write.js');
    const loaded = await loadIntoGraph(pipeline, { method, graph, sources: based }, options);
    if (loaded !== null) return loaded;
    based = boundedSources(based, graph);
  }
  const { quads } = await readSources(based, { graph, blankNodeScope }, control);
  const stray = quads.find((quad) => quad.graph.value !== graph);
  if (stray !== undefined) {
    throw new SvcError(
      'invalid_request',
      `the document names the graph <${stray.graph.value}>; expected triples alone`,
    );
  }
  const receipt = await pipeline.transact(
    (stage, registry) => writeGraph(stage, registry, { method, graph, quads }, control),
    settled,
    control,
  );
  return { ...toResult(receipt), ...receipt.result };
}
