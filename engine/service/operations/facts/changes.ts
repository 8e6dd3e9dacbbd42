/**
 * The change feed, in pages of whole transactions. Read on with `since` = `next_tx`. A transaction that has more
 * records than a page stands alone and is written as it is read.
 */

import { closable } from '../../../base/closable.js';
import { refuseAsOf } from '../../../query/registry/frozen.js';
import { type Capture, type ChangeRecord, changesOf, type TransactionChanges } from '../../facts/changes.js';
import { graphOf } from '../../facts/entity.js';
import type { StoreSnapshot } from '../../reads/snapshot.js';
import { RawNumber, writeJson } from '../../requests/json.js';
import { oneOf, type Static, Type } from '../../requests/schema.js';
import { JSON_MEDIA_TYPE } from '../definition/answer-operation.js';
import { clampLimit, graphField } from '../definition/fields.js';
import { type Answer, defineOperation, type OperationContext } from '../definition/operation.js';

const LIMIT_DEFAULT = 1000;
/** Transactions that are looked up at a time. */
const TRANSACTIONS_AT_ONCE = 256;

const request = Type.Object({
  since: Type.Optional(Type.Integer({ minimum: 0, description: 'only changes of later transactions; default 0' })),
  capture: Type.Optional(oneOf(['new_values', 'old_and_new_values', 'new_row'], 'default new_values')),
  graph: Type.Optional({ ...graphField, description: 'only changes in this graph; absent = all' }),
  limit: Type.Optional(Type.Integer('most records; 1 to 10000, default 1000; a transaction is never split')),
});

const response = Type.Object({
  capture: Type.String(),
  count: Type.Integer(),
  next_tx: Type.Integer('read on with it as since'),
  watermark: Type.Integer('the newest transaction'),
  changes: Type.Array(Type.Record(Type.String(), Type.Unknown())),
});

interface Page {
  readonly capture: Capture;
  readonly since: number;
  readonly watermark: number;
}

function bodyOf({ capture, watermark }: Page, next: number, records: ChangeRecord[]): Static<typeof response> {
  // Records are texts already, which no schema can tell.
  const changes = records.map((record) => new RawNumber(record) as RawNumber & Record<string, unknown>);
  return { capture, count: changes.length, next_tx: next, watermark, changes };
}

/** The changes of each transaction that has any, oldest first. */
async function* transactionsWithChanges(
  { store, control }: OperationContext,
  snapshot: StoreSnapshot,
  given: Static<typeof request>,
  { capture, since }: Page,
): AsyncGenerator<TransactionChanges> {
  const { storage } = snapshot;
  const graph = given.graph === undefined ? null : graphOf(storage, given.graph);
  for (let at = since; at < storage.tx; ) {
    const limit = Math.min(TRANSACTIONS_AT_ONCE, storage.tx - at);
    for (const transaction of store.recordsOf({ since: at, limit })) {
      at = transaction.id;
      if (at > storage.tx) return;
      if (transaction.quadsAdded + transaction.quadsRetracted === 0) continue;
      const changes = await changesOf(storage, transaction, { graph, capture }, control);
      if (changes !== null) yield changes;
    }
  }
}

/** A page of one transaction that is larger than pages are. */
async function* written(
  { capture, watermark }: Page,
  changes: TransactionChanges,
  ignored: readonly string[] | undefined,
): AsyncGenerator<string> {
  const { tx, count } = changes;
  yield `${writeJson({ capture, count, next_tx: tx, watermark, ignored_fields: ignored?.length ? ignored : undefined }).slice(0, -1)},"changes":[`;
  let separator = '';
  for await (const records of changes.records()) {
    if (records.length === 0) continue;
    yield `${separator}${records.join(',')}`;
    separator = ',';
  }
  yield ']}';
}

/** Rows after a transaction are an earlier state. */
function refuseRowsOf({ asOf }: OperationContext['store'], snapshot: StoreSnapshot): void {
  if (asOf === 'allow') return;
  try {
    refuseAsOf(snapshot.storage, 'after each transaction (new_row)');
  } catch (error) {
    snapshot.close();
    throw error;
  }
}

async function* releasing(chunks: AsyncGenerator<string>, close: () => Promise<void>): AsyncGenerator<string> {
  try {
    yield* chunks;
  } finally {
    await close();
  }
}

export const changes = defineOperation({
  name: 'changes',
  summary: 'List what transactions asserted and retracted',
  access: 'read',
  request,
  response,
  async handler(context, given): Promise<Answer<Static<typeof response>>> {
    const { capture = 'new_values', since = 0 } = given;
    const limit = clampLimit(given.limit, LIMIT_DEFAULT);
    const snapshot = context.store.snapshot();
    if (capture === 'new_row') refuseRowsOf(context.store, snapshot);
    const page = { capture, since, watermark: snapshot.storage.tx };
    const records: ChangeRecord[] = [];
    let next = since;
    let reachedEnd = true;
    try {
      for await (const found of transactionsWithChanges(context, snapshot, given, page)) {
        const fits = records.length + found.count <= limit;
        if (!fits && records.length === 0) {
          const close = async (): Promise<void> => {
            await found.close();
            snapshot.close();
          };
          const chunks = closable(releasing(written(page, found, context.ignoredFields), close), close);
          return { kind: 'document', mediaType: JSON_MEDIA_TYPE, chunks };
        }
        if (fits) {
          for await (const some of found.records()) records.push(...some);
          next = found.tx;
        }
        await found.close();
        reachedEnd = fits;
        if (!fits) break;
      }
      // Transactions that changed nothing here are passed, too: who reads on is caught up.
      if (reachedEnd) next = Math.max(since, page.watermark);
    } catch (error) {
      snapshot.close();
      throw error;
    }
    snapshot.close();
    return { kind: 'body', body: bodyOf(page, next, records) };
  },
  projections: {
    http: [{ method: 'GET', path: '/changes', request: 'parameters' }],
    mcp: {
      tool: 'changes',
      description: [
        'List what transactions asserted and retracted, in their order, from the one after since on; a transaction is never split.',
        'Answers {"changes": [...], "count", "next_tx", "watermark"}: ask again with since: next_tx until it is watermark.',
      ],
      example: { since: 0, limit: 100 },
      parameters: { since: {}, limit: {}, graph: {}, capture: {} },
      extra: true,
    },
  },
});
