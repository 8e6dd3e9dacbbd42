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
import type { WriteCommand, WriteContext } from './command.js';
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
  forSomeGraphs: true,
  async gather({ change }, options, signal) {
    if (typeof change === 'function') return { request: { change }, documents: [] };
    settleWrite(options);
    checkChange(change);
    const documents: LoadSource[] = [];
    for (const name of [RETRACT, ASSERT]) {
      const quads = change[name];
      if (quads === undefined) continue;
      const gathered = gatherQuads(quads, name, signal);
      documents.push({ kind: 'quads', name, quads: gathered instanceof Promise ? await gathered : gathered });
    }
    return { request: {}, documents };
  },

  async run(context, { change }, options) {
    const settled = context.settle(options);
    const { control } = context;
    const work = typeof change === 'function' ? workOnDraft(change) : await putQuads(context);
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

/** Quads that have crossed to another thread come as streams again, which are read before the write takes its turn. */
async function putQuads({ documents, control: { signal } }: WriteContext): Promise<StageChange<void>> {
  const given: NamedQuads[] = [];
  for (const source of documents) if (source.kind === 'quads') given.push(source);
  return stageQuads(given, signal);
}

interface NamedQuads {
  /** What is done with them. */
  readonly name: string;
  readonly quads: Quads;
}

/** A change that is given as quads, for a stage; they are gathered when this settles. */
export async function stageOf(change: Change, signal: AbortSignal | undefined): Promise<StageChange<void>> {
  checkChange(change);
  const given: NamedQuads[] = [];
  for (const name of [RETRACT, ASSERT]) {
    const quads = change[name];
    if (quads !== undefined) given.push({ name, quads });
  }
  return stageQuads(given, signal);
}

async function stageQuads(given: readonly NamedQuads[], signal: AbortSignal | undefined): Promise<StageChange<void>> {
  const changes: { readonly name: string; readonly quads: Iterable<Quad> }[] = [];
  for (const { name, quads } of given) {
    const gathered = gatherQuads(quads, name, signal);
    changes.push({ name, quads: gathered instanceof Promise ? await gathered : gathered });
  }
  return async (stage) => {
    for (const { name, quads } of changes) {
      await takeQuads(quads, (batch) => (name === RETRACT ? stage.retract(batch) : stage.assert(batch)), signal);
    }
  };
}
