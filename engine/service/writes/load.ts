/** Loads of the library: from what a caller names to documents, and through the write pipeline. */

import { SvcError } from '../../base/errors.js';
import { checkRegisteredTarget } from '../../graphs/targets.js';
import { DATASETS } from '../../query/registry/dataset-rows.js';
import { checkForkOpen, newNameFault } from '../../query/registry/fork-rows.js';
import { findGraph, overlayIds } from '../../query/registry/graph-rows.js';
import { newGraphFault } from '../../query/registry/system-graphs.js';
import { checkTarget, targetFault } from '../../query/update/targets.js';
import { ROOT_GRAPH_IRI } from '../../rdf/terms.js';
import { areSmall } from '../../storage/documents/small-documents.js';
import type { LoadOptions, StorageEngine } from '../../storage/seam/engine.js';
import { decodeIds, lookInto, withSnapshot } from '../../storage/seam/rows.js';
import type { StorageSnapshot } from '../../storage/seam/scan.js';
import { type LoadResult, type StoreLoadOptions, showInstant } from '../options/store-options.js';
import type { WriteCommand } from './command.js';
import { loadSmall, type StagedReceipt } from './small-load.js';
import { judgedOf } from './transact.js';

/** The documents go along. */
export const load: WriteCommand<object, StoreLoadOptions, LoadResult> = {
  forSomeGraphs: true,
  what: 'the load',

  async run(context, _, options) {
    const { engine, whole, pipeline, documents } = context;
    const control = { ...context.control, shapes: options.shapes };
    const { graph, snapshotKey, blankNodeScope, threads, memoryBytesMax, remoteContexts } = options;
    const graphFault = graphFaultIn(whole);
    // Of a document that is read as it comes nobody knows whether it has triples without a graph.
    pipeline.checkWritable(context.principal, graph ?? ROOT_GRAPH_IRI);
    if (graph !== undefined) {
      checkTarget(graph);
      const fault = graphFault(graph);
      if (fault !== null && !options.registeredOnly) {
        throw new SvcError('invalid_request', `the graph <${graph}> can not be written: it ${fault}`);
      }
    }
    const check = options.registeredOnly
      ? (before: StorageSnapshot) => checkRegisteredTarget(before, graph ?? ROOT_GRAPH_IRI)
      : undefined;
    const rest = { graph, snapshotKey, blankNodeScope, threads, memoryBytesMax, remoteContexts, graphFault };
    const settled: LoadOptions = { ...rest, ...context.settle(options) };
    if (options.replaceSnapshot) {
      if (engine.readOnly) throw new SvcError('store_read_only', `${engine.path} is open for reading only`);
      const { replaceSnapshot } = await import('./replace-snapshot.js');
      return toLoadResult(await replaceSnapshot(engine, pipeline, documents, settled, control, check));
    }
    // A graph that is not there is told before anything of the documents is.
    if (check !== undefined) await withSnapshot(engine.snapshot(), check);
    if (areSmall(documents) && !engine.readOnly) {
      return toLoadResult(await loadSmall(pipeline, documents, settled, control, check));
    }
    return toLoadResult({ ...(await pipeline.load(documents, settled, control, check)), retracted: 0 });
  },
};

/**
 * Why a load may not write a graph, or null: it is the service's, an overlay, or a dataset, or would be new under a name that
 * the service gives. Overlays and datasets are looked for once: a load may name very many graphs, and no write comes between.
 */
function graphFaultIn(engine: StorageEngine): (iri: string) => string | null {
  let others: ReadonlyMap<string, string> | null = null;
  return (iri) => {
    const fault = targetFault(iri);
    if (fault !== null) return fault;
    others ??= lookInto(engine.snapshot(), othersThanGraphs);
    const other = others.get(iri);
    if (other !== undefined) return other;
    if (newGraphFault(iri) === null) return null;
    return lookInto(engine.snapshot(), (snapshot) => {
      checkForkOpen(snapshot, iri);
      return findGraph(snapshot, iri) === null ? newNameFault(snapshot, iri) : null;
    });
  };
}

/** By the names of overlays and datasets why facts are not loaded into them. */
function othersThanGraphs(snapshot: StorageSnapshot): ReadonlyMap<string, string> {
  const others = new Map<string, string>();
  for (const name of DATASETS.names(snapshot)) others.set(name, 'is the name of a dataset, not of a graph');
  for (const { value } of decodeIds(snapshot, overlayIds(snapshot))) {
    others.set(value, 'is an overlay, which only overlay operations write');
  }
  return others;
}

function toLoadResult({ tx, timestamp, validFrom, summary, retracted, findings, judged }: StagedReceipt): LoadResult {
  return {
    tx,
    timestamp: showInstant(timestamp),
    validFrom: showInstant(validFrom),
    quadsRead: summary.quadsRead,
    quadsAdded: summary.quadsAdded,
    quadsRetracted: retracted,
    documents: summary.sources,
    findings,
    ...judgedOf({ judged }),
  };
}
