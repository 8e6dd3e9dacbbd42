/** Stored queries as a store's callers ask for them; they are written through the pipeline like everything else. */

import type { QueryInput } from '../../graphs/queries/query-definition.js';
import { STORED_QUERIES } from '../../graphs/queries/stored-queries.js';
import type { WriteOptions } from '../options/write-options.js';
import type { StageChange } from '../pipeline/write-control.js';
import type { WriteCommand } from './command.js';
import { type TransactionResult, toResult } from './transact.js';

export interface StoredQueryResult extends TransactionResult {
  /** How many parameters it has. */
  readonly params: number;
}

export interface RemovedQueryResult extends TransactionResult {
  readonly removed: boolean;
}

const SOURCE = 'stored-query';

/** Checks a query and stores it in place of the one of its name. */
export const storeQuery: WriteCommand<{ readonly query: QueryInput }, WriteOptions, StoredQueryResult> = {
  async run(context, request, options) {
    const settled = context.settle({ ...options, source: SOURCE });
    // Loaded when needed: it brings the parser.
    const { defineQuery } = await import('../../graphs/queries/query-definition.js');
    const query = defineQuery(request.query);
    const change: StageChange<void> = (stage, registry) => STORED_QUERIES.store(stage, registry, query);
    const receipt = await context.pipeline.transact(change, settled, context.control);
    return { ...toResult(receipt), params: query.params.length };
  },
};

export const removeQuery: WriteCommand<{ readonly name: string }, WriteOptions, RemovedQueryResult> = {
  async run(context, { name }, options) {
    const settled = context.settle({ ...options, source: SOURCE });
    const change: StageChange<boolean> = (stage, registry) => STORED_QUERIES.remove(stage, registry, name);
    const receipt = await context.pipeline.transact(change, settled, context.control);
    return { ...toResult(receipt), removed: receipt.result };
  },
};
