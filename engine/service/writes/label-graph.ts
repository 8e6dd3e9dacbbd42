/**
 * Declares labels of a graph, through the write pipeline. Who may is asked about the meta graph: whoever may write a graph
 * can't say by that how far it is to be trusted.
 */

import { declareLabels } from '../../graphs/labels/declare-labels.js';
import { type LabelInput, parseLabels } from '../../graphs/labels/parse-labels.js';
import type { Axis } from '../../query/registry/label-rows.js';
import { META_GRAPH_IRI } from '../../query/registry/system-graphs.js';
import { type Time, toInstant } from '../options/store-options.js';
import type { WriteOptions } from '../options/write-options.js';
import type { StageChange } from '../pipeline/write-control.js';
import type { WriteCommand } from './command.js';
import { type TransactionResult, toResult } from './transact.js';

export interface LabelOptions extends Omit<WriteOptions, 'validFrom' | 'source'> {
  /** From this instant on (RFC 3339) the axes that are named read as undeclared; absent = they don't expire. */
  readonly validTo?: Time | undefined;
  /** Kinds besides those that every store knows: `labels.extra_kinds`. */
  readonly extraKinds?: readonly string[] | undefined;
}

export interface LabelResult extends TransactionResult {
  /** Those whose declaration has changed. */
  readonly axes: readonly Axis[];
}

export interface LabelRequest {
  readonly graph: string;
  readonly labels: LabelInput;
}

/** `source` is `graph-label`. What was declared already, up to the same end, is not declared again. */
export const labelGraph: WriteCommand<LabelRequest, LabelOptions, LabelResult> = {
  async run(context, { graph, labels }, { validTo, extraKinds, timestamp, actor }) {
    const settled = { ...context.settle({ timestamp, actor, source: 'graph-label' }), graph: META_GRAPH_IRI };
    const values = parseLabels(labels, extraKinds);
    const end = validTo === undefined ? null : toInstant(validTo, false, 'valid_to');
    const change: StageChange<readonly Axis[]> = (stage, registry, events) => {
      const axes = declareLabels(stage, registry, { graph, values, validTo: end });
      if (axes.length > 0) {
        events.add({ type: 'graph.labeled', subject: graph, payload: { graph, tx: stage.tx, axes } });
      }
      return axes;
    };
    const receipt = await context.pipeline.transact(change, settled, context.control);
    return { ...toResult(receipt), axes: receipt.result };
  },
};
