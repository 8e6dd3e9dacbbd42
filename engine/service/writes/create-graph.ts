/** A new graph without quads, registered through the write pipeline. */

import { type CreatedGraph, createGraph as registerGraph } from '../../graphs/create-graph.js';
import type { WriteOptions } from '../options/write-options.js';
import type { StageChange } from '../pipeline/write-control.js';
import type { WriteCommand } from './command.js';
import { type TransactionResult, toResult } from './transact.js';

export interface CreatedGraphResult extends TransactionResult {
  readonly number: number;
  readonly created: boolean;
}

/** Registers an empty graph; `source` is `graph-create`. */
export const createGraph: WriteCommand<{ readonly iri: string }, WriteOptions, CreatedGraphResult> = {
  forSomeGraphs: true,
  async run(context, { iri }, options) {
    const settled = { ...context.settle({ ...options, source: 'graph-create' }), graph: iri };
    const change: StageChange<CreatedGraph> = (stage, registry) => registerGraph(stage, registry, iri);
    const receipt = await context.pipeline.transact(change, settled, context.control);
    return { ...toResult(receipt), ...receipt.result };
  },
};
