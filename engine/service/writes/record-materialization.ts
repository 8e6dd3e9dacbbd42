/**
 * Records which mapping made the content of a graph of which external source: with the content, which then replaces that of
 * the graph in the same transaction, or of the content that is there.
 */

import { breathe } from '../../base/control.js';
import { writeGraph as putGraph } from '../../graphs/graph-store.js';
import {
  checkMaterialized,
  lastWrite,
  type MaterializationInput,
  parseMaterialization,
  recordMaterialization as record,
} from '../../graphs/labels/materialization.js';
import { META_GRAPH_IRI } from '../../query/registry/system-graphs.js';
import { checkTarget } from '../../query/update/targets.js';
import type { Quad } from '../../rdf/terms.js';
import { terms } from '../../rdf/terms.js';
import { readSources } from '../../storage/documents/read-sources.js';
import type { TxId } from '../../storage/ids/layout.js';
import { lookInto } from '../../storage/seam/rows.js';
import type { WriteOptions } from '../options/write-options.js';
import type { StageChange } from '../pipeline/write-control.js';
import type { WriteCommand } from './command.js';
import { type TransactionResult, toResult } from './transact.js';

export interface MaterializationOptions extends Omit<WriteOptions, 'validFrom' | 'source'> {}

export interface MaterializationResult extends TransactionResult {
  /** The transaction that wrote the content. */
  readonly contentTx: TxId;
}

export interface MaterializationRequest {
  readonly graph: string;
  readonly record: MaterializationInput;
  /** The documents are the content. */
  readonly withContent: boolean;
}

/** `source` is `graph-materialization`. */
export const recordMaterialization: WriteCommand<
  MaterializationRequest,
  MaterializationOptions,
  MaterializationResult
> = {
  what: 'the record of a materialization',

  async run(context, { graph, record: given, withContent }, { timestamp, actor }) {
    const { control, documents } = context;
    const source = 'graph-materialization';
    const settled = { ...context.settle({ timestamp, actor, source }), graph: withContent ? graph : META_GRAPH_IRI };
    const input = parseMaterialization(given);
    let quads: readonly Quad[] = [];
    if (withContent) {
      checkTarget(graph);
      const based = documents.map((one) => (one.kind === 'quads' ? one : { baseIri: graph, ...one }));
      quads = (await readSources(based, { graph }, control)).quads;
    }
    const change: StageChange<TxId> = async (stage, registry) => {
      lookInto(stage.snapshot(), (before) => checkMaterialized(before, graph));
      if (withContent) await putGraph(stage, registry, { method: 'put', graph, quads }, control);
      await breathe();
      const last = lookInto(stage.snapshot(), (after) => {
        const id = after.encode(terms.namedNode(graph));
        const isWritten = stage.changes().graphs.some((one) => one.graph === id);
        return isWritten ? stage.tx : lastWrite(after, graph) || stage.tx;
      });
      return record(stage, registry, graph, { input, last });
    };
    const receipt = await context.pipeline.transact(change, settled, control);
    return { ...toResult(receipt), contentTx: receipt.result };
  },
};
