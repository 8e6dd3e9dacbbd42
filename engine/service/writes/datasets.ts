/** Datasets as a store's callers ask for them; they are written through the pipeline like everything else. */

import type { DatasetInput } from '../../graphs/datasets/define-dataset.js';
import { createDataset as define, removeDataset as undefine } from '../../graphs/datasets/write-dataset.js';
import type { WriteOptions } from '../options/write-options.js';
import type { WriteCommand } from './command.js';
import { type TransactionResult, toResult } from './transact.js';

export interface CreatedDatasetResult extends TransactionResult {
  readonly members: number;
  /** Members that are no registered graphs. */
  readonly unregistered: readonly string[];
}

export interface RemovedDatasetResult extends TransactionResult {
  readonly removed: boolean;
}

export interface DatasetOptions extends Omit<WriteOptions, 'source' | 'validFrom'> {}

const SOURCE = 'dataset';

export const createDataset: WriteCommand<{ readonly dataset: DatasetInput }, DatasetOptions, CreatedDatasetResult> = {
  async run(context, { dataset }, options) {
    const settled = context.settle({ ...options, source: SOURCE });
    const receipt = await context.pipeline.transact(
      (stage, registry, events) => {
        const created = define(stage, registry, dataset);
        const { name } = dataset;
        events.add({ type: 'dataset.created', subject: name, payload: { name, members: created.members } });
        return created;
      },
      settled,
      context.control,
    );
    return { ...toResult(receipt), ...receipt.result };
  },
};

export const removeDataset: WriteCommand<{ readonly name: string }, DatasetOptions, RemovedDatasetResult> = {
  async run(context, { name }, options) {
    const settled = context.settle({ ...options, source: SOURCE });
    const receipt = await context.pipeline.transact(
      (stage, registry, events) => {
        const { removed, members } = undefine(stage, registry, name);
        if (removed) events.add({ type: 'dataset.removed', subject: name, payload: { name, members } });
        return removed;
      },
      settled,
      context.control,
    );
    return { ...toResult(receipt), removed: receipt.result };
  },
};
