/**
 * A large document into a graph, by the graph store protocol, through the loader, whose memory does not grow with the
 * document. It can add to a graph, and fill one that has no facts; to replace facts both have to be compared, which is
 * work of another kind: those documents are read into memory, and their size has a bound.
 */

import { SvcError } from '../../base/errors.js';
import type { GraphStoreMethod } from '../../graphs/graph-store.js';
import { checkNewStoreGraph, checkStoreRow, checkStoreTarget } from '../../graphs/targets.js';
import { checkForkOpen } from '../../query/registry/fork-rows.js';
import { factsOf, findGraph } from '../../query/registry/graph-rows.js';
import { terms } from '../../rdf/terms.js';
import type { LoadSource, TransactionOptions } from '../../storage/seam/engine.js';
import type { StorageSnapshot } from '../../storage/seam/scan.js';
import { SERVER_LOAD_BYTES } from '../options/store-options.js';
import type { WritePipeline } from '../pipeline/pipeline.js';
import type { WriteControl } from '../pipeline/write-control.js';
import type { GraphWriteOptions, GraphWriteResult } from './graph-write.js';
import { toResult } from './transact.js';

/** Of a document that replaces facts. */
const REPLACING_BYTES_MAX = 256 * 1024 * 1024;

export interface LargeGraphWrite {
  readonly method: Exclude<GraphStoreMethod, 'delete'>;
  readonly graph: string;
  readonly sources: readonly LoadSource[];
  readonly blankNodeScope: GraphWriteOptions['blankNodeScope'];
}

/** Null when the graph has facts that the documents are to replace: nothing of them was read then. */
export async function loadIntoGraph(
  pipeline: WritePipeline,
  { method, graph, sources, blankNodeScope }: LargeGraphWrite,
  settled: TransactionOptions,
  control: WriteControl,
): Promise<GraphWriteResult | null> {
  checkStoreTarget(graph);
  let created = false;
  let replaces = false;
  const check = (before: StorageSnapshot): void => {
    const known = findGraph(before, graph);
    if (known === null) checkNewStoreGraph(before, graph);
    else checkStoreRow(known);
    checkForkOpen(before, graph);
    created = known === null;
    const id = before.encode(terms.namedNode(graph));
    replaces = method === 'put' && id !== null && factsOf(before, id) > 0;
    if (replaces) throw new SvcError('state_conflict', 'the graph holds facts');
  };
  const graphFault = (iri: string): string | null => (iri === graph ? null : 'is another one; expected triples alone');
  try {
    const { summary, ...receipt } = await pipeline.load(
      sources,
      { ...settled, graph, blankNodeScope, graphFault, memoryBytesMax: SERVER_LOAD_BYTES },
      control,
      check,
    );
    const counts = { asserted: summary.quadsAdded, retracted: 0 };
    return { ...toResult({ ...receipt, counts, result: null }), created: created && summary.quadsRead > 0 };
  } catch (error) {
    if (replaces) return null;
    throw error;
  }
}

/** The documents, refused at the byte that is too many for one that replaces facts. */
export function boundedSources(sources: readonly LoadSource[], graph: string): LoadSource[] {
  return sources.map((source) =>
    source.kind === 'bytes' && !(source.bytes instanceof Uint8Array)
      ? { ...source, bytes: bounded(source.bytes, graph) }
      : source,
  );
}

async function* bounded(bytes: AsyncIterable<Uint8Array>, graph: string): AsyncGenerator<Uint8Array> {
  let length = 0;
  for await (const piece of bytes) {
    length += piece.length;
    if (length > REPLACING_BYTES_MAX) {
      throw new SvcError(
        'too_large',
        `the document has more than ${REPLACING_BYTES_MAX} bytes, and the graph <${graph}> holds facts that it would replace`,
        { hint: 'DELETE the graph first and PUT it then, or add to it by POST: those take documents of any size' },
      );
    }
    yield piece;
  }
}
