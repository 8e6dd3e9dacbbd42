/**
 * Transactions of the library: a change that is given as quads, or a function that works on a draft.
 * All of it becomes one transaction, or nothing does.
 */

import { SvcError } from '../../base/errors.js';
import type { TxId } from '../../storage/ids/layout.js';
import type { Finding } from '../gates/gates.js';
import { showInstant } from '../options/store-options.js';
import { settleWrite, type WriteOptions } from '../options/write-options.js';
import type { StageChange, TransactionReceipt, WritePipeline } from '../pipeline/pipeline.js';
import { Draft } from './draft.js';
import { gatherQuads, type Quads, takeQuads } from './quads.js';

export interface TransactOptions extends WriteOptions {
  /** Writes a transaction even when nothing changes. */
  readonly recordEmpty?: boolean | undefined;
}

/** Retracts come first. */
export interface Change {
  readonly assert?: Quads | undefined;
  readonly retract?: Quads | undefined;
}

export type DraftChange = (draft: Draft) => unknown;

export interface TransactionResult {
  /** 0 when there was nothing to write. */
  readonly tx: TxId;
  readonly timestamp: string;
  readonly validFrom: string;
  /** Statements that were not open before and now are. */
  readonly asserted: number;
  /** Statements that were open before and are not any more. */
  readonly retracted: number;
  /** What gates had to say about a write that they accepted. */
  readonly findings: readonly Finding[];
  /** There, and true, when shapes have judged the write. */
  readonly judged?: boolean;
}

/** Whether shapes have judged, for a result that says so only then. */
export function judgedOf({ judged }: { readonly judged?: boolean | undefined }): { readonly judged?: true } {
  return judged === true ? { judged } : {};
}

export function toResult(receipt: TransactionReceipt<unknown>): TransactionResult {
  return {
    tx: receipt.tx,
    timestamp: showInstant(receipt.timestamp),
    validFrom: showInstant(receipt.validFrom),
    asserted: receipt.counts.asserted,
    retracted: receipt.counts.retracted,
    findings: receipt.findings,
    ...judgedOf(receipt),
  };
}

export async function transact(
  pipeline: WritePipeline,
  change: Change | DraftChange,
  options: TransactOptions,
): Promise<TransactionResult> {
  const settled = settleWrite(options);
  const { signal, wait, recordEmpty } = options;
  const work = typeof change === 'function' ? workOnDraft(change) : await putQuads(change, signal);
  return toResult(await pipeline.transact(work, settled, { signal, wait, recordEmpty }));
}

function workOnDraft(change: DraftChange): StageChange<void> {
  return async (stage) => {
    const draft = new Draft(stage);
    try {
      await change(draft);
    } finally {
      draft.close();
    }
  };
}

export function checkChange(change: unknown): void {
  if (typeof change === 'object' && change !== null && ('assert' in change || 'retract' in change)) return;
  throw new SvcError('invalid_request', 'a change has the keys assert and retract, or is a function of a draft');
}

async function putQuads(change: Change, signal: AbortSignal | undefined): Promise<StageChange<void>> {
  checkChange(change);
  const { retract, assert } = change;
  const gone = retract === undefined ? [] : await gatherQuads(retract, 'retract', signal);
  const come = assert === undefined ? [] : await gatherQuads(assert, 'assert', signal);
  return async (stage) => {
    await takeQuads(gone, (batch) => stage.retract(batch), signal);
    await takeQuads(come, (batch) => stage.assert(batch), signal);
  };
}
