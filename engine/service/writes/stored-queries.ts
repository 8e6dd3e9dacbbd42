/** Stored queries as a store's callers ask for them; they are written through the pipeline like everything else. */

import type { QueryInput } from '../../graphs/queries/query-definition.js';
import { STORED_QUERIES } from '../../graphs/queries/stored-queries.js';
import { settleWrite, type WriteOptions } from '../options/write-options.js';
import type { WritePipeline } from '../pipeline/pipeline.js';
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
export async function runStoreQuery(
  pipeline: WritePipeline,
  input: QueryInput,
  options: WriteOptions,
): Promise<StoredQueryResult> {
  const settled = settleWrite({ ...options, source: SOURCE });
  // Loaded when needed: it brings the parser.
  const { defineQuery } = await import('../../graphs/queries/query-definition.js');
  const query = defineQuery(input);
  const receipt = await pipeline.transact(
    (stage, registry) => STORED_QUERIES.store(stage, registry, query),
    settled,
    options,
  );
  return { ...toResult(receipt), params: query.params.length };
}

export async function runRemoveQuery(
  pipeline: WritePipeline,
  name: string,
  options: WriteOptions,
): Promise<RemovedQueryResult> {
  const settled = settleWrite({ ...options, source: SOURCE });
  const receipt = await pipeline.transact(
    (stage, registry) => STORED_QUERIES.remove(stage, registry, name),
    settled,
    options,
  );
  return { ...toResult(receipt), removed: receipt.result };
}
