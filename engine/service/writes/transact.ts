/**
 * Transactions of the library: a change that is given as quads, or a function that works on a draft.
 * All of it becomes one transaction, or nothing does.
 */

import { SvcError } from '../../base/errors.js';
import type { Quad } from '../../rdf/terms.js';
import type { TxId } from '../../storage/ids/layout.js';
import type { LoadSource } from '../../storage/seam/engine.js';
import type { Judged } from '../gates/gates.js';
import { showInstant } from '../options/store-options.js';
import { settleWrite, type WriteOptions } from '../options/write-options.js';
import type { StageChange, TransactionReceipt } from '../pipeline/write-control.js';
import type { WriteCommand } from './command.js';
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

export interface TransactionResult extends Judged {
  /** 0 when there was nothing to write. */
  readonly tx: TxId;
  readonly timestamp: string;
  readonly validFrom: string;
  /** Statements that were not open before and now are. */
  readonly asserted: number;
  /** Statements that were open before and are not any more. */
  readonly retracted: number;
}

/** Whether shapes have judged, for a result that says so only then. */
export function judgedOf({ judged }: Pick<Judged, 'judged'>): { readonly judged?: true } {
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

export interface TransactRequest {
  /** Quads, until they are gathered: then they go along as documents. Or a function, which stays in the caller's thread. */
  readonly change?: Change | DraftChange;
}

/** What quads that go along are called. */
const [RETRACT, ASSERT] = ['retract', 'assert'] as const;

export const transact: WriteCommand<TransactRequest, TransactOptions, TransactionResult> = {
  async gather({ change }, options, signal) {
    if (typeof change === 'function') return { request: { change }, documents: [] };
    settleWrite(options);
    checkChange(change);
    const documents: LoadSource[] = [];
    for (const name of [RETRACT, ASSERT]) {
      const quads = change[name];
      if (quads !== undefined) documents.push({ kind: 'quads', name, quads: await gatherQuads(quads, name, signal) });
    }
    return { request: {}, documents };
  },

  async run(context, { change }, options) {
    const settled = context.settle(options);
    const { control, documents } = context;
    const work = typeof change === 'function' ? workOnDraft(change) : await putQuads(documents, control.signal);
    const { recordEmpty } = options;
    return toResult(await context.pipeline.transact(work, settled, { ...control, recordEmpty }));
  },
};

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

function checkChange(change: unknown): asserts change is Change {
  if (typeof change === 'object' && change !== null && ('assert' in change || 'retract' in change)) return;
  throw new SvcError('invalid_request', 'a change has the keys assert and retract, or is a function of a draft');
}

async function putQuads(documents: readonly LoadSource[], signal: AbortSignal | undefined): Promise<StageChange<void>> {
  const [gone, come] = [await quadsNamed(documents, RETRACT, signal), await quadsNamed(documents, ASSERT, signal)];
  return async (stage) => {
    await takeQuads(gone, (batch) => stage.retract(batch), signal);
    await takeQuads(come, (batch) => stage.assert(batch), signal);
  };
}

/** Those that have crossed to another thread come as a stream again. */
async function quadsNamed(
  documents: readonly LoadSource[],
  name: string,
  signal: AbortSignal | undefined,
): Promise<Iterable<Quad>> {
  for (const source of documents) {
    if (source.kind === 'quads' && source.name === name) return gatherQuads(source.quads, name, signal);
  }
  return [];
}
