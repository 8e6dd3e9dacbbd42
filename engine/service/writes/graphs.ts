/** Whole graphs, written by the graph store protocol. What it means stands in `engine/graphs`; here it goes through the write pipeline. */

import { SvcError } from '../../base/errors.js';
import { type GraphStoreMethod, writeGraph as putGraph } from '../../graphs/graph-store.js';
import { readSources } from '../../storage/documents/read-sources.js';
import type { LoadSource } from '../../storage/seam/engine.js';
import type { WriteCommand } from './command.js';
import type { GraphWriteOptions, GraphWriteResult } from './graph-write.js';
import { toResult } from './transact.js';

/** Documents that come as a stream: nobody knows how large they are. */
function areLarge(sources: readonly LoadSource[]): boolean {
  return sources.some((source) => source.kind === 'bytes' && !(source.bytes instanceof Uint8Array));
}

export interface GraphWriteRequest {
  readonly method: GraphStoreMethod;
  readonly graph: string;
}

/** Replaces, merges into or takes away a graph; `source` is `graph-store:<method>`. Documents are read before the write's turn. */
export const writeGraph: WriteCommand<GraphWriteRequest, GraphWriteOptions, GraphWriteResult> = {
  forSomeGraphs: true,
  what: 'the write of a graph',

  async run(context, { method, graph }, options) {
    const { control, documents } = context;
    const { blankNodeScope } = options;
    const settled = context.settle({ ...options, source: `graph-store:${method}` });
    let based: readonly LoadSource[] = documents.map((source) =>
      source.kind === 'quads' ? source : { baseIri: graph, ...source },
    );
    if (method !== 'delete' && areLarge(based)) {
      // Loaded when needed: most graphs that are written are small.
      const { boundedSources, loadIntoGraph } = await import('./large-graph-write.js');
      const write = { method, graph, sources: based, blankNodeScope };
      const loaded = await loadIntoGraph(context.pipeline, write, settled, control);
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
    const receipt = await context.pipeline.transact(
      (stage, registry) => putGraph(stage, registry, { method, graph, quads }, control),
      settled,
      control,
    );
    return { ...toResult(receipt), ...receipt.result };
  },
};
